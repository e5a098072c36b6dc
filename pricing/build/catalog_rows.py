"""Rows of hardware and FSx facts: no prices, no dates."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from pricing.build.sources import rows_of
from pricing.snapshot import Row

# The data sheet of each instance type's accelerator. All A100, H100, H200, B200 and B300 on
# AWS are SXM boards (8 per node with NVSwitch).
_DATA_SHEET = {
    "v100": "V100 SXM2",
    "t4": "T4",
    "a10g": "A10G",
    "l4": "L4",
    "l40s": "L40S",
    "a100": "A100 SXM",
    "h100": "H100 SXM",
    "h200": "H200 SXM",
    "b200": "B200 SXM",
    "b300": "B300 SXM",
}


def _gpu_name(text: str) -> str:
    """`H100`, `RTX PRO 4500`, `Trainium`: the name in a plan."""
    if text.startswith(("trainium", "inferentia")):
        return text.capitalize()
    return " ".join(part.capitalize() if part == "server" else part.upper() for part in text.split("-"))


def instance_rows(folder: Path) -> Iterator[Row]:
    """One row per instance type, by name."""
    peaks = {row["gpu"]: row for row in rows_of(folder, "gpu_peak_tflops.csv")}
    for row in sorted(rows_of(folder, "instance_specs.csv"), key=lambda row: row["instance_type"]):
        accelerator = row["gpu_name"] or row["accelerator_name"]
        peak = peaks.get(_DATA_SHEET.get(accelerator, ""), {})
        total, drives = row["instance_store_total_gb"], row["instance_store_disks"]
        notes = [row["notes"]] if row["notes"] else []
        if total and not drives:
            notes.append(f"instance store of {total} GB in all; number of drives not known")
        yield {
            "name": row["instance_type"],
            "vcpu": row["vcpu"],
            "memory_mib": row["memory_mib"],
            "gpu_count": row["gpu_count"] or row["accelerator_count"] or "0",
            "gpu_name": _gpu_name(accelerator) if accelerator else "",
            "nvme_drives": drives or "0",
            "nvme_drive_gb": row["instance_store_disk_gb"] or "0",
            "nvme_total_gb": total or "0",
            "network_mbps": row["network_mbps"] or "0",
            "network_cards": row["network_cards"] or "0",
            "max_network_interfaces": row["max_network_interfaces"] or "0",
            "efa_interfaces": row["efa_interfaces"] or "0",
            "nitro_version": row["nitro_version"] or "0",
            "ebs_mbps": row["ebs_mbps"] or "0",
            "peak_tflops": peak.get("fp16_tensor_dense_tflops", ""),
            "source": row["source"],
            "peak_source": peak.get("source", ""),
            "notes": "; ".join(notes),
        }


def fsx_performance_rows(folder: Path) -> Iterator[Row]:
    """MB/s of FSx for Lustre per TiB of capacity."""
    for row in rows_of(folder, "fsx_lustre_performance.csv"):
        disk = row["disk_baseline_mbps_per_tib"]
        # only SCRATCH_2 has disks with different read and write rates
        both = re.fullmatch(r"(\d+) read / (\d+) write", disk)
        yield {
            "deployment": row["deployment"],
            "tier_mbps_per_tib": row["throughput_tier_mbps_per_tib"] or "200",
            "network_baseline_mbps_per_tib": row["network_baseline_mbps_per_tib"],
            "network_burst_mbps_per_tib": row["network_burst_mbps_per_tib"],
            "disk_read_mbps_per_tib": both[1] if both else disk,
            "disk_write_mbps_per_tib": both[2] if both else disk,
            "disk_burst_mbps_per_tib": row["disk_burst_mbps_per_tib"],
            "ram_cache_gib_per_tib": row["ram_cache_gib_per_tib"],
            "source": row["source"],
        }


def fsx_metadata_rows(folder: Path) -> Iterator[Row]:
    """Metadata IOPS that are included in the price of the capacity."""
    for row in rows_of(folder, "fsx_lustre_metadata_iops_included.csv"):
        iops, _, per = row["included_metadata_iops"].partition(" per ")
        yield {
            "capacity_gib_from": row["storage_gib_from"],
            "capacity_gib_to": row["storage_gib_to"],
            "included_iops": iops.replace(",", ""),
            "per_gib": per.replace(",", "").removesuffix(" GiB"),
            "source": row["source"],
        }
