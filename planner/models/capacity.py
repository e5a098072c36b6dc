"""S: how much storage a layout gives, and how much of it must be bought, to AWS's increments."""

from __future__ import annotations

import math

from fleet_pool.settings import LOW_WATERMARK_PERCENT

from planner.models.equation import equation
from planner.models.number import Number
from pricing.offers import HOURS_PER_MONTH

_WEKA = "weka/docs-weka-io weka-system-overview/ssd-capacity-management.md: 10 x 1 TB, 6+2, 1 spare = 6.075 TB"
_FSX = "FSx for Lustre User Guide: 1.2 TiB, 2.4 TiB, then steps of 2.4 TiB"


@equation(
    "S1",
    "pool-raw",
    units={"nodes": "nodes", "drives": "drives per node", "drive_tb": "TB"},
    result_unit="TB",
    source="EC2 instance store: p4d 8 x 1 TB, p5 8 x 3.84 TB",
    steps=("result = nodes * drives * drive_tb",),
)
def pool_raw_tb(*, nodes: Number, drives: Number, drive_tb: Number) -> Number:
    """Raw instance-store flash of a fleet, decimal TB."""
    return nodes * drives * drive_tb


@equation(
    "S2",
    "pool-usable",
    units={"raw_tb": "TB", "filesystem_fraction": "fraction", "low_watermark_fraction": "fraction"},
    result_unit="TB",
    source="AIStore: XFS leaves about 0.99 usable; LRU evicts down to the low watermark, which is thus guaranteed",
    steps=("result = raw_tb * filesystem_fraction * low_watermark_fraction",),
)
def pool_usable_tb(
    *, raw_tb: Number, filesystem_fraction: Number = 0.99, low_watermark_fraction: Number = LOW_WATERMARK_PERCENT / 100
) -> Number:
    """Cache capacity that a pool of AIStore targets guarantees. One copy, because S3 has every object.

    400 p4d: 3,200 TB x 0.99 x 0.70 = 2,217.6 TB.
    """
    return raw_tb * filesystem_fraction * low_watermark_fraction


def _too_few_nodes(*, nodes: float, spares: float, data_stripes: float, parity_stripes: float, **_: float) -> str:
    needed = data_stripes + parity_stripes
    return f"D + P = {needed:g} stripes need as many nodes besides the spares" if nodes - spares < needed else ""


@equation(
    "S3",
    "protected-usable",
    units={
        "raw_tb": "TB",
        "nodes": "nodes",
        "spares": "nodes",
        "data_stripes": "D",
        "parity_stripes": "P",
        "metadata_fraction": "fraction",
    },
    result_unit="TB",
    source=_WEKA,
    steps=(
        "result = raw_tb * (nodes - spares) / nodes * data_stripes / (data_stripes + parity_stripes)"
        " * (1 - metadata_fraction)",
    ),
    refuse=_too_few_nodes,
)
def protected_usable_tb(
    *,
    raw_tb: Number,
    nodes: Number,
    spares: Number = 2,
    data_stripes: Number = 16,
    parity_stripes: Number = 4,
    metadata_fraction: Number = 0.10,
) -> Number:
    """Usable capacity of an erasure-coded pool with hot spares, such as a licensed 16+4 system.

    Limits: needs at least D + P nodes besides the spares.
    """
    share = data_stripes / (data_stripes + parity_stripes)
    return raw_tb * (nodes - spares) / nodes * share * (1 - metadata_fraction)


def _show_capacity(*, needed_gib: float, step_gib: int) -> list[str]:
    return [
        f"smallest of 1,200, 2,400 and multiples of {step_gib:,.0f} GiB that holds {needed_gib:,.1f} GiB",
        f"result = {lustre_capacity_gib(needed_gib=needed_gib, step_gib=step_gib):,.0f}",
    ]


@equation(
    "S4",
    "lustre-capacity",
    units={"needed_gib": "GiB", "step_gib": "GiB"},
    result_unit="GiB",
    source=_FSX + "; with EFA steps of 38,400 / 19,200 / 9,600 / 4,800 GiB at 125 / 250 / 500 / 1,000",
    show=_show_capacity,
)
def lustre_capacity_gib(*, needed_gib: float, step_gib: int = 2400) -> int:
    """Smallest file system that AWS sells for `needed_gib`, in GiB of 2^30 bytes.

    Without EFA: 1,200, 2,400 and then multiples of 2,400. With EFA the step depends on the tier, and the
    smallest size is one step.
    """
    if step_gib == 2400 and needed_gib <= 1200:
        return 1200
    return step_gib * max(1, math.ceil(needed_gib / step_gib))


@equation(
    "S5",
    "lustre-throughput",
    units={"capacity_gib": "GiB", "mbps_per_tib": "MB/s per TiB"},
    result_unit="GB/s",
    source="FSx for Lustre User Guide: disk baseline, 4.8 TiB at 50 MB/s/TiB = 240 MB/s",
    steps=("result = capacity_gib / 1000 * mbps_per_tib / 1000",),
)
def lustre_throughput_gb_per_s(*, capacity_gib: Number, mbps_per_tib: Number) -> Number:
    """Baseline disk throughput of a file system.

    FSx calls 1,200 GiB "1.2 TiB" and multiplies by that, so a TiB is 1,000 GiB in this equation only.
    """
    return capacity_gib / 1000 * mbps_per_tib / 1000


@equation(
    "S6",
    "gb-months",
    units={"stored_bytes": "bytes", "months": "months"},
    result_unit="GB-Mo",
    source="Amazon FSx pricing: average GB of 2^30 bytes over the month",
    steps=("result = stored_bytes / 2**30 * months",),
)
def gb_months(*, stored_bytes: Number, months: Number) -> Number:
    """GB-months as AWS bills them: binary gigabytes times calendar months."""
    return stored_bytes / 2**30 * months


@equation(
    "S7",
    "usd-per-usable-tb-month",
    units={"storage_usd": "USD", "usable_tb": "TB", "hours": "h"},
    result_unit="USD per TB and month",
    source="all storage lines of the layout divided by its usable TB",
    steps=("result = storage_usd / usable_tb / (hours / 730)",),
)
def usd_per_usable_tb_month(*, storage_usd: Number, usable_tb: Number, hours: Number) -> Number:
    """Storage cost of the layout, including S3, per usable decimal TB and month."""
    return storage_usd / usable_tb / (hours / HOURS_PER_MONTH)


@equation(
    "S8",
    "change-per-tb",
    units={"capacity_ratio": "new / old", "cost_ratio": "new / old"},
    result_unit="fraction",
    source="WEKA case study on Stability AI: 15x the capacity at 80 % of the cost",
    steps=("result = cost_ratio / capacity_ratio - 1",),
)
def change_per_tb(*, capacity_ratio: Number, cost_ratio: Number) -> Number:
    """Change of cost per TB when capacity and cost change: 15x at 80 % is -94.7 %."""
    return cost_ratio / capacity_ratio - 1


def _show_metadata_iops(*, capacity_gib: float) -> list[str]:
    return [f"result = {included_metadata_iops(capacity_gib=capacity_gib):,}"]


@equation(
    "S9",
    "lustre-included-metadata-iops",
    units={"capacity_gib": "GiB"},
    result_unit="metadata IOPS",
    source="FSx for Lustre User Guide: 1,500 / 3,000 / 6,000 / 12,000, then 12,000 per 24,000 GiB; at most 192,000",
    show=_show_metadata_iops,
)
def included_metadata_iops(*, capacity_gib: float) -> int:
    """Metadata IOPS that a PERSISTENT_2 file system includes at no extra charge."""
    for upper, iops in ((1200, 1500), (2400, 3000), (9600, 6000), (45_600, 12_000)):
        if capacity_gib <= upper:
            return iops
    return min(192_000, 12_000 * int(capacity_gib // 24_000))


@equation(
    "S10",
    "cluster-nodes",
    units={
        "needed_tb": "TB",
        "usable_tb_per_node": "TB",
        "needed_gb_per_s": "GB/s",
        "gb_per_s_per_node": "GB/s",
        "spares": "nodes",
    },
    result_unit="nodes",
    source="the larger of the node counts for capacity and for throughput, rounded up, plus spares",
    steps=(
        "for_capacity = ceil(needed_tb / usable_tb_per_node)",
        "for_throughput = ceil(needed_gb_per_s / gb_per_s_per_node)",
        "result = max(1, for_capacity, for_throughput) + spares",
    ),
)
def cluster_nodes(
    *,
    needed_tb: float,
    usable_tb_per_node: float,
    needed_gb_per_s: float,
    gb_per_s_per_node: float,
    spares: int = 0,
) -> int:
    """Nodes of a separate storage cluster, spares included."""
    for_capacity = math.ceil(needed_tb / usable_tb_per_node)
    for_throughput = math.ceil(needed_gb_per_s / gb_per_s_per_node)
    return max(1, for_capacity, for_throughput) + spares


@equation(
    "S11",
    "checkpoint-bytes",
    units={"parameters": "parameters", "bytes_per_parameter": "bytes"},
    result_unit="GB",
    source="mlcommons/storage Submission_guidelines.md (caa90c9): 2 bytes of weights + 12 of optimizer state",
    steps=("result = parameters * bytes_per_parameter / 10**9",),
)
def checkpoint_gb(*, parameters: Number, bytes_per_parameter: Number = 14) -> Number:
    """Size of a full training checkpoint in decimal GB, as `data.checkpoint` takes it: 8.03e9 parameters are 112."""
    return parameters * bytes_per_parameter / 10**9


@equation(
    "S12",
    "flow-log-gb",
    units={"node_hours": "h", "gb_per_node_day": "GB"},
    result_unit="GB",
    source="assumption: log records of the accepted traffic of a training node",
    steps=("result = node_hours / 24 * gb_per_node_day",),
)
def flow_log_gb(*, node_hours: Number, gb_per_node_day: Number) -> Number:
    """Gigabytes of VPC flow logs that a fleet writes."""
    return node_hours / 24 * gb_per_node_day
