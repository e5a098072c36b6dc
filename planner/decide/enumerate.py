"""Every choice of a plan, evaluated: timed and billed on central values and, where asked, on draws."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from planner.estimate.choice import Choice, FleetSize, fleet_sizes, purchase_options
from planner.estimate.demand import demand_of, planned_write_gb_per_s
from planner.estimate.purchase import Buy
from planner.estimate.request import Request
from planner.estimate.run import Run, run_on
from planner.estimate.scenario import Outcome, price
from planner.estimate.spot import HAZARD, own_spot_hazard, spot_hazard_of
from planner.estimate.work import FleetWork, work_on
from planner.layouts.base import Demand, Layout
from planner.layouts.registry import layouts_of
from planner.models.bill import Unpriced
from planner.models.derived import Sourced
from planner.models.sheet import Sheet
from planner.models.values import Values
from pricing.book import PriceNotFound


@dataclass(frozen=True, kw_only=True)
class Evaluated:
    """One choice. planned, spread: on central values and on draws (the same one where nothing is drawn); None where
    the layout refuses. why_not: what forbids it but for the plan's constraints."""

    choice: Choice
    layout: Layout
    work: FleetWork
    planned: Outcome | None
    spread: Outcome | None
    why_not: tuple[str, ...]
    unpriced: tuple[Unpriced, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class _Fleet:
    """One fleet's work and demand, on central values and, where there are draws, on draws."""

    size: FleetSize
    work: FleetWork
    demand: Demand
    drawn_work: FleetWork | None
    drawn_demand: Demand | None


def evaluate(request: Request, central: Values, drawn: Values | None) -> Iterator[Evaluated]:
    """Every layout x purchase option x instance type of the plan. drawn: None to stay with central values."""
    for fleet, layout, choices in _laid_out(request, central, drawn):
        refused = layout.refusals()
        runs: dict[bool, _Runs] = {}
        for choice in choices:
            if refused:
                yield Evaluated(
                    choice=choice, layout=layout, work=fleet.work, planned=None, spread=None, why_not=refused
                )
                continue
            spot = choice.option.family == "spot"
            if spot not in runs:
                runs[spot] = _runs(request, fleet, layout, spot, central, drawn)
            yield _bought(request, choice, layout, fleet, runs[spot], central, drawn)


def ids_of(request: Request) -> list[str]:
    """The id of every scenario, nothing of it evaluated."""
    found = _laid_out(request, request.central(told=False), None)
    return [choice.id for _, _, choices in found for choice in choices]


def _laid_out(request: Request, central: Values, drawn: Values | None) -> Iterator[tuple[_Fleet, Layout, list[Choice]]]:
    """Every layout on every fleet of the plan, and each way to buy the fleet's nodes."""
    plan, book = request.plan, request.book
    sizes = [size for name in plan.fleet.instance_types for size in fleet_sizes(plan.fleet, book.instance(name))]
    several = {size.instance.name for size in sizes if sum(s.instance == size.instance for s in sizes) > 1}
    for size in sizes:
        fleet = _fleet(request, size, central, drawn)
        for layout in layouts_of(plan, fleet.demand, book, central):
            choices = [
                Choice(
                    layout=layout.name,
                    variant=layout.variant,
                    instance=size.instance,
                    nodes=size.nodes,
                    spares=size.spares,
                    option=option,
                    label_nodes=size.instance.name in several,
                )
                for option in purchase_options(plan)
            ]
            yield fleet, layout, choices


def _fleet(request: Request, size: FleetSize, central: Values, drawn: Values | None) -> _Fleet:
    plan, start = request.plan, request.start
    work = work_on(plan, size.instance, size.gpus, central)
    planned_gb_per_s = max(float(work.peak_gb_per_s), planned_write_gb_per_s(plan, central))
    drawn_work = work_on(plan, size.instance, size.gpus, drawn) if drawn else None
    return _Fleet(
        size=size,
        work=work,
        demand=demand_of(plan, size, work, planned_gb_per_s, start, central),
        drawn_work=drawn_work,
        drawn_demand=demand_of(plan, size, drawn_work, planned_gb_per_s, start, drawn)
        if drawn_work and drawn
        else None,
    )


@dataclass(frozen=True, kw_only=True)
class _Runs:
    """A run on central values and on draws, and what to say of it."""

    planned: Run
    spread: Run
    missing: Unpriced | None
    notes: tuple[str, ...]


def _runs(request: Request, fleet: _Fleet, layout: Layout, spot: bool, central: Values, drawn: Values | None) -> _Runs:
    """The run on central values and on draws (the same one where nothing is drawn or it is refused).

    An unknown interruption band leaves spot without its extra time: an unpriced line, so a lower bound.
    """
    plan, book = request.plan, request.book
    missing, notes, reclaims = _reclaims(request, fleet.size.instance.name) if spot else (None, (), None)
    planned = run_on(
        plan,
        book,
        fleet.demand,
        fleet.work,
        layout,
        central,
        reclaims=reclaims,
    )
    if planned.refusals or drawn is None or fleet.drawn_demand is None or fleet.drawn_work is None:
        return _Runs(planned=planned, spread=planned, missing=missing, notes=notes)
    varied = replace(layout, demand=fleet.drawn_demand)
    spread = run_on(
        plan,
        book,
        fleet.drawn_demand,
        fleet.drawn_work,
        varied,
        drawn,
        reclaims=reclaims,
        decided=planned.decided,
    )
    return _Runs(planned=planned, spread=spread, missing=missing, notes=notes)


def _reclaims(
    request: Request, instance_type: str
) -> tuple[Unpriced | None, tuple[str, ...], Callable[[Values, Sheet], Sourced] | None]:
    """(what is missing, what to note, reclaims of a node an hour on some values): the plan's own rate, else the
    advisor's band."""
    own = request.plan.reliability.spot_reclaims_per_node_day
    if own is not None:
        told = f"reclaims as the plan says: {own:g} a node-day"
        return None, (told,), lambda values, sheet: (own_spot_hazard(own, values, sheet), HAZARD)
    try:
        band = request.book.interruption(instance_type, request.plan.region)
    except PriceNotFound as error:
        return Unpriced(line="fleet.spot-interruptions", what=error.asked, nearest=error.nearest), (), None
    told = f"reclaims after the Spot Advisor of {band.observed}: {band.label} of the instances in a month"
    return None, (told,), lambda values, sheet: (spot_hazard_of(band, values, sheet), HAZARD)


def _bought(
    request: Request,
    choice: Choice,
    layout: Layout,
    fleet: _Fleet,
    runs: _Runs,
    central: Values,
    drawn: Values | None,
) -> Evaluated:
    buy = Buy(
        instance=choice.instance,
        nodes=choice.nodes,
        option=choice.option,
        settings=request.plan.purchase,
        start=request.start,
    )
    planned = price(request.book, runs.planned, buy, central)
    unvaried = planned.why_not or runs.spread is runs.planned or drawn is None
    return Evaluated(
        choice=choice,
        layout=layout,
        work=fleet.work,
        planned=planned,
        spread=planned if unvaried or drawn is None else price(request.book, runs.spread, buy, drawn),
        why_not=planned.why_not,
        unpriced=(*planned.unpriced, *((runs.missing,) if runs.missing else ())),
        notes=runs.notes,
    )
