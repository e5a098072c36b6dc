"""What would make a scenario eligible where none is; the search is imported only if it is needed."""

from __future__ import annotations

from dataclasses import replace

from planner.decide.comparison import Comparison
from planner.decide.narrow import as_listed
from planner.estimate.request import Request
from planner.models.bill import without_nodes
from planner.models.goodput import AVAILABILITY_FLOOR

NOTHING_HELPS = (
    "no change was found with which a run may be recommended: each limit, the fleet's size, the purchase options, the "
    "layouts with their settings and the instance types were changed one at a time, and together with the capacity "
    "that they then need"
)


def with_relaxations(request: Request, comparison: Comparison) -> Comparison:
    """The comparison with what would make a scenario eligible, if none is, or with a note that nothing was found.

    Where only prices are missing, nothing is searched.
    """
    if comparison.best is not None or not (comparison.complete or is_infeasible(comparison)):
        return comparison
    from planner.decide.relaxations import relaxations_of

    found = relaxations_of(as_listed(request, [s.nodes for s in comparison.scenarios]), comparison)
    return replace(
        comparison, relaxations=found, notes=comparison.notes if found else (*comparison.notes, NOTHING_HELPS)
    )


def is_infeasible(comparison: Comparison) -> bool:
    """Whether every scenario is infeasible, has no price for its nodes, or fails faster than it works."""
    known = [s for s in comparison.scenarios if s.feasible and not without_nodes(s.unpriced)]
    return all(s.goodput is not None and s.goodput.availability_fraction <= AVAILABILITY_FLOOR for s in known)
