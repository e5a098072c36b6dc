"""The ranking of a plan with parameters at other values; each plan is priced only once."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import replace

from planner.decide.comparison import Comparison
from planner.decide.leaders import leaders_of
from planner.decide.parameters import Parameter, with_parameter
from planner.decide.ranking import RankedScenario, ranking_of, weights_of
from planner.estimate.request import Request

MANY = 40  # scenarios; of more, only contenders are priced again
NEAREST = 8  # of these, the first by rank

RankingTable = dict[tuple[tuple[str, float], ...], tuple[RankedScenario, ...]]  # by keys and values of the parameters


class RankingCache:
    """RankingTable around one request and its comparison.

    priced: the number of plans priced so far. scenarios: how many are in each of them: those that could lead. always:
    ids of scenarios that must be.
    """

    def __init__(self, request: Request, comparison: Comparison, always: Collection[str] = ()) -> None:
        stretch = {s.id: s.block_stretch for s in comparison.scenarios if s.block_stretch}
        self._request, self._weights = replace(request, block_stretch=stretch), weights_of(comparison)
        complete = [s.id for s in comparison.complete]
        self._contenders = contenders_of(comparison, always)
        # without a weight a scenario leads only where none of the others is feasible
        could_lead = [id for id in self._contenders or complete if id in self._weights]
        self._rivals = frozenset([*could_lead, *always])
        self.scenarios = len(self._rivals)
        self._done: RankingTable = {}

    def at(self, *turns: tuple[Parameter, float]) -> tuple[RankedScenario, ...]:
        """The ranking of those that could lead with these parameters at these values, the others as planned. Of all,
        where none of them is feasible and, without any parameter, of the plan itself."""
        key = tuple((parameter.key, value) for parameter, value in turns)
        if key not in self._done:
            ranked = ranking_of(self._turned(turns), self._weights, self._rivals) if turns else ()
            leads = ranked and math.isfinite(ranked[0].ranked_usd)
            self._done[key] = ranked if leads else self.every(*turns)
        return self._done[key]

    def every(self, *turns: tuple[Parameter, float]) -> tuple[RankedScenario, ...]:
        """As `at`, also with scenarios that could not lead. It is not kept."""
        return ranking_of(self._turned(turns), self._weights, self._contenders)

    def is_known(self, *turns: tuple[Parameter, float]) -> bool:
        """Whether `at` has been asked for this."""
        return tuple((parameter.key, value) for parameter, value in turns) in self._done

    def among(self, ids: Collection[str], *turns: tuple[Parameter, float]) -> tuple[RankedScenario, ...]:
        """The ranking of these scenarios alone: the same figures, for a fraction of the time. It is not kept."""
        return ranking_of(self._turned(turns), self._weights, frozenset(ids))

    def _turned(self, turns: Sequence[tuple[Parameter, float]]) -> Request:
        request = self._request
        for parameter, value in turns:
            request = with_parameter(request, parameter, value)
        return request

    def of(self, parameter: Parameter) -> RankingTable:
        """The rankings so far with only this parameter at other values."""
        return {key: ranking for key, ranking in self._done.items() if len(key) == 1 and key[0][0] == parameter.key}

    def add(self, rankings: RankingTable) -> None:
        """RankingTable that a copy of this cache has worked out."""
        self._done |= rankings

    @property
    def priced(self) -> int:
        return len(self._done)


def contenders_of(comparison: Comparison, always: Collection[str] = ()) -> frozenset[str] | None:
    """The scenarios that are priced again in a large plan: those of the answer, the first by rank that may be
    recommended, and the first of each layout with each purchase option. None in a small one: all of them."""
    complete = comparison.complete
    if len(complete) <= MANY:
        return None
    kinds = {s.way: s.id for s in reversed(complete)}
    could_be = [s for s in complete if not s.held_back]
    first = [s.id for s in (*leaders_of(comparison), *could_be[:NEAREST])]
    return frozenset([*always, *first, *kinds.values()])
