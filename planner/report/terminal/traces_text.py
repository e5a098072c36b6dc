"""What recordings of spot capacity say, in a terminal: a table, then what it cannot show."""

from __future__ import annotations

from planner.report.terminal.columns import whole
from planner.report.terminal.comparison_text import NARROWEST
from planner.report.wording import traces as words
from planner.report.wording.wrapping import for_terminal, wrap
from planner.spot.shown import Recordings


def render(found: Recordings, *, width: int, ascii_only: bool) -> str:
    """The result as lines of at most `width` cells (at least 32)."""
    width = max(width, NARROWEST)
    rule = "-" if ascii_only else "─"
    lines = whole(words.columns(found.shown), width, rule)
    if found.zones is not None:
        lines += ["", *wrap(words.zones(found.zones), width, "  ")]
    if any(one.generator is not None for one in found.shown):
        lines += ["", *whole(words.laws(found.shown), width, rule), "", *wrap(words.LAWS, width, "  ")]
    said = words.missing(found.shown)
    lines += ["", *(part for text in said for part in wrap(text, width, "  "))] if said else []
    counted = words.as_counted(found.shown)
    lines += ["", *wrap(counted, width, "  ")] if counted else []
    text = "\n".join(lines) + "\n"
    return for_terminal(text, ascii_only)
