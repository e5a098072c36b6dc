"""The effect of each assumption on one scenario: recalculated at its low and its high end, the others central."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from planner.decide.again import Decision
from planner.decide.break_evens import Search
from planner.decide.parameters import Parameter
from planner.decide.repricing import Repricing


@dataclass(frozen=True, kw_only=True)
class End:
    """A scenario with a parameter at one end. None if it is no longer feasible or priced. first: what is recommended
    there, None where nothing is."""

    at: float
    cost_usd: float | None
    days: float | None
    first: str | None


@dataclass(frozen=True, kw_only=True)
class Swing:
    """One bar of the tornado: the scenario at the low and at the high end of a parameter."""

    parameter: Parameter
    low: End
    high: End

    def spread(self, of: str) -> float:
        """The distance between the ends, in USD or days (of: "cost_usd" or "days"); infinite if one is not feasible."""
        ends = [getattr(end, of) for end in (self.low, self.high)]
        return float("inf") if None in ends else abs(ends[0] - ends[1])


def swings(
    repricing: Repricing, parameters: Sequence[Parameter], scenario_id: str, searches: Sequence[Search]
) -> tuple[Swing, ...]:
    """The effect of every parameter on one scenario's planned cost, the largest first. searches: what is recommended at
    the ends of each."""
    decided = {entry.parameter.key: entry for entry in searches}

    def end(parameter: Parameter, value: float, then: Decision) -> End:
        there = next(iter(repricing.at((parameter, value), only={scenario_id})), None)
        return End(
            at=value,
            cost_usd=there.cost_usd if there else None,
            days=there.days if there else None,
            first=then.id or None,
        )

    found = [
        Swing(
            parameter=parameter,
            low=end(parameter, parameter.low, decided[parameter.key].low),
            high=end(parameter, parameter.high, decided[parameter.key].high),
        )
        for parameter in parameters
    ]
    return tuple(sorted(found, key=lambda swing: (-swing.spread("cost_usd"), swing.parameter.key)))
