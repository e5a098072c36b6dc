"""The result of `optimize` in a terminal: the answer, the frontier as a table, and the rejected families."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from planner.decide.optimize import Optimum
from planner.report.terminal.columns import command, whole
from planner.report.terminal.comparison_text import BOLD, NARROWEST, PLAIN, heading_lines, wrapped
from planner.report.wording import optimum
from planner.report.wording.figures import visible
from planner.report.wording.line import Line
from planner.report.wording.wrapping import for_terminal, wrap

NEXT = "Compare every choice on this fleet"


def render(
    found: Optimum,
    *,
    width: int,
    colour: bool,
    ascii_only: bool,
    top: int,
    plan_path: str = "PLAN",
    again: Sequence[str] = (),
) -> str:
    """The result as lines of at most `width` cells (at least 32). top: rows of the frontier; 0 for all. again: options
    that the next command must repeat."""
    width = max(width, NARROWEST)
    first, *more = optimum.sentences(found)
    said = wrapped([first], width, colour=False)
    lines = [
        *heading_lines(found.comparison, width, "..." if ascii_only else "…"),
        "",
        *([f"{BOLD}{part}{PLAIN}" for part in said] if colour else said),
        *wrapped(more, width, colour=colour),
        "",
    ]
    rows = optimum.frontier_rows(found, top)
    if rows:
        columns = optimum.frontier_columns(rows, found.recommended)
        lines += [*wrap(f"{optimum.FRONTIER}:", width, "  "), *whole(columns, width, "-" if ascii_only else "─")]
        lines += [part for text in optimum.frontier_legend(found, rows) for part in wrap(text, width, "  ")]
        lines.append("")
    rejected = optimum.rejections(found)
    lines += wrapped([Line(f"{optimum.REJECTED}:"), *rejected], width, colour=colour) if rejected else []
    lines += wrapped(optimum.warnings(found), width, colour=colour)
    if found.recommended is not None:
        options = [word for text in optimum.settings(found.recommended) for word in ("--set", text)]
        words = shlex.join(["planner", "compare", visible(plan_path), *map(visible, again), *options])
        lines += [f"{NEXT}:", *command(words, width)]
    text = "\n".join(lines) + "\n"
    return for_terminal(text, ascii_only)
