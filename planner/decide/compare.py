"""Every layout x purchase option x instance type that a plan asks for, priced twice and ranked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from planner.decide.comparison import Comparison, Prices
from planner.decide.enumerate import Evaluated, evaluate
from planner.decide.notices import broken_constraints, notes_of, on_time_fraction
from planner.decide.price_age import stale_prices
from planner.estimate.bounds import without_nodes
from planner.estimate.derivations import derived_of
from planner.estimate.facts import cash_of, goodput_of, plain_of, storage_of, unfinished_warning, weak_price_warnings
from planner.estimate.ranges import percentile_of, range_of
from planner.estimate.request import Request
from planner.estimate.result import Scenario
from planner.models.goodput import AVAILABILITY_FLOOR
from planner.models.sheet import Sheet

__all__ = ["Request", "compare"]


def compare(request: Request) -> Comparison:
    """Price every choice of the plan. Pure: the same plan, book, draws and seed give the same result."""
    plan, book = request.plan, request.book
    central = request.central(told=request.told)
    evaluated = list(evaluate(request, central, request.drawn(central) if request.draws else None))
    sheets = [Sheet(recording=request.told) for _ in evaluated]
    scenarios = [_scenario(request, *pair) for pair in zip(evaluated, sheets, strict=True)]
    judged = _with_odds(scenarios, evaluated, request.draws)
    told = [
        replace(scenario, derived=derived_of(scenario, entry.planned, sheet, request.draws))
        if request.told and scenario.cost_usd and entry.planned
        else scenario
        for scenario, entry, sheet in zip(judged, evaluated, sheets, strict=True)
    ]
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
        scenarios=tuple(sorted(told, key=rank)),
        assumptions=tuple(central.table[key] for key in sorted(central.used)),
        notes=notes_of(plan, book, {key: central.table[key] for key in central.used}),
        stale=stale_prices(scenarios, judged_at, request.max_price_age_days),
        plan=plan.canonical(),
    )


def rank(scenario: Scenario) -> tuple[int, float, str]:
    """Complete by planned cost, then incomplete, then infeasible. Of the incomplete, a lower bound without the
    GPU nodes says least and comes last."""
    group = 3 if not scenario.feasible else 0 if scenario.complete else 2 if without_nodes(scenario.unpriced) else 1
    return group, scenario.cost_usd.plan if scenario.cost_usd else 0.0, scenario.id


def _with_odds(scenarios: Sequence[Scenario], evaluated: Sequence[Evaluated], draws: int) -> list[Scenario]:
    """Each complete scenario with the share of draws in which it is the cheapest of them, and in which it costs less
    than the one with the lowest planned cost. The draws are common to all, so the shares are of the same futures."""
    complete = [i for i, s in enumerate(scenarios) if s.feasible and s.complete]
    if not draws or not complete:
        return list(scenarios)
    first = min(complete, key=lambda i: rank(scenarios[i]))
    costs = {i: cost_draws(evaluated[i], draws) for i in complete}
    lowest = np.min(list(costs.values()), axis=0)
    # of several that tie for the lowest cost of a draw each has its part, so that the shares add up to one
    ties = sum((cost <= lowest).astype(float) for cost in costs.values())
    return [
        replace(
            s,
            cheapest_fraction=float(np.mean((costs[i] <= lowest) / ties)),
            below_best_fraction=None if i == first else float(np.mean(costs[i] < costs[first])),
        )
        if i in costs
        else s
        for i, s in enumerate(scenarios)
    ]


def cost_draws(entry: Evaluated, draws: int) -> np.ndarray:
    """USD of every draw, shape (draws,)."""
    assert entry.spread is not None
    return np.broadcast_to(np.asarray(entry.spread.cost_usd, dtype=float), (draws,))


def _scenario(request: Request, entry: Evaluated, sheet: Sheet) -> Scenario:
    """sheet: takes down what is read off the run and its bill."""
    plan, draws, choice, work = request.plan, request.draws, entry.choice, entry.work
    blank = Scenario(
        id=choice.id,
        layout=choice.layout,
        variant=choice.variant,
        instance_type=choice.instance.name,
        nodes=choice.nodes,
        gpus=choice.gpus,
        purchase=choice.option.id,
        feasible=False,
        why_not=entry.why_not,
        complete=False,
        extrapolated=work.extrapolated,
    )
    planned, spread = entry.planned, entry.spread
    if planned is None or spread is None or entry.why_not:
        return blank
    run = planned.run
    lines = tuple(plain_of(line) for line in planned.lines)
    cost = float(sum(line.effective_cost for line in lines))
    useful = work.useful_gpu_hours
    stuck = np.broadcast_to(np.asarray(spread.run.availability_fraction) <= AVAILABILITY_FLOOR, (max(draws, 1),))
    scenario = replace(
        blank,
        feasible=True,
        complete=not entry.unpriced,
        unpriced=entry.unpriced,
        days=range_of(float(run.hours) / 24, spread.run.hours / 24, draws),
        days_at_full_speed=float(work.hours) / 24,
        cost_usd=range_of(cost, spread.cost_usd, draws),
        cost_plan_percentile=percentile_of(float(planned.cost_usd), spread.cost_usd, draws),
        usd_per_useful_gpu_hour=range_of(cost / useful, spread.usd_per_useful_gpu_hour, draws),
        useful_gpu_hours=useful,
        goodput=goodput_of(run),
        storage=storage_of(run, lines, sheet),
        ingest_days=run.ingest_days,
        unfinished_fraction=float(stuck.mean()),
        on_time_fraction=on_time_fraction(plan, spread.run.hours, draws),
        cash=cash_of(planned, lines, cost, complete=not entry.unpriced, sheet=sheet),
        bill=lines,
        warnings=(
            *planned.warnings,
            *entry.notes,
            *weak_price_warnings(lines),
            *unfinished_warning(float(stuck.mean())),
        ),
    )
    refused = broken_constraints(
        plan, cost_usd=cost, days=float(run.hours) / 24, service=run.service, demand=run.demand
    )
    return replace(scenario, feasible=False, why_not=refused) if refused else scenario
