"""Three knobs at their low, planned and high values: the ranking of every combination, computed, not read off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from planner.decide.parameters import Knob
from planner.decide.ranking import Standing
from planner.decide.repricing import Rankings


@dataclass(frozen=True, kw_only=True)
class WhatIf:
    """knobs: at most three. cells: the ranking at each combination, by the knobs' positions ("low", "planned" or
    "high", in the order of the knobs)."""

    knobs: tuple[Knob, ...]
    cells: dict[tuple[str, ...], tuple[Standing, ...]]


def what_if(rankings: Rankings, knobs: Sequence[Knob]) -> WhatIf:
    """Plan anew at 3^n combinations. "planned" leaves a knob untouched."""
    cells = {}
    for positions in product(("low", "planned", "high"), repeat=len(knobs)):
        cells[positions] = rankings.at(
            *(
                (knob, knob.low if position == "low" else knob.high)
                for knob, position in zip(knobs, positions, strict=True)
                if position != "planned"
            )
        )
    return WhatIf(knobs=tuple(knobs), cells=cells)
