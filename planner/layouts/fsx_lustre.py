"""S, fsx-lustre: FSx for Lustre, linked to the bucket, to AWS's increments.

PERSISTENT_2 in four throughput tiers, SCRATCH_2, or Intelligent-Tiering. Files come from S3 on first read
(data repository association; Intelligent-Tiering takes none and is filled by copy).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from planner.layouts.base import Demand, Layout, Service, Timing
from planner.layouts.instances import RUN_HOURS
from planner.layouts.lustre_rates import rates_of
from planner.layouts.lustre_size import Size, size_for, tell_capacity
from planner.layouts.s3 import DURABILITY
from planner.models.bill import Ledger
from planner.models.capacity import (
    gb_months,
    included_metadata_iops,
)
from planner.models.metered import requests_thousands, resource_months
from planner.models.sheet import Sheet
from planner.models.values import Values
from planner.plan.types import LustreSettings
from pricing.book import PriceBook, PriceNotFound

TIERS_MBPS_PER_TIB = (125, 250, 500, 1000)
DEFAULT_QUOTA_GIB = 100_800  # per account and region; AWS raises it on request
EFA_MIN_NITRO = 4  # p4d and p4de have Nitro v3 and mount over TCP
TIERING_MAX_MBPS = 2_000_000
SCRATCH_MBPS_PER_TIB = 200
SERVICE = "AmazonFSx"


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

    def service(self, values: Values) -> Service:
        sheet = values.sheet()
        rates = rates_of(self.size, self.settings, self.metadata_iops, self.demand, values, sheet)
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
            usable_tb=self._capacity(values, sheet),
            warm_gb_per_s=rates.warm,
            cold_gb_per_s=rates.cold,
            steady_gb_per_s=rates.warm,
            hit_fraction=sheet.words("storage.hit_fraction", 1.0, "fraction", "a file system holds what it loaded"),
            write_gb_per_s=rates.write,
            slowdown_fraction=sheet.words("storage.slowdown_fraction", 0.0, "fraction", "nothing runs beside training"),
            durability=durability,
            lost_node="a lost GPU node loses nothing: the file system stands apart",
            warnings=tuple(warnings),
            derived=sheet.derived,
        )

    def _capacity(self, values: Values, sheet: Sheet) -> float:
        """Usable decimal TB: all that is bought."""
        gib = self.size.capacity_gib
        tell_capacity(self.settings, self.demand, self.size, values.given_central("lustre.fill_fraction"), sheet)
        size = (gib, "run:storage.capacity_gib", "GiB")
        sheet.words("storage.capacity_bytes", gib * 2**30, "bytes", "GiB x 2^30", capacity_gib=size)
        held = (gib * 2**30, "run:storage.capacity_bytes", "bytes")
        return sheet.words("storage.usable_tb", gib * 2**30 / 1e12, "TB", "bytes / 10^12", capacity_bytes=held)

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
            quantity=gb_months(stored_bytes=gib * 2**30, hours=hours),
            inputs={"stored_bytes": (gib * 2**30, "run:storage.capacity_bytes"), "hours": (hours, RUN_HOURS)},
            standing=gib,
        )
        extra = self.metadata_iops - included_metadata_iops(capacity_gib=gib)
        if extra > 0:
            ledger.metered(
                "storage.lustre.metadata-iops",
                (SERVICE, "PERSISTENT_2 Metadata IOPS above the included amount"),
                equation="T6",
                quantity=resource_months(count=extra, hours=hours),
                inputs={"count": (extra, "run:storage.metadata_iops_above"), "hours": (hours, RUN_HOURS)},
                standing=extra,
            )

    def _bill_tiering(self, ledger: Ledger, timing: Timing, gib: int) -> None:
        hours, mbps = timing.standing_hours, self.size.mbps
        ledger.metered(
            "storage.lustre.throughput",
            (SERVICE, "INTELLIGENT_TIERING Throughput capacity"),
            equation="T6",
            quantity=resource_months(count=mbps, hours=hours),
            inputs={"count": (mbps, "run:storage.throughput_mbps"), "hours": (hours, RUN_HOURS)},
            standing=mbps,
        )
        ledger.metered(
            "storage.lustre.capacity",
            (SERVICE, "INTELLIGENT_TIERING Intelligent-Tiering Frequent Access storage"),
            equation="S6",
            quantity=gb_months(stored_bytes=gib * 2**30, hours=hours),
            inputs={"stored_bytes": (gib * 2**30, "run:storage.capacity_bytes"), "hours": (hours, RUN_HOURS)},
            standing=gib,
        )
        moved = ledger.sheet.words(
            "storage.moved_bytes",
            timing.read_bytes + timing.s3_read_bytes + timing.checkpoints_written * self.demand.checkpoint_bytes,
            "bytes",
            "read by training, loaded from S3, and written as checkpoints",
            read=(timing.read_bytes, "run:storage.read_bytes", "bytes"),
            loaded=(timing.s3_read_bytes, "run:storage.s3_read_bytes", "bytes"),
            checkpoints=(timing.checkpoints_written, "run:run.checkpoints_written", "checkpoints"),
            checkpoint_bytes=(self.demand.checkpoint_bytes, "run:data.checkpoint_bytes", "bytes"),
        )
        ledger.metered(
            "storage.lustre.requests",
            (SERVICE, "INTELLIGENT_TIERING requests"),
            equation="T2",
            quantity=requests_thousands(bytes_moved=moved, object_bytes=self.demand.object_bytes),
            inputs={
                "bytes_moved": (moved, "run:storage.moved_bytes"),
                "object_bytes": (self.demand.object_bytes, "run:data.object_bytes"),
            },
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
