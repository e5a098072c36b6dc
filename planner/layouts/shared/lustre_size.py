"""A Lustre file system in the sizes that AWS sells: the smallest that is large enough and fast enough."""

from __future__ import annotations

import math
from dataclasses import dataclass

from planner.layouts.base import Demand
from planner.models.capacity import included_metadata_iops, lustre_capacity_gib
from planner.models.derived import Sourced, SourcedQuantity
from planner.models.sheet import Sheet

CAPACITY_STEP_GIB = 2400
EFA_STEP_GIB = {125: 38_400, 250: 19_200, 500: 9_600, 1000: 4_800}
TIERING_STEP_MBPS = 4_000
DEFAULT_QUOTA_GIB = 100_800  # per account and region; AWS raises it on request


@dataclass(frozen=True, kw_only=True)
class Choice:
    """The plan's settings of a file system.

    section: where they are, like `storage.fsx-lustre`. capacity_bytes, metadata_iops: None if the plan does not set
    them. write_mbps_per_tib: write rate of the disks; None if it equals the read rate.
    """

    section: str
    deployment: str
    capacity_bytes: float | None = None
    metadata_iops: int | None = None
    efa: bool = False
    write_mbps_per_tib: int | None = None

    @property
    def is_tiering(self) -> bool:
        """Whether throughput is bought for the whole file system, in steps, and storage is billed by use."""
        return self.deployment == "INTELLIGENT_TIERING"

    def step_gib(self, tier: int) -> int:
        """The step in which a file system grows, GiB; it is larger with EFA."""
        return EFA_STEP_GIB[tier] if self.efa and self.deployment == "PERSISTENT_2" else CAPACITY_STEP_GIB


@dataclass(frozen=True, kw_only=True)
class FileSystem:
    """A file system in a size that AWS sells: GiB of 2^30 bytes and MB/s per TiB (for tiering: MB/s in total)."""

    choice: Choice
    capacity_gib: int
    mbps: int

    @property
    def metadata_iops(self) -> int:
        """Metadata IOPS: what the capacity includes, or more if the plan buys more."""
        return max(included_metadata_iops(capacity_gib=self.capacity_gib), self.choice.metadata_iops or 0)


def sized(choice: Choice, demand: Demand, tier: int, fill_fraction: float) -> FileSystem:
    """The smallest file system of a tier for the capacity and, unless the plan sets the size, the throughput."""
    if choice.is_tiering:
        steps = max(1, math.ceil(demand.planned_gb_per_s * 1000 / TIERING_STEP_MBPS))
        capacity = math.ceil(demand.hot_bytes / 2**30)
        return FileSystem(choice=choice, capacity_gib=capacity, mbps=steps * TIERING_STEP_MBPS)
    needed = _needed_gib(choice, demand, tier, fill_fraction)
    capacity = lustre_capacity_gib(needed_gib=needed, step_gib=choice.step_gib(tier))
    return FileSystem(choice=choice, capacity_gib=capacity, mbps=tier)


def too_small(file_system: FileSystem, demand: Demand) -> tuple[str, ...]:
    """Why a file system cannot hold the hot data; empty if it can."""
    gib = file_system.capacity_gib
    if gib * 2**30 >= demand.hot_bytes:
        return ()
    return (f"{gib:,} GiB cannot hold the hot data ({demand.hot_bytes / 2**30:,.0f} GiB)",)


def quota_warnings(file_system: FileSystem) -> tuple[str, ...]:
    """The quota increase to request from AWS before a file system of this size can be created."""
    gib = file_system.capacity_gib
    if gib <= DEFAULT_QUOTA_GIB:
        return ()
    return (f"{gib:,} GiB is above the default quota of {DEFAULT_QUOTA_GIB:,} GiB: request an increase from AWS",)


def usable_tb(file_system: FileSystem, demand: Demand, fill: Sourced, sheet: Sheet) -> float:
    """Usable decimal TB: all that is bought. Records how the capacity was sized."""
    gib = file_system.capacity_gib
    _explain_capacity(file_system, demand, fill, sheet)
    size = (gib, "run:storage.capacity_gib", "GiB")
    sheet.arithmetic("storage.capacity_bytes", gib * 2**30, "bytes", "capacity_gib * 2**30", capacity_gib=size)
    held = (gib * 2**30, "run:storage.capacity_bytes", "bytes")
    usable = gib * 2**30 / 1e12
    return sheet.arithmetic("storage.usable_tb", usable, "TB", "capacity_bytes / 10**12", capacity_bytes=held)


def _needed_gib(choice: Choice, demand: Demand, tier: int, fill_fraction: float) -> float:
    """GiB to buy: the plan's capacity, or enough for the hot data to fill at most `fill_fraction` of it and for the
    tier's disks to be fast enough."""
    if choice.capacity_bytes is not None:
        return choice.capacity_bytes / 2**30
    return max(demand.hot_bytes / 2**30 / fill_fraction, demand.planned_gb_per_s * 1e6 / tier)


def _explain_capacity(file_system: FileSystem, demand: Demand, fill: Sourced, sheet: Sheet) -> None:
    choice, gib, mbps = file_system.choice, file_system.capacity_gib, file_system.mbps
    hot = (demand.hot_bytes, "run:data.hot_bytes", "bytes")
    if choice.is_tiering:
        sheet.arithmetic("storage.capacity_gib", gib, "GiB", "ceil(hot_bytes / 2**30)", hot_bytes=hot)
        return
    tier = (mbps, "run:storage.mbps_per_tib", "MB/s per TiB")
    sheet.taken("storage.mbps_per_tib", "MB/s per TiB", tier=(mbps, "rule:the throughput tier of this scenario"))
    if choice.capacity_bytes is not None:
        expression, what = "capacity / 2**30", ""
        inputs: dict[str, SourcedQuantity] = {
            "capacity": (choice.capacity_bytes, f"plan:{choice.section}.capacity", "bytes")
        }
    else:
        expression = "max(hot_bytes / 2**30 / fill, planned_gb_per_s * 10**6 / tier)"
        what = "large enough for the training data, and fast enough"
        planned = (demand.planned_gb_per_s, "run:storage.planned_gb_per_s", "GB/s")
        inputs = {"hot_bytes": hot, "fill": (*fill, "fraction"), "planned_gb_per_s": planned, "tier": tier}
    size_gib = _needed_gib(choice, demand, mbps, fill[0])
    needed = sheet.arithmetic("storage.needed_gib", size_gib, "GiB", expression, what, **inputs)
    sheet.equation(
        "storage.capacity_gib",
        lustre_capacity_gib,
        needed_gib=(needed, "run:storage.needed_gib"),
        step_gib=(choice.step_gib(mbps), "rule:FSx for Lustre User Guide: storage capacity grows in steps"),
    )
