"""Every combination in a plan (instance type, node count, layout, purchase option), each evaluated."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from planner.estimate.choice import Choice, FleetSize
from planner.estimate.evaluate import Evaluated, LayoutRuns, fleet_of
from planner.estimate.request import Request
from planner.estimate.spot import own_rate
from planner.layouts.sizing import layouts_of
from planner.models.values import Values
from planner.plan.types import Fleet, Plan
from pricing.catalog import InstanceType
from pricing.offers import DEFAULT_PURCHASE_OPTIONS, PurchaseOption


def evaluate(
    request: Request, central: Values, drawn: Values | None, only: Collection[str] | None = None
) -> Iterator[Evaluated]:
    """Every layout x purchase option x instance type of the plan. drawn: None for central values only. only: ids of
    the scenarios to evaluate, None for all."""
    sizes, layouts = (None, None) if only is None else (fleets_in(request, only), layouts_in(only))
    for runs, choices in choices_of(request, central, drawn, sizes, layouts):
        yield from (runs.evaluated(choice) for choice in choices if only is None or choice.id in only)


def way_of(id: str) -> tuple[str, str]:
    """Of a scenario's id: the layout with its variant, and how the nodes are bought."""
    layout, _, purchase = id.split("/")
    return layout, purchase


def layouts_in(ids: Collection[str]) -> frozenset[str]:
    """The layouts of the scenarios with these ids, without their variants."""
    return frozenset(id.split("/")[0].split("+")[0] for id in ids)


def fleets_in(request: Request, ids: Collection[str]) -> list[FleetSize]:
    """The fleets of the scenarios with these ids, which name a count only where there are several."""
    every = sizes_of(request)
    types = [size.instance.name for size in every]
    places = {id.split("/")[1] for id in ids}
    return [
        size for size in every if types.count(size.instance.name) == 1 or f"{size.instance.name}x{size.nodes}" in places
    ]


def ids_of(request: Request) -> list[str]:
    """The id of every scenario, without evaluating it."""
    found = choices_of(request, request.central(recording=False), None)
    return [choice.id for _, choices in found for choice in choices]


def choices_of(
    request: Request,
    central: Values,
    drawn: Values | None,
    sizes: Sequence[FleetSize] | None = None,
    layouts: Collection[str] | None = None,
) -> Iterator[tuple[LayoutRuns, list[Choice]]]:
    """Every layout on every fleet of the plan, with each purchase option. sizes, layouts: only these."""
    plan, book = request.plan, request.book
    every, own = sizes_of(request), own_rate(plan.reliability)
    types = [size.instance.name for size in every]
    for size in every if sizes is None else sizes:
        fleet = fleet_of(request, size, central, drawn)
        for layout in layouts_of(plan, fleet.demand, book, central, layouts):
            choices = [
                Choice(
                    layout=layout.name,
                    variant=layout.variant,
                    instance=size.instance,
                    nodes=size.nodes,
                    spares=size.spares,
                    option=option,
                    label_nodes=request.fleets is not None or types.count(size.instance.name) > 1,
                    spot_seen_to=own.seen_to if own else 0,
                )
                for option in purchase_options(plan)
            ]
            yield LayoutRuns(request, fleet, layout, central, drawn), choices


def sizes_of(request: Request) -> list[FleetSize]:
    """Every fleet of the request: its own, else the plan's."""
    if request.fleets is not None:
        return list(request.fleets)
    fleet = request.plan.fleet
    return [size for name in fleet.instance_types for size in fleet_sizes(fleet, request.book.instance(name))]


def fleet_sizes(fleet: Fleet, instance: InstanceType) -> list[FleetSize]:
    """Every node count of the plan on one type: `nodes` are paid and include spares, `gpus` train."""
    if fleet.nodes is not None:
        return [FleetSize(instance=instance, nodes=n, spares=fleet.spares) for n in fleet.nodes]
    wanted = [entry.count for entry in fleet.gpus or () if entry.gpu == instance.gpu_name.upper()]
    return [
        FleetSize(instance=instance, nodes=-(-count // instance.gpu_count) + fleet.spares, spares=fleet.spares)
        for count in wanted
    ]


def purchase_options(plan: Plan) -> tuple[PurchaseOption, ...]:
    """The plan's options, or the nine default ones."""
    return tuple(PurchaseOption.parse(text) for text in plan.purchase.options or DEFAULT_PURCHASE_OPTIONS)
