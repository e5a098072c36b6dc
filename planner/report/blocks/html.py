"""Blocks as one HTML page that needs nothing else."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from planner import __version__
from planner.report.blocks.block import Bar, Bars, Card, Inner, Page, Section, Table
from planner.report.data.encoding import utf8
from planner.report.html.page import environment, style
from planner.report.pictures.axis import FAR, Axis, axis_of
from planner.report.wording import figures
from planner.report.wording.figures import visible


@dataclass(frozen=True, kw_only=True)
class BarView:
    """A bar in percent of the axis: spans (left, width), marks in the middle of each, beyond: whether the last one
    continues to the right."""

    bar: Bar
    spans: tuple[tuple[float, float], ...]
    marks: tuple[float, ...]
    beyond: bool


@dataclass(frozen=True, kw_only=True)
class BarsView:
    """ticks: (percent, label)."""

    caption: str
    bars: tuple[BarView, ...]
    ticks: tuple[tuple[float, str], ...]


@dataclass(frozen=True, kw_only=True)
class TableView:
    """titles: (text, whether it is a number). rows: cells by column."""

    label: str
    titles: tuple[tuple[str, bool], ...]
    rows: tuple[tuple[str, ...], ...]


def text(page: Page, skip: str) -> str:
    """The whole page. skip: words of the link to the answer. The same page gives the same bytes."""
    return utf8(
        environment()
        .get_template("blocks.html.j2")
        .render(
            page=page,
            sections=[_section(section) for section in page.sections],
            skip=skip,
            style=Markup(style()),
            version=__version__,
        )
    )


@dataclass(frozen=True, kw_only=True)
class SectionView:
    """cards: they have a frame of their own. blocks: (name of the macro, what it shows), in one frame."""

    section: Section
    cards: tuple[Card, ...]
    blocks: tuple[tuple[str, object], ...]


def _section(section: Section) -> SectionView:
    rest = [block for block in section.blocks if not isinstance(block, Card)]
    return SectionView(
        section=section,
        cards=tuple(block for block in section.blocks if isinstance(block, Card)),
        blocks=tuple((type(block).__name__.lower(), _view(block)) for block in rest),
    )


def _view(block: Inner) -> object:
    if isinstance(block, Table):
        return table_view(block)
    return bars_view(block) if isinstance(block, Bars) else block


def table_view(table: Table) -> TableView:
    """Cells by row."""
    count = len(table.columns[0].values)
    return TableView(
        label=table.label,
        titles=tuple((column.title, not column.text) for column in table.columns),
        rows=tuple(tuple(visible(column.values[at]) for column in table.columns) for at in range(count)),
    )


def bars_view(block: Bars) -> BarsView:
    """On one axis, which holds every P50, and as much of the ranges as leaves the bars apart."""
    drawn = [bar for bar in block.bars if bar.spans]
    axis = _axis([span for bar in drawn for span in bar.spans])
    return BarsView(
        caption=block.caption,
        bars=tuple(_bar(bar, axis) for bar in drawn),
        ticks=tuple((round(axis.at(tick), 2), f"${figures.tick_label(tick)}") for tick in axis.ticks()),
    )


def _axis(spans: Sequence[tuple[float, float, float]]) -> Axis:
    top = max(p50 for _, p50, _ in spans)
    high = max(max(p50, min(p90, FAR * top)) for _, p50, p90 in spans)
    return axis_of(min(p10 for p10, _, _ in spans), high, 0, 100)


def _bar(bar: Bar, axis: Axis) -> BarView:
    ends = [(axis.at(p10), axis.at(p90)) for p10, _, p90 in bar.spans]
    return BarView(
        bar=bar,
        spans=tuple((round(low, 2), round(max(high - low, 0.4), 2)) for low, high in ends),
        marks=tuple(round(axis.at(p50), 2) for _, p50, _ in bar.spans),
        beyond=max(p90 for *_, p90 in bar.spans) > axis.high or math.isinf(bar.spans[-1][2]),
    )
