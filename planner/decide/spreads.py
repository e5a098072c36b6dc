"""The range of every number of one scenario in the draws, and the assumption that changes it most."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from planner.answer.ranges import Range
from planner.decide.explain import Mover, at_both_ends, drawn, movers_in, range_in, request_of_one
from planner.estimate.bounds import bounded
from planner.estimate.derivations import known_of
from planner.estimate.request import Request
from planner.estimate.result import Scenario


@dataclass(frozen=True, kw_only=True)
class Spread:
    """draws: P10, P50, P90, None if the number has none. widest: the assumption with the largest effect, None if there
    is none."""

    draws: Range | None
    widest: Mover | None


def spreads_of(request: Request, scenario: Scenario) -> Mapping[str, Spread]:
    """By id, what `explain` says about each number; calculated together, because they share the recalculated plans."""
    alone = request_of_one(request, scenario)
    numbers, ends = drawn(alone, scenario), at_both_ends(alone, scenario)
    found = {}
    for id, derived in known_of(scenario).items():
        draws = None if bounded(scenario, id) else range_in(numbers, derived, alone.draws)
        widest = next(iter(movers_in(ends, derived)), None)
        if draws is not None or widest is not None:
            found[id] = Spread(draws=draws, widest=widest)
    return found
