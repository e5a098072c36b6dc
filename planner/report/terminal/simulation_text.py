"""The result of `simulate` in a terminal: a table for each series, then what the columns mean."""

from __future__ import annotations

from collections.abc import Sequence

from planner.report.terminal.columns import whole
from planner.report.terminal.comparison_text import NARROWEST
from planner.report.wording import simulation as words
from planner.report.wording.wrapping import for_terminal, wrap
from planner.spot.simulate import Run


def render(runs: Sequence[Run], *, width: int, ascii_only: bool) -> str:
    """The result as lines of at most `width` cells (at least 32)."""
    width = max(width, NARROWEST)
    lines: list[str] = []
    for run in runs:
        lines += [*wrap(words.title(run), width, "  "), ""]
        lines += [*whole(words.columns(run), width, "-" if ascii_only else "─"), ""]
    text = "\n".join([*lines, *wrap(words.LEGEND, width, "  ")]) + "\n"
    return for_terminal(text, ascii_only)
