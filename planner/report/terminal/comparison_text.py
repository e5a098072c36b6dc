"""A comparison in a terminal: a table from 80 columns on, with more columns in wider terminals; records below 80."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from planner.decide import leaders
from planner.decide.comparison import Comparison
from planner.report.terminal.columns import TABLE_FROM, command, fitted, rows
from planner.report.wording import answer, figures, notes, ranking
from planner.report.wording.figures import visible
from planner.report.wording.line import Kind, Line
from planner.report.wording.notes import assumptions, heading, remarks
from planner.report.wording.ranking import Ranked, ranking_columns
from planner.report.wording.wrapping import cut, wrap

NARROWEST = 32
BEGIN = {Kind.SENTENCE: "", Kind.DETAIL: "  ", Kind.SETTING: "  ", Kind.ITEM: "  - "}
GO_ON = {Kind.SENTENCE: "  ", Kind.DETAIL: "  ", Kind.SETTING: "    ", Kind.ITEM: "    "}
BOLD, PLAIN = "\x1b[1m", "\x1b[0m"


def render(
    comparison: Comparison,
    *,
    width: int,
    colour: bool,
    ascii_only: bool,
    top: int,
    plan_path: str = "PLAN",
    again: Sequence[str] = (),
    verbose: bool = False,
) -> str:
    """The comparison as lines of at most `width` cells (at least 32).

    again: options that the next command must repeat, like --set. verbose: list every assumption with its range and
    source.
    """
    width = max(width, NARROWEST)
    more = "..." if ascii_only else "…"
    feasible = [s for s in comparison.scenarios if s.feasible]
    ranked = list(enumerate(feasible, 1))
    first = ranked[: top or None]
    # what the answer names is always among the rows
    named = {scenario.id for scenario in leaders.leaders_of(comparison)}
    later = [(rank, s) for rank, s in ranked[len(first) :] if s.id in named]
    shown = [s for _, s in first + later]
    lines = _heading(comparison, width, more)
    if ranked:
        lines.append("")
    table = _Table(first + later, comparison, width, ascii_only)
    head, body = table.header(), table.body(len(first))
    lines += _emphasised([*head, *body]) if colour else [*head, *body]
    if len(first) < len(feasible):
        lines += wrap(ranking.more_rows(len(feasible) - len(first), more, listed=bool(later)), width)
        lines += table.body(len(first), rest=True)
    lines.append("")
    lines += _wrapped(answer.sentences(comparison), width)
    lines.append("")
    lines += _wrapped(remarks(comparison, shown), width)
    if verbose:
        title, *assumed = assumptions(comparison)
        lines += ["", title, *(line for text in assumed for line in wrap(visible(text), width, indent="  ")), ""]
    lines += _next(plan_path, again, width)
    text = "\n".join(lines) + "\n"
    return text.encode("ascii", "replace").decode() if ascii_only else text.encode("utf-8", "replace").decode()


def _wrapped(found: Sequence[Line], width: int) -> list[str]:
    return [part for line in found for part in wrap(BEGIN[line.kind] + visible(line.text), width, GO_ON[line.kind])]


def _heading(comparison: Comparison, width: int, more: str) -> list[str]:
    """The name of the run; then its region, fleet and prices."""
    name = cut(" ".join(visible(comparison.plan_name).split()), width, more)
    return [name, *(line for text in heading(comparison) for line in wrap(text, width))]


class _Table:
    """Rows under a header or, where there is no room for columns, records under each other."""

    def __init__(self, ranked: Ranked, comparison: Comparison, width: int, ascii_only: bool) -> None:
        self.ranked, self.width, self.fleet = ranked, width, figures.only_fleet(comparison.scenarios)
        types = figures.short_types(comparison.scenarios)
        placed = fitted(ranking_columns(ranked, self.fleet, types), width) if ranked and width >= TABLE_FROM else None
        rule, more = ("-", "...") if ascii_only else ("─", "…")
        self.lines = rows(placed, rule=rule, more=more) if placed else []

    def header(self) -> list[str]:
        return self.lines[:2]

    def body(self, count: int, *, rest: bool = False) -> list[str]:
        """The first `count` rows, or the rest of them."""
        part = slice(count, None) if rest else slice(count)
        return self.lines[2:][part] if self.lines else _records(self.ranked[part], self.width, self.fleet)


def _records(ranked: Ranked, width: int, fleet: str) -> list[str]:
    """One scenario under the other, for narrow terminals."""
    lines: list[str] = []
    for rank, s in ranked:
        title, *facts = ranking.facts(s, fleet)
        lines += wrap(f"{rank}. {title}", width, indent="   ")
        for fact in facts:
            lines += wrap(f"   {fact}", width, indent="     ")
    return lines


def _emphasised(table: list[str]) -> list[str]:
    """Bold for the header and for the first row. Nothing depends on colour alone."""
    return [f"{BOLD}{line}{PLAIN}" if i in (0, 2) else line for i, line in enumerate(table)]


def _next(plan_path: str, again: Sequence[str], width: int) -> list[str]:
    """The command that shows the bills, to be pasted."""
    say, before, after = f"{notes.BILLS_AND_SOURCES}: ", "planner report ", " -o report.html"
    options = "".join(f" {shlex.quote(visible(word))}" for word in again)
    path = shlex.quote(visible(plan_path))
    if len(say) + len(before) + len(path) + len(options) + len(after) <= width:
        return [say + before + path + options + after]
    return [say.rstrip(), *command(f"{before}{path}{options}{after}", width)]
