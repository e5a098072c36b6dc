"""The fleets that `optimize` searches: node counts, spares and instance types."""

from __future__ import annotations

from dataclasses import dataclass

from planner.decide.enumerate import fleet_sizes
from planner.estimate.choice import FleetSize
from planner.estimate.request import Request
from planner.plan.types import Plan
from pricing.catalog import InstanceType

AROUND = 128  # node counts searched around a single one
FEW_SPARES = 2


@dataclass(frozen=True, kw_only=True)
class Grid:
    """The fleets to search. low, high: node counts at the ends. stated: whether the plan names more than one count;
    else the range was chosen around its one."""

    sizes: tuple[FleetSize, ...]
    low: int
    high: int
    spares: tuple[int, ...]
    stated: bool


def grid_of(request: Request) -> Grid:
    """Every count from the plan's lowest to its highest, or around its only one, with 0 to 2 spares, or with
    those of the plan. A fleet that is held for a given time keeps its one count."""
    plan, book = request.plan, request.book
    own = plan.fleet.own_spares
    spares = tuple(range(FEW_SPARES + 1)) if own is None else (own,)
    found: list[FleetSize] = []
    stated = False
    for name in plan.fleet.instance_types:
        instance = book.instance(name)
        counts, several = _counts(plan, instance)
        stated = stated or several
        found += [
            FleetSize(instance=instance, nodes=nodes, spares=spare)
            for nodes in counts
            for spare in spares
            if spare < nodes
        ]
    nodes = [size.nodes for size in found]
    return Grid(sizes=tuple(found), low=min(nodes), high=max(nodes), spares=spares, stated=stated)


def _counts(plan: Plan, instance: InstanceType) -> tuple[range, bool]:
    """The node counts of a type, and whether the plan names more than one."""
    named = [size.nodes for size in fleet_sizes(plan.fleet, instance)]
    if not named:
        return range(0), False
    low, high = min(named), max(named)
    if low < high:
        return range(low, high + 1), True
    # a fleet that is held for a time costs in proportion to its nodes: more of them are another fleet, not a better one
    return (range(low, low + 1) if plan.run.held_hours is not None else around(low)), False


def around(nodes: int) -> range:
    """From half to twice as many, at most AROUND counts, a third of them below."""
    low, high = max(-(-nodes // 2), nodes - AROUND // 3), 2 * nodes
    return range(low, min(high, low + AROUND - 1) + 1)
