"""The sized layout `separate-nvme`, and the choice of its instance type."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from planner.layouts.base import Demand, Layout, Service, Timing
from planner.layouts.deployment import Deployment
from planner.layouts.separate_nvme.bill import bill_cluster
from planner.layouts.separate_nvme.cluster import Cluster, cluster_of
from planner.layouts.separate_nvme.service import service_of
from planner.layouts.separate_nvme.settings import SeparateSettings
from planner.layouts.separate_nvme.spec import deployment_of
from planner.models.ledger import Ledger
from planner.models.values import Values
from planner.plan.types import Plan
from pricing.book import NotOffered, PriceBook, PriceNotFound

CANDIDATES = ("i3en.24xlarge", "i4i.32xlarge", "i7ie.24xlarge", "i7ie.48xlarge")


@dataclass(frozen=True, kw_only=True)
class SeparateNvme(Layout):
    """A separate storage cluster."""

    cluster: Cluster
    not_considered: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    name: ClassVar[str] = "separate-nvme"

    def refusals(self) -> tuple[str, ...]:
        if self.refused:
            return self.refused
        if self.cluster.storage_instance.raw_nvme_tb == 0:
            return (f"{self.cluster.storage_instance.name} has no instance-store drives",)
        return ()

    def service(self, values: Values) -> Service:
        return service_of(self.cluster, self.demand, values, self.not_considered)

    def bill(self, ledger: Ledger, timing: Timing, values: Values) -> None:
        bill_cluster(self.cluster, ledger, timing, values)

    def spec(self, plan: Plan, values: Values) -> Deployment:
        return deployment_of(self.cluster, plan, values)


def variants(plan: Plan, demand: Demand, book: PriceBook, values: Values) -> list[Layout]:
    """The only variant."""
    return [separate_cluster(plan.storage.settings_of(SeparateSettings), demand, book, plan.region, values)]


def separate_cluster(
    settings: SeparateSettings, demand: Demand, book: PriceBook, region: str, values: Values
) -> SeparateNvme:
    """The cluster on the plan's instance type, or on the candidate with the lowest price per hour.

    A candidate whose price is not known here may be the cheapest. It is left out if even its lowest price in other
    Regions is higher; else no other one is chosen and the scenario is a lower bound. A type that AWS does not sell, or
    whose hardware is not known, is not a candidate.
    """
    if settings.instance_type:
        cluster = cluster_of(settings, demand, book.instance(settings.instance_type), values)
        return SeparateNvme(demand=demand, cluster=cluster)
    priced, unknown, unpriced = [], [], []
    known = {instance.name: instance for instance in book.instances()}
    for name in CANDIDATES:
        if name not in known:
            unknown.append(f"{name} is not considered: its hardware is not in the price book")
            continue
        cluster = cluster_of(settings, demand, known[name], values)
        try:
            usd = book.on_demand(name, region).usd * cluster.nodes
        except NotOffered:
            continue
        except PriceNotFound:
            unpriced.append((name, cluster))
            continue
        priced.append((usd, name, cluster))
    lowest = min((usd for usd, _, _ in priced), default=0.0)
    for name, cluster in unpriced:
        elsewhere = book.lowest_on_demand_elsewhere(name, region)
        if elsewhere is None or elsewhere * cluster.nodes < lowest or not priced:
            why = f"the price of {name} is not known and might be the lowest"
            warning = f"{why}: name storage.separate-nvme.instance_type to choose another"
            return SeparateNvme(demand=demand, cluster=cluster, not_considered=(warning,))
        unknown.append(
            f"{name} is not considered: its price here is not known, and elsewhere it costs more than others"
        )
    if not priced:
        nothing = cluster_of(settings, demand, demand.instance, values)
        refused = ("no instance type for a storage cluster is available or known in this region",)
        return SeparateNvme(demand=demand, cluster=nothing, refused=refused)
    cheapest = min(priced, key=lambda entry: entry[:2])[2]
    return SeparateNvme(demand=demand, cluster=cheapest, not_considered=tuple(unknown))
