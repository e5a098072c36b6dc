"""S, fsx-lustre: FSx for Lustre, linked to the bucket, to AWS's increments.

PERSISTENT_2 in four throughput tiers, SCRATCH_2, or Intelligent-Tiering. Files come from S3 on first read
(data repository association; Intelligent-Tiering takes none and is filled by copy).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from planner.layouts.base import Demand, Layout, Service, Timing
from planner.layouts.s3 import DURABILITY, get_request_rate
from planner.models.bill import Ledger
from planner.models.capacity import (
    included_metadata_iops,
    lustre_capacity_gib,
    lustre_throughput_gb_per_s,
)
from planner.models.datapath import request_bound_rate
from planner.models.metered import requests_thousands
from planner.models.values import Values
from planner.plan.types import LustreSettings
from pricing.book import PriceBook, PriceNotFound
from pricing.offers import HOURS_PER_MONTH

TIERS_MBPS_PER_TIB = (125, 250, 500, 1000)
EFA_STEP_GIB = {125: 38_400, 250: 19_200, 500: 9_600, 1000: 4_800}
DEFAULT_QUOTA_GIB = 100_800  # per account and region; AWS raises it on request
EFA_MIN_NITRO = 4  # p4d and p4de have Nitro v3 and mount over TCP
TIERING_STEP_MBPS = 4_000
TIERING_MAX_MBPS = 2_000_000
SCRATCH_MBPS_PER_TIB = 200
SERVICE = "AmazonFSx"


@dataclass(frozen=True, kw_only=True)
class Size:
    """A file system as AWS would sell it: GiB of 2^30 bytes and MB/s per TiB (or MB/s for tiering)."""

    capacity_gib: int
    mbps: int


def needed_gib(settings: LustreSettings, demand: Demand, fill_fraction: float) -> float:
    """GiB that must be bought so that the hot data fill at most `fill_fraction` of it."""
    if settings.capacity_bytes is not None:
        return settings.capacity_bytes / 2**30
    return demand.hot_bytes / 2**30 / fill_fraction


def size_for(settings: LustreSettings, demand: Demand, tier: int, fill_fraction: float) -> Size:
    """The smallest file system of a tier for capacity and, unless the plan fixes it, for throughput."""
    if settings.deployment == "INTELLIGENT_TIERING":
        steps = max(1, math.ceil(demand.planned_gb_per_s * 1000 / TIERING_STEP_MBPS))
        return Size(capacity_gib=math.ceil(demand.hot_bytes / 2**30), mbps=steps * TIERING_STEP_MBPS)
    needed = needed_gib(settings, demand, fill_fraction)
    if settings.capacity_bytes is None:
        needed = max(needed, demand.planned_gb_per_s * 1e6 / tier)
    step = EFA_STEP_GIB[tier] if settings.efa and settings.deployment == "PERSISTENT_2" else 2400
    return Size(capacity_gib=lustre_capacity_gib(needed_gib=needed, step_gib=step), mbps=tier)


@dataclass(frozen=True, kw_only=True)
class FsxLustre(Layout):
    settings: LustreSettings
    size: Size
    not_considered: tuple[str, ...] = ()
    name: ClassVar[str] = "fsx-lustre"
    s3_through_vpc: ClassVar[bool] = False  # file servers stand in AWS's network and load and export by themselves

    @property
    def filled_first(self) -> bool:
        """Intelligent-Tiering takes no data repository association: it is filled by copy."""
        return self.settings.deployment == "INTELLIGENT_TIERING"

    def refusals(self) -> tuple[str, ...]:
        found = []
        s, instance = self.settings, self.demand.instance
        if s.efa and (instance.efa_interfaces == 0 or 0 < instance.nitro_version < EFA_MIN_NITRO):
            found.append(f"{instance.name} cannot mount Lustre over EFA: that needs Nitro v4 or newer")
        if s.efa and s.deployment != "PERSISTENT_2":
            found.append("EFA needs a PERSISTENT_2 file system")
        if self.size.capacity_gib * 2**30 < self.demand.hot_bytes:
            found.append(
                f"{self.size.capacity_gib:,} GiB cannot hold the hot data ({self.demand.hot_bytes / 2**30:,.0f} GiB)"
            )
        if s.deployment == "INTELLIGENT_TIERING" and self.size.mbps > TIERING_MAX_MBPS:
            found.append(f"Intelligent-Tiering ends at {TIERING_MAX_MBPS:,} MBps")
        return tuple(found)

    @property
    def metadata_iops(self) -> int:
        included = included_metadata_iops(capacity_gib=self.size.capacity_gib)
        return max(included, self.settings.metadata_iops or 0)

    def _disk_gb_per_s(self) -> float:
        if self.settings.deployment == "INTELLIGENT_TIERING":
            return self.size.mbps / 1000
        return lustre_throughput_gb_per_s(capacity_gib=self.size.capacity_gib, mbps_per_tib=self.size.mbps)

    def service(self, values: Values) -> Service:
        link = 0.95 * self.demand.instance.network_mbps / 8000
        clients = self.demand.training_nodes * np.minimum(values["lustre.client_gb_per_s"], link)
        opens = request_bound_rate(requests_per_second=self.metadata_iops, object_bytes=self.demand.object_bytes)
        disk = self._disk_gb_per_s()
        warm = np.minimum(np.minimum(clients, disk), opens)
        # the file servers load from S3 themselves, so the fleet's own links do not bound them
        cold = np.minimum(warm * values["lustre.lazy_load_fraction"], get_request_rate(self.demand, values))
        scratch = self.settings.deployment == "SCRATCH_2"
        durability = (
            "one zone, not replicated: SCRATCH_2 loses data with a server; the data set is in S3 as well"
            if scratch
            else f"one zone, replicated inside it; {DURABILITY} once exported"
        )
        warnings = list(self.not_considered)
        if self.size.capacity_gib > DEFAULT_QUOTA_GIB:
            warnings.append(
                f"{self.size.capacity_gib:,} GiB is beyond the default quota of {DEFAULT_QUOTA_GIB:,} GiB: "
                "ask AWS to raise it"
            )
        return Service(
            raw_tb=None,
            usable_tb=self.size.capacity_gib * 2**30 / 1e12,
            warm_gb_per_s=warm,
            cold_gb_per_s=cold,
            steady_gb_per_s=warm,
            hit_fraction=1.0,
            write_gb_per_s=np.minimum(clients, disk),
            slowdown_fraction=0.0,
            durability=durability,
            lost_node="a lost GPU node loses nothing: the file system stands apart",
            warnings=tuple(warnings),
        )

    def bill(self, ledger: Ledger, timing: Timing, values: Values) -> None:
        hours, gib = timing.standing_hours, self.size.capacity_gib
        if self.settings.deployment == "INTELLIGENT_TIERING":
            self._bill_tiering(ledger, timing, gib)
            return
        item, offering = storage_item(self.settings.deployment, self.size.mbps)
        ledger.metered(
            "storage.lustre.capacity",
            (SERVICE, item),
            offering=offering,
            equation="S6",
            quantity=gib * hours / HOURS_PER_MONTH,
            standing=gib,
        )
        extra = self.metadata_iops - included_metadata_iops(capacity_gib=gib)
        if extra > 0:
            ledger.metered(
                "storage.lustre.metadata-iops",
                (SERVICE, "PERSISTENT_2 Metadata IOPS above the included amount"),
                equation="T6",
                quantity=extra * hours / HOURS_PER_MONTH,
                standing=extra,
            )

    def _bill_tiering(self, ledger: Ledger, timing: Timing, gib: int) -> None:
        hours = timing.standing_hours
        for line, item, count in (
            ("storage.lustre.throughput", "Throughput capacity", self.size.mbps),
            ("storage.lustre.capacity", "Intelligent-Tiering Frequent Access storage", gib),
        ):
            ledger.metered(
                line,
                (SERVICE, f"INTELLIGENT_TIERING {item}"),
                equation="S6" if "storage" in item else "T6",
                quantity=count * hours / HOURS_PER_MONTH,
                standing=count,
            )
        moved = timing.read_bytes + timing.s3_read_bytes + timing.checkpoints_written * self.demand.checkpoint_bytes
        ledger.metered(
            "storage.lustre.requests",
            (SERVICE, "INTELLIGENT_TIERING requests"),
            equation="T2",
            quantity=requests_thousands(bytes_moved=moved, object_bytes=self.demand.object_bytes),
        )


def storage_item(deployment: str, mbps_per_tib: int) -> tuple[str, str]:
    """(item, offering) of the price book for a deployment's SSD storage."""
    return f"{deployment} SSD storage", f"{mbps_per_tib} MB/s/TiB"


def lustre_variants(
    settings: LustreSettings, demand: Demand, book: PriceBook, region: str, fill_fraction: float
) -> list[Layout]:
    """One layout for each tier the plan names; without any, the tier with the lowest monthly price of those
    sized to be fast enough. A tier whose price is not known may be that one, so the choice stops there and the
    scenario is a lower bound."""

    def variant(tier: int, name: str) -> FsxLustre:
        size = size_for(settings, demand, tier, fill_fraction)
        return FsxLustre(settings=settings, demand=demand, size=size, variant=name)

    if settings.deployment == "INTELLIGENT_TIERING":
        return [variant(0, "intelligent-tiering")]
    if settings.deployment == "SCRATCH_2":
        return [variant(SCRATCH_MBPS_PER_TIB, "scratch")]
    if settings.throughput_mbps_per_tib:
        return [variant(tier, str(tier)) for tier in settings.throughput_mbps_per_tib]
    sizes = [size_for(settings, demand, tier, fill_fraction) for tier in TIERS_MBPS_PER_TIB]
    priced = []
    for size in sizes:
        item, offering = storage_item(settings.deployment, size.mbps)
        try:
            usd = book.metered(SERVICE, item, region, offering).tiers[0].usd
        except PriceNotFound:
            why = f"the price of the {size.mbps} MB/s/TiB tier is not known and might be the lowest"
            told = f"{why}: name storage.fsx-lustre.throughput_mbps_per_tib to choose another"
            return [FsxLustre(settings=settings, demand=demand, size=size, not_considered=(told,))]
        priced.append((usd * size.capacity_gib, size.mbps, size))
    return [FsxLustre(settings=settings, demand=demand, size=min(priced)[2])]
