"""The effect of each assumption on one scenario: recalculated at its low and its high end, the others central."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from planner.decide.parameters import Parameter
from planner.decide.ranking import RankedScenario
from planner.decide.repricing import RankingCache


@dataclass(frozen=True, kw_only=True)
class End:
    """A scenario with a parameter at one end. None if it is no longer feasible or priced. first: the cheapest scenario
    there."""

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
    ranking_cache: RankingCache, parameters: Sequence[Parameter], scenario_id: str, of: str = "cost_usd"
) -> tuple[Swing, ...]:
    """The effect of every parameter on one scenario, the largest first."""
    found = [
        Swing(
            parameter=parameter,
            low=_end(ranking_cache, parameter, parameter.low, scenario_id),
            high=_end(ranking_cache, parameter, parameter.high, scenario_id),
        )
        for parameter in parameters
    ]
    return tuple(sorted(found, key=lambda swing: (-swing.spread(of), swing.parameter.key)))


def _end(ranking_cache: RankingCache, parameter: Parameter, value: float, scenario_id: str) -> End:
    ranked = ranking_cache.at((parameter, value))
    here: RankedScenario | None = next((s for s in ranked if s.id == scenario_id), None)
    return End(
        at=value,
        cost_usd=here.cost_usd if here else None,
        days=here.days if here else None,
        first=ranked[0].id if ranked else None,
    )
