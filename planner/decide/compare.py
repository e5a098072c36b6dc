"""Every layout x purchase option x instance type that a plan asks for, priced twice and ranked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date

import numpy as np

from planner.decide.choice import Choice, FleetSize, fleet_sizes, purchase_options
from planner.decide.demand import demand_of, planned_write_gb_per_s
from planner.decide.facts import cash_of, goodput_of, plain_of, storage_of, unfinished_warning, weak_price_warnings
from planner.decide.judge import broken_constraints, notes_of, on_time_fraction, stale_prices
from planner.decide.purchase import Buy, spot_hazard_of
from planner.decide.result import Comparison, Prices, Scenario
from planner.decide.run import Run, run_on
from planner.decide.scenario import price
from planner.decide.uncertainty import percentile_of, range_of
from planner.decide.work import FleetWork, work_on
from planner.layouts.base import Demand, Layout
from planner.layouts.build import layouts_of
from planner.models.bill import Unpriced
from planner.models.goodput import AVAILABILITY_FLOOR
from planner.models.values import Values
from planner.plan.assumptions import resolve
from planner.plan.types import Plan
from pricing.book import PriceBook, PriceNotFound

DEFAULT_DRAWS = 5000


@dataclass(frozen=True, kw_only=True)
class Request:
    """What to compare. as_of: the day that ages are counted from; None: the plan's start, else no ages."""

    plan: Plan
    plan_sha256: str
    book: PriceBook
    draws: int = DEFAULT_DRAWS
    seed: int = 0
    as_of: date | None = None
    max_price_age_days: int | None = None


def compare(request: Request) -> Comparison:
    """Price every choice of the plan. Pure: the same plan, book, draws and seed give the same result."""
    plan, book = request.plan, request.book
    table = resolve(plan.assumptions)
    central = Values(table=table)
    drawn = Values(table=table, draws=request.draws, seed=request.seed, used=central.used)
    scenarios = list(_scenarios(request, central, drawn))
    judged_at = request.as_of or plan.start
    return Comparison(
        plan_name=plan.name,
        plan_sha256=request.plan_sha256,
        region=plan.region,
        prices=Prices(
            as_of=book.as_of,
            age_days=(judged_at - book.as_of).days if judged_at else None,
            sha256=book.sha256,
            intact=book.intact,
        ),
        seed=request.seed,
        draws=request.draws,
        scenarios=tuple(sorted(scenarios, key=_rank)),
        assumptions=tuple(table[key] for key in sorted(central.used)),
        notes=notes_of(plan, book, {key: table[key] for key in central.used}),
        stale=stale_prices(scenarios, judged_at, request.max_price_age_days),
        plan=plan.canonical(),
    )


def _rank(scenario: Scenario) -> tuple[int, float, str]:
    """Complete by planned cost, then incomplete, then infeasible. Of the incomplete, a lower bound without the
    GPU nodes says least and comes last."""
    without_nodes = any(entry.line == "fleet.compute" for entry in scenario.unpriced)
    group = 3 if not scenario.feasible else 0 if scenario.complete else 2 if without_nodes else 1
    return group, scenario.cost_usd.plan if scenario.cost_usd else 0.0, scenario.id


@dataclass(frozen=True, kw_only=True)
class _Fleet:
    """One fleet's work and demand, on central values and, where there are draws, on draws."""

    size: FleetSize
    work: FleetWork
    demand: Demand
    drawn_work: FleetWork | None
    drawn_demand: Demand | None


def _fleet(request: Request, size: FleetSize, central: Values, drawn: Values) -> _Fleet:
    plan = request.plan
    start = plan.start or request.book.as_of
    work = work_on(plan, size.instance, size.gpus, central)
    planned_gb_per_s = max(float(work.peak_gb_per_s), planned_write_gb_per_s(plan, central))
    drawn_work = work_on(plan, size.instance, size.gpus, drawn) if drawn.draws else None
    return _Fleet(
        size=size,
        work=work,
        demand=demand_of(plan, size, work, planned_gb_per_s, start, central),
        drawn_work=drawn_work,
        drawn_demand=demand_of(plan, size, drawn_work, planned_gb_per_s, start, drawn) if drawn_work else None,
    )


def _scenarios(request: Request, central: Values, drawn: Values) -> Iterator[Scenario]:
    plan, book = request.plan, request.book
    sizes = [size for name in plan.fleet.instance_types for size in fleet_sizes(plan.fleet, book.instance(name))]
    several = {size.instance.name for size in sizes if sum(s.instance == size.instance for s in sizes) > 1}
    for size in sizes:
        fleet = _fleet(request, size, central, drawn)
        for layout in layouts_of(plan, fleet.demand, book, central):
            refused = layout.refusals()
            runs: dict[bool, _Runs] = {}
            for option in purchase_options(plan):
                choice = Choice(
                    layout=layout.name,
                    variant=layout.variant,
                    instance=size.instance,
                    nodes=size.nodes,
                    spares=size.spares,
                    option=option,
                    label_nodes=size.instance.name in several,
                )
                if refused:
                    yield _blank(choice, fleet, refused)
                    continue
                spot = option.family == "spot"
                if spot not in runs:
                    runs[spot] = _runs(request, fleet, layout, spot, central, drawn)
                yield _scenario(request, choice, fleet, runs[spot], central, drawn)


def _blank(choice: Choice, fleet: _Fleet, why_not: tuple[str, ...]) -> Scenario:
    """A choice that cannot be evaluated, and why."""
    return Scenario(
        id=choice.id,
        layout=choice.layout,
        variant=choice.variant,
        instance_type=choice.instance.name,
        nodes=choice.nodes,
        gpus=choice.gpus,
        purchase=choice.option.id,
        feasible=False,
        why_not=why_not,
        complete=False,
        extrapolated=fleet.work.extrapolated,
    )


@dataclass(frozen=True, kw_only=True)
class _Runs:
    """A run on central values and on draws, and what to say of it."""

    planned: Run
    spread: Run
    missing: Unpriced | None
    notes: tuple[str, ...]


def _runs(request: Request, fleet: _Fleet, layout: Layout, spot: bool, central: Values, drawn: Values) -> _Runs:
    """The run on central values and on draws (the same one where nothing is drawn or it is refused).

    An unknown interruption band leaves spot without its extra time: an unpriced line, so a lower bound.
    """
    plan, book, risk, missing, notes = request.plan, request.book, None, None, ()
    if spot:
        try:
            risk = book.interruption(fleet.size.instance.name, plan.region)
            notes = (f"reclaims after the Spot Advisor of {risk.observed}: {risk.label} of the instances in a month",)
        except PriceNotFound as error:
            missing = Unpriced(line="fleet.spot-interruptions", what=error.asked, nearest=error.nearest)
    hazard = spot_hazard_of(risk, central) if risk else 0.0
    planned = run_on(plan, book, fleet.demand, fleet.work, layout, central, spot_hazard_per_hour=hazard)
    if planned.refusals or fleet.drawn_demand is None or fleet.drawn_work is None:
        return _Runs(planned=planned, spread=planned, missing=missing, notes=notes)
    varied = replace(layout, demand=fleet.drawn_demand)
    spread = run_on(
        plan,
        book,
        fleet.drawn_demand,
        fleet.drawn_work,
        varied,
        drawn,
        spot_hazard_per_hour=spot_hazard_of(risk, drawn) if risk else 0.0,
        decided=planned.decided,
    )
    return _Runs(planned=planned, spread=spread, missing=missing, notes=notes)


def _scenario(
    request: Request,
    choice: Choice,
    fleet: _Fleet,
    runs: _Runs,
    central: Values,
    drawn: Values,
) -> Scenario:
    plan, draws = request.plan, request.draws
    planned_run, spread_run, missing = runs.planned, runs.spread, runs.missing
    start = plan.start or request.book.as_of
    buy = Buy(instance=choice.instance, nodes=choice.nodes, option=choice.option, settings=plan.purchase, start=start)
    planned = price(request.book, planned_run, buy, central)
    unpriced = (*planned.unpriced, *((missing,) if missing else ()))
    blank = _blank(choice, fleet, planned.why_not)
    if planned.why_not:
        return blank
    spread = price(request.book, spread_run, buy, drawn) if spread_run is not planned_run else planned
    lines = tuple(plain_of(line) for line in planned.lines)
    cost = float(sum(line.effective_cost for line in lines))
    useful = fleet.work.useful_gpu_hours
    stuck = np.broadcast_to(np.asarray(spread_run.availability_fraction) <= AVAILABILITY_FLOOR, (max(draws, 1),))
    scenario = replace(
        blank,
        feasible=True,
        complete=not unpriced,
        unpriced=unpriced,
        days=range_of(float(planned_run.hours) / 24, spread_run.hours / 24, draws),
        days_at_full_speed=float(fleet.work.hours) / 24,
        cost_usd=range_of(cost, spread.cost_usd, draws),
        cost_plan_percentile=percentile_of(float(planned.cost_usd), spread.cost_usd, draws),
        usd_per_useful_gpu_hour=range_of(cost / useful, spread.usd_per_useful_gpu_hour, draws),
        useful_gpu_hours=useful,
        goodput=goodput_of(planned_run),
        storage=storage_of(planned_run, lines),
        ingest_days=planned_run.ingest_days,
        unfinished_fraction=float(stuck.mean()),
        on_time_fraction=on_time_fraction(plan, spread_run.hours, draws),
        cash=cash_of(planned, lines, cost),
        bill=lines,
        warnings=(
            *planned.warnings,
            *runs.notes,
            *weak_price_warnings(lines),
            *unfinished_warning(float(stuck.mean())),
        ),
    )
    refused = broken_constraints(plan, scenario)
    return replace(scenario, feasible=False, why_not=refused) if refused else scenario
