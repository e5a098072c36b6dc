"""The what-if of the page: numbers to type, and the calculated plans that its script shows or interpolates between."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass

from markupsafe import Markup

from planner.answer.measure import cost_of
from planner.answer.recommend import MORE_AT_P90, SMALL
from planner.decide.comparison import Comparison
from planner.decide.what_if import Axis, WhatIf
from planner.estimate.result import Scenario
from planner.report.html.inline import script_data
from planner.report.wording import figures, page_texts
from planner.report.wording.break_evens import name, short_id

SHOWN = 12  # choices in each combination
PERCENT = 100.0


@dataclass(frozen=True, kw_only=True)
class InputView:
    """A number to type. id: of the field; hint: what was calculated, in the field's unit; planned, lowest, highest: as
    a field of numbers has them."""

    id: str
    label: str
    hint: str
    planned: str
    lowest: str
    highest: str
    values: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class WhatIfView:
    """inputs: the axes of the grid, then the limit in days."""

    inputs: tuple[InputView, ...]
    data: Markup


def what_if_view(comparison: Comparison, found: WhatIf) -> WhatIfView | None:
    """None where nothing is recommended, because there is no choice to replace."""
    best = comparison.best
    if best is None:
        return None
    choices = _choices(comparison, best)
    fleet = figures.only_fleet(comparison.scenarios)
    cells = [_cell(found, places, choices) for places in sorted(found.cells)]
    limit = best.limit_days if best.limit_days is not None else None
    data = {
        "axes": [[_typed(axis, value) for value in axis.values] for axis in found.axes],
        "names": [short_id(s.id, fleet) for s in choices],
        # planned cost to the measure that ranks, and planned days to those of 9 of 10 outcomes
        "weights": [round(_ratio(_rank(s, comparison), cost_of(s, "planned")), 6) for s in choices],
        "late": [round(_ratio(s.days.p90, s.days.plan) if s.days else 1.0, 6) for s in choices],
        "cells": cells,
        # what is a small lead; whether it is a tie only the draws say
        "p90": [round(_ratio(cost_of(s, "p90"), cost_of(s, "planned")), 6) for s in choices],
        "equal": SMALL,
        "equalP90": MORE_AT_P90,
    }
    inputs = [_input(number, axis) for number, axis in enumerate(found.axes)]
    return WhatIfView(
        inputs=(*inputs, _limit(limit)), data=script_data(json.dumps(data, separators=(",", ":"), allow_nan=False))
    )


def _choices(comparison: Comparison, best: Scenario) -> list[Scenario]:
    """The recommended one and those that could take its place, also where only a limit of days is in the way."""
    tied = set(comparison.answer.tied)
    others = [s for s in comparison.complete if s.id not in tied and s.id != best.id and not s.held_back]
    ends = [s for s in (best, *others) if s.days and math.isfinite(s.days.p90) and s.cost_usd]
    first = sorted(ends[1:], key=lambda s: (_rank(s, comparison), s.id))
    return [s for s in (best, *first[: SHOWN - 1]) if math.isfinite(_rank(s, comparison))]


def _rank(scenario: Scenario, comparison: Comparison) -> float:
    """USD with the effort of operating it."""
    return cost_of(scenario, comparison.answer.rank_by) + scenario.effort_usd


def _ratio(value: float, of: float) -> float:
    return value / of if of else 1.0


def _cell(found: WhatIf, places: tuple[int, ...], choices: list[Scenario]) -> list[float]:
    """USD and days of each choice, one after the other; zeros where it is not feasible."""
    there = {s.id: s for s in found.cells[places]}
    pairs = [(round(there[s.id].cost_usd), round(there[s.id].days, 1)) if s.id in there else (0, 0) for s in choices]
    return [number for pair in pairs for number in pair]


def _typed(axis: Axis, value: float) -> float:
    """A fraction is typed in percent."""
    return float(f"{value * PERCENT:.6g}") if _in_percent(axis) else float(f"{value:.6g}")


def _in_percent(axis: Axis) -> bool:
    return axis.parameter.unit == "fraction"


def _input(number: int, axis: Axis) -> InputView:
    values = tuple(f"{_typed(axis, value):g}" for value in axis.values)
    unit = "%" if _in_percent(axis) else axis.parameter.unit
    return InputView(
        id=f"what-if-{number}",
        label=page_texts.field(name(axis.parameter), unit),
        hint=page_texts.calculated_at(values),
        planned=f"{_typed(axis, axis.parameter.value):g}",
        lowest=values[0],
        highest=values[-1],
        values=values,
    )


def _limit(days: float | None) -> InputView:
    """The limit that is typed counts in 9 of 10 outcomes; nothing is calculated again for it."""
    return InputView(
        id="what-if-days",
        label=page_texts.LIMIT_FIELD,
        hint=page_texts.LIMIT_HINT,
        planned="" if days is None else f"{days:.4g}",
        lowest="0",
        highest="",
        values=(),
    )
