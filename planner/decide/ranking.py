"""The ranking of a plan at central values, without bills, because it is calculated many times."""

from __future__ import annotations

from dataclasses import dataclass

from planner.decide.enumerate import evaluate
from planner.estimate.constraints import broken_constraints
from planner.estimate.request import Request


@dataclass(frozen=True, kw_only=True)
class RankedScenario:
    """A feasible, completely priced scenario: planned cost and days."""

    id: str
    cost_usd: float
    days: float


def ranking_of(request: Request) -> tuple[RankedScenario, ...]:
    """The feasible, completely priced scenarios by planned cost, as `compare` ranks them."""
    found = []
    for entry in evaluate(request, request.central(recording=False), None):
        if entry.planned is None or entry.why_not or entry.unpriced:
            continue
        run = entry.planned.run
        cost, days = float(entry.planned.cost_usd), float(run.hours) / 24
        if broken_constraints(request.plan, cost_usd=cost, days=days, service=run.service, demand=run.demand):
            continue
        found.append(RankedScenario(id=entry.choice.id, cost_usd=cost, days=days))
    return tuple(sorted(found, key=lambda s: (s.cost_usd, s.id)))
