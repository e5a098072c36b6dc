"""What many files cost a file system: opens limit its rate, and a scan of all of them takes hours."""

from __future__ import annotations

from planner.layouts.base import Demand
from planner.models.derived import Sourced
from planner.models.file_systems import lustre_scan_hours
from planner.models.number import Number, median
from planner.models.sheet import Sheet

LONG_HOURS = 1.0  # a shorter scan is not worth a warning


def files_of(demand: Demand, file_bytes: Sourced, sheet: Sheet) -> Sourced:
    """How many files the training data has. file_bytes: of each."""
    files = sheet.arithmetic(
        "storage.files",
        demand.hot_bytes / file_bytes[0],
        "files",
        "hot_bytes / object_bytes",
        hot_bytes=(demand.hot_bytes, "run:data.hot_bytes", "bytes"),
        object_bytes=(*file_bytes, "bytes"),
    )
    return files, "run:storage.files"


def scan_hours(files: Sourced, sheet: Sheet, **opens: Sourced) -> Number:
    """Hours to open every file of the training data once. opens: inputs of equation S18 besides the files."""
    return sheet.equation("storage.scan_hours", lustre_scan_hours, files=files, **opens)


def file_warnings(
    demand: Demand, file_bytes: Number, opens_gb_per_s: Number, scan: Number, remedy: str
) -> tuple[str, ...]:
    """Warnings about files so small that they are opened slower than training reads, or so many that a scan is long.

    remedy: what a reader can buy, besides larger files.
    """
    found = []
    size = f"{median(file_bytes) / 1e3:,.0f} KB"
    hours, most, needed = median(scan), median(opens_gb_per_s), median(demand.required_gb_per_s)
    if most < needed:
        found.append(
            f"training will wait for data: files of {size} are opened and closed at {most:,.1f} GB/s at most, and "
            f"{needed:,.1f} GB/s are needed; pack samples into shards (data.shard) of some MB or more, or {remedy}"
        )
    if hours > LONG_HOURS:
        found.append(
            f"one scan of all files (a listing with sizes, a clean-up) takes {hours:,.1f} h at {size} a file; "
            f"{demand.nodes:,} nodes that wait for it are {demand.nodes * hours:,.0f} paid node-hours"
        )
    return tuple(found)
