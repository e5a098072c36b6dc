"""The card of a quote as Markdown, for a message."""

from __future__ import annotations

from planner.report.markdown.escaped import line, md, row
from planner.report.wording.quote import SAVING, THIS, TODAY, Card


def render(card: Card) -> str:
    """The same card gives the same bytes."""
    old, new = card.old, card.new
    rows = [("What", old.what, new.what), ("Cost", old.cost, new.cost), ("Time", old.time, new.time)]
    return "\n".join(
        [
            f"### {md(card.name)}",
            "",
            f"**{md(card.headline)}**",
            "",
            f"| | {TODAY} | {THIS} |",
            "|---|---|---|",
            *(row([name, md(one), md(other)]) for name, one, other in rows),
            "",
            *([line(f"{SAVING}: {card.saving}."), ""] if card.saving else []),
            *(line(text) for text in card.basis),
            "",
        ]
    )
