"""Whether a plan comes to nothing, and then what would help: the search is loaded only where it is needed."""

from __future__ import annotations

from dataclasses import replace

from planner.decide.bounds import without_nodes
from planner.decide.request import Request
from planner.decide.result import Comparison
from planner.models.goodput import AVAILABILITY_FLOOR


def remedied(request: Request, comparison: Comparison) -> Comparison:
    """The comparison with what would make its plan feasible, where it is not or where every run only fails."""
    if not hopeless(comparison):
        return comparison
    from planner.decide.remedy import remedies_of

    return replace(comparison, remedies=remedies_of(request))


def hopeless(comparison: Comparison) -> bool:
    """Whether every run is infeasible, without a price of its nodes, or fails faster than it works."""
    known = [s for s in comparison.scenarios if s.feasible and not without_nodes(s.unpriced)]
    return all(s.goodput is not None and s.goodput.availability_fraction <= AVAILABILITY_FLOOR for s in known)
