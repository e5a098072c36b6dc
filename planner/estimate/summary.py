"""One evaluated scenario as plain values: ranges, bill, facts and warnings."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from planner.estimate.constraints import broken_constraints, on_time_fraction
from planner.estimate.evaluate import Evaluated
from planner.estimate.facts import cash_of, goodput_of, storage_of, unfinished_warning, weak_price_warnings
from planner.estimate.ranges import percentile_of, range_of
from planner.estimate.request import Request
from planner.estimate.result import Scenario
from planner.models.bill import planned_line
from planner.models.goodput import AVAILABILITY_FLOOR
from planner.models.sheet import Sheet


def cost_draws(entry: Evaluated, draws: int) -> np.ndarray:
    """USD of every draw, shape (draws,)."""
    assert entry.spread is not None
    return np.broadcast_to(np.asarray(entry.spread.cost_usd, dtype=float), (draws,))


def scenario_of(request: Request, entry: Evaluated, sheet: Sheet) -> Scenario:
    """The scenario of one evaluated choice. sheet: records the numbers that are read off the run and its bill."""
    plan, draws, choice, work = request.plan, request.draws, entry.choice, entry.work
    blank = Scenario(
        id=choice.id,
        layout=choice.layout,
        variant=choice.variant,
        instance_type=choice.instance.name,
        nodes=choice.nodes,
        gpus=choice.gpus,
        option=choice.option,
        feasible=False,
        why_not=entry.why_not,
        complete=False,
        extrapolated=work.extrapolated,
    )
    planned, spread = entry.planned, entry.spread
    if planned is None or spread is None or entry.why_not:
        return blank
    run = planned.run
    lines = tuple(planned_line(line) for line in planned.lines)
    cost = float(sum(line.effective_cost for line in lines))
    useful = work.useful_gpu_hours
    stuck = np.broadcast_to(np.asarray(spread.run.availability_fraction) <= AVAILABILITY_FLOOR, (max(draws, 1),))
    scenario = replace(
        blank,
        feasible=True,
        deployment=entry.layout.deployment(plan, request.central(recording=False)),
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
        warnings=(*planned.warnings, *entry.notes, *weak_price_warnings(lines)),
        unfinished=unfinished_warning(float(stuck.mean())),
    )
    refused = broken_constraints(
        plan, cost_usd=cost, days=float(run.hours) / 24, service=run.service, demand=run.demand
    )
    return replace(scenario, feasible=False, why_not=refused) if refused else scenario
