"""The sized layout `converged`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from planner.layouts.base import Demand, Layout, Service, Timing
from planner.layouts.converged.bill import bill_control_nodes
from planner.layouts.converged.files import as_blocks
from planner.layouts.converged.files_bill import bill_files
from planner.layouts.converged.service import service_of
from planner.layouts.converged.settings import ConvergedSettings
from planner.layouts.converged.spec import deployment_of
from planner.layouts.deployment import Deployment
from planner.models.ledger import Ledger
from planner.models.values import Values
from planner.plan.types import Plan
from pricing.book import PriceBook


@dataclass(frozen=True, kw_only=True)
class Converged(Layout):
    """The pool on the GPU nodes, spares included. files: whether jobs use it as a file system. keeps_all: whether every
    checkpoint stays."""

    settings: ConvergedSettings
    files: bool = False
    keeps_all: bool = False
    name: ClassVar[str] = "converged"
    emptied_by_interruption: ClassVar[bool] = True

    @property
    def is_posix(self) -> bool:
        return self.files

    def stored(self, demand: Demand) -> Demand:
        return as_blocks(demand) if self.files else demand

    def refusals(self) -> tuple[str, ...]:
        if self.demand.instance.raw_nvme_tb == 0:
            return (f"{self.demand.instance.name} has no instance-store drives",)
        return ()

    def service(self, values: Values) -> Service:
        return service_of(self.demand, values, files=self.files)

    def bill(self, ledger: Ledger, timing: Timing, values: Values) -> None:
        bill_control_nodes(self.settings, ledger, timing, values)
        if self.files:
            bill_files(ledger, self.demand, timing, values, keeps_all=self.keeps_all)

    def spec(self, plan: Plan, values: Values) -> Deployment:
        return deployment_of(self.settings, self.demand, plan, values, files=self.files)


def variants(plan: Plan, demand: Demand, book: PriceBook, values: Values) -> list[Layout]:
    """The only variant: every GPU node holds data."""
    settings = plan.storage.settings_of(ConvergedSettings)
    files = settings.has_files(plan.data.access)
    keeps_all = plan.data.checkpoints_kept == "all"
    return [Converged(settings=settings, demand=demand, files=files, keeps_all=keeps_all)]
