"""Ranges as bars on one axis of USD: where each begins and ends."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from planner.answer.row import Row
from planner.report.blocks.block import Bar
from planner.report.pictures.axis import FAR, Axis, axis_of
from planner.report.wording import figures, futures, page_texts


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


def futures_of(row: Row) -> Sequence[tuple[float, float, float]]:
    """P10, mean (the P50 where some do not end) and P90 of both futures of a row; nothing where it has not two that
    end."""
    mean = futures.adds_up(row)
    parts = [
        (one.p10_usd, one.mean_usd if mean else one.p50_usd, one.p90_usd)
        for one in row.futures
        if math.isfinite(one.p50_usd)
    ]
    return parts if len(parts) > 1 else ()


def bars_view(bars: Sequence[Bar]) -> BarsView:
    """The axis holds every P50, and as much of the ranges as leaves the bars apart."""
    top = max(p50 for _, p50, _ in (bar.usd for bar in bars))
    high = max(max(p50, min(p90, FAR * top)) for _, p50, p90 in (bar.usd for bar in bars))
    axis = axis_of(min(bar.usd[0] for bar in bars), high, 0, 100)
    return BarsView(
        caption=page_texts.bars(logarithmic=axis.log, two=any(bar.futures for bar in bars)),
        bars=tuple(_bar(bar, axis) for bar in bars),
        ticks=tuple((round(axis.at(tick), 2), f"${figures.tick_label(tick)}") for tick in axis.ticks()),
    )


def _bar(bar: Bar, axis: Axis) -> BarView:
    parts = bar.futures or (bar.usd,)
    return BarView(
        bar=bar,
        spans=tuple((round(axis.at(p10), 2), round(max(axis.at(p90) - axis.at(p10), 0.4), 2)) for p10, _, p90 in parts),
        marks=tuple(round(axis.at(p50), 2) for _, p50, _ in parts),
        beyond=bar.usd[2] > axis.high,
    )
