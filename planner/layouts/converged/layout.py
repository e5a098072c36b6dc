"""The sized layout `converged`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from planner.layouts.base import Demand, Layout, Service, Timing
from planner.layouts.converged.bill import bill_control_nodes
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
    """The pool on the GPU nodes, spares included."""

    settings: ConvergedSettings
    name: ClassVar[str] = "converged"
    emptied_by_interruption: ClassVar[bool] = True

    def refusals(self) -> tuple[str, ...]:
        if self.demand.instance.raw_nvme_tb == 0:
            return (f"{self.demand.instance.name} has no instance-store drives",)
        return ()

    def service(self, values: Values) -> Service:
        return service_of(self.demand, values)

    def bill(self, ledger: Ledger, timing: Timing, values: Values) -> None:
        bill_control_nodes(self.settings, ledger, timing, values)

    def spec(self, plan: Plan, values: Values) -> Deployment:
        return deployment_of(self.settings, self.demand.instance, plan, values)


def variants(plan: Plan, demand: Demand, book: PriceBook, values: Values) -> list[Layout]:
    """The only variant: every GPU node holds data."""
    return [Converged(settings=plan.storage.settings_of(ConvergedSettings), demand=demand)]
