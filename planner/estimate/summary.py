"""One evaluated scenario as plain values: ranges, bill, facts and warnings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from planner.answer.ranges import percentile_of, range_of, worst_tenth
from planner.estimate.block_plan import block_plan_of
from planner.estimate.constraints import broken_constraints
from planner.estimate.evaluate import Evaluated
from planner.estimate.facts import (
    cash_of,
    goodput_of,
    record_bounded_fraction,
    storage_of,
    unfinished_warning,
    weak_price_warnings,
)
from planner.estimate.outcomes import RunOutcomes
from planner.estimate.request import Request
from planner.estimate.result import Scenario
from planner.estimate.run import Run
from planner.models.bill import Line, planned_line
from planner.models.bill_lines import bill_line
from planner.models.number import Number, each_draw, share_of
from planner.models.sheet import Sheet
from planner.models.values import Values


def _fallback_fraction(spread: Run, draws: int) -> float | None:
    """Share of the draws in which the rule moves the run to On-Demand; None without a rule."""
    if spread.spot_hours is None:
        return None
    return share_of(each_draw(spread.spot_hours, max(draws, 1)) < spread.hours)


def _billed(lines: Sequence[Line]) -> Number:
    """The part of a bill that AWS sends for the stack."""
    known = [(line, bill_line(line.line)) for line in lines]
    return sum(line.effective_cost for line, kind in known if kind.in_stack and kind.in_budget)


def scenario_of(request: Request, entry: Evaluated, outcomes: RunOutcomes | None, sheet: Sheet) -> Scenario:
    """The scenario of one evaluated choice. sheet: records the numbers that are read off the run and its bill.

    outcomes: None for a choice that cannot be evaluated.
    """
    draws, choice, work = request.draws, entry.choice, entry.work
    planned, spread = entry.planned, entry.spread
    if planned is None or spread is None or outcomes is None or entry.why_not:
        return _blank(entry)
    run = planned.run
    lines = tuple(planned_line(line) for line in planned.lines)
    cost = float(sum(line.effective_cost for line in lines))
    outline = outlined(request, entry, outcomes, request.central(recording=False), cost)
    unfinished = share_of(~outcomes.finished)
    rule = run.decided.rule
    return replace(
        outline,
        days_at_full_speed=float(work.hours) / 24,
        bounded_fraction=record_bounded_fraction(lines, cost, sheet),
        cost_plan_percentile=percentile_of(float(planned.cost_usd), outcomes.cost_usd, draws),
        usd_per_useful_gpu_hour=range_of(
            cost / float(run.useful_gpu_hours),
            np.where(outcomes.finished, spread.usd_per_useful_gpu_hour, np.inf),
            draws,
        ),
        goodput=goodput_of(run),
        storage=storage_of(planned, lines, sheet),
        ingest_days=run.ingest_days,
        billed_usd=range_of(float(_billed(lines)), np.where(outcomes.finished, _billed(spread.lines), np.inf), draws),
        block_stretch=entry.block_stretch,
        block_plan=block_plan_of(request, entry, sheet),
        unfinished_fraction=unfinished,
        rule=rule.sentence if rule else "",
        threshold_hours=rule.threshold_hours if rule and not rule.returns else None,
        returns=rule.returns if rule else None,
        fallback_fraction=_fallback_fraction(spread.run, draws),
        interruptions_observed=entry.interruptions_observed,
        cash=cash_of(planned, lines, cost, complete=not entry.unpriced, sheet=sheet),
        bill=lines,
        warnings=(*planned.warnings, *entry.notes, *weak_price_warnings(lines)),
        unfinished=unfinished_warning(unfinished, choice.option),
    )


def outlined(
    request: Request, entry: Evaluated, outcomes: RunOutcomes | None, central: Values, cost_usd: float | None = None
) -> Scenario:
    """What the decision needs to know of a choice: no bill, no facts.

    outcomes: None for a choice that cannot be evaluated. central: the request's central values. cost_usd: planned, as
    the lines of the bill add up to it; None: before its lines are rounded.
    """
    plan, draws, choice, planned = request.plan, request.draws, entry.choice, entry.planned
    if planned is None or outcomes is None:
        return _blank(entry)
    run, finished, delivered = planned.run, outcomes.finished, planned.run.delivered_fraction
    cost = float(planned.cost_usd) if cost_usd is None else cost_usd
    deployment = entry.layout.deployment(plan, central)
    ranged = range_of(cost, outcomes.cost_usd, draws)
    refused = broken_constraints(plan, layout=entry.layout, service=run.service, demand=run.demand)
    return replace(
        _blank(entry),
        feasible=not refused,
        why_not=refused,
        deployment=deployment,
        priced_only=deployment.why_not,
        unproven=choice.unproven,
        complete=not entry.unpriced,
        unpriced=entry.unpriced,
        days=range_of(float(planned.days), outcomes.days, draws),
        cost_usd=ranged,
        effort_usd=float(planned.effort_usd),
        useful_gpu_hours=float(run.useful_gpu_hours),
        delivered_fraction=None if delivered is None else float(delivered),
        availability=None if delivered is None else plan.decision.availability,
        mean_cost_usd=(float(np.mean(outcomes.cost_usd)) if draws else cost) if finished.all() else None,
        worst_tenth_usd=worst_tenth(outcomes.cost_usd, ranged.p90) if draws and finished.all() else None,
        block_days=outcomes.block_days,
        finish_fraction=share_of(finished),
    )


def _blank(entry: Evaluated) -> Scenario:
    """What is known of a choice before anything is priced."""
    choice = entry.choice
    return Scenario(
        id=choice.id,
        layout=choice.layout,
        variant=choice.variant,
        instance_type=choice.instance.name,
        nodes=choice.nodes,
        gpus=choice.gpus,
        spares=choice.spares,
        option=choice.option,
        feasible=False,
        why_not=entry.why_not,
        complete=False,
        extrapolated=entry.work.extrapolated,
    )
