"""Which scenarios may be recommended: those that finish, in time and within the budget, in most outcomes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from planner.estimate.constraints import limit_of_plan
from planner.estimate.outcomes import Outcomes
from planner.estimate.result import Scenario, Shortfall
from planner.models.compute import BLOCK_MAX_DAYS, block_days, usable_hours
from planner.models.number import share_of, share_within
from planner.plan.types import Plan


def judged(plan: Plan, scenarios: Sequence[Scenario], outcomes: Mapping[str, Outcomes]) -> list[Scenario]:
    """The scenarios with what the decision rule says of each. outcomes: by id, of all that are feasible."""
    limit = limit_of_plan(plan)
    assumed = {} if limit is not None or plan.run.held_hours is not None else _assumed_limits(plan, scenarios)
    return [
        _judged(plan, s, outcomes[s.id], assumed.get(_fleet(s), math.inf) if limit is None else limit)
        if s.feasible
        else s
        for s in scenarios
    ]


def _fleet(scenario: Scenario) -> tuple[str, int]:
    return scenario.instance_type, scenario.nodes


def _assumed_limits(plan: Plan, scenarios: Sequence[Scenario]) -> dict[tuple[str, int], float]:
    """Days by fleet: decision.slack times the shortest P90 of its complete scenarios that are not bought on spot.

    Where all are on spot, times the shortest planned run: the P90 of a run that mostly waits is not a limit. Fleets in
    which no run finishes have none.
    """
    found: dict[tuple[str, int], list[tuple[bool, float]]] = {}
    for s in scenarios:
        if s.feasible and s.complete and s.days is not None:
            on_spot = s.option.starts_on_spot
            days = s.days.plan if on_spot else s.days.p90
            if math.isfinite(days):
                found.setdefault(_fleet(s), []).append((on_spot, days))
    return {fleet: plan.decision.slack * min(days)[1] for fleet, days in found.items()}


def _judged(plan: Plan, scenario: Scenario, outcomes: Outcomes, limit: float) -> Scenario:
    """limit: days; infinite if no run of this fleet finishes."""
    assumed, budget = limit_of_plan(plan) is None, plan.constraints.max_cost_usd
    finish = share_of(outcomes.finished)
    on_time = share_of(outcomes.finished & (outcomes.days <= limit))
    in_budget = None if budget is None else share_of(outcomes.cost_usd <= budget)
    least = plan.decision.confidence
    found = []
    if finish < least:
        found.append(_unfinished(outcomes, finish, least))
    elif on_time < least:
        found.append(
            Shortfall(
                kind="assumed limit" if assumed else "deadline",
                fraction=on_time,
                limit=limit,
                needed=share_within(outcomes.days, least),
            )
        )
    found += _not_held(plan, outcomes)
    if budget is not None and in_budget is not None and in_budget < least:
        found.append(
            Shortfall(kind="budget", fraction=in_budget, limit=budget, needed=share_within(outcomes.cost_usd, least))
        )
    return replace(
        scenario,
        limit_days=limit if math.isfinite(limit) else None,
        limit_is_assumed=assumed,
        on_time_fraction=on_time if math.isfinite(limit) else None,
        budget_usd=budget,
        in_budget_fraction=in_budget,
        eligible=scenario.complete and not found,
        shortfalls=tuple(found),
    )


def _not_held(plan: Plan, outcomes: Outcomes) -> Iterator[Shortfall]:
    """Of a fleet that is held for a given time: too few node-hours, or storage that reads too slowly."""
    least, wanted = plan.decision.confidence, plan.decision.availability
    if outcomes.delivered is not None:
        share = share_of(outcomes.delivered >= wanted)
        if share < least:
            possible = -share_within(-outcomes.delivered, least)
            yield Shortfall(kind="delivery", fraction=share, limit=wanted, needed=possible)
    if outcomes.served is not None:
        share = share_of(outcomes.served)
        if share < least:
            yield Shortfall(kind="reading", fraction=share)


def _unfinished(outcomes: Outcomes, finish: float, confidence: float) -> Shortfall:
    """That too few draws finish: within their Capacity Block, or at all."""
    if outcomes.block_days is None:
        return Shortfall(kind="finish", fraction=finish)
    hours = share_within(outcomes.run_days, confidence) * 24
    needed = float(block_days(run_hours=hours)) if hours < usable_hours(BLOCK_MAX_DAYS) else math.inf
    return Shortfall(kind="block", fraction=finish, limit=outcomes.block_days, needed=needed)
