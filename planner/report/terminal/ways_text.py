"""The GPU nodes of a run rented, reserved and owned, in a terminal."""

from __future__ import annotations

from planner.decide.comparison import Comparison
from planner.decide.ways import Ways
from planner.report.terminal.columns import whole
from planner.report.terminal.comparison_text import NARROWEST
from planner.report.wording import ways as words
from planner.report.wording.figures import visible
from planner.report.wording.wrapping import for_terminal, wrap


def render(comparison: Comparison, ways: Ways, *, width: int, ascii_only: bool, verbose: bool) -> str:
    """The result as lines of at most `width` cells (at least 32). verbose: with every assumption and its source."""
    width = max(width, NARROWEST)
    lines = [*wrap(visible(words.title(comparison.plan_name, ways)), width, "  "), ""]
    lines += [*whole(words.columns(ways), width, "-" if ascii_only else "─"), ""]
    for text in words.notes(ways):
        lines += wrap(f"- {text}", width, "  ")
    if verbose:
        lines += ["", "Assumptions"]
        for entry in ways.assumptions:
            lines += wrap(f"- {words.assumption(entry)}", width, "  ")
    else:
        lines += wrap(
            f"- -v: {len(ways.assumptions)} assumptions with range and source; --set changes them", width, "  "
        )
    text = "\n".join(lines) + "\n"
    return for_terminal(text, ascii_only)
