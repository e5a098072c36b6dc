"""What past demand says, in a terminal."""

from __future__ import annotations

from planner.demand.shown import HoursShown, JobsShown
from planner.report.terminal.comparison_text import NARROWEST
from planner.report.wording import demand as words
from planner.report.wording.wrapping import for_terminal, wrap


def render(shown: JobsShown | HoursShown, file: str, *, width: int, ascii_only: bool) -> str:
    """The result as lines of at most `width` cells (at least 32)."""
    width = max(width, NARROWEST)
    lines = wrap(words.title(shown), width, "")
    for name, value in words.facts(shown):
        lines += wrap(f"{name}: {value}", width, "  ")
    for heading, said in (("How far to trust it", words.trust(shown)), ("Next", words.next_steps(shown, file))):
        lines += ["", heading, *(part for text in said for part in wrap(text, width, "  "))]
    text = "\n".join(lines) + "\n"
    return for_terminal(text, ascii_only)
