"""S: sizes that vendors' own rules give: cores and memory of a protected system, steps and durability of FSx."""

from __future__ import annotations

import math

import numpy as np

from planner.models.equation import equation
from planner.models.number import Number

_WEKA = "weka/docs-weka-io planning-a-weka-system-installation.md"
_FSX = "awsdocs/amazon-fsx-lustre-user-guide"


@equation(
    "S13",
    "protected-cores",
    units={"drives": "drives per node", "frontend_cores": "cores"},
    result_unit="cores",
    source=_WEKA + ": a core per drive to 6 drives, above that one per two; two of compute per core of drives",
    steps=(
        "drive_cores = drives if drives <= 6 else drives / 2",
        "result = 3 * ceil(drive_cores) + frontend_cores",
    ),
)
def protected_cores(*, drives: float, frontend_cores: float = 1) -> float:
    """Cores that a licensed storage system takes of each node with drives: for drives, compute and frontend."""
    drive_cores = drives if drives <= 6 else drives / 2
    return 3 * math.ceil(drive_cores) + frontend_cores


@equation(
    "S14",
    "protected-memory-gb",
    units={
        "frontend_cores": "cores",
        "compute_cores": "cores",
        "drive_cores": "cores",
        "raw_gb": "GB",
        "servers": "nodes",
        "protocols_gb": "GB",
        "rdma_gb": "GB",
        "metadata_units": "units of 20 bytes",
    },
    result_unit="GB",
    source=_WEKA + ": 16 servers with 983 TB raw and 1 + 13 + 6 cores each need 178.3 GB per server",
    steps=(
        "cores = frontend_cores + compute_cores + drive_cores",
        "processes = 2.8 + 2.2 * frontend_cores + 3.9 * compute_cores + 2 * drive_cores",
        "capacity = raw_gb / servers / 2000 + 3 * cores",
        "result = processes + capacity + protocols_gb + rdma_gb + metadata_units * 20 / 1e9",
    ),
)
def protected_memory_gb(
    *,
    frontend_cores: Number,
    compute_cores: Number,
    drive_cores: Number,
    raw_gb: Number,
    servers: Number,
    protocols_gb: Number = 0.0,
    rdma_gb: Number = 0.0,
    metadata_units: Number = 0.0,
) -> Number:
    """Memory that a licensed storage system takes of each node, by its planning guide; the operating system's is extra.

    raw_gb: of all servers together. metadata_units: of all files, at 20 bytes each.
    """
    cores = frontend_cores + compute_cores + drive_cores
    processes = 2.8 + 2.2 * frontend_cores + 3.9 * compute_cores + 2 * drive_cores
    capacity = raw_gb / servers / 2000 + 3 * cores
    return processes + capacity + protocols_gb + rdma_gb + metadata_units * 20 / 1e9


@equation(
    "S15",
    "lustre-elastic-throughput",
    units={"needed_gb_per_s": "GB/s"},
    result_unit="GB/s",
    source="FSx for Lustre User Guide, managing throughput capacity: Intelligent-Tiering in steps of 4,000 MBps",
    steps=("result = 4 * max(1, ceil(needed_gb_per_s / 4))",),
)
def lustre_elastic_throughput(*, needed_gb_per_s: float) -> float:
    """Throughput capacity to buy of an Intelligent-Tiering file system, for a throughput that is needed."""
    return 4.0 * max(1, math.ceil(needed_gb_per_s / 4))


@equation(
    "S16",
    "lustre-scratch-survival",
    units={"capacity_gib": "GiB", "days": "days", "smallest_weekly_survival_fraction": "fraction"},
    result_unit="fraction",
    source=_FSX + " using-fsx-lustre.md: of 1.2 TiB (2 file servers) 99.4 % survive a week, of 50.4 TiB (22) 93.9 %",
    steps=(
        "servers = 1 + ceil(capacity_gib / 2400)",
        "result = smallest_weekly_survival_fraction ** (servers / 2 * days / 7)",
    ),
)
def lustre_scratch_survival(
    *, capacity_gib: Number, days: Number, smallest_weekly_survival_fraction: Number = 0.994
) -> Number:
    """Probability that a SCRATCH_2 file system loses no file server, and so no data, in some days.

    One file server per 2.4 TiB and one for metadata; each fails at the rate that AWS publishes for the smallest
    file system, which has two.
    """
    servers = 1 + np.ceil(np.asarray(capacity_gib) / 2400)
    return (smallest_weekly_survival_fraction ** (servers / 2 * days / 7))[()]


def _shrinks(*, current_gib: float, needed_gib: float) -> str:
    if needed_gib >= current_gib:
        return ""
    return (
        f"a file system of {current_gib:,.0f} GiB cannot shrink to {needed_gib:,.0f}: FSx for Lustre storage only"
        " grows. Create a smaller file system and copy what it must hold"
    )


@equation(
    "S17",
    "lustre-growth",
    units={"current_gib": "GiB", "needed_gib": "GiB"},
    result_unit="GiB",
    source=_FSX + " managing-storage-capacity.md: capacity can be increased only, by at least 10 %, every 6 h at most",
    steps=("result = 2400 * ceil(needed_gib / 2400) if needed_gib > current_gib else current_gib",),
    refuse=_shrinks,
)
def lustre_growth(*, current_gib: float, needed_gib: float) -> float:
    """Size of an SSD file system after it has grown to what is needed, in steps of 2,400 GiB. It cannot shrink."""
    return 2400.0 * math.ceil(needed_gib / 2400) if needed_gib > current_gib else current_gib


@equation(
    "S18",
    "lustre-scan-hours",
    units={"files": "files", "metadata_iops": "IOPS", "files_per_operation": "files"},
    result_unit="h",
    source="FSx for Lustre guide, performance: a provisioned metadata IOPS opens, creates or closes 2 files a second",
    steps=("result = files / (metadata_iops * files_per_operation) / 3600",),
)
def lustre_scan_hours(*, files: Number, metadata_iops: Number, files_per_operation: Number = 2) -> Number:
    """Hours to open every file once, whatever the throughput: a scan, a listing with sizes, a clean-up.

    1e9 files on 12,000 IOPS take 11.6 h; the nodes that wait for it are paid (C1). Shards of some MB have hundreds of
    times fewer files than single images.
    """
    return files / (metadata_iops * files_per_operation) / 3600
