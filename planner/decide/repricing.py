"""The ranking of a plan with some of its knobs turned, each plan priced once however often it is asked for."""

from __future__ import annotations

from planner.decide.parameters import Knob, turned
from planner.decide.ranking import Standing, outline
from planner.estimate.request import Request


class Rankings:
    """Rankings around one request. `priced`: how many plans that took so far."""

    def __init__(self, request: Request) -> None:
        self._request = request
        self._done: dict[tuple[tuple[str, float], ...], tuple[Standing, ...]] = {}

    def at(self, *turns: tuple[Knob, float]) -> tuple[Standing, ...]:
        """The ranking with these knobs at these values, the rest as planned; of the plan itself without any."""
        key = tuple((knob.key, value) for knob, value in turns)
        if key not in self._done:
            request = self._request
            for knob, value in turns:
                request = turned(request, knob, value)
            self._done[key] = outline(request)
        return self._done[key]

    @property
    def priced(self) -> int:
        return len(self._done)
