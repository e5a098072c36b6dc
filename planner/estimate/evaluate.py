"""One scenario, evaluated: time and bill at central values and, if requested, in draws."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date

import numpy as np

from planner.estimate.block_length import Nearly, cheapest_days
from planner.estimate.block_tail import NONE, SECOND, chances_of, granted, length_prices, tail_rule
from planner.estimate.choice import Choice, FleetSize
from planner.estimate.constraints import limit_of_plan
from planner.estimate.demand import demand_of, planned_write_gb_per_s
from planner.estimate.held_block import Followed, first_and_after, followed, rates_of
from planner.estimate.node_purchase import After, NodePurchase
from planner.estimate.request import Request
from planner.estimate.run import Run, run_on
from planner.estimate.scenario import Outcome, price
from planner.estimate.spot import Market, advised_market, evidence_note, own_rate, planned_market
from planner.estimate.stage import Ground
from planner.estimate.work import FleetWork, work_on
from planner.layouts.base import Demand, Layout
from planner.models.bill import Unpriced
from planner.models.bill_lines import SPOT_INTERRUPTIONS
from planner.models.block_sizes import SOLD_DAYS, TOGETHER_DAYS
from planner.models.block_tail import covering_days, held_hours
from planner.models.number import quantiles, share_of, share_within
from planner.models.values import Values
from planner.plan.types import Plan
from pricing.book import PriceNotFound
from pricing.offers import PurchaseOption


@dataclass(frozen=True, kw_only=True)
class Evaluated:
    """One choice.

    planned, spread: at central values and in draws (the same object without draws); None if the layout refuses.
    why_not: what rules it out, apart from the plan's constraints. interruptions_observed: the day of Spot Advisor's
    band, None without one. nearly: a shorter Capacity Block that costs less and is on time too seldom.
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
    nearly: Nearly | None = None
    interruptions_observed: date | None = None


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
    demand = demand_of(plan, size, work, planned_gb_per_s, start, central)
    if not drawn:
        return EvaluatedFleet(size=size, work=work, demand=demand, drawn_work=None, drawn_demand=None)
    drawn.prepare(central.used)
    drawn_work = work_on(plan, size.instance, size.gpus, drawn)
    drawn_demand = demand_of(plan, size, drawn_work, planned_gb_per_s, start, drawn)
    return EvaluatedFleet(size=size, work=work, demand=demand, drawn_work=drawn_work, drawn_demand=drawn_demand)


@dataclass(frozen=True, kw_only=True)
class _FoundMarket:
    """The spot market of a fleet, if it is known; notes on it, and the day of its observation."""

    market: Market | None = None
    missing: Unpriced | None = None
    notes: tuple[str, ...] = ()
    observed: date | None = None


@dataclass(frozen=True, kw_only=True)
class ScenarioRuns:
    """A run at central values and in draws, and the spot market that it starts on."""

    planned: Run
    spread: Run
    market: _FoundMarket


class LayoutRuns:
    """The runs of one layout on one fleet, each evaluated when a purchase option first needs it."""

    def __init__(
        self, request: Request, fleet: EvaluatedFleet, layout: Layout, central: Values, drawn: Values | None
    ) -> None:
        self.request, self.fleet, self.layout = request, fleet, layout
        self._runs: dict[str, ScenarioRuns] = {}
        plan, demand, work = request.plan, fleet.drawn_demand, fleet.drawn_work
        self._central = _ground(plan, layout, fleet.demand, fleet.work, central)
        self._drawn = _ground(plan, layout, demand, work, drawn) if drawn and demand and work else None

    def evaluated(self, choice: Choice) -> Evaluated:
        """One purchase option, at central values and in draws."""
        refused = self.layout.refusals()
        if refused:
            return Evaluated(
                choice=choice, layout=self.layout, work=self.fleet.work, planned=None, spread=None, why_not=refused
            )
        return _bought(self.request, choice, self._central, self._drawn, self.of(choice.option))

    def of(self, option: PurchaseOption) -> ScenarioRuns:
        """The run that a purchase option pays for."""
        kind = option.family if option.starts_on_spot else "held"
        if kind not in self._runs:
            self._runs[kind] = _runs_of(self.request, self.fleet, option, self._central, self._drawn)
        return self._runs[kind]


def _ground(plan: Plan, layout: Layout, demand: Demand, work: FleetWork, values: Values) -> Ground:
    stored = layout.stored(demand)
    return Ground(plan=plan, demand=stored, work=work, layout=replace(layout, demand=stored), values=values)


def _runs_of(
    request: Request, fleet: EvaluatedFleet, option: PurchaseOption, central: Ground, drawn: Ground | None
) -> ScenarioRuns:
    """The run at central values and in draws (the same object without draws or if it is refused).

    An unknown interruption band leaves spot without its extra time: an unpriced line, so a lower bound.
    """
    book = request.book
    found = _market(request, fleet.size) if option.starts_on_spot else _FoundMarket()
    fallback = option.family == "spot-fallback"
    planned = run_on(central, book, market=found.market, fallback=fallback)
    if planned.refusals or drawn is None:
        return ScenarioRuns(planned=planned, spread=planned, market=found)
    drawn.values.prepare(central.values.used)
    spread = run_on(drawn, book, market=found.market, fallback=fallback, decided=planned.decided)
    return ScenarioRuns(planned=planned, spread=spread, market=found)


def _market(request: Request, size: FleetSize) -> _FoundMarket:
    """The plan's own interruption rate, or Spot Advisor's band."""
    own = own_rate(request.plan.reliability)
    missing = evidence_note(size.instance, size.nodes, own)
    notes = (missing,) if missing else ()
    if own is not None:
        note = f"spot interruption rate set by the plan: {own.per_node_day:.4g} per node-day"
        return _FoundMarket(market=lambda values, sheet: planned_market(own, values, sheet), notes=(note, *notes))
    try:
        band = request.book.interruption(size.instance.name, request.plan.region)
    except PriceNotFound as error:
        return _FoundMarket(
            missing=Unpriced(line=SPOT_INTERRUPTIONS, what=error.asked, nearest=error.nearest), notes=notes
        )
    note = f"AWS Spot Advisor ({band.observed}): {band.label} of instances interrupted per month"
    return _FoundMarket(
        market=lambda values, sheet: advised_market(band, values, sheet), notes=(note, *notes), observed=band.observed
    )


def _bought(request: Request, choice: Choice, central: Ground, drawn: Ground | None, runs: ScenarioRuns) -> Evaluated:
    purchase = NodePurchase(
        instance=choice.instance,
        nodes=choice.nodes,
        option=choice.option,
        settings=request.plan.purchase,
        start=request.start,
        is_held=request.plan.run.held_hours is not None,
    )
    nearly = None
    if choice.option.family == "capacity-block" and purchase.is_held:
        purchase = _held_block(request, purchase, drawn or central, runs)
    elif choice.option.family == "capacity-block":
        days, nearly = _block_days(request, choice, purchase, central, drawn, runs)
        purchase = replace(purchase, block_days=days)
    # without the interruption rate of spot the total is a lower bound, to which a midpoint does not belong
    keep = False if runs.market.missing else None
    planned = price(request.book, runs.planned, choice.layout, purchase, central.values, keep_bounded=keep)
    unvaried = planned.why_not or runs.spread is runs.planned or drawn is None
    spread = planned
    if not unvaried and drawn is not None:
        kept = planned.keeps_bounded
        spread = price(request.book, runs.spread, choice.layout, purchase, drawn.values, keep_bounded=kept)
    return Evaluated(
        choice=choice,
        layout=central.layout,
        work=central.work,
        planned=planned,
        spread=spread,
        why_not=planned.why_not,
        block_stretch=_stretch(request, purchase, runs.planned),
        nearly=nearly,
        unpriced=(*planned.unpriced, *((runs.market.missing,) if runs.market.missing else ())),
        notes=runs.market.notes,
        interruptions_observed=runs.market.observed,
    )


def _held_block(request: Request, purchase: NodePurchase, ground: Ground, runs: ScenarioRuns) -> NodePurchase:
    """The length of the first Capacity Block of a fleet that is held for a given time, and what follows it."""
    plan, values, delivered = request.plan, ground.values, runs.spread.delivered_fraction
    hours = float(runs.planned.hours)
    settings, rates = plan.purchase.capacity_block, rates_of(request.book, purchase, plan.region, values)

    def follows(days: int, after: After) -> Followed:
        return followed(hours, days, after, purchase, values, on_demand=rates.on_demand is not None)

    def share(then: Followed) -> float:
        there = 1 - then.undelivered_hours / hours
        assert delivered is not None  # the fleet is held
        return share_of(np.asarray(delivered * there >= plan.decision.availability))

    found = first_and_after(hours, rates, settings.days, follows, share, plan.decision.confidence)
    return purchase if found is None else replace(purchase, block_days=float(found[0]), after=found[1])


def _block_days(
    request: Request,
    choice: Choice,
    purchase: NodePurchase,
    central: Ground,
    drawn: Ground | None,
    runs: ScenarioRuns,
) -> tuple[float, Nearly | None]:
    """The days of Capacity Block to buy at once, and a cheaper length that is on time too seldom."""
    settings, confidence = request.plan.purchase.capacity_block, request.plan.decision.confidence
    if settings.days is not None:
        return settings.days, None
    restart = request.table()["goodput.bring_up_hours"].value
    hours = np.atleast_1d(np.asarray(runs.spread.hours, dtype=float))
    if drawn is None or runs.spread is runs.planned:
        needed = float(runs.planned.hours) * request.block_stretch.get(choice.id, 1.0)
        return float(covering_days(needed, restart)), None
    try:
        usd = request.book.capacity_block(choice.instance.name, request.plan.region).price.usd
    except LookupError:
        usd = None
    if usd is None or tail_rule(settings) == NONE:
        needed = max(share_within(hours, confidence), float(runs.planned.hours))
        # without a tail nothing stands in for a second part that AWS has not
        return float(covering_days(needed, restart, SOLD_DAYS if tail_rule(settings) == NONE else TOGETHER_DAYS)), None
    waiting = runs.spread.ledger.cost_usd / runs.spread.hours
    prices = length_prices(request.book, purchase, request.plan.region, usd, waiting)
    limit = limit_of_plan(request.plan)
    # without one, what the comparison will assume if no other layout is faster
    limit_hours = request.plan.decision.slack * quantiles(hours, (0.9,))[0] if limit is None else limit * 24
    return cheapest_days(
        hours,
        chances_of(purchase, drawn.values, on_demand=prices.on_demand is not None),
        prices,
        limit_hours=limit_hours,
        confidence=confidence,
        planned_hours=float(runs.planned.hours),
        second_planned=bool(granted(settings, central.values, SECOND)),
        at_p90=request.plan.decision.rank_by == "p90",
    )


def _stretch(request: Request, purchase: NodePurchase, planned: Run) -> float | None:
    """The time that a Capacity Block is bought for as a multiple of the planned hours, by which a changed plan gets its
    own length without draws.

    In the middle of the times for which that length is the one to buy: at their end, any longer run would buy a day
    more.
    """
    if purchase.option.family != "capacity-block" or purchase.block_days is None:
        return 1.0 if purchase.option.family == "capacity-block" else None
    restart = request.table()["goodput.bring_up_hours"].value
    longest = max(held_hours(purchase.block_days, restart), 1.0)
    shorter = max((days for days in TOGETHER_DAYS if days < purchase.block_days), default=0)
    return float(np.sqrt(max(held_hours(shorter, restart), longest / 4) * longest)) / float(planned.hours)
