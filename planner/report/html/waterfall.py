"""The difference between two choices by part of the bill: the default pair drawn, every pair as data for the script."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from markupsafe import Markup

from planner.decide.comparison import Comparison
from planner.decide.leaders import leaders_of, rank_of
from planner.estimate.result import Scenario
from planner.report.html.inline import script_data
from planner.report.wording import figures, rounding
from planner.report.wording.breakdown import parts_of


@dataclass(frozen=True, kw_only=True)
class StepView:
    """A bar from `left` over `width` percent. kind: "total", "more" or "less"."""

    name: str
    kind: str
    left: float
    width: float
    usd: str
    exact: str


@dataclass(frozen=True, kw_only=True)
class WaterfallView:
    """steps: of the default pair. data: for the script, which draws every other pair in the same way."""

    steps: tuple[StepView, ...]
    data: Markup


def waterfall_view(comparison: Comparison) -> WaterfallView | None:
    """From the recommended choice to its first alternative, else to the next by rank; None without two choices."""
    complete = comparison.complete
    if len(complete) < 2:
        return None
    before, *alternatives = leaders_of(comparison)
    after = alternatives[0] if alternatives else next(s for s in complete if s.id != before.id)
    parts = [{part.name: part.usd for part in parts_of(s)} for s in complete]
    known = list(dict.fromkeys(name for found in parts for name in found))
    names = [_name(comparison, s) for s in complete]
    one, other = complete.index(before), complete.index(after)
    # the script adds up the same figures in the same order, so that both print the same cents
    rounded = [{part: round(found.get(part, 0.0), 6) for part in known} for found in parts]
    rows = [[name, list(found.values())] for name, found in zip(names, rounded, strict=True)]
    return WaterfallView(
        steps=steps(names[one], rounded[one], names[other], rounded[other]),
        data=script_data(json.dumps({"parts": known, "rows": rows, "pair": [one, other]}, separators=(",", ":"))),
    )


def _name(comparison: Comparison, scenario: Scenario) -> str:
    place = "" if figures.only_fleet(comparison.scenarios) else f", {figures.fleet(scenario)}"
    return f"#{rank_of(comparison, scenario)} {figures.layout_name(scenario)}, {scenario.purchase}{place}"


def steps(before: str, first: Mapping[str, float], after: str, second: Mapping[str, float]) -> tuple[StepView, ...]:
    """The total of one choice, what each part adds or saves, the largest first, and the total of the other.

    first, second: USD by part of the bill.
    """
    changes = {name: second.get(name, 0.0) - first.get(name, 0.0) for name in dict.fromkeys((*first, *second))}
    start, end = sum(first.values()), sum(second.values())
    level = start
    spans: list[tuple[str, float, float]] = []
    moved = sorted(
        ((name, change) for name, change in changes.items() if round(change, 2)),
        key=lambda item: (-abs(round(item[1], 2)), item[0]),
    )
    said = _said([change for _, change in moved], start, end)
    for name, change in moved:
        spans.append((name, level, level + change))
        level += change
    highest = max([start, end, *(max(one, other) for _, one, other in spans)]) or 1.0
    return (
        _total(before, start, highest),
        *(_step(*span, highest, text) for span, text in zip(spans, said, strict=True)),
        _total(after, end, highest),
    )


def _said(changes: list[float], start: float, end: float) -> list[str]:
    """Each change in the last place of both totals, so that they lead from one printed total to the other."""
    unit = min(rounding.place(figures.dollars(value)) for value in (start, end))
    rounded = rounding.parts(changes, rounding.apart(start, end), unit)
    return [
        f"{'+' if exact > 0 else '-'}{rounding.exactly(abs(value))}" if value else f"<{rounding.exactly(unit)}"
        for value, exact in zip(rounded, changes, strict=True)
    ]


def _total(name: str, value: float, highest: float) -> StepView:
    width = round(100 * value / highest, 2)
    return StepView(name=name, kind="total", left=0.0, width=width, usd=figures.usd(value), exact=_exact(value))


def _step(name: str, one: float, other: float, highest: float, usd: str) -> StepView:
    change, sign = abs(other - one), "+" if other > one else "-"
    return StepView(
        name=name,
        kind="more" if other > one else "less",
        left=round(100 * min(one, other) / highest, 2),
        width=round(max(100 * change / highest, 0.3), 2),
        usd=usd,
        exact=f"{sign}{_exact(change)}",
    )


def _exact(value: float) -> str:
    return f"${value:,.2f}"
