"""What many files cost a Lustre file system: opens limit its rate, and a scan of all of them takes hours."""

from __future__ import annotations

from planner.layouts.base import Demand
from planner.layouts.shared.lustre_size import FileSystem
from planner.models.file_systems import lustre_scan_hours
from planner.models.number import Number, median
from planner.models.sheet import Sheet

LONG_HOURS = 1.0  # a shorter scan is not worth a warning


def scan_hours(file_system: FileSystem, demand: Demand, sheet: Sheet) -> Number:
    """Hours to open every file of the training data once."""
    files = sheet.arithmetic(
        "storage.files",
        demand.hot_bytes / demand.object_bytes,
        "files",
        "hot_bytes / object_bytes",
        hot_bytes=(demand.hot_bytes, "run:data.hot_bytes", "bytes"),
        object_bytes=(demand.object_bytes, "run:data.object_bytes", "bytes"),
    )
    return sheet.equation(
        "storage.scan_hours",
        lustre_scan_hours,
        files=(files, "run:storage.files"),
        metadata_iops=(file_system.metadata_iops, "run:storage.metadata_iops"),
    )


def file_warnings(demand: Demand, opens_gb_per_s: Number, scan: Number) -> tuple[str, ...]:
    """Warnings about files so small that they are opened slower than training reads, or so many that a scan is long."""
    found = []
    size = f"{median(demand.object_bytes) / 1e3:,.0f} KB"
    hours, most, needed = median(scan), median(opens_gb_per_s), median(demand.required_gb_per_s)
    if most < needed:
        found.append(
            f"training will wait for data: files of {size} are opened and closed at {most:,.1f} GB/s at most, and "
            f"{needed:,.1f} GB/s are needed; pack samples into shards (data.shard) of some MB or more, or buy metadata "
            "IOPS"
        )
    if hours > LONG_HOURS:
        found.append(
            f"one scan of all files (a listing with sizes, a clean-up) takes {hours:,.1f} h at {size} a file; "
            f"{demand.nodes:,} nodes that wait for it are {demand.nodes * hours:,.0f} paid node-hours"
        )
    return tuple(found)
