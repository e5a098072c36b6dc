"""Three parameters at their low, planned and high values: the ranking of every combination, calculated, not
interpolated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from planner.decide.parameters import Parameter
from planner.decide.ranking import RankedScenario
from planner.decide.repricing import RankingCache


@dataclass(frozen=True, kw_only=True)
class WhatIf:
    """The ranking at every combination of the positions of a few parameters.

    parameters: at most three. cells: by position ("low", "planned" or "high"), in the order of `parameters`.
    """

    parameters: tuple[Parameter, ...]
    cells: dict[tuple[str, ...], tuple[RankedScenario, ...]]


def what_if(ranking_cache: RankingCache, parameters: Sequence[Parameter]) -> WhatIf:
    """Evaluate 3^n combinations. "planned" leaves a parameter unchanged."""
    cells = {}
    for positions in product(("low", "planned", "high"), repeat=len(parameters)):
        cells[positions] = ranking_cache.at(
            *(
                (parameter, parameter.low if position == "low" else parameter.high)
                for parameter, position in zip(parameters, positions, strict=True)
                if position != "planned"
            )
        )
    return WhatIf(parameters=tuple(parameters), cells=cells)
