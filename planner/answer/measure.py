"""The cost by which scenarios are compared, and their order."""

from __future__ import annotations

import math

from planner.answer.row import Row
from planner.models.bill import without_nodes


def cost_of(row: Row, measure: str) -> float:
    """USD of a measure: "planned", "p50", "p90" or "mean"; infinite where too many draws do not finish."""
    if row.cost_usd is None:
        return math.inf
    if measure == "mean":
        return math.inf if row.mean_cost_usd is None else row.mean_cost_usd
    return float(getattr(row.cost_usd, "plan" if measure == "planned" else measure))


def per_unit(row: Row, measure: str) -> float:
    """The cost, or of a fleet that is held, the cost of a delivered GPU-hour."""
    return cost_of(row, measure) / row.unit


def ranked(row: Row, measure: str) -> float:
    """What scenarios rank by: the cost with the effort of operating it, per unit."""
    return (cost_of(row, measure) + row.effort_usd) / row.unit


def order(row: Row, rank_by: str, recommended: str) -> tuple[int, float, float, str]:
    """The recommended one, other eligible ones, complete ones that are not eligible, lower bounds, infeasible ones.

    Scenarios without a price for the GPU nodes come last of the lower bounds, because their bound says least.
    """
    if not row.feasible:
        group = 5
    elif not row.complete:
        group = 4 if without_nodes(row.unpriced) else 3
    else:
        group = 0 if row.id == recommended else 1 if row.eligible else 2
    planned = per_unit(row, "planned") if row.feasible else 0.0
    return group, ranked(row, rank_by) if group < 3 else planned, planned, row.id
