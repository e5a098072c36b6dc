"""The picture of one job on spot capacity: a row for each rule, from its start to the deadline."""

from __future__ import annotations

from html import escape

from planner.report.pictures.axis import Axis
from planner.spot.simulate import OPTIMUM, POLICIES, Run
from planner.spot.timeline import ON_DEMAND, SPOT, STARTING, WAITING, Stretch, Timeline, timeline
from planner.spot.trace import SECONDS_PER_HOUR, spells_of

WIDTH, LEFT, RIGHT = 960, 250, 890
TOP, ROW, BAR = 64, 30, 18
# class and height of what a job does: shapes differ, so that the picture reads without colours
SHAPES = {WAITING: ("waiting", 2), STARTING: ("starting", BAR // 2), SPOT: ("spot", BAR), ON_DEMAND: ("on-demand", BAR)}


def alone(run: Run) -> str:
    """The first job of a run as a file of its own, by each rule that was simulated."""
    rules = [POLICIES[result.policy] for result in run.results if result.policy != OPTIMUM]
    rows = [timeline(run.first, run.job, rule) for rule in rules]
    deadline = run.job.deadline / SECONDS_PER_HOUR
    axis = Axis(low=0.0, high=deadline, start=LEFT, end=RIGHT, log=False)
    tick_hours = run.job.gap / SECONDS_PER_HOUR
    height = TOP + ROW * (len(rows) + 1) + 40
    title = (
        f"One job on {run.series}, from tick {run.starts[0]} to its deadline after {deadline:g} h; "
        "cost as a share of On-Demand"
    )
    parts = [
        f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-labelledby="title desc" '
        f'xmlns="http://www.w3.org/2000/svg">',
        _STYLE,
        f'<title id="title">{escape(title)}</title>',
        f'<desc id="desc">{escape(_described(rows, tick_hours))}</desc>',
        f'<text class="name" x="16" y="22">{escape(title)}</text>',
        *_legend(),
        *_grid(axis, height),
        *_capacity(run, axis, tick_hours),
    ]
    for at, row in enumerate(rows, 1):
        parts += _row(row, axis, tick_hours, TOP + ROW * at)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + "\n".join([*parts, "</svg>"]) + "\n"


def _described(rows: list[Timeline], tick_hours: float) -> str:
    """The picture in words, for those who do not see it."""
    return " ".join(
        f"{row.policy}: done after {row.stretches[-1].end * tick_hours:.1f} h, "
        f"{_hours(row, SPOT, tick_hours):.1f} h of work on spot and {_hours(row, ON_DEMAND, tick_hours):.1f} h "
        f"On-Demand, cost {row.cost_fraction:.3f} of On-Demand."
        for row in rows
    )


def _hours(row: Timeline, what: str, tick_hours: float) -> float:
    return sum(one.end - one.begin for one in row.stretches if one.what == what) * tick_hours


def _legend() -> list[str]:
    parts = []
    for at, (what, (name, height)) in enumerate(SHAPES.items()):
        x = LEFT + 130 * at
        parts.append(_rect(name, x, 34 + (BAR - height) / 2, 24, height))
        parts.append(f'<text x="{x + 30}" y="47">{what}</text>')
    return parts


def _grid(axis: Axis, height: int) -> list[str]:
    bottom = height - 32
    parts = []
    for hour in axis.ticks():
        x = axis.at(hour)
        parts.append(f'<line class="grid" x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{bottom}"/>')
        parts.append(f'<text x="{x:.1f}" y="{bottom + 16}" text-anchor="middle">{hour:g} h</text>')
    return [*parts, f'<text x="{RIGHT + 14}" y="{TOP - 4}">cost</text>']


def _capacity(run: Run, axis: Axis, tick_hours: float) -> list[str]:
    """When there was spot."""
    spells = spells_of(run.first[: run.job.ticks])
    parts = [f'<text class="name" x="{LEFT - 12}" y="{TOP + 17}" text-anchor="end">spot capacity</text>']
    for up, start, length in zip(spells.up, spells.start, spells.length, strict=True):
        if up:
            left, right = axis.at(float(start) * tick_hours), axis.at(float(start + length) * tick_hours)
            parts.append(_rect("capacity", left, TOP + 8, right - left, 8))
    return parts


def _row(row: Timeline, axis: Axis, tick_hours: float, top: int) -> list[str]:
    parts = [f'<text class="name" x="{LEFT - 12}" y="{top + 17}" text-anchor="end">{escape(row.policy)}</text>']
    parts += [_stretch(one, axis, tick_hours, top) for one in row.stretches]
    return [*parts, f'<text x="{RIGHT + 14}" y="{top + 17}">{row.cost_fraction:.3f}</text>']


def _stretch(one: Stretch, axis: Axis, tick_hours: float, top: int) -> str:
    name, height = SHAPES[one.what]
    left, right = axis.at(one.begin * tick_hours), axis.at(one.end * tick_hours)
    return _rect(name, left, top + 4 + (BAR - height) / 2, right - left, height)


def _rect(name: str, x: float, y: float, width: float, height: float) -> str:
    return f'<rect class="{name}" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"/>'


_STYLE = """<style>
svg { background: #ffffff; font: 12px system-ui, sans-serif; }
text { fill: #454d56; } .name { fill: #000000; font-size: 12.5px; }
.grid { stroke: #dadfe4; }
.capacity { fill: #767f89; } .waiting { fill: #767f89; } .starting { fill: #000000; }
.spot { fill: #5b8fc9; } .on-demand { fill: #b3470b; }
</style>"""
