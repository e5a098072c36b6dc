"""What would make an infeasible plan feasible; the search is imported only if it is needed."""

from __future__ import annotations

from dataclasses import replace

from planner.decide.comparison import Comparison
from planner.estimate.bounds import without_nodes
from planner.estimate.request import Request
from planner.models.goodput import AVAILABILITY_FLOOR

NOTHING_HELPS = (
    "no change was found that lets a run finish: each limit, the fleet's size, the purchase options, the layouts with "
    "their settings and the instance types were changed one at a time, and together with the limits they then exceed"
)


def with_relaxations(request: Request, comparison: Comparison) -> Comparison:
    """The comparison with what would make its plan feasible, if it is not or if no run finishes, or with a note that
    nothing was found."""
    if not is_infeasible(comparison):
        return comparison
    from planner.decide.relaxations import relaxations_of

    found = relaxations_of(request)
    return replace(
        comparison, relaxations=found, notes=comparison.notes if found else (*comparison.notes, NOTHING_HELPS)
    )


def is_infeasible(comparison: Comparison) -> bool:
    """Whether every scenario is infeasible, has no price for its nodes, or fails faster than it works."""
    known = [s for s in comparison.scenarios if s.feasible and not without_nodes(s.unpriced)]
    return all(s.goodput is not None and s.goodput.availability_fraction <= AVAILABILITY_FLOOR for s in known)
