"""The card of a quote as a picture for a slide: a bar for each way, from nothing to what 9 of 10 outcomes cost less."""

from __future__ import annotations

import math
from html import escape

from planner.report.wording.figures import usd, visible
from planner.report.wording.quote import SAVING, Card, Way
from planner.report.wording.wrapping import wrap

WIDTH, LEFT, RIGHT, TOP, ROW, BAR = 960, 32, 928, 40, 150, 34


def svg(card: Card) -> str:
    """A file of its own, 960 wide, black on white. The bar ends at the P50, the thin line spans P10 to P90."""
    ends = [value for way in (card.old, card.new) for value in (way.p50, way.p90) if math.isfinite(value)]
    scale = (RIGHT - LEFT - 110) / max([*ends, 1e-9])
    parts, y = [], TOP
    head = [*_lines(card.name, 70, "name"), *_lines(card.headline, 62, "head")]
    for text, kind in head:
        parts.append(_text(LEFT, y, text, kind))
        y += 34 if kind == "head" else 30
    y += 6
    for way, kind in ((card.old, "old"), (card.new, "new")):
        parts += _way(way, kind, y, scale)
        y += ROW
    foot = [f"{SAVING}: {card.saving}."] if card.saving else []
    for text, kind in (one for said in (*foot, *card.basis) for one in _lines(said, 125, "small")):
        parts.append(_text(LEFT, y, text, kind))
        y += 20
    desc = " ".join([card.headline, *(f"{way.title}: {way.what}, {way.cost}." for way in (card.old, card.new))])
    return "\n".join(
        [
            '<?xml version="1.0" encoding="UTF-8"?>',
            f'<svg viewBox="0 0 {WIDTH} {y + 8}" role="img" aria-labelledby="title desc" '
            'xmlns="http://www.w3.org/2000/svg">',
            _STYLE,
            f'<title id="title">{escape(visible(card.name))}: your way today against this plan</title>',
            f'<desc id="desc">{escape(visible(desc))}</desc>',
            *parts,
            "</svg>\n",
        ]
    )


def _lines(text: str, width: int, kind: str) -> list[tuple[str, str]]:
    return [(line, kind) for line in wrap(visible(text), width)]


def _text(x: float, y: float, text: str, kind: str) -> str:
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}">{escape(text)}</text>'


def _way(way: Way, kind: str, y: int, scale: float) -> list[str]:
    bar, middle = y + 30, y + 30 + BAR / 2
    end = RIGHT - 100 if math.isinf(way.p90) else LEFT + way.p90 * scale
    width = end - LEFT if math.isinf(way.p50) else way.p50 * scale
    parts = [
        _text(LEFT, y + 8, way.title, "title"),
        f'<rect class="{kind}" x="{LEFT}" y="{bar}" width="{width:.1f}" height="{BAR}"/>',
    ]
    if way.p10 < way.p90:
        low = LEFT + way.p10 * scale
        parts.append(f'<line x1="{low:.1f}" y1="{middle}" x2="{end:.1f}" y2="{middle}"/>')
    parts.append(_text(max(end, LEFT + width) + 10, middle + 6, usd(way.p50), "title"))
    said = [*_lines(way.what, 115, "small"), *_lines(f"{way.cost}; {way.time}", 115, "small")]
    return parts + [_text(LEFT, bar + BAR + 22 + 19 * at, text, name) for at, (text, name) in enumerate(said)]


_STYLE = """<style>
svg { background: #ffffff; font: 14px system-ui, sans-serif; }
text { fill: #454d56; } .head { fill: #000000; font-size: 26px; font-weight: 600; } .name { font-size: 17px; }
.title { fill: #000000; font-size: 17px; font-weight: 600; }
.old { fill: #b9c0c7; } .new { fill: #5b8fc9; } line { stroke: #000000; stroke-width: 2; }
</style>"""
