"""A comparison in a terminal: the answer, a table of the eligible choices, and what to know before acting on it; 80
cells by 40 lines are enough for it. In narrower terminals the table becomes records."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from planner.decide.comparison import Comparison
from planner.decide.shortlist import Shortlist, shortlist_of
from planner.report.terminal.columns import TABLE_FROM, command, fitted, rows
from planner.report.wording import answer, figures, left_out, notes, ranking, signs
from planner.report.wording.figures import visible
from planner.report.wording.line import CALLS_FOR_ATTENTION, Kind, Line
from planner.report.wording.notes import assumptions, heading
from planner.report.wording.ranking import Ranked, ranking_columns
from planner.report.wording.wrapping import cut, for_terminal, wrap

NARROWEST = 32
HEIGHT, MOST_ROWS, FEWEST_ROWS = 40, 12, 4  # of a screen; rows of the table that it has by default
TABLE_LINES = 3  # besides its rows
OTHERS, COMMITMENTS, DETAILS = "others", "commitments", "breakdown"
LEFT_TO_VERBOSE = ((OTHERS,), (OTHERS, COMMITMENTS), (OTHERS, COMMITMENTS, DETAILS))  # more and more of it
BEGIN = {Kind.DETAIL: "  ", Kind.SETTING: "  ", Kind.ITEM: "  - ", Kind.WARNING: "  - "}
GO_ON = {Kind.SETTING: "    ", Kind.ITEM: "    ", Kind.WARNING: "    "}
BOLD, WARN, PLAIN = "\x1b[1m", "\x1b[33m", "\x1b[0m"


def render(
    comparison: Comparison,
    *,
    width: int,
    colour: bool,
    ascii_only: bool,
    top: int | None = None,
    plan_path: str = "PLAN",
    again: Sequence[str] = (),
    verbose: bool = False,
    everything: bool = False,
) -> str:
    """The comparison as lines of at most `width` cells (at least 32).

    top: rows of the table; 0 for all, None for as many as fit a screen. again: options that the next command must
    repeat, like --set. verbose: also the assumptions, notes and warnings in full. everything: a row for every feasible
    choice.
    """
    width = max(width, NARROWEST)
    dots = "..." if ascii_only else "…"
    shortlist = shortlist_of(comparison, everything=everything)
    following = [*(_assumed(comparison, width) if verbose else []), *_next(plan_path, again, width)]

    def around(left: Sequence[str]) -> tuple[list[str], list[str]]:
        """The lines before the table and after it."""
        first, *more = answer.sentences(comparison, brief=DETAILS in left)
        said = wrapped([first], width, colour=False)
        said = [f"{BOLD}{part}{PLAIN}" for part in said] if colour else said
        below = wrapped(_below(comparison, shortlist, verbose=verbose, left=left), width, colour=colour)
        before = [*heading_lines(comparison, width, dots), "", *said, *wrapped(more, width, colour=colour), ""]
        return before, [*below, *following]

    # what a screen has no room for is left to -v, unless somebody asked for everything or has no answer to act on
    whole = verbose or everything or comparison.best is None
    most = HEIGHT - TABLE_LINES - min(FEWEST_ROWS, len(shortlist.rows))
    before, after = around(())
    for left in () if whole else LEFT_TO_VERBOSE:
        if len(before) + len(after) <= most:
            break
        before, after = around(left)
    room = HEIGHT - TABLE_LINES - len(before)
    table = _Table(shortlist.rows, comparison, width, ascii_only)
    count = _rows_shown(len(shortlist.rows), room - len(after), top, everything=everything)
    head, body = table.header(), table.body(count)
    lines = [*before, *(_emphasised(head, body) if colour else [*head, *body])]
    if count < len(shortlist.rows):
        lines += wrap(ranking.more_rows(shortlist.rows[count:], dots), width)
    text = "\n".join([*lines, *after]) + "\n"
    return for_terminal(text, ascii_only)


def _rows_shown(rows: int, fitting: int, top: int | None, *, everything: bool) -> int:
    if top is None and not everything:
        top = max(FEWEST_ROWS, min(MOST_ROWS, fitting))
    return min(rows, top) if top else rows


def _below(comparison: Comparison, shortlist: Shortlist, *, verbose: bool, left: Sequence[str] = ()) -> list[Line]:
    """What follows the table. left: parts that only -v shows."""
    others = left_out.others(shortlist)
    there = {OTHERS: bool(others), COMMITMENTS: bool(shortlist.families), DETAILS: True}
    left = [part for part in left if there[part]]
    shown = [s for _, s in shortlist.rows]
    hidden = sum(s.feasible for s in comparison.scenarios) - len(shown)
    return [
        *([] if COMMITMENTS in left else left_out.commitments(shortlist.families)),
        *map(Line, signs.legend(comparison, shown)),
        *(left_out.storage(shortlist, comparison) if OTHERS in left else others),
        *_on_one_line(notes.attention(comparison, brief=DETAILS in left)),
        *(notes.details(comparison, shown) if verbose else [notes.more(comparison, hidden, left)]),
    ]


def _on_one_line(warned: list[Line]) -> list[Line]:
    """`On #1: ...` where there is one warning; a title and a list where there are several."""
    if len(warned) != 2:
        return warned
    title, only = warned
    return [Line(f"{title.text} {only.text}", Kind.CAUTION)]


def _assumed(comparison: Comparison, width: int) -> list[str]:
    title, *found = assumptions(comparison)
    return ["", title, *(line for text in found for line in wrap(visible(text), width, indent="  ")), ""]


def wrapped(found: Sequence[Line], width: int, *, colour: bool) -> list[str]:
    """Warnings have a colour; nothing depends on it alone."""
    lines = []
    for line in found:
        parts = wrap(BEGIN.get(line.kind, "") + visible(line.text), width, GO_ON.get(line.kind, "  "))
        attention = colour and line.kind in CALLS_FOR_ATTENTION
        lines += [f"{WARN}{part}{PLAIN}" for part in parts] if attention else parts
    return lines


def heading_lines(comparison: Comparison, width: int, more: str) -> list[str]:
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

    def body(self, count: int) -> list[str]:
        """The first `count` rows."""
        return self.lines[2 : 2 + count] if self.lines else _records(self.ranked[:count], self.width, self.fleet)


def _records(ranked: Ranked, width: int, fleet: str) -> list[str]:
    """One scenario under the other, for narrow terminals."""
    lines: list[str] = []
    for rank, s in ranked:
        title, *facts = ranking.facts(s, fleet)
        lines += wrap(f"{rank}. {title}", width, indent="   ")
        for fact in facts:
            lines += wrap(f"   {fact}", width, indent="     ")
    return lines


def _emphasised(head: list[str], body: list[str]) -> list[str]:
    """Bold for the header and for the first row. Nothing depends on colour alone."""
    return [f"{BOLD}{line}{PLAIN}" if i in (0, 2) else line for i, line in enumerate([*head, *body])]


def _next(plan_path: str, again: Sequence[str], width: int) -> list[str]:
    """The command that shows the bills, to be pasted."""
    say, before, after = f"{notes.BILLS_AND_SOURCES}: ", "planner report ", " -o report.html"
    options = "".join(f" {shlex.quote(visible(word))}" for word in again)
    path = shlex.quote(visible(plan_path))
    if len(say) + len(before) + len(path) + len(options) + len(after) <= width:
        return [say + before + path + options + after]
    return [say.rstrip(), *command(f"{before}{path}{options}{after}", width)]
