"""The bars of the choices: every one within the axis, in the order of the ranking."""

from __future__ import annotations

from dataclasses import replace

import pytest

from planner.answer.futures import Future
from planner.decide import leaders
from planner.decide.shortlist import shortlist_of
from planner.report.html.choices import MOST, ChoicesView, choices_view
from tests.builders import compared, plan_of
from tests.report.scenes import answered, first, ranged, sixty, small, unfinished


def view(comparison) -> ChoicesView:
    found = choices_view(comparison, shortlist_of(comparison))
    assert found is not None
    return found


@pytest.mark.parametrize("scene", [small, sixty])
def test_every_eligible_choice_has_a_bar_and_so_have_the_alternatives(scene) -> None:
    rows = [rank for rank, _ in shortlist_of(scene()).rows]
    named = [leaders.rank_of(scene(), s) for s in leaders.leaders_of(scene())]
    bars = [v.bar.rank for v in view(scene()).ranges.bars]
    assert bars == [*rows[:MOST], *(rank for rank in named if rank not in rows[:MOST])]
    assert bool(view(scene()).more) == (len(rows) > MOST)


@pytest.mark.parametrize("scene", [small, sixty])
def test_p10_p50_and_p90_lie_in_order_within_the_axis(scene) -> None:
    for bar in view(scene()).ranges.bars:
        for (left, width), middle in zip(bar.spans, bar.marks, strict=True):
            assert 0 <= left <= middle <= left + width + 0.4 <= 101
    for place, _ in view(scene()).ranges.ticks:
        assert 0 <= place <= 100


def pair(*costs: tuple[float, float, float]):
    """Choices that are eligible, with these (planned, P10, P90); P50 is halfway."""
    base = first(small())
    scenarios = [
        replace(ranged(base, cost=cost, run=(4, 3, 5)), id=f"s{i}", eligible=True) for i, cost in enumerate(costs)
    ]
    return view(replace(small(), scenarios=tuple(scenarios), answer=answered("s0")))


def test_positions_are_in_proportion() -> None:
    one, other = pair((100, 80, 120), (200, 180, 220)).ranges.bars
    ((left, width),), (middle,) = one.spans, one.marks
    ((other_left, other_width),), (other_middle,) = other.spans, other.marks
    assert other_middle - middle == pytest.approx((other_left - left), abs=0.02)
    assert width == pytest.approx(other_width, abs=0.02)
    assert width == pytest.approx(0.4 * (other_middle - middle), abs=0.02)


def test_two_futures_are_two_bars() -> None:
    base = ranged(first(small()), cost=(100, 80, 400), run=(4, 3, 5))
    two = (
        Future(fraction=0.64, p10_usd=80, p50_usd=100, p90_usd=140, mean_usd=105),
        Future(fraction=0.36, p10_usd=270, p50_usd=310, p90_usd=400, mean_usd=320),
    )
    found = view(replace(small(), scenarios=(replace(base, eligible=True, futures=two),), answer=answered(base.id)))
    (bar,) = found.ranges.bars
    assert (bar.bar.cost, bar.bar.range) == ("$105 or $320", "64% or 36%, P90 $400")
    assert len(bar.spans) == len(bar.marks) == 2
    assert bar.spans[0][0] + bar.spans[0][1] < bar.spans[1][0], "nothing between them"
    assert "two futures" in found.ranges.caption


def test_the_scale_is_logarithmic_only_where_it_has_to_be() -> None:
    assert "logarithmic" not in pair((100, 80, 120), (200, 180, 220)).ranges.caption
    far = pair((100, 80, 120), (2000, 1800, 2200))
    assert "logarithmic" in far.ranges.caption
    assert far.ranges.bars[0].spans[0][1] > 5, "the cheap one is still to be seen"


def test_a_range_beyond_the_scale_says_so() -> None:
    usual, open_ended = pair((100, 90, 110), (100, 90, 10_000)).ranges.bars
    assert not usual.beyond
    assert not open_ended.beyond, "its P50 is far as well"
    base = first(small())
    cost = replace(ranged(base, cost=(100, 90, 110), run=(4, 3, 5)).cost_usd, p90=1e6)
    far = replace(base, cost_usd=cost, eligible=True)
    (bar,) = view(replace(small(), scenarios=(far,), answer=answered(far.id))).ranges.bars
    assert bar.beyond


def test_what_is_not_eligible_says_why() -> None:
    bars = [v.bar for v in view(unfinished(0.05)).ranges.bars]
    assert [bool(bar.aside) for bar in bars] == [False] * (len(bars) - 1) + [True]
    assert bars[-1].aside == "not eligible: never finishes in 5% of the outcomes"


def test_commitments_are_folded_into_sentences() -> None:
    ri, sp = view(small()).folded
    assert ri.startswith("Reserved Instances (8 choices, from $488k): Reserved Instances, 1 year, ")
    assert " costs less than On-Demand after 5,554 hours of use in the term (until 2027-05-24 " in ri
    assert sp.startswith("Savings Plans (12 choices")


def test_without_draws_or_prices_there_are_no_bars() -> None:
    bare = compared(plan_of(), draws=0)
    assert choices_view(bare, shortlist_of(bare)) is None
    unpriced = replace(small(), scenarios=tuple(replace(s, complete=False, eligible=False) for s in small().scenarios))
    assert choices_view(unpriced, shortlist_of(unpriced)) is None
