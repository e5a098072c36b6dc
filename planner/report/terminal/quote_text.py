"""The card of a quote in a terminal."""

from __future__ import annotations

from planner.report.wording.figures import visible
from planner.report.wording.quote import SAVING, Card
from planner.report.wording.wrapping import for_terminal, wrap


def render(card: Card, *, width: int, ascii_only: bool) -> str:
    """The card in lines of at most `width` cells."""
    lines = wrap(visible(card.name), width) + wrap(card.headline, width) + [""]
    for way in (card.old, card.new):
        lines += wrap(f"{way.title}: {visible(way.what)}", width, "  ")
        lines += wrap(f"  {way.cost}; {way.time}", width, "  ")
    lines += wrap(f"{SAVING}: {card.saving}", width, "  ") if card.saving else []
    lines += ["", *(line for text in card.basis for line in wrap(text, width, "  "))]
    text = "\n".join(lines) + "\n"
    return for_terminal(text, ascii_only)
