"""The scenarios that the answer names, their ranks, and how reliable their figures are."""

from __future__ import annotations

import math
from collections.abc import Mapping

from planner.answer.quote import ON_DEMAND
from planner.decide.comparison import Comparison
from planner.estimate.facts import MAY_NOT_FINISH
from planner.estimate.result import Scenario
from planner.models.bill import without_nodes


def rank_of(comparison: Comparison, scenario: Scenario) -> int:
    """Its rank, from 1."""
    return next(rank for rank, entry in enumerate(comparison.scenarios, 1) if entry.id == scenario.id)


def leaders_of(comparison: Comparison) -> list[Scenario]:
    """The scenarios of the answer: the recommended one and its alternatives; without one, the first complete one."""
    if comparison.best is None:
        return comparison.complete[:1]
    named = [entry.id for entry in comparison.answer.alternatives]
    return [comparison.best, *(s for id in named for s in comparison.scenarios if s.id == id)]


def first_on_demand(comparison: Comparison) -> Scenario | None:
    """The first choice bought without any commitment that keeps the limits; where none does, that of the recommended
    nodes and storage, so that only the way to buy differs; else the first of all."""
    there, best = [s for s in comparison.complete if s.option.family == ON_DEMAND], comparison.best
    alike = [s for s in there if best and (s.layout, s.variant, s.nodes) == (best.layout, best.variant, best.nodes)]
    return next(iter((*(s for s in there if s.eligible), *alike, *there)), None)


def p90_is_open(scenario: Scenario) -> bool:
    """Whether more than 1 in 10 draws does not finish, so that there is no P90."""
    return scenario.cost_usd is not None and math.isinf(scenario.cost_usd.p90)


def may_not_finish(scenario: Scenario) -> bool:
    """Whether enough draws do not finish for a warning."""
    return scenario.unfinished_fraction >= MAY_NOT_FINISH


def without_node_price(scenario: Scenario) -> bool:
    """Whether the GPU nodes have no price."""
    return without_nodes(scenario.unpriced)


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
