"""Which scenarios may be recommended: those that finish, in time and within the budget, in most outcomes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from planner.answer.eligible import judged as judged_by_rule
from planner.answer.row import Shortfall
from planner.estimate.constraints import limit_of_plan
from planner.estimate.outcomes import RunOutcomes
from planner.estimate.result import Scenario
from planner.models.compute import BLOCK_MAX_DAYS, block_days, usable_hours
from planner.models.number import share_of, share_within
from planner.plan.types import Plan


def judged(plan: Plan, scenarios: Sequence[Scenario], outcomes: Mapping[str, RunOutcomes]) -> list[Scenario]:
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


def _judged(plan: Plan, scenario: Scenario, outcomes: RunOutcomes, limit: float) -> Scenario:
    """limit: days; infinite if no run of this fleet finishes."""
    return judged_by_rule(
        scenario,
        outcomes,
        confidence=plan.decision.confidence,
        limit_days=limit,
        limit_is_assumed=limit_of_plan(plan) is None,
        budget_usd=plan.constraints.max_cost_usd,
        unfinished=_unfinished(outcomes, plan.decision.confidence),
        others=_not_held(plan, outcomes),
    )


def _not_held(plan: Plan, outcomes: RunOutcomes) -> Iterator[Shortfall]:
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


def _unfinished(outcomes: RunOutcomes, confidence: float) -> Shortfall | None:
    """That too few draws finish within their Capacity Block; None without one."""
    if outcomes.block_days is None:
        return None
    hours = share_within(outcomes.run_days, confidence) * 24
    needed = float(block_days(run_hours=hours)) if hours < usable_hours(BLOCK_MAX_DAYS) else math.inf
    return Shortfall(kind="block", fraction=share_of(outcomes.finished), limit=outcomes.block_days, needed=needed)
