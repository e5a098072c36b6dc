"""The sized layout `fsx-lustre`, and its variants."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from planner.layouts.base import Demand, Layout, Service, Timing
from planner.layouts.deployment import Deployment
from planner.layouts.fsx_lustre.bill import bill_file_system
from planner.layouts.fsx_lustre.service import service_of
from planner.layouts.fsx_lustre.settings import LustreSettings
from planner.layouts.fsx_lustre.spec import deployment_of
from planner.layouts.shared.lustre_bill import SERVICE, storage_item
from planner.layouts.shared.lustre_size import Choice, FileSystem, sized, too_small
from planner.models.ledger import Ledger
from planner.models.values import Values
from planner.plan.types import Plan
from pricing.book import PriceBook, PriceNotFound

TIERS_MBPS_PER_TIB = (125, 250, 500, 1000)
SCRATCH_MBPS_PER_TIB = 200
EFA_MIN_NITRO = 4  # p4d and p4de have Nitro v3 and mount over TCP
TIERING_MAX_MBPS = 2_000_000


@dataclass(frozen=True, kw_only=True)
class FsxLustre(Layout):
    """One file system that the whole fleet mounts."""

    file_system: FileSystem
    not_considered: tuple[str, ...] = ()
    name: ClassVar[str] = "fsx-lustre"
    s3_through_vpc: ClassVar[bool] = False  # AWS runs the file servers; they load from S3 and export to it on their own

    @property
    def filled_first(self) -> bool:
        """Intelligent-Tiering has no data repository association, so the data has to be copied in."""
        return self.file_system.choice.is_tiering

    def refusals(self) -> tuple[str, ...]:
        found = []
        choice, instance = self.file_system.choice, self.demand.instance
        if choice.efa and (instance.efa_interfaces == 0 or 0 < instance.nitro_version < EFA_MIN_NITRO):
            found.append(f"{instance.name} cannot mount Lustre over EFA: EFA needs Nitro v4 or later")
        if choice.efa and choice.deployment != "PERSISTENT_2":
            found.append("EFA needs a PERSISTENT_2 file system")
        found += too_small(self.file_system, self.demand)
        if choice.is_tiering and self.file_system.mbps > TIERING_MAX_MBPS:
            found.append(f"Intelligent-Tiering is limited to {TIERING_MAX_MBPS:,} MBps")
        return tuple(found)

    def service(self, values: Values) -> Service:
        return service_of(self.file_system, self.demand, values, self.not_considered)

    def bill(self, ledger: Ledger, timing: Timing, values: Values) -> None:
        bill_file_system(ledger, self.file_system, self.demand, timing)

    def spec(self, plan: Plan, values: Values) -> Deployment:
        return deployment_of(self.file_system)


def variants(plan: Plan, demand: Demand, book: PriceBook, values: Values) -> list[Layout]:
    """One variant for each tier in the plan, or the one with the lowest price."""
    fill_fraction = values.central("lustre.fill_fraction")
    return lustre_variants(plan.storage.settings_of(LustreSettings), demand, book, plan.region, fill_fraction)


def lustre_variants(
    settings: LustreSettings, demand: Demand, book: PriceBook, region: str, fill_fraction: float
) -> list[Layout]:
    """One layout for each tier in the plan; without any, the cheapest tier of those that are fast enough.

    A tier whose price is not known here may be the cheapest. It is left out if even its lowest price in other Regions
    is higher; else no other one is chosen and the scenario is a lower bound.
    """
    choice = Choice(
        section="storage.fsx-lustre",
        deployment=settings.deployment,
        capacity_bytes=settings.capacity_bytes,
        metadata_iops=settings.metadata_iops,
        efa=settings.efa,
    )

    def variant(tier: int, name: str) -> FsxLustre:
        return FsxLustre(demand=demand, file_system=sized(choice, demand, tier, fill_fraction), variant=name)

    if choice.is_tiering:
        return [variant(0, "intelligent-tiering")]
    if settings.deployment == "SCRATCH_2":
        return [variant(SCRATCH_MBPS_PER_TIB, "scratch")]
    if settings.throughput_mbps_per_tib:
        return [variant(tier, str(tier)) for tier in settings.throughput_mbps_per_tib]
    priced, unpriced = [], []
    for tier in TIERS_MBPS_PER_TIB:
        file_system = sized(choice, demand, tier, fill_fraction)
        item, offering = storage_item(settings.deployment, tier)
        try:
            usd = book.metered(SERVICE, item, region, offering).tiers[0].usd
        except PriceNotFound:
            elsewhere = book.metered_bounds(SERVICE, item, region, offering)
            least = elsewhere.low.tiers[0].usd * file_system.capacity_gib if elsewhere else 0.0
            unpriced.append((least, tier, file_system))
            continue
        priced.append((usd * file_system.capacity_gib, tier, file_system))
    lowest = min((usd for usd, _, _ in priced), default=float("inf"))
    for least, tier, file_system in unpriced:
        if least < lowest:
            why = f"the price of the {tier} MB/s/TiB tier is not known and might be the lowest"
            warning = f"{why}: name storage.fsx-lustre.throughput_mbps_per_tib to choose another"
            return [FsxLustre(demand=demand, file_system=file_system, not_considered=(warning,))]
    return [FsxLustre(demand=demand, file_system=min(priced, key=lambda entry: entry[:2])[2])]
