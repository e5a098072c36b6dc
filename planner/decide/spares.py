"""How many spare nodes a plan has that does not say: as many as its answer costs least with."""

from __future__ import annotations

import math
from dataclasses import replace

from planner.decide.enumerate import sizes_of
from planner.decide.narrow import spread_over
from planner.decide.search import Each, search
from planner.estimate.choice import FleetSize
from planner.estimate.request import Request
from planner.plan.types import Fleet

DRAWS = 1000  # enough to tell one number of spares from the next
COUNTS = 6  # node counts that are looked at, of a plan with many
FEW = (0, 1, 2)


def with_spares(request: Request, each: Each = map) -> Request:
    """The request with the number of spares of its answer, where the plan leaves it open. Without draws, or where
    nothing is recommended, none: what a spare saves is the tail of the waits."""
    plan = request.plan
    if plan.fleet.own_spares is not None or not request.draws or plan.run.held_hours is not None:
        return request
    sizes = sizes_of(request)
    looked_at = [sizes[place] for place in spread_over(range(len(sizes)), COUNTS)]
    every = [with_n for size in looked_at for with_n in _with_spares(request, size)]
    few = replace(request, draws=min(request.draws, DRAWS), derivations=False, fleets=tuple(every))
    found = search(few, every, each).recommended
    # where nothing is recommended it stays open: a change that helps chooses it anew
    return with_number(request, found.size.spares) if found else request


def with_number(request: Request, spares: int) -> Request:
    fleet: Fleet = request.plan.fleet.model_copy(update={"own_spares": spares})
    return replace(request, plan=request.plan.model_copy(update={"fleet": fleet}))


def _with_spares(request: Request, size: FleetSize) -> list[FleetSize]:
    """The fleet with none, a few, and about as many spares as are under replacement at a time. Nodes are paid ones, so
    that spares are among them; GPUs train, so that spares come on top."""
    more = 0 if request.plan.fleet.nodes is not None else 1
    return [
        FleetSize(instance=size.instance, nodes=size.nodes + more * spares, spares=spares)
        for spares in sorted({*FEW, *enough_spares(request, size.nodes)})
        if spares < size.nodes
    ]


def enough_spares(request: Request, nodes: int) -> list[int]:
    """Spares for what is under replacement on average, and one and two standard deviations more, by Poisson's law."""
    table = request.table()
    a_day = table["goodput.failures_per_1000_node_days"].value / 1000 * nodes
    replaced = a_day * table["goodput.replacement_hours"].value / 24
    return [math.ceil(replaced + deviations * math.sqrt(replaced)) for deviations in (0, 1, 2)]
