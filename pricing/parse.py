"""Parses the rows of price tables. Raises BrokenBook for an invalid row."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from datetime import date

from pricing.catalog import FsxPerformance, InstanceType
from pricing.offers import Basis, InterruptionBand, Price
from pricing.snapshot import BrokenBook, Row

# Rows that AWS lists as free of charge. Any other zero is an error, not a price.
FREE = {
    ("EFA", "Elastic Fabric Adapter surcharge"),
    ("AmazonVPC", "Public IPv4 address, in use"),
    ("AmazonS3", "S3 Express One Zone DELETE"),
}
METADATA_IOPS_LIMIT = 192_000  # FSx for Lustre sells and includes no more than this
_GRADES = ("A", "B", "C")
_CARRIED = ("", "forward", "back")
BANDS = {
    "<5%": (0.0, 0.05),
    "5-10%": (0.05, 0.10),
    "10-15%": (0.10, 0.15),
    "15-20%": (0.15, 0.20),
    ">20%": (0.20, 1.0),
}
Source = Callable[[str], str]


def price(row: Row, source: str) -> Price:
    """A row of any price table.

    Raises BrokenBook for a price that is zero, negative or not finite, and for an unknown grade or value of `carried`.
    """
    try:
        usd = float(row["usd"])
        observed = date.fromisoformat(row["observed"])
        tier_from, tier_to = float(row.get("tier_from", "0")), float(row.get("tier_to", "Inf"))
    except ValueError as error:
        raise BrokenBook(f"not a price: {dict(row)}: {error}") from error
    free = usd == 0 and (row.get("service"), row.get("item")) in FREE
    if not math.isfinite(usd) or (usd <= 0 and not free):
        raise BrokenBook(f"{row['usd']!r} is not a price: {dict(row)}")
    if row["grade"] not in _GRADES or row["carried"] not in _CARRIED:
        raise BrokenBook(f"grade {row['grade']!r}, carried {row['carried']!r} do not exist: {dict(row)}")
    return Price(
        usd=usd,
        unit=row["unit"],
        observed=observed,
        grade=row["grade"],
        source=source,
        basis=Basis.CARRIED if row["carried"] else Basis.OBSERVED,
        carried_back=row["carried"] == "back",
        tier_from=tier_from,
        tier_to=tier_to,
        note=row["note"],
    )


def tiers_abut(tiers: Sequence[Price]) -> bool:
    """Whether there are tiers, the first begins at 0, and each begins where the last one ended."""
    ends = [0.0, *(tier.tier_to for tier in tiers)]
    return bool(tiers) and all(tier.tier_from == end for tier, end in zip(tiers, ends, strict=False))


# dense fp16/bf16 peak of one chip of AWS, which the books' lists of GPUs do not have
NEURON_PEAK_TFLOPS = {"Trainium": 190.0, "Trainium2": 667.0}
NEURON_PEAKS = "AWS Neuron documentation, Trainium and Trainium2 architecture (v2.29)"


def instance(row: Row, source: Source) -> InstanceType:
    """A row of the instances table. Raises BrokenBook for an invalid number."""
    text = source(row["source"])
    if row["peak_source"]:
        text += f"; tensor peak: {source(row['peak_source'])}"
    elif row["gpu_name"] in NEURON_PEAK_TFLOPS:
        text += f"; tensor peak: {NEURON_PEAKS}"
    try:
        return _instance(row, text)
    except ValueError as error:
        raise BrokenBook(f"not an instance type: {dict(row)}: {error}") from error


def _instance(row: Row, text: str) -> InstanceType:
    return InstanceType(
        name=row["name"],
        vcpu=int(row["vcpu"]),
        memory_mib=int(row["memory_mib"]),
        gpu_count=int(row["gpu_count"]),
        gpu_name=row["gpu_name"],
        nvme_drives=int(row["nvme_drives"]),
        nvme_drive_gb=float(row["nvme_drive_gb"]),
        nvme_total_gb=float(row["nvme_total_gb"]),
        network_mbps=int(row["network_mbps"]),
        network_cards=int(row["network_cards"]),
        max_network_interfaces=int(row["max_network_interfaces"]),
        efa_interfaces=int(row["efa_interfaces"]),
        nitro_version=int(row["nitro_version"]),
        ebs_mbps=int(row["ebs_mbps"]),
        peak_tflops=float(row["peak_tflops"]) if row["peak_tflops"] else NEURON_PEAK_TFLOPS.get(row["gpu_name"]),
        source=text,
        notes=row["notes"],
    )


def interruption(row: Row, source: str) -> InterruptionBand:
    """A row of the interruptions table. Raises BrokenBook for a band that Spot Advisor does not have, or no date."""
    if row["label"] not in BANDS:
        raise BrokenBook(f"{row['label']!r} is not a band of Spot Advisor: {dict(row)}")
    lower, upper = BANDS[row["label"]]
    try:
        observed = date.fromisoformat(row["observed"])
    except ValueError as error:
        raise BrokenBook(f"not an interruption band: {dict(row)}: {error}") from error
    return InterruptionBand(
        instance_type=row["instance_type"],
        region=row["region"],
        label=row["label"],
        lower_fraction=lower,
        upper_fraction=upper,
        observed=observed,
        source=source,
    )


def _maybe(text: str) -> float | None:
    return float(text) if text else None


def fsx_performance(row: Row, source: Source) -> FsxPerformance:
    """A row of the fsx_performance table."""
    return FsxPerformance(
        deployment=row["deployment"],
        tier=int(row["tier_mbps_per_tib"]),
        network_baseline=float(row["network_baseline_mbps_per_tib"]),
        network_burst=_maybe(row["network_burst_mbps_per_tib"]),
        disk_read=float(row["disk_read_mbps_per_tib"]),
        disk_write=float(row["disk_write_mbps_per_tib"]),
        disk_burst=_maybe(row["disk_burst_mbps_per_tib"]),
        ram_cache=_maybe(row["ram_cache_gib_per_tib"]),
        source=source(row["source"]),
    )


def included_iops(row: Row, capacity_gib: float) -> int | None:
    """Metadata IOPS that a row of fsx_metadata_iops includes for the capacity; None if it is for another size."""
    upper = float(row["capacity_gib_to"] or "inf")
    if not float(row["capacity_gib_from"]) <= capacity_gib <= upper:
        return None
    iops = int(row["included_iops"])
    if row["per_gib"]:  # "12,000 per 24,000 GiB": full steps only, as AWS counts them
        iops *= int(capacity_gib // float(row["per_gib"]))
    return min(iops, METADATA_IOPS_LIMIT)
