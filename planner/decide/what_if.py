"""Three knobs at their low, planned and high values: the ranking of every combination, computed, not read off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from planner.decide.parameters import Parameter
from planner.decide.ranking import RankedScenario
from planner.decide.repricing import RankingCache


@dataclass(frozen=True, kw_only=True)
class WhatIf:
    """knobs: at most three. cells: the ranking at each combination, by the knobs' positions ("low", "planned" or
    "high", in the order of the knobs)."""

    parameters: tuple[Parameter, ...]
    cells: dict[tuple[str, ...], tuple[RankedScenario, ...]]


def what_if(ranking_cache: RankingCache, parameters: Sequence[Parameter]) -> WhatIf:
    """Plan anew at 3^n combinations. "planned" leaves a knob untouched."""
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
