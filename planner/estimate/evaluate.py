"""One scenario, evaluated: time and bill at central values and, if requested, in draws."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from planner.estimate.choice import Choice, FleetSize
from planner.estimate.demand import demand_of, planned_write_gb_per_s
from planner.estimate.node_purchase import NodePurchase
from planner.estimate.request import Request
from planner.estimate.run import Run, run_on
from planner.estimate.scenario import Outcome, price
from planner.estimate.spot import HAZARD, advised_interruption_rate, planned_interruption_rate
from planner.estimate.work import FleetWork, work_on
from planner.layouts.base import Demand, Layout
from planner.models.bill import Unpriced
from planner.models.bill_lines import SPOT_INTERRUPTIONS
from planner.models.derived import Sourced
from planner.models.number import share_within
from planner.models.sheet import Sheet
from planner.models.values import Values
from pricing.book import PriceNotFound


@dataclass(frozen=True, kw_only=True)
class Evaluated:
    """One choice.

    planned, spread: at central values and in draws (the same object without draws); None if the layout refuses.
    why_not: what rules it out, apart from the plan's constraints.
    """

    choice: Choice
    layout: Layout
    work: FleetWork
    planned: Outcome | None
    spread: Outcome | None
    why_not: tuple[str, ...]
    unpriced: tuple[Unpriced, ...] = ()
    notes: tuple[str, ...] = ()
    block_stretch: float | None = None


@dataclass(frozen=True, kw_only=True)
class EvaluatedFleet:
    """The work and demand of one fleet, at central values and, if there are draws, in draws."""

    size: FleetSize
    work: FleetWork
    demand: Demand
    drawn_work: FleetWork | None
    drawn_demand: Demand | None


def fleet_of(request: Request, size: FleetSize, central: Values, drawn: Values | None) -> EvaluatedFleet:
    plan, start = request.plan, request.start
    work = work_on(plan, size.instance, size.gpus, central)
    planned_gb_per_s = max(float(work.peak_gb_per_s), planned_write_gb_per_s(plan, central))
    drawn_work = work_on(plan, size.instance, size.gpus, drawn) if drawn else None
    return EvaluatedFleet(
        size=size,
        work=work,
        demand=demand_of(plan, size, work, planned_gb_per_s, start, central),
        drawn_work=drawn_work,
        drawn_demand=demand_of(plan, size, drawn_work, planned_gb_per_s, start, drawn)
        if drawn_work and drawn
        else None,
    )


@dataclass(frozen=True, kw_only=True)
class ScenarioRuns:
    """A run at central values and in draws, and notes on it."""

    planned: Run
    spread: Run
    missing: Unpriced | None
    notes: tuple[str, ...]


def runs_of(
    request: Request, fleet: EvaluatedFleet, layout: Layout, spot: bool, central: Values, drawn: Values | None
) -> ScenarioRuns:
    """The run at central values and in draws (the same object without draws or if it is refused).

    An unknown interruption band leaves spot without its extra time: an unpriced line, so a lower bound.
    """
    plan, book = request.plan, request.book
    missing, notes, interruption_rate = (
        _interruption_rates(request, fleet.size.instance.name) if spot else (None, (), None)
    )
    planned = run_on(
        plan,
        book,
        fleet.demand,
        fleet.work,
        layout,
        central,
        interruption_rate=interruption_rate,
    )
    if planned.refusals or drawn is None or fleet.drawn_demand is None or fleet.drawn_work is None:
        return ScenarioRuns(planned=planned, spread=planned, missing=missing, notes=notes)
    varied = replace(layout, demand=fleet.drawn_demand)
    spread = run_on(
        plan,
        book,
        fleet.drawn_demand,
        fleet.drawn_work,
        varied,
        drawn,
        interruption_rate=interruption_rate,
        decided=planned.decided,
    )
    return ScenarioRuns(planned=planned, spread=spread, missing=missing, notes=notes)


def _interruption_rates(
    request: Request, instance_type: str
) -> tuple[Unpriced | None, tuple[str, ...], Callable[[Values, Sheet], Sourced] | None]:
    """(what is missing, notes, interruptions per node and hour): the plan's own rate, or Spot Advisor's band."""
    own = request.plan.reliability.spot_reclaims_per_node_day
    if own is not None:
        note = f"spot interruption rate set by the plan: {own:g} per node-day"
        return None, (note,), lambda values, sheet: (planned_interruption_rate(own, values, sheet), HAZARD)
    try:
        band = request.book.interruption(instance_type, request.plan.region)
    except PriceNotFound as error:
        return Unpriced(line=SPOT_INTERRUPTIONS, what=error.asked, nearest=error.nearest), (), None
    note = f"AWS Spot Advisor ({band.observed}): {band.label} of instances interrupted per month"
    return None, (note,), lambda values, sheet: (advised_interruption_rate(band, values, sheet), HAZARD)


def bought(
    request: Request,
    choice: Choice,
    layout: Layout,
    fleet: EvaluatedFleet,
    runs: ScenarioRuns,
    central: Values,
    drawn: Values | None,
) -> Evaluated:
    purchase = NodePurchase(
        instance=choice.instance,
        nodes=choice.nodes,
        option=choice.option,
        settings=request.plan.purchase,
        start=request.start,
        confidence=request.plan.decision.confidence,
        block_stretch=_block_stretch(request, choice, runs, drawn),
    )
    # without the interruption rate of spot the total is a lower bound, to which a midpoint does not belong
    planned = price(request.book, runs.planned, purchase, central, keep_bounded=False if runs.missing else None)
    unvaried = planned.why_not or runs.spread is runs.planned or drawn is None
    spread = planned
    if not unvaried and drawn is not None:
        as_long = replace(purchase, block_days=planned.bought.block_days)
        spread = price(request.book, runs.spread, as_long, drawn, keep_bounded=planned.keeps_bounded)
    return Evaluated(
        choice=choice,
        layout=layout,
        work=fleet.work,
        planned=planned,
        spread=spread,
        why_not=planned.why_not,
        block_stretch=purchase.block_stretch if choice.option.family == "capacity-block" else None,
        unpriced=(*planned.unpriced, *((runs.missing,) if runs.missing else ())),
        notes=runs.notes,
    )


def _block_stretch(request: Request, choice: Choice, runs: ScenarioRuns, drawn: Values | None) -> float:
    """How much longer than planned a Capacity Block is bought, so that enough of the draws end within it."""
    settings = request.plan.purchase.capacity_block
    if choice.option.family != "capacity-block" or settings.days is not None or settings.extension:
        return 1.0
    if drawn is None or runs.spread is runs.planned:
        return request.block_stretch.get(choice.id, 1.0)
    covered = share_within(np.asarray(runs.spread.hours, dtype=float), request.plan.decision.confidence)
    return max(1.0, covered / float(runs.planned.hours))
