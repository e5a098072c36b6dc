"""What would change a decision, as text for a terminal."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from planner.decide.comparison import Comparison
from planner.decide.leaders import likeliest
from planner.decide.probability import LowerCostProbability
from planner.decide.sensitivity import Swing
from planner.decide.study import Study
from planner.report.terminal.columns import command, fitted, rows
from planner.report.wording import figures
from planner.report.wording import sensitivity as words
from planner.report.wording.break_evens import (
    break_even_sentence,
    end_of,
    lead,
    lengths,
    name,
    setting,
    unit_of,
    with_break_evens,
)
from planner.report.wording.figures import visible
from planner.report.wording.table import Column
from planner.report.wording.wrapping import cut, wrap

TABLE_FROM, NARROWEST = 80, 32
SHOWN = 8  # scenarios by how often they are the cheapest


def render(
    comparison: Comparison,
    study: Study,
    pair: LowerCostProbability | None,
    *,
    width: int,
    ascii_only: bool,
    top: int,
    of: str,
    plan_path: str = "PLAN",
    again: Sequence[str] = (),
) -> str:
    """Lines of at most `width` cells (at least 32). top: rows of the table, 0 for all. of: "cost_usd" or "days".

    again: options that the next command must repeat.
    """
    width = max(width, NARROWEST)
    more = "..." if ascii_only else "…"
    fleet = figures.only_fleet(comparison.scenarios)
    found = with_break_evens(study)
    lines = [
        cut(" ".join(visible(comparison.plan_name).split()), width, more),
        *wrap(words.title(comparison, study), width, indent="  "),
        "",
        *wrap(words.WHAT_IT_DEPENDS_ON, width),
    ]
    lines += _tornado(study, width, ascii_only, top, of)
    lines += ["", *wrap(f"{words.WHAT_WOULD_CHANGE} {lead(study, fleet)}", width)]
    for text in (*(break_even_sentence(entry, fleet) for entry in found), lengths(study), words.unchanged(study)):
        lines += wrap(f"  {text}", width, indent="      ") if text else []
    lines += ["", *_probability(comparison, study, pair, width, fleet)]
    example = next((break_even for entry in found for break_even in entry.break_evens), None)
    if example:
        repeated = " ".join(shlex.quote(visible(word)) for word in (plan_path, *again))
        lines += ["", words.TRY_ONE]
        lines += command(f"planner compare {repeated} {setting(example.parameter, example.value)}", width)
    text = "\n".join(line.rstrip() for line in lines) + "\n"
    return text.encode("ascii" if ascii_only else "utf-8", "replace").decode()


def _tornado(study: Study, width: int, ascii_only: bool, top: int, of: str) -> list[str]:
    moving = sorted((s for s in study.swings if s.spread(of)), key=lambda s: (-s.spread(of), s.parameter.key))
    if not moving:
        return [f"  {words.NOTHING_CHANGES_IT}"]
    first = moving[: top or None]
    placed = fitted(_columns(study, first, of), width) if width >= TABLE_FROM else None
    if placed:
        lines = rows(placed, rule="-" if ascii_only else "─", more="..." if ascii_only else "…")
    else:
        lines = []
        for s in first:
            lines += wrap(_name(s), width, indent="  ")
            for text in words.ends(s, of):
                lines += wrap(f"  {text}", width, indent="    ")
    for text in words.left_out(len(moving) - len(first), len(study.swings) - len(moving)):
        lines += wrap(text, width)
    return lines


def _name(swing: Swing) -> str:
    return f"{name(swing.parameter)}{' (P50)' if swing.low.is_p50 else ''}"


def _columns(study: Study, shown: Sequence[Swing], of: str) -> list[Column]:
    unit = words.unit(of)
    return [
        Column(title="Assumption", values=[_name(s) for s in shown], text=True),
        Column(title="Low", values=[end_of(s.parameter, 0) for s in shown]),
        Column(
            title="Planned",
            values=[figures.plain(s.parameter.value, 4) if s.parameter.path else "-" for s in shown],
            keep=2,
        ),
        Column(title="High", values=[end_of(s.parameter, 1) for s in shown]),
        Column(title="Unit", values=[unit_of(s.parameter) for s in shown], text=True, keep=3),
        Column(title=f"{unit} at low", values=[words.at_end(s.low, of) for s in shown]),
        Column(title=f"{unit} at high", values=[words.at_end(s.high, of) for s in shown]),
        Column(title="Choice changes", values=[words.changes(study, s) for s in shown], text=True, keep=1),
    ]


def _probability(
    comparison: Comparison, study: Study, pair: LowerCostProbability | None, width: int, fleet: str
) -> list[str]:
    if pair is not None:
        return wrap(words.pair(comparison, pair, fleet), width, indent="  ")
    found = likeliest(comparison)
    if not found:
        return wrap(words.NO_DRAWS, width)
    lines = wrap(words.how_often(comparison), width)
    for scenario, share in list(zip(found, words.cheapest_shares(found), strict=True))[:SHOWN]:
        lines += wrap(f"  {words.likely(comparison, scenario, share, fleet)}", width, indent="          ")
    return lines
