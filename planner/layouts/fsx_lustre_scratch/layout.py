"""The sized layout `fsx-lustre-scratch`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from planner.layouts.base import Demand, Layout, Service, Timing
from planner.layouts.deployment import Deployment
from planner.layouts.fsx_lustre_scratch.bill import bill_file_system
from planner.layouts.fsx_lustre_scratch.service import service_of
from planner.layouts.fsx_lustre_scratch.settings import ScratchSettings
from planner.layouts.fsx_lustre_scratch.spec import deployment_of
from planner.layouts.shared.lustre_size import Choice, FileSystem, sized, too_small
from planner.models.ledger import Ledger
from planner.models.values import Values
from planner.plan.types import Plan
from pricing.book import PriceBook

READ_MBPS_PER_TIB = 200
WRITE_MBPS_PER_TIB = 100


@dataclass(frozen=True, kw_only=True)
class FsxLustreScratch(Layout):
    """One file system that the whole fleet mounts, without replication."""

    file_system: FileSystem
    name: ClassVar[str] = "fsx-lustre-scratch"
    s3_through_vpc: ClassVar[bool] = False  # AWS runs the file servers; they load from S3 and export to it on their own

    def refusals(self) -> tuple[str, ...]:
        return too_small(self.file_system, self.demand)

    def service(self, values: Values) -> Service:
        return service_of(self.file_system, self.demand, values)

    def bill(self, ledger: Ledger, timing: Timing, values: Values) -> None:
        bill_file_system(ledger, self.file_system, timing)

    def spec(self, plan: Plan, values: Values) -> Deployment:
        return deployment_of(self.file_system)


def variants(plan: Plan, demand: Demand, book: PriceBook, values: Values) -> list[Layout]:
    """The only variant: SCRATCH_2 has no throughput tiers."""
    choice = Choice(
        section="storage.fsx-lustre-scratch",
        deployment="SCRATCH_2",
        capacity_bytes=plan.storage.settings_of(ScratchSettings).capacity_bytes,
        write_mbps_per_tib=WRITE_MBPS_PER_TIB,
    )
    file_system = sized(choice, demand, READ_MBPS_PER_TIB, values.central("lustre.fill_fraction"))
    return [FsxLustreScratch(demand=demand, file_system=file_system)]
