"""The ranking of a plan with parameters at other values, as planned: blocks keep their length."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from planner.decide.comparison import Comparison
from planner.decide.leaders import leaders_of
from planner.decide.parameters import Parameter, with_parameter
from planner.decide.ranking import RankedScenario, ranking_of, weights_of
from planner.estimate.request import Request

MANY = 40  # scenarios; of more, only contenders are priced again
NEAREST = 8  # of these, the first by rank


class Repricing:
    """Rankings around one request and its comparison. priced: how many so far. always: ids that must be in each."""

    def __init__(self, request: Request, comparison: Comparison, always: Collection[str] = ()) -> None:
        stretch = {s.id: s.block_stretch for s in comparison.scenarios if s.block_stretch}
        self._request, self._weights = replace(request, block_stretch=stretch), weights_of(comparison)
        self._contenders = _contenders(comparison, always)
        self.priced = 0

    def at(self, *turns: tuple[Parameter, float], only: Collection[str] | None = None) -> tuple[RankedScenario, ...]:
        """With these parameters at these values, the others as planned. only: ids of the scenarios, None for all that
        are priced again."""
        request = self._request
        for parameter, value in turns:
            request = with_parameter(request, parameter, value)
        self.priced += 1
        return ranking_of(request, self._weights, self._contenders if only is None else only)


def _contenders(comparison: Comparison, always: Collection[str]) -> frozenset[str] | None:
    """The scenarios that are priced again in a large plan: those of the answer, the first by rank that may be
    recommended, and the first of each layout with each purchase option. None in a small one: all of them."""
    complete = comparison.complete
    if len(complete) <= MANY:
        return None
    kinds = {s.way: s.id for s in reversed(complete)}
    could_be = [s for s in complete if not s.held_back]
    first = [s.id for s in (*leaders_of(comparison), *could_be[:NEAREST])]
    return frozenset([*always, *first, *kinds.values()])
