"""The choices as bars from P10 to P90 with P50 in between: the eligible ones, and the alternatives of the answer."""

from __future__ import annotations

import math
from dataclasses import dataclass

from planner.answer.ranges import Range
from planner.decide.comparison import Comparison
from planner.decide.leaders import leaders_of, rank_of
from planner.decide.shortlist import Shortlist
from planner.estimate.result import Scenario
from planner.report.blocks.bars import BarsView, bars_view, futures_of
from planner.report.blocks.block import Bar
from planner.report.html.inline import shown
from planner.report.wording import eligibility, figures, futures, left_out, page_texts, spoken
from planner.report.wording.line import Kind

MOST = 20  # bars; the table below has the others


@dataclass(frozen=True, kw_only=True)
class ChoicesView:
    """folded: commitments, a sentence each. others: choices without a bar."""

    ranges: BarsView
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
    title, *others = left_out.others(shortlist, page_texts.WITHOUT_A_BAR) or [None]
    return ChoicesView(
        ranges=bars_view([_bar(comparison, rank, s, cost) for rank, s, cost in drawn]),
        more=page_texts.more_bars(len(rows) - MOST) if len(rows) > MOST else "",
        folded=shown([line.text for line in left_out.commitments_in_full(shortlist.families)]),
        others_title=title.text if title else "",
        others=shown([line.text for line in others if line and line.kind is Kind.ITEM]),
    )


def _bar(comparison: Comparison, rank: int, s: Scenario, cost: Range) -> Bar:
    assert s.days is not None
    parts = futures_of(s)
    middle, high = figures.usd(cost.p50), figures.usd(cost.p90)
    ends = page_texts.from_to(figures.usd(cost.p10), high)
    if parts:
        middle, shares = futures.either(s)
        ends = f"{shares}, {page_texts.p90(high, open_end=math.isinf(cost.p90))}"
    types = figures.short_types(comparison.scenarios)
    place = "" if figures.only_fleet(comparison.scenarios) else f", {s.nodes:,} x {types[s.instance_type]}"
    return Bar(
        rank=rank,
        first=s is comparison.best,
        name=figures.layout_name(s),
        bought=f"{figures.short_purchase(s.option)}{place}",
        family=s.option.family,
        usd=(cost.p10, cost.p50, cost.p90),
        futures=parts,
        cost=middle,
        range=ends,
        days=spoken.run_days(s.days.p50),
        exact=page_texts.exact(cost, s.days),
        aside="" if s.eligible else page_texts.not_eligible(left_out.misses([s]) or [eligibility.held_back(s)]),
    )
