"""The ranking of a plan with parameters at other values; each plan is priced only once."""

from __future__ import annotations

from dataclasses import replace

from planner.decide.comparison import Comparison
from planner.decide.parameters import Parameter, with_parameter
from planner.decide.ranking import RankedScenario, ranking_of, weights_of
from planner.estimate.request import Request


class RankingCache:
    """Rankings around one request and its comparison. `priced`: the number of plans priced so far."""

    def __init__(self, request: Request, comparison: Comparison) -> None:
        stretch = {s.id: s.block_stretch for s in comparison.scenarios if s.block_stretch}
        self._request, self._weights = replace(request, block_stretch=stretch), weights_of(comparison)
        self._done: dict[tuple[tuple[str, float], ...], tuple[RankedScenario, ...]] = {}

    def at(self, *turns: tuple[Parameter, float]) -> tuple[RankedScenario, ...]:
        """The ranking with these parameters at these values, the others as planned; without any, that of the plan
        itself."""
        key = tuple((parameter.key, value) for parameter, value in turns)
        if key not in self._done:
            request = self._request
            for parameter, value in turns:
                request = with_parameter(request, parameter, value)
            self._done[key] = ranking_of(request, self._weights)
        return self._done[key]

    @property
    def priced(self) -> int:
        return len(self._done)
