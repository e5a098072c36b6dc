"""The choices as bars from P10 to P90 with P50 in between: the eligible ones, and the alternatives of the answer."""

from __future__ import annotations

import math
from dataclasses import dataclass

from planner.answer.ranges import Range
from planner.decide.comparison import Comparison
from planner.decide.leaders import leaders_of, rank_of
from planner.decide.shortlist import Shortlist
from planner.estimate.result import Scenario
from planner.report.html.inline import shown
from planner.report.pictures.axis import FAR, Axis, axis_of
from planner.report.wording import eligibility, figures, futures, left_out, page_texts, spoken
from planner.report.wording.line import Kind

MOST = 20  # bars; the table below has the others


@dataclass(frozen=True, kw_only=True)
class BarView:
    """One choice. spans: (left, width) of the bar, or of one for each of two futures, and marks: the middle of each, in
    percent of the axis. beyond: whether the last one continues to the right. aside: why it is not eligible, "" if it
    is. exact: the figures to the dollar."""

    rank: int
    first: bool
    name: str
    bought: str
    family: str
    spans: tuple[tuple[float, float], ...]
    marks: tuple[float, ...]
    beyond: bool
    cost: str
    range: str
    days: str
    exact: str
    aside: str


@dataclass(frozen=True, kw_only=True)
class ChoicesView:
    """ticks: (percent, label). folded: commitments, a sentence each. others: choices without a bar."""

    bars: tuple[BarView, ...]
    ticks: tuple[tuple[float, str], ...]
    caption: str
    more: str
    folded: tuple[str, ...]
    others_title: str
    others: tuple[str, ...]


def choices_view(comparison: Comparison, shortlist: Shortlist) -> ChoicesView | None:
    """None where nothing has a complete price, or where no outcomes were simulated."""
    rows = [(rank, s) for rank, s in shortlist.rows if s.complete]
    there = {s.id for _, s in rows[:MOST]}
    named = [(rank_of(comparison, s), s) for s in leaders_of(comparison) if s.id not in there]
    ranged = [(rank, s, s.cost_usd) for rank, s in (*rows[:MOST], *named) if s.cost_usd is not None]
    drawn = [(rank, s, cost) for rank, s, cost in ranged if math.isfinite(cost.p50)]
    if not drawn or not comparison.draws:
        return None
    axis = _axis([cost for *_, cost in drawn])
    title, *others = left_out.others(shortlist, page_texts.WITHOUT_A_BAR) or [None]
    return ChoicesView(
        bars=tuple(_bar(comparison, rank, s, cost, axis) for rank, s, cost in drawn),
        ticks=tuple((round(axis.at(tick), 2), f"${figures.tick_label(tick)}") for tick in axis.ticks()),
        caption=page_texts.bars(logarithmic=axis.log, two=any(s.futures for _, s, _ in drawn)),
        more=page_texts.more_bars(len(rows) - MOST) if len(rows) > MOST else "",
        folded=shown([line.text for line in left_out.commitments_in_full(shortlist.families)]),
        others_title=title.text if title else "",
        others=shown([line.text for line in others if line and line.kind is Kind.ITEM]),
    )


def _axis(costs: list[Range]) -> Axis:
    """Holds every P50, and as much of the ranges as leaves the bars apart."""
    top = max(cost.p50 for cost in costs)
    high = max(max(cost.p50, min(cost.p90, FAR * top)) for cost in costs)
    return axis_of(min(cost.p10 for cost in costs), high, 0, 100)


def _bar(comparison: Comparison, rank: int, s: Scenario, cost: Range, axis: Axis) -> BarView:
    assert s.days is not None
    parts = [(one.p10_usd, one.p50_usd, one.p90_usd) for one in s.futures if math.isfinite(one.p50_usd)]
    parts = parts if len(parts) > 1 else [(cost.p10, cost.p50, cost.p90)]
    middle, high = figures.usd(cost.p50), figures.usd(cost.p90)
    ends = page_texts.from_to(figures.usd(cost.p10), high)
    if len(parts) > 1:
        middle, shares = futures.either(s)
        ends = f"{shares}, {page_texts.p90(high, open_end=math.isinf(cost.p90))}"
    types = figures.short_types(comparison.scenarios)
    place = "" if figures.only_fleet(comparison.scenarios) else f", {s.nodes:,} x {types[s.instance_type]}"
    return BarView(
        rank=rank,
        first=s is comparison.best,
        name=figures.layout_name(s),
        bought=f"{figures.short_purchase(s.option)}{place}",
        family=s.option.family,
        spans=tuple((round(axis.at(p10), 2), round(max(axis.at(p90) - axis.at(p10), 0.4), 2)) for p10, _, p90 in parts),
        marks=tuple(round(axis.at(p50), 2) for _, p50, _ in parts),
        beyond=cost.p90 > axis.high,
        cost=middle,
        range=ends,
        days=spoken.run_days(s.days.p50),
        exact=page_texts.exact(cost, s.days),
        aside="" if s.eligible else page_texts.not_eligible(left_out.misses([s]) or [eligibility.held_back(s)]),
    )
