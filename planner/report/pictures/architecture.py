"""The picture of a stack: its zone and subnets with their parts, S3, and the guard. Graph in, SVG out.

Reads a resource graph as plain data. Every figure in it is an input or a bill line of a resource.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from html import escape
from typing import Any

from planner.report.data.resource_graph import by_component, usd_per_hour
from planner.report.pictures.architecture_cards import (
    BAND,
    LINE,
    PAD,
    Card,
    Facts,
    control,
    given,
    guard,
    nat,
    private,
    storage,
)
from planner.report.wording import stack_picture as words
from planner.report.wording.figures import visible
from planner.report.wording.wrapping import cut, wrap

WIDTH = 960
MARGIN, GAP = 16, 14
ZONE = 668  # width of the zone's box
PER_CHARACTER = 6.9  # pixels per character at 12 px in a wide font
NODES_DRAWN = 40

# colors of a file of its own, and of the report's page, which has a dark mode
IN_A_FILE = {
    "ground": "#ffffff", "zone": "#f7f7f5", "edge": "#8b95a1", "rule": "#c9ced4", "card": "#f2f4f6",
    "bar": "#1d4f86", "node": "#4f86c2", "line": "#56606b", "text": "#3c454f", "ink": "#1a1f26",
}  # fmt: skip
ON_THE_PAGE = {
    "ground": "var(--sheet)", "zone": "var(--ground)", "edge": "var(--strong)", "rule": "var(--rule)",
    "card": "var(--tint)", "bar": "var(--accent)", "node": "var(--low)", "line": "var(--muted)",
    "text": "var(--muted)", "ink": "var(--ink)",
}  # fmt: skip
STYLE = """
  .a-ground { fill: %(ground)s } .a-zone { fill: %(zone)s; stroke: %(edge)s; stroke-dasharray: 5 4 }
  .a-subnet { fill: %(ground)s; stroke: %(rule)s } .a-card { fill: %(card)s; stroke: %(edge)s }
  .a-bar { fill: %(bar)s } .a-node { fill: %(node)s } .a-line { stroke: %(line)s; fill: none; stroke-width: 1.25 }
  .a-tip { fill: %(line)s } .a-pool { fill: %(ground)s; stroke: %(node)s; stroke-width: 2 }
  .a-below { fill: %(ground)s; stroke: %(edge)s; stroke-dasharray: 3 3 }
  text.a { font: 12px system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif }
  text.a { fill: %(text)s }
  text.a-name { font-weight: 600; fill: %(ink)s } text.a-title { font-size: 17px; font-weight: 600; fill: %(ink)s }
  text.a-usd { fill: %(bar)s; font-weight: 600; font-variant-numeric: tabular-nums }
"""


def svg(graph: Mapping[str, Any], colours: Mapping[str, str] = IN_A_FILE, *, stored_usd: float | None = None) -> str:
    """The picture, 960 wide, with a title and a description for screen readers; a file of its own, or a part of a page
    in that page's colors. stored_usd: see `resources_text.table`."""
    facts = Facts(graph, stored_usd)
    stack = graph["stack"]
    every = [entry for entries in by_component(graph).values() for entry in entries]
    title = words.title(str(stack["name"]))
    summary = words.summary(str(stack["scenario"]), len(every), usd_per_hour(every))
    parts: list[str] = []
    bottom = _zone(facts, 64, parts)
    bottom = max(bottom, _beside(facts, 64, parts))
    height = bottom + MARGIN
    text = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        'role="img" aria-labelledby="a-title a-desc">',
        f'<title id="a-title">{escape(title)}</title>',
        f'<desc id="a-desc">{escape(_described(facts, summary))}</desc>',
        f"<style>{STYLE % colours}</style>",
        f'<rect class="a-ground" width="{WIDTH}" height="{height}"/>',
        _text(MARGIN, 26, title, "a-title"),
        _text(MARGIN, 48, cut(summary, 130)),
        *parts,
        "</svg>",
    ]
    return "\n".join(text) + "\n"


def _described(facts: Facts, summary: str) -> str:
    """The picture as text: every card with its lines."""
    cards = (*private(facts), *control(facts), nat(facts), *storage(facts), guard(facts))
    texts = (
        f"{card.title} ({', '.join((*card.lines, *card.bands, *([card.usd] if card.usd else [])))})" for card in cards
    )
    return visible(f"{summary}. " + "; ".join(texts) + ".")


def _zone(facts: Facts, top: int, parts: list[str]) -> int:
    """The zone's box with its three subnets; returns its lower edge."""
    inner, wide = MARGIN + PAD, ZONE - 2 * PAD
    held: list[str] = []
    zone = given(str(facts.of("network-subnet-nodes", "availabilityZoneId")), words.NOT_CHOSEN)
    y = top + 34
    cards = private(facts)
    each = (wide - 2 * PAD - GAP * (len(cards) - 1)) // len(cards)
    cards = tuple(_wrapped(card, each) for card in cards)
    tall = max(card.height for card in cards)
    endpoints = facts.starting("network-endpoint-")
    gateway = facts.has("network-gateway-s3")
    under = y + 30 + tall + (LINE + 10 if endpoints or gateway else 0)
    held += _box(inner, y, wide, under + PAD - y, "a-subnet", _subnet(facts, "nodes"))
    for number, card in enumerate(cards):
        held += _card(card, inner + PAD + number * (each + GAP), y + 30, each, tall)
    names = [str(entry["name"]).removeprefix("network-endpoint-") for entry in endpoints]
    if names:
        held.append(_text(inner + PAD, under, cut(words.endpoints(names, usd_per_hour(endpoints)), 66)))
    if gateway:
        held.append(_text(inner + wide - PAD, under, words.GATEWAY, anchor="end"))
        # from the subnet's edge to the bucket beside the zone
        held.append(_arrow([(inner + wide, under - 4), (_right() - 14, under - 4), (_right() - 14, top + 40)]))
    low = under + PAD + GAP
    bottoms = []
    halves = [*((card, "control") for card in control(facts)), (nat(facts), "public")]
    half = (wide - GAP * (len(halves) - 1)) // len(halves)
    for number, (full, subnet) in enumerate(halves):
        x, card = inner + number * (half + GAP), _wrapped(full, half - 2 * PAD)
        held += _box(x, low, half, card.height + 30 + PAD, "a-subnet", _subnet(facts, subnet))
        held += _card(card, x + PAD, low + 30, half - 2 * PAD, card.height)
        bottoms.append(low + card.height + 30 + PAD)
    bottom = max(bottoms) + PAD
    vpc = words.zone(zone, facts.of("network-vpc", "cidrBlock"))
    parts += _box(MARGIN, top, ZONE, bottom - top, "a-zone", vpc)
    parts += held
    return bottom


def _right() -> int:
    return MARGIN + ZONE + 28


def _beside(facts: Facts, top: int, parts: list[str]) -> int:
    """S3 and the guard, to the right of the zone; returns their lower edge."""
    x, y = _right(), top
    wide = WIDTH - MARGIN - x
    for full in (*storage(facts), guard(facts)):
        card = _wrapped(full, wide)
        parts += _card(card, x, y, wide, card.height)
        y += card.height + GAP
    return y - GAP


def _subnet(facts: Facts, part: str) -> str:
    return words.subnet(part, facts.of(f"network-subnet-{part}", "cidrBlock"))


def _wrapped(card: Card, wide: int) -> Card:
    """The card with its lines broken to fit its width."""
    room = int((wide - 2 * PAD) / PER_CHARACTER)
    return replace(card, lines=tuple(part for line in card.lines for part in wrap(visible(line), room)))


def _card(card: Card, x: int, y: int, wide: int, tall: int) -> Iterator[str]:
    room = int((wide - 2 * PAD) / PER_CHARACTER)
    yield f'<rect class="a-card" x="{x}" y="{y}" width="{wide}" height="{tall}" rx="4"/>'
    yield f'<rect class="a-bar" x="{x}" y="{y}" width="4" height="{tall}" rx="2"/>'
    at = y + PAD + 9
    yield _text(x + PAD, at, cut(visible(card.title), room - len(card.usd) - 1), "a-name")
    if card.usd:
        yield _text(x + wide - PAD, at, card.usd, "a-usd", anchor="end")
    for line in card.lines:
        at += LINE
        yield _text(x + PAD, at, line)
    drawn = min(card.nodes, NODES_DRAWN, (wide - 2 * PAD - 30) // 9)
    for number in range(drawn):
        yield f'<rect class="a-node" x="{x + PAD + 9 * number}" y="{at + 9}" width="6" height="10" rx="1"/>'
    if drawn < card.nodes:
        yield _text(x + PAD + 9 * drawn + 2, at + 18, "...")
    at += 24
    for number, band in enumerate(card.bands):
        style = "a-pool" if number == 0 else "a-below"
        yield f'<rect class="{style}" x="{x + PAD}" y="{at}" width="{wide - 2 * PAD}" height="{BAND - 6}" rx="3"/>'
        yield _text(x + PAD + 8, at + 16, cut(band, room - 1), "a-name" if number == 0 else "")
        at += BAND - 3


def _box(x: int, y: int, wide: int, tall: int, style: str, title: str) -> Iterator[str]:
    yield f'<rect class="{style}" x="{x}" y="{y}" width="{wide}" height="{tall}" rx="6"/>'
    yield _text(x + PAD, y + 20, cut(title, int((wide - 2 * PAD) / PER_CHARACTER)))


def _arrow(points: list[tuple[int, int]]) -> str:
    """A line with a tip at its end, which points to the right."""
    x, y = points[-1]
    path = " ".join(f"{a},{b}" for a, b in [*points, (x + 8, y)])
    tip = f"{x + 13},{y} {x + 6},{y - 4} {x + 6},{y + 4}"
    return f'<polyline class="a-line" points="{path}"/><polygon class="a-tip" points="{tip}"/>'


def _text(x: int, y: int, text: str, style: str = "", anchor: str = "") -> str:
    extra = f' text-anchor="{anchor}"' if anchor else ""
    name = f"a {style}".strip()
    return f'<text class="{name}" x="{x}" y="{y}"{extra}>{escape(text)}</text>'
