"""The effect of each assumption on one scenario: recalculated at its low and its high end, the others central."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from planner.answer.ranges import range_of
from planner.decide.again import Decision
from planner.decide.break_evens import Search
from planner.decide.enumerate import evaluate
from planner.decide.parameters import Parameter, with_parameter
from planner.decide.repricing import Repricing
from planner.estimate.outcomes import outcomes_of
from planner.estimate.people_time import FACTORS
from planner.estimate.request import Request


@dataclass(frozen=True, kw_only=True)
class End:
    """A scenario with a parameter at one end. None if it is no longer feasible or priced. first: what is recommended
    there, None where nothing is. is_p50: cost and days are the middle of the outcomes, since a plan has none of it."""

    at: float
    cost_usd: float | None
    days: float | None
    first: str | None
    is_p50: bool = False


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
    request: Request,
    repricing: Repricing,
    parameters: Sequence[Parameter],
    scenario_id: str,
    searches: Sequence[Search],
) -> tuple[Swing, ...]:
    """The effect of every parameter on one scenario's planned cost, the largest first; of people's time, which no plan
    has, on its P50. searches: what is recommended at the ends of each."""
    decided = {entry.parameter.key: entry for entry in searches}

    def end(parameter: Parameter, value: float, then: Decision) -> End:
        if request.draws and parameter.key in FACTORS.values():
            return _in_outcomes(with_parameter(request, parameter, value), value, scenario_id, then)
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


def _in_outcomes(request: Request, value: float, scenario_id: str, then: Decision) -> End:
    """The middle of the outcomes of one scenario."""
    central = request.central(recording=False)
    entry = next(iter(evaluate(request, central, request.drawn(central), {scenario_id})), None)
    usd = days = None
    if entry is not None and entry.planned and not entry.why_not:
        found = outcomes_of(entry, request.draws)
        usd, days = (range_of(0.0, each, request.draws).p50 for each in (found.cost_usd, found.days))
    known = usd is not None and math.isfinite(usd)
    return End(
        at=value, cost_usd=usd if known else None, days=days if known else None, first=then.id or None, is_p50=True
    )
