"""The result of `simulate PLAN` in a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from planner.decide.spot_runs import SpotRuns
from planner.report.terminal.columns import whole
from planner.report.terminal.comparison_text import NARROWEST
from planner.report.wording import spot_runs as words
from planner.report.wording.wrapping import for_terminal, wrap


def render(found: Sequence[SpotRuns], *, width: int, ascii_only: bool) -> str:
    """The result as lines of at most `width` cells (at least 32)."""
    width = max(width, NARROWEST)
    lines: list[str] = []
    for one in found:
        lines += [*wrap(words.title(one), width, "  "), ""]
        lines += [*whole(words.columns(one), width, "-" if ascii_only else "─"), ""]
        for text in filter(None, (words.agreement(one), words.saving(one))):
            lines += wrap(text, width, "  ")
    notes = [words.LEGEND, *([] if found[0].closed else [words.PLANNED_PRICE])]
    text = "\n".join([*lines, *(line for note in notes for line in wrap(note, width, "  "))]) + "\n"
    return for_terminal(text, ascii_only)
