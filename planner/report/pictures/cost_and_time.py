"""The picture of a comparison: planned cost against days, P10-P90 as whiskers. Scenarios in, SVG out.

Purchase families differ in shape as well as colour, clusters of points are named in words beside the picture,
and what lies beyond an axis ends in an arrow. Colours are classes: the page says them for light, dark and print.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape

from planner.estimate.ranges import Range
from planner.estimate.result import Scenario
from planner.report.pictures.axis import Axis, axis_over
from planner.report.wording.figures import (
    FAMILIES,
    days,
    dollars,
    layout_name,
    short_purchase,
    span,
    tick_label,
    usd,
)

WIDTH, HEIGHT = 960, 470
LEFT, RIGHT, TOP, BOTTOM = 66, 624, 22, 420  # of the plot; names stand to the right of it
LINE = 16  # pixels between two names
NAME = 46  # characters of a name that fit beside the plot in a broad font
FAR_COST = 5  # what is planned beyond this multiple of the best is in the table only


@dataclass(frozen=True, kw_only=True)
class Point:
    """A scenario where it is drawn."""

    rank: int
    scenario: Scenario
    cost: Range
    run: Range
    x: float
    y: float
    aside: float = 0.0  # pixels beside its place, where it would cover another shape


def drawn(scenarios: Sequence[Scenario]) -> list[tuple[int, Scenario, Range, Range]]:
    """What the picture shows, with its rank: complete ones up to FAR_COST times the lowest planned cost. A lower bound
    is not a point."""
    found = _complete(scenarios)
    limit = FAR_COST * min((cost.plan for _, _, cost, _ in found), default=0.0)
    return [entry for entry in found if entry[2].plan <= limit]


def beyond(scenarios: Sequence[Scenario]) -> int:
    """How many complete scenarios are too dear for the picture."""
    return len(_complete(scenarios)) - len(drawn(scenarios))


def _complete(scenarios: Sequence[Scenario]) -> list[tuple[int, Scenario, Range, Range]]:
    return [
        (rank, s, s.cost_usd, s.days)
        for rank, s in enumerate(scenarios, 1)
        if s.feasible and s.complete and s.cost_usd is not None and s.days is not None
    ]


def svg(scenarios: Sequence[Scenario]) -> str:
    """The picture, or nothing where no scenario is feasible and complete."""
    shown = drawn(scenarios)
    if not shown:
        return ""
    across, up, clusters = _placed(shown)
    placed = [point for cluster in clusters for point in cluster]
    points = sorted(placed, key=lambda point: point.rank)
    parts = [*_frame(across, up), *(_whiskers(point, across, up) for point in points), *_names(clusters)]
    # the best is drawn last, so that nothing covers it
    parts += [_mark(point) for point in sorted(placed, key=lambda point: -point.rank)]
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-labelledby="chart-title chart-desc" class="chart">\n'
        f'<title id="chart-title">Cost against time of {len(points)} scenarios</title>\n'
        f'<desc id="chart-desc">{escape(_described(points))}</desc>\n' + "\n".join(parts) + "\n</svg>"
    )


def names(scenarios: Sequence[Scenario]) -> list[str]:
    """What the picture's points are, from top to bottom, for where its own words do not fit."""
    shown = drawn(scenarios)
    if not shown:
        return []
    clusters = _placed(shown)[2]
    layouts = {layout_name(s) for _, s, _, _ in shown}
    return [_cluster_name(cluster, layouts) for cluster in sorted(clusters, key=lambda c: c[0].y)]


def _placed(shown: Sequence[tuple[int, Scenario, Range, Range]]) -> tuple[Axis, Axis, list[list[Point]]]:
    """The axes, and the points on them in clusters."""
    across = axis_over([run for *_, run in shown], LEFT, RIGHT)
    up = axis_over([cost for _, _, cost, _ in shown], BOTTOM, TOP)
    points = [
        Point(rank=rank, scenario=s, cost=cost, run=run, x=across.at(run.plan), y=up.at(cost.plan))
        for rank, s, cost, run in shown
    ]
    return across, up, [_side_by_side(cluster) for cluster in _clusters(points)]


def glyph(name: str, x: float, y: float, size: float = 6) -> str:
    """The shape of a purchase family."""
    if name == "on-demand":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{size:g}"/>'
    s = size * 1.15
    outline = {
        "spot": ((0, -s * 1.15), (s * 1.15, 0), (0, s * 1.15), (-s * 1.15, 0)),
        "capacity-block": ((-s, -s), (s, -s), (s, s), (-s, s)),
        "ri": ((0, -s * 1.1), (s * 1.1, s), (-s * 1.1, s)),
    }.get(name, ((0, s * 1.1), (s * 1.1, -s), (-s * 1.1, -s)))
    return '<polygon points="{}"/>'.format(" ".join(f"{x + dx:.1f},{y + dy:.1f}" for dx, dy in outline))


def legend(scenarios: Sequence[Scenario]) -> list[tuple[str, str, str]]:
    """(family, its name, its shape as an SVG) of what is drawn, for the legend of the page."""
    there = {s.option.family for _, s, _, _ in drawn(scenarios)}
    return [
        (key, name, f'<svg viewBox="0 0 18 18" aria-hidden="true" class="key f-{key}">{glyph(key, 9, 9)}</svg>')
        for key, name in FAMILIES.items()
        if key in there
    ]


def _frame(across: Axis, up: Axis) -> list[str]:
    parts = []
    for tick in up.ticks():
        y = up.at(tick)
        parts.append(f'<path class="grid" d="M{LEFT} {y:.1f}H{RIGHT}"/>')
        parts.append(f'<text class="tick" x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">${tick_label(tick)}</text>')
    for tick in across.ticks():
        x = across.at(tick)
        parts.append(f'<path class="grid" d="M{x:.1f} {TOP}V{BOTTOM}"/>')
        parts.append(f'<text class="tick" x="{x:.1f}" y="{BOTTOM + 18}" text-anchor="middle">{tick:,g}</text>')
    parts.append(f'<path class="axis" d="M{LEFT} {TOP}V{BOTTOM}H{RIGHT}"/>')
    scale = ", logarithmic" if across.log else ""
    middle = (LEFT + RIGHT) / 2
    parts.append(f'<text class="label" x="{middle:g}" y="{HEIGHT - 8}" text-anchor="middle">Days{scale}</text>')
    scale = ", logarithmic" if up.log else ""
    parts.append(f'<text class="label" x="6" y="12">Cost of the finished run, USD{scale}</text>')
    return parts


def _whiskers(point: Point, across: Axis, up: Axis) -> str:
    """P10-P90 of both, with an arrow where the axis ends first."""
    left, right = across.at(point.run.p10), across.at(point.run.p90)
    bottom, top = up.at(point.cost.p10), up.at(point.cost.p90)
    path = f"M{left:.1f} {point.y:.1f}H{right:.1f}M{point.x:.1f} {bottom:.1f}V{top:.1f}"
    if point.run.p90 > across.high:
        path += f"m0 0M{right - 7:.1f} {point.y - 4:.1f}l7 4l-7 4"
    if point.cost.p90 > up.high:
        path += f"M{point.x - 4:.1f} {top + 7:.1f}l4 -7l4 7"
    return f'<path class="whisker f-{point.scenario.option.family}" d="{path}"/>'


def _mark(point: Point) -> str:
    s = point.scenario
    text = (
        f"#{point.rank} {s.id}: ${dollars(point.cost.plan)} planned, P10-P90 ${dollars(point.cost.p10)} to "
        f"{usd(point.cost.p90)}; {days(point.run.plan)} days, P10-P90 {span(point.run, days)}"
    )
    name = s.option.family
    shape = glyph(name, point.x + point.aside, point.y)
    return f'<g class="point f-{name}" data-rank="{point.rank}"><title>{escape(text)}</title>{shape}</g>'


def _clusters(points: list[Point]) -> list[list[Point]]:
    """Points too near to each other to be told apart, from top to bottom."""
    clusters: list[list[Point]] = []
    for point in sorted(points, key=lambda p: (p.y, p.x, p.rank)):
        for cluster in clusters:
            if abs(cluster[-1].y - point.y) < 9 and abs(cluster[0].x - point.x) < 14:
                cluster.append(point)
                break
        else:
            clusters.append([point])
    return clusters


def _side_by_side(cluster: list[Point]) -> list[Point]:
    """The same points, each family a little aside, so that no shape covers another."""
    there = sorted({point.scenario.option.family for point in cluster})
    middle = (len(there) - 1) / 2
    return [replace(p, aside=(there.index(p.scenario.option.family) - middle) * 13) for p in cluster]


def _names(clusters: list[list[Point]]) -> list[str]:
    """One name for each cluster of points, in a column beside the plot, joined to it by a dotted line."""
    layouts = {layout_name(point.scenario) for cluster in clusters for point in cluster}
    wanted = [sum(p.y for p in cluster) / len(cluster) for cluster in clusters]
    parts = []
    for cluster, y, name_y in zip(clusters, wanted, _apart(wanted), strict=True):
        x = max(point.x + point.aside for point in cluster)
        parts.append(f'<path class="lead" d="M{x + 10:.1f} {y:.1f}H{RIGHT}L{RIGHT + 22} {name_y:.1f}h4"/>')
        text = escape(_cluster_name(cluster, layouts))
        parts.append(f'<text class="name" x="{RIGHT + 30}" y="{name_y + 4:.1f}">{text}</text>')
    return parts


def _apart(wanted: list[float]) -> list[float]:
    """Heights in rising order, at least a line apart and inside the picture where they fit."""
    placed: list[float] = []
    for y in wanted:
        placed.append(max(y, placed[-1] + LINE if placed else TOP - 8))
    limit = float(BOTTOM + 30)
    for i in reversed(range(len(placed))):
        placed[i] = min(placed[i], limit)
        limit = placed[i] - LINE
    return placed


def _cluster_name(cluster: list[Point], layouts: set[str]) -> str:
    """`#9-16 RI 1y std, SP 1y inst: every layout`: rank, purchase and layout; counts where names have no room."""
    ranked = sorted(cluster, key=lambda p: p.rank)
    ranks = _ranks([point.rank for point in ranked])
    there = list(dict.fromkeys(layout_name(point.scenario) for point in ranked))
    names = "every layout" if len(there) > 2 and set(there) == layouts else _few(there, 26)
    options = list(dict.fromkeys(short_purchase(point.scenario.option) for point in ranked))
    bought = _few(options, 24)
    if len(ranks) + len(bought) + len(names) > NAME - 3 and len(there) > 1:
        names = f"{len(there)} layouts"
    if len(ranks) + len(bought) + len(names) > NAME - 3 and len(options) > 1:
        bought = f"{len(options)} options"
    return f"{ranks} {bought}: {names}"


def _few(names: list[str], room: int) -> str:
    text = ", ".join(names)
    return text if len(text) <= room or len(names) == 1 else f"{names[0]} and {len(names) - 1} more"


def _ranks(ranks: list[int]) -> str:
    """1, 2, 3, 7 as #1-3, 7."""
    runs: list[list[int]] = []
    for rank in ranks:
        if runs and rank == runs[-1][-1] + 1:
            runs[-1].append(rank)
        else:
            runs.append([rank])
    return "#" + ", ".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)


def _described(points: list[Point]) -> str:
    first, last = points[0], points[-1]
    return (
        f"Each point is a scenario at its planned days and cost; whiskers run from P10 to P90. The lowest planned cost "
        f"is {first.scenario.id} at ${dollars(first.cost.plan)} and {days(first.run.plan)} days, the highest "
        f"{last.scenario.id} at ${dollars(last.cost.plan)} and {days(last.run.plan)} days. "
        "The comparison table below has every number."
    )
