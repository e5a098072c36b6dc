"""The cost by which scenarios are compared, and their order."""

from __future__ import annotations

import math

from planner.estimate.bounds import without_nodes
from planner.estimate.result import Scenario


def cost_of(scenario: Scenario, measure: str) -> float:
    """USD of a measure: "planned", "p50", "p90" or "mean"; infinite where too many draws do not finish."""
    if scenario.cost_usd is None:
        return math.inf
    if measure == "mean":
        return math.inf if scenario.mean_cost_usd is None else scenario.mean_cost_usd
    return float(getattr(scenario.cost_usd, "plan" if measure == "planned" else measure))


def per_unit(scenario: Scenario, measure: str) -> float:
    """The cost, or of a fleet that is held, the cost of a delivered GPU-hour."""
    return cost_of(scenario, measure) / unit(scenario)


def ranked(scenario: Scenario, measure: str) -> float:
    """What scenarios rank by: the cost with the effort of operating it, per unit."""
    return (cost_of(scenario, measure) + scenario.effort_usd) / unit(scenario)


def unit(scenario: Scenario) -> float:
    """1, or the delivered GPU-hours of a fleet that is held for a given time."""
    return scenario.useful_gpu_hours or 1.0 if scenario.is_held else 1.0


def order(scenario: Scenario, rank_by: str, recommended: str) -> tuple[int, float, float, str]:
    """The recommended one, other eligible ones, complete ones that are not eligible, lower bounds, infeasible ones.

    Scenarios without a price for the GPU nodes come last of the lower bounds, because their bound says least.
    """
    if not scenario.feasible:
        group = 5
    elif not scenario.complete:
        group = 4 if without_nodes(scenario.unpriced) else 3
    else:
        group = 0 if scenario.id == recommended else 1 if scenario.eligible else 2
    planned = per_unit(scenario, "planned") if scenario.feasible else 0.0
    return group, ranked(scenario, rank_by) if group < 3 else planned, planned, scenario.id
