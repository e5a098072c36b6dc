"""The picture of a fleet's year: how many nodes of each type are busy in each month, under those that stand."""

from __future__ import annotations

from html import escape

from planner.fleet.result import FleetScenario

WIDTH, LEFT, RIGHT, ROW, BARS = 480, 8, 472, 92, 52


def drawn(scenario: FleetScenario) -> str:
    """One row a type. Its colours are the page's own, so that it is read in the dark and on paper."""
    height = ROW * len(scenario.nodes) + 8
    rows = [_row(scenario, at, name, count) for at, (name, count) in enumerate(scenario.nodes)]
    return "\n".join(
        (
            f'<svg viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" style="max-width: 100%; height: auto" role="img" '
            'aria-labelledby="months-title months-desc" '
            'font-size="11" fill="currentColor" xmlns="http://www.w3.org/2000/svg">',
            '<title id="months-title">Busy nodes by month, under those that stand</title>',
            f'<desc id="months-desc">{escape(described(scenario))}</desc>',
            *(line for row in rows for line in row),
            "</svg>",
        )
    )


def described(scenario: FleetScenario) -> str:
    """The picture in words, for those who do not see it."""
    said = []
    for at, (name, count) in enumerate(scenario.nodes):
        busy = [month.nodes_busy[at] for month in scenario.months]
        stand = f" of {count:,}" if count else ""
        said.append(f"{name}: {min(busy):,.0f} to {max(busy):,.0f}{stand} nodes are busy on average in a month.")
    return " ".join(said)


def _row(scenario: FleetScenario, at: int, name: str, count: int) -> list[str]:
    busy = [month.nodes_busy[at] for month in scenario.months]
    top, each = max(count, *busy, 1.0), (RIGHT - LEFT) / len(busy)
    title, floor = at * ROW + 14, at * ROW + 24 + BARS
    stand = f"{count:,} {name} stand" if count else f"{name} as jobs ask for them"
    named = dict.fromkeys((0, len(busy) - 1))  # the first and the last month, once where they are one
    marks = [
        f'<text x="{LEFT + each * (month + 0.5):.1f}" y="{floor + 12}" text-anchor="middle">{month + 1}</text>'
        for month in named
    ]
    bars = [
        f'<rect x="{LEFT + each * month + 1:.1f}" y="{floor - BARS * value / top:.1f}" width="{each - 2:.1f}" '
        f'height="{BARS * value / top:.1f}" fill-opacity="0.45"/>'
        for month, value in enumerate(busy)
    ]
    line = floor - BARS * count / top
    over = f'<path d="M{LEFT} {line:.1f}H{RIGHT}" stroke="currentColor" stroke-dasharray="4 3" fill="none"/>'
    text = f"{stand}; busy in a month: {min(busy):,.0f} to {max(busy):,.0f}"
    return [f'<text x="{LEFT}" y="{title}">{escape(text)}</text>', *bars, *([over] if count else []), *marks]
