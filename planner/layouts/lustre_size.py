"""How large a file system must be bought: the smallest that AWS sells, for capacity and for throughput."""

from __future__ import annotations

import math
from dataclasses import dataclass

from planner.layouts.base import Demand
from planner.models.capacity import lustre_capacity_gib
from planner.models.derived import Given, Told
from planner.models.sheet import Sheet
from planner.plan.types import LustreSettings

EFA_STEP_GIB = {125: 38_400, 250: 19_200, 500: 9_600, 1000: 4_800}
TIERING_STEP_MBPS = 4_000


@dataclass(frozen=True, kw_only=True)
class Size:
    """A file system as AWS would sell it: GiB of 2^30 bytes and MB/s per TiB (or MB/s for tiering)."""

    capacity_gib: int
    mbps: int


def needed_gib(settings: LustreSettings, demand: Demand, tier: int, fill_fraction: float) -> float:
    """GiB that must be bought: what the plan fixes, else so that the hot data fill at most `fill_fraction` of it and
    the tier's disks are fast enough."""
    if settings.capacity_bytes is not None:
        return settings.capacity_bytes / 2**30
    return max(demand.hot_bytes / 2**30 / fill_fraction, demand.planned_gb_per_s * 1e6 / tier)


def size_for(settings: LustreSettings, demand: Demand, tier: int, fill_fraction: float) -> Size:
    """The smallest file system of a tier for capacity and, unless the plan fixes it, for throughput."""
    if settings.deployment == "INTELLIGENT_TIERING":
        steps = max(1, math.ceil(demand.planned_gb_per_s * 1000 / TIERING_STEP_MBPS))
        return Size(capacity_gib=math.ceil(demand.hot_bytes / 2**30), mbps=steps * TIERING_STEP_MBPS)
    needed = needed_gib(settings, demand, tier, fill_fraction)
    return Size(capacity_gib=lustre_capacity_gib(needed_gib=needed, step_gib=step_gib(settings, tier)), mbps=tier)


def step_gib(settings: LustreSettings, tier: int) -> int:
    """GiB by which a file system grows; with EFA they are large."""
    return EFA_STEP_GIB[tier] if settings.efa and settings.deployment == "PERSISTENT_2" else 2400


def tell_capacity(settings: LustreSettings, demand: Demand, size: Size, fill: Given, sheet: Sheet) -> None:
    """Write down how the capacity came about."""
    gib = size.capacity_gib
    hot = (demand.hot_bytes, "run:data.hot_bytes", "bytes")
    if settings.deployment == "INTELLIGENT_TIERING":
        sheet.words("storage.capacity_gib", gib, "GiB", "whole GiB that hold the hot data", hot_bytes=hot)
        return
    tier = (size.mbps, "run:storage.mbps_per_tib", "MB/s per TiB")
    sheet.words("storage.mbps_per_tib", size.mbps, "MB/s per TiB", "the tier of this scenario")
    if settings.capacity_bytes is not None:
        how = "bytes / 2^30, as the plan says"
        given: dict[str, Told] = {"capacity": (settings.capacity_bytes, "plan:storage.fsx-lustre.capacity", "bytes")}
    else:
        how = "the larger of hot GiB / share that they may fill, and GB/s x 10^6 / (MB/s per TiB)"
        planned = (demand.planned_gb_per_s, "run:storage.planned_gb_per_s", "GB/s")
        given = {"hot_bytes": hot, "fill": (*fill, "fraction"), "planned_gb_per_s": planned, "tier": tier}
    needed = sheet.words("storage.needed_gib", needed_gib(settings, demand, size.mbps, fill[0]), "GiB", how, **given)
    sheet.equation(
        "storage.capacity_gib",
        lustre_capacity_gib,
        needed_gib=(needed, "run:storage.needed_gib"),
        step_gib=(step_gib(settings, size.mbps), "rule:FSx for Lustre User Guide: storage capacity grows in steps"),
    )
