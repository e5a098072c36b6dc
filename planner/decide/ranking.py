"""The ranking of a plan at central values, without bills, because it is calculated many times."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from planner.answer.measure import per_unit, ranked
from planner.decide.comparison import Comparison
from planner.decide.enumerate import evaluate
from planner.estimate.constraints import broken_constraints
from planner.estimate.request import Request


@dataclass(frozen=True, kw_only=True)
class RankedScenario:
    """A feasible, completely priced scenario: planned cost and days.

    ranked_usd: the measure by which scenarios rank, in proportion to the planned cost, and the effort; infinite for one
    that cannot be recommended.
    """

    id: str
    cost_usd: float
    ranked_usd: float
    days: float


def weights_of(comparison: Comparison) -> dict[str, float]:
    """By id, the measure that ranks a scenario as a multiple of its planned cost: of the recommended one and of those
    that could take its place.

    A scenario that ties with the recommended one, is not eligible or cannot be deployed could not. Without a
    recommended one: all complete scenarios, by planned cost.
    """
    answer, best = comparison.answer, comparison.best
    if best is None or best.cost_usd is None:
        return {s.id: 1.0 for s in comparison.complete}
    lowest = ranked(best, answer.rank_by)
    rivals = [s for s in comparison.complete if s.eligible and not s.held_back and s.id not in answer.tied]
    return {
        s.id: per_unit(s, answer.rank_by) / per_unit(s, "planned")
        for s in (best, *rivals)
        if per_unit(s, "planned") > 0 and ranked(s, answer.rank_by) >= lowest
    }


def ranking_of(
    request: Request, weights: Mapping[str, float], only: Collection[str] | None = None
) -> tuple[RankedScenario, ...]:
    """The feasible, completely priced scenarios by planned cost times weight; without a weight they come last. only:
    the ids to evaluate, None for all."""
    found = []
    for entry in evaluate(request, request.central(recording=False), None, only):
        if entry.planned is None or entry.why_not or entry.unpriced:
            continue
        run = entry.planned.run
        if broken_constraints(request.plan, layout=entry.layout, service=run.service, demand=run.demand):
            continue
        id, cost = entry.choice.id, float(entry.planned.cost_usd)
        unit = 1.0 if run.delivered_fraction is None else float(run.useful_gpu_hours)
        total = (cost * weights.get(id, math.inf) + float(entry.planned.effort_usd)) / unit
        found.append(RankedScenario(id=id, cost_usd=cost, ranked_usd=total, days=float(entry.planned.days)))
    return tuple(sorted(found, key=lambda s: (s.ranked_usd, s.cost_usd, s.id)))
