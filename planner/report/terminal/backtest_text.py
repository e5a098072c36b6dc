"""The result of `backtest` in a terminal: every case, then the reasons, the counts and the coverage."""

from __future__ import annotations

from planner.evidence.replay import CONTRADICTED, NOT_ASKED, Backtest
from planner.report.terminal.columns import whole
from planner.report.terminal.comparison_text import BOLD, NARROWEST, PLAIN
from planner.report.wording import backtest as words
from planner.report.wording.wrapping import for_terminal, wrap


def render(found: Backtest, *, width: int, colour: bool, ascii_only: bool) -> str:
    """The result as lines of at most `width` cells (at least 32)."""
    width = max(width, NARROWEST)
    lines = whole(words.columns(found.results, width), width, "-" if ascii_only else "─")
    for verdict in (CONTRADICTED, NOT_ASKED):
        said = words.sentences(found, verdict)
        if said:
            lines += ["", f"{verdict.capitalize()}:"]
            lines += [part for text in said for part in wrap(f"  - {text}", width, "    ")]
    said = words.refusals(found)
    if said:
        lines += ["", f"{words.REFUSED}:", *(part for text in said for part in wrap(f"  - {text}", width, "    "))]
    told = [part for text in (words.counts(found), *words.coverage(found)) for part in wrap(text, width, "  ")]
    lines += ["", *([f"{BOLD}{text}{PLAIN}" for text in told] if colour else told)]
    text = "\n".join(lines) + "\n"
    return for_terminal(text, ascii_only)
