"""The picture of one interrupted job: queue, downloads, work with its checkpoints, lost work, stalls, node by node."""

from __future__ import annotations

from html import escape
from itertools import pairwise

from planner.report.pictures.axis import Axis
from planner.report.wording import worker_pool as words
from planner.worker_pool.result import Interrupted, PoolScenario
from planner.worker_pool.run import Attempt

WIDTH, LEFT, RIGHT, TOP, ROW, BAR = 960, 120, 930, 92, 34, 18
MOST_CHECKPOINTS = 200  # marks that can be told apart
LEGEND = (
    ("work", "work kept"),
    ("lost", "work lost"),
    ("load", "download"),
    ("stall", "until it is noticed"),
    ("queue", "waits for a node"),
)


def alone(scenario: PoolScenario) -> str:
    """As a file of its own."""
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + drawn(scenario)


def drawn(scenario: PoolScenario) -> str:
    """The most interrupted job of a scenario; where none was interrupted, that is said in its place."""
    job = scenario.interrupted
    if job is None:
        text = f"{scenario.id}: no job was interrupted in any run"
        return (
            f'<svg viewBox="0 0 {WIDTH} 60" role="img" aria-labelledby="job-title" '
            f'xmlns="http://www.w3.org/2000/svg">\n{_STYLE}\n<title id="job-title">{escape(text)}</title>\n'
            f'<text class="name" x="16" y="34">{escape(text)}</text>\n</svg>\n'
        )
    height = TOP + ROW * len(job.attempts) + 48
    start, end = job.attempts[0].start, job.attempts[-1].end
    axis = Axis(low=0.0, high=max((end - start) * 60, 1e-6), start=LEFT, end=RIGHT, log=False)
    title = (
        f"Job {job.job + 1:,} on {scenario.id}: {words.hours(job.wait_hours)} in the queue, then "
        f"{words.hours(end - start)} with {job.interruptions} interruption{'s' if job.interruptions > 1 else ''}, "
        f"{words.usd_each(job.usd)}"
    )
    parts = [
        f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-labelledby="job-title job-desc" '
        f'xmlns="http://www.w3.org/2000/svg">',
        _STYLE,
        f'<title id="job-title">{escape(title)}</title>',
        f'<desc id="job-desc">{escape(described(job))}</desc>',
        f'<text class="name" x="16" y="22">{escape(title)}</text>',
        *_legend(),
        *_grid(axis, height),
    ]
    for at, attempt in enumerate(job.attempts):
        parts += _attempt(attempt, job, axis, start, TOP + ROW * at)
    for at, (before, after) in enumerate(pairwise(job.attempts)):
        parts += _between(before, after, job, axis, start, TOP + ROW * at)
    return "\n".join([*parts, "</svg>"]) + "\n"


def described(job: Interrupted) -> str:
    """The picture in words."""
    return " ".join(
        f"Node {attempt.node + 1}: {attempt.how} after {words.minutes((attempt.end - attempt.start) * 60)}"
        + (f", {words.minutes(attempt.lost_hours * 60)} of work lost." if attempt.lost_hours else ".")
        for attempt in job.attempts
    )


def _legend() -> list[str]:
    parts = []
    for at, (name, text) in enumerate(LEGEND):
        x = LEFT + 168 * at
        parts.append(_rect(name, x, 40 + (BAR - _height(name)) / 2, 24, _height(name)))
        parts.append(f'<text x="{x + 30}" y="53">{text}</text>')
    return parts


def _grid(axis: Axis, height: int) -> list[str]:
    bottom, parts = height - 38, []
    for tick in axis.ticks():
        x = axis.at(tick)
        parts.append(f'<line class="grid" x1="{x:.1f}" y1="{TOP - 14}" x2="{x:.1f}" y2="{bottom}"/>')
        parts.append(f'<text x="{x:.1f}" y="{bottom + 16}" text-anchor="middle">{tick:g} min</text>')
    return [*parts, f'<text x="{LEFT}" y="{bottom + 32}">from its first start</text>']


def _attempt(attempt: Attempt, job: Interrupted, axis: Axis, zero: float, top: int) -> list[str]:
    """One node: a row with downloads, kept and lost work, and a mark at each checkpoint."""
    loaded = attempt.start + attempt.load_hours
    kept = loaded + attempt.kept_hours
    parts = [f'<text class="name" x="{LEFT - 10}" y="{top + 14}" text-anchor="end">node {attempt.node + 1:,}</text>']
    parts += _bar("load", attempt.start, loaded, axis, zero, top)
    parts += _bar("work", loaded, kept, axis, zero, top)
    parts += _bar("lost", kept, attempt.end, axis, zero, top)
    count = int(attempt.kept_hours / job.checkpoint_hours + 1e-9)
    for at in range(1, count + 1 if count <= MOST_CHECKPOINTS else 1):
        x = axis.at((loaded + at * job.checkpoint_hours - zero) * 60)
        parts.append(f'<line class="mark" x1="{x:.1f}" y1="{top}" x2="{x:.1f}" y2="{top + BAR}"/>')
    return parts


def _between(before: Attempt, after: Attempt, job: Interrupted, axis: Axis, zero: float, top: int) -> list[str]:
    noticed = min(before.end + job.stalled_hours, after.start)
    stalled = noticed if before.how == "interrupted" else before.end
    return [*_bar("stall", before.end, stalled, axis, zero, top), *_bar("queue", stalled, after.start, axis, zero, top)]


def _height(name: str) -> int:
    return {"stall": 8, "queue": 2}.get(name, BAR)


def _bar(name: str, begin: float, end: float, axis: Axis, zero: float, top: int) -> list[str]:
    if end <= begin:
        return []
    left, right, height = axis.at((begin - zero) * 60), axis.at((end - zero) * 60), _height(name)
    return [_rect(name, left, top + (BAR - height) / 2, max(right - left, 0.5), height)]


def _rect(name: str, x: float, y: float, width: float, height: float) -> str:
    return f'<rect class="{name}" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"/>'


_STYLE = """<style>
svg { background: #ffffff; font: 12px system-ui, sans-serif; }
text { fill: #454d56; } .name { fill: #000000; font-size: 12.5px; }
.grid { stroke: #dadfe4; } .mark { stroke: #ffffff; stroke-width: 1; }
.work { fill: #5b8fc9; } .lost { fill: #b3470b; } .load { fill: #9aa4ae; } .stall { fill: #000000; }
.queue { fill: #767f89; }
</style>"""
