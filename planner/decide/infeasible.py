"""Whether a plan comes to nothing, and then what would help: the search is loaded only where it is needed."""

from __future__ import annotations

from dataclasses import replace

from planner.decide.comparison import Comparison
from planner.estimate.bounds import without_nodes
from planner.estimate.request import Request
from planner.models.goodput import AVAILABILITY_FLOOR

NOTHING_HELPS = (
    "no change was found with which a run ends: each limit, the fleet's size, the purchase options, the layouts with "
    "their settings and the instance types were changed alone, and together with the limits that they break"
)


def with_relaxations(request: Request, comparison: Comparison) -> Comparison:
    """The comparison with what would make its plan feasible, where it is not or where every run only fails, or with
    the note that nothing was found."""
    if not is_infeasible(comparison):
        return comparison
    from planner.decide.relaxations import relaxations_of

    found = relaxations_of(request)
    return replace(
        comparison, relaxations=found, notes=comparison.notes if found else (*comparison.notes, NOTHING_HELPS)
    )


def is_infeasible(comparison: Comparison) -> bool:
    """Whether every run is infeasible, without a price of its nodes, or fails faster than it works."""
    known = [s for s in comparison.scenarios if s.feasible and not without_nodes(s.unpriced)]
    return all(s.goodput is not None and s.goodput.availability_fraction <= AVAILABILITY_FLOOR for s in known)
