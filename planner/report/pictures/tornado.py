"""The picture of a sensitivity: one bar a parameter, from its low to its high end, around the planned figure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from planner.decide.study import Study
from planner.report.pictures.axis import Axis, axis_of
from planner.report.wording import figures
from planner.report.wording.break_evens import swing_title as name_of
from planner.report.wording.break_evens import value
from planner.report.wording.spoken_choice import spoken

SHOWN = 12
CUT = 3  # the axis ends at this multiple of the planned figure; longer bars end in an arrow
FOOT = 42


@dataclass(frozen=True, kw_only=True)
class Form:
    """Where things stand, in pixels. names: the right end of the names, or None where each stands above its bar."""

    id: str
    width: int
    left: int
    right: int
    names: int | None
    top: int
    row: int
    bar: int


WIDE = Form(id="tornado", width=960, left=330, right=930, names=316, top=40, row=26, bar=18)
NARROW = Form(id="tornado-narrow", width=330, left=6, right=318, names=None, top=56, row=40, bar=16)


@dataclass(frozen=True, kw_only=True)
class End:
    """at: the value there, in words. cost_usd: None where the choice is not feasible there."""

    at: str
    cost_usd: float | None


@dataclass(frozen=True, kw_only=True)
class Bar:
    """One number that is varied."""

    name: str
    low: End
    high: End


@dataclass(frozen=True, kw_only=True)
class Tornado:
    """What the cost of a choice depends on. what: the choice, in words. bars: the widest first, none without length."""

    what: str
    planned_usd: float
    bars: Sequence[Bar]


def tornado_of(study: Study) -> Tornado:
    """Of a training scenario."""
    swings = [swing for swing in study.swings if swing.spread("cost_usd")][:SHOWN]
    bars = [
        Bar(
            name=name_of(swing),
            low=End(at=value(swing.parameter, swing.low.at), cost_usd=swing.low.cost_usd),
            high=End(at=value(swing.parameter, swing.high.at), cost_usd=swing.high.cost_usd),
        )
        for swing in swings
    ]
    planned = study.scenario.cost_usd.plan if study.scenario.cost_usd else 0.0
    return Tornado(what=spoken(study.scenario), planned_usd=planned, bars=bars)


def svg(tornado: Tornado, form: Form = WIDE) -> str:
    """The picture, or nothing where no parameter moves the scenario."""
    bars, planned = tornado.bars, tornado.planned_usd
    if not bars:
        return ""
    ends = [end.cost_usd for bar in bars for end in (bar.low, bar.high) if end.cost_usd is not None]
    axis = axis_of(min(planned, *ends), min(max(planned, *ends), CUT * planned), form.left, form.right)
    height = form.top + form.row * len(bars) + FOOT
    parts = _frame(form, axis, planned, height)
    for row, bar in enumerate(bars):
        parts += _bar(form, bar, axis, planned, form.top + form.row * row)
    title = f"What the cost of {tornado.what} depends on"
    return (
        f'<svg viewBox="0 0 {form.width} {height}" role="img" aria-labelledby="{form.id}-title {form.id}-desc" '
        f'class="chart {form.id}">\n<title id="{form.id}-title">{escape(title)}</title>\n'
        f'<desc id="{form.id}-desc">{escape(_described(bars, planned))}</desc>\n' + "\n".join(parts) + "\n</svg>"
    )


def alone(tornado: Tornado) -> str:
    """The picture as a file of its own, with its colours; a sentence where there is nothing to draw."""
    picture = svg(tornado)
    if not picture:
        picture = (
            f'<svg viewBox="0 0 {WIDE.width} 60"><text class="name" x="20" y="35">No assumption moves it.</text></svg>'
        )
    head, rest = picture.split(">", 1)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{head} xmlns="http://www.w3.org/2000/svg">\n{_STYLE}{rest}\n'


# a file of its own cannot take its colours from the page; text on a white sheet, as the print style has it
_STYLE = """<style>
svg { background: #ffffff; font: 12px system-ui, sans-serif; }
text { fill: #454d56; } .name { fill: #000000; font-size: 12.5px; }
.grid { stroke: #dadfe4; } .axis { stroke: #767f89; fill: none; }
.low rect { fill: #5b8fc9; } .high rect { fill: #b3470b; }
.beyond { fill: none; stroke: #000000; } .inside { fill: #ffffff; }
</style>
"""


def _frame(form: Form, axis: Axis, planned: float, height: int) -> list[str]:
    bottom, top = height - FOOT, form.top
    parts = []
    ticks = axis.ticks()
    ticks = ticks[:: 2 if form.names is None and len(ticks) > 4 else 1]
    for tick, label in zip(ticks, figures.tick_labels(ticks), strict=True):
        x = axis.at(tick)
        parts.append(f'<path class="grid" d="M{x:.1f} {top - 6}V{bottom}"/>')
        half = max(22, 3.8 * len(label))  # a label never leaves the picture
        inside = min(max(x, half), form.width - half)
        parts.append(f'<text class="tick" x="{inside:.1f}" y="{bottom + 18}" text-anchor="middle">{label}</text>')
    x = axis.at(planned)
    parts.append(f'<path class="axis" d="M{x:.1f} {top - 10}V{bottom}"/>')
    text = f"planned ${figures.dollars(planned)}"
    inside = min(max(x, form.left + 48), form.right - 48)
    parts.append(f'<text class="name" x="{inside:.1f}" y="{top - 16}" text-anchor="middle">{text}</text>')
    for place, kind, label in ((8, "low", "at its low end"), (136, "high", "at its high end")):
        parts.append(f'<g class="bar {kind}" aria-hidden="true"><rect x="{place}" y="9" width="12" height="12"/></g>')
        parts.append(f'<text class="tick" x="{place + 18}" y="19">{label}</text>')
    scale = ", logarithmic" if axis.log else ""
    middle = (form.left + form.right) / 2
    parts.append(f'<text class="label" x="{middle:g}" y="{height - 6}" text-anchor="middle">USD{scale}</text>')
    return parts


def _bar(form: Form, bar: Bar, axis: Axis, planned: float, y: float) -> list[str]:
    middle, text = axis.at(planned), escape(bar.name)
    if form.names is None:
        parts = [f'<text class="name" x="{form.left}" y="{y + 14:g}">{text}</text>']
        y += 18
    else:
        parts = [f'<text class="name" x="{form.names}" y="{y + 15:g}" text-anchor="end">{text}</text>']
        y += 2
    for end, kind in ((bar.low, "low"), (bar.high, "high")):
        cost = axis.high * 2 if end.cost_usd is None else end.cost_usd
        shown_usd = "not feasible" if end.cost_usd is None else f"${figures.dollars(end.cost_usd)}"
        x = axis.at(cost)
        left, width = min(x, middle), max(abs(x - middle), 0.5)
        drawn = f"<title>{escape(f'{bar.name} at {end.at}: {shown_usd}')}</title>"
        drawn += f'<rect x="{left:.1f}" y="{y:g}" width="{width:.1f}" height="{form.bar}"/>'
        if cost > axis.high:
            drawn += f'<path class="beyond" d="M{x + 2:.1f} {y + form.bar / 2 - 6:g}l7 6l-7 6"/>'
            drawn += f'<text class="inside" x="{x - 8:.1f}" y="{y + 13:g}" text-anchor="end">{shown_usd}</text>'
        parts.append(f'<g class="bar {kind}">{drawn}</g>')
    return parts


def _described(bars: Sequence[Bar], planned: float) -> str:
    widest = bars[0]
    ends = []
    for end in (widest.low, widest.high):
        cost = "not feasible" if end.cost_usd is None else f"${figures.dollars(end.cost_usd)}"
        ends.append(f"{cost} at {end.at}")
    return (
        f"One bar for each assumption, from its low to its high end around the planned ${figures.dollars(planned)}, "
        f"the others as planned. The widest is {widest.name}: {ends[0]}, {ends[1]}. "
        "The table below has every number."
    )
