"""What stands beside the recommended choice: other places for the projects' hot data, and the same nodes owned."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from planner.answer.ranges import Range, range_of
from planner.estimate.owned import has_price, owned_nodes
from planner.fleet.bill import GIB, LUSTRE, STEP_GIB, cache_tb, hot_union
from planner.fleet.model import Floats
from planner.fleet.result import FleetScenario, Owned, Stored
from planner.fleet.workload import MONTH_HOURS
from planner.models.capacity import cluster_nodes, lustre_capacity_gib, pool_usable_tb
from planner.models.number import each_draw
from planner.models.values import Values
from planner.plan.fleet_types import FleetPlan
from pricing.book import PriceBook, PriceNotFound
from pricing.offers import PurchaseOption

TIERS = (125, 250, 500, 1000)  # MB/s for each TiB
DRIVES = ("i3en.24xlarge", "i4i.32xlarge", "i7ie.48xlarge")
RESERVED = PurchaseOption.parse("ri-1y-standard-no-upfront")


def stored(plan: FleetPlan, book: PriceBook, best: FleetScenario) -> tuple[Stored, ...]:
    """Every place for the projects' hot data at its largest, the cheapest of each layout's sizes; none without any."""
    hot = float(hot_union(plan).max())
    return tuple(_places(plan, book, best, hot)) if hot else ()


def _places(plan: FleetPlan, book: PriceBook, best: FleetScenario, hot: float) -> Iterator[Stored]:
    months = plan.run.months
    nodes = tuple(count for _, count in best.nodes)
    if all(nodes):
        yield Stored(layout="converged", detail="", usable_tb=cache_tb(plan, book, nodes), usd=0.0)
    gib = lustre_capacity_gib(needed_gib=hot / GIB, step_gib=STEP_GIB)
    for tier in TIERS:
        try:
            price = book.metered(*LUSTRE, plan.region, f"{tier} MB/s/TiB").tiers[0].usd
        except PriceNotFound:
            continue
        yield Stored(
            layout="fsx-lustre", detail=f"{tier} MB/s/TiB", usable_tb=gib * GIB / 1e12, usd=gib * price * months
        )
    yield from sorted(_clusters(plan, book, hot / 1e12), key=lambda one: one.usd or 0.0)[:1]


def _clusters(plan: FleetPlan, book: PriceBook, hot_tb: float) -> Iterator[Stored]:
    """A cluster of each storage type with a spare node, by On-Demand or Reserved Instances of whole years."""
    hours = plan.run.months * MONTH_HOURS
    for name in DRIVES:
        usable = float(pool_usable_tb(raw_tb=book.instance(name).raw_nvme_tb))
        nodes = cluster_nodes(
            needed_tb=hot_tb, usable_tb_per_node=usable, needed_gb_per_s=0.0, gb_per_s_per_node=1.0, spares=1
        )
        for bought in ("On-Demand", "Reserved Instances, 1 year"):
            try:
                if bought == "On-Demand":
                    usd = book.on_demand(name, plan.region).usd * hours
                else:
                    usd = book.commitment(name, plan.region, RESERVED).price.usd * -(-hours // 8760) * 8760
            except PriceNotFound:
                continue
            yield Stored(
                layout="separate-nvme",
                detail=f"{nodes} x {name}, {bought}",
                usable_tb=(nodes - 1) * usable,
                usd=nodes * usd,
            )


def owned(plan: FleetPlan, book: PriceBook, best: FleetScenario, values: Values) -> Owned | None:
    """The same nodes, bought; None where no server price is published for one of their GPUs. values: with draws."""
    groups = [(book.instance(name), count) for name, count in best.nodes]
    if not all(count and has_price(instance) for instance, count in groups):
        return None
    hours = plan.run.months * MONTH_HOURS
    usd: Floats = np.zeros(values.draws)
    purchase: Floats = np.zeros(values.draws)
    for (instance, count), share in zip(groups, best.utilisation, strict=True):
        one, gpu_hours = owned_nodes(instance, count, 1.0, values), instance.gpu_count * count * hours
        usd = usd + gpu_hours * (one.always_busy_usd_per_hour + one.energy_usd_per_hour * share)
        purchase = purchase + one.purchase_usd
    return Owned(
        usd=_range(usd, values), purchase_usd=_range(purchase, values), utilisation=_busy(best, [n for _, n in groups])
    )


def _busy(best: FleetScenario, nodes: Sequence[int]) -> float:
    return float(np.average(best.utilisation, weights=nodes))


def _range(usd: Floats, values: Values) -> Range:
    return range_of(float(each_draw(usd, values.draws).mean()), usd, values.draws)
