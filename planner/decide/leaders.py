"""The scenarios that the answer names, their ranks, and how reliable their figures are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from planner.decide.comparison import Comparison
from planner.estimate import bounds
from planner.estimate.facts import MAY_NOT_FINISH, P90_OPEN
from planner.estimate.result import Scenario


def rank_of(comparison: Comparison, scenario: Scenario) -> int:
    """Its rank, from 1."""
    return next(rank for rank, entry in enumerate(comparison.scenarios, 1) if entry.id == scenario.id)


def complete_scenarios(scenarios: Sequence[Scenario]) -> list[Scenario]:
    """The feasible scenarios in which every line has a price."""
    return [s for s in scenarios if s.feasible and s.complete and s.cost_usd]


def lowest_p90(scenarios: Sequence[Scenario]) -> Scenario | None:
    """The complete scenario with the lowest P90 of cost among those that finish, or among all if none is sure to
    finish.

    The P90 of a run that may never finish does not measure its bad case.
    """
    found = complete_scenarios(scenarios)
    finish = [s for s in found if not may_not_finish(s)]
    return min(finish or found, key=lambda s: (s.cost_usd.p90 if s.cost_usd else 0.0, s.id), default=None)


def safest(comparison: Comparison) -> Scenario | None:
    """The one with the lowest P90; without draws, the one with the lowest planned cost."""
    return lowest_p90(comparison.scenarios) if comparison.draws else comparison.best


def leaders_of(comparison: Comparison) -> list[Scenario]:
    """The scenarios of the answer: the lowest planned cost, and the lowest P90 if that is another scenario."""
    found = {s.id: s for s in (comparison.best, safest(comparison)) if s}
    return list(found.values())


def p90_is_floor(scenario: Scenario) -> bool:
    """Whether P90 is only a lower bound, because too many draws do not finish."""
    return scenario.unfinished_fraction >= P90_OPEN


def may_not_finish(scenario: Scenario) -> bool:
    """Whether enough draws do not finish for a warning."""
    return scenario.unfinished_fraction >= MAY_NOT_FINISH


def without_node_price(scenario: Scenario) -> bool:
    """Whether the GPU nodes have no price."""
    return bounds.without_nodes(scenario.unpriced)


def share_above_plan(scenario: Scenario) -> float | None:
    """The share of the draws that cost more than planned; None without a range."""
    cost = scenario.cost_usd
    if cost is None or scenario.cost_plan_percentile is None or cost.p10 == cost.p90:
        return None
    return 1 - scenario.cost_plan_percentile / 100


def likeliest(comparison: Comparison) -> list[Scenario]:
    """Scenarios by the share of the draws in which they are the cheapest, down to 1 draw in 2,000."""
    found = [s for s in comparison.scenarios if (s.cheapest_fraction or 0.0) >= 0.0005]
    return sorted(found, key=lambda s: (-(s.cheapest_fraction or 0.0), s.id))


def reuse_value(comparison: Comparison) -> float:
    """The plan's value of an unused commitment, as a share of its price."""
    purchase = comparison.plan.get("purchase")
    value = purchase.get("reuse_value") if isinstance(purchase, Mapping) else None
    return float(value) if isinstance(value, int | float) else 0.0
