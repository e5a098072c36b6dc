"""What spot has cost a run by its rule: worked examples, and ends that hold whatever is missing."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.stack.spec import Fallback
from planner.stack.spot_losses import History, Interval, losses_of

RULE = Fallback(threshold_hours=10, nodes=4, restart_hours=0.5, checkpoint_interval_hours=2)
BEGINS = datetime(2026, 11, 1, tzinfo=UTC)


def hour(fewest: float | None, most: float | None = None, wanted: float | None = 4) -> Interval:
    return Interval(wanted=wanted, fewest=fewest, most=fewest if most is None else most)


def losses(*intervals: Interval, hours: float = 1.0, rule: Fallback = RULE):
    return losses_of(History(begins=BEGINS, hours=hours, intervals=intervals), rule)


def test_the_wait_for_the_first_nodes_is_no_interruption():
    found = losses(hour(0), hour(2), hour(3, 4), hour(4), hour(4))
    assert (found.interruptions, found.waits_low, found.waits_high) == (0, 2, 3)
    assert (found.low, found.middle, found.high) == (2, 2.5, 3)
    assert not found.moves


def test_two_interruptions_by_hand():
    """Three hours short in all; 2 x 0.5 h of restarts; 0, 2 or 4 h of work done again."""
    found = losses(hour(4), hour(1), hour(4), hour(3), hour(3), hour(4))
    assert (found.interruptions, found.waits_low) == (2, 3)
    assert (found.low, found.middle, found.high) == (4, 6, 8)


def test_nodes_that_nobody_asked_for_are_not_waited_for():
    """The fleet is scaled to zero over a weekend and comes back."""
    found = losses(hour(4), *[hour(0, wanted=0)] * 48, hour(0), hour(4))
    assert (found.interruptions, found.low, found.high) == (0, 1, 1)


def test_spares_are_not_needed():
    five = [Interval(wanted=5, fewest=4, most=5)] * 9
    assert losses(*five).high == 0


@pytest.mark.parametrize(("waited", "moves", "certain"), [(9, False, True), (10, False, True), (11, True, True)])
def test_the_rule_moves_above_its_limit(waited, moves, certain):
    found = losses(*[hour(0)] * waited)
    assert (found.moves, found.certain) == (moves, certain)


def test_where_the_ends_disagree_the_middle_decides_and_it_is_said():
    found = losses(*[hour(4), hour(1)] * 4)  # 4 h short, 2 h of restarts, 0 to 8 h again: 6, 10, 14
    assert (found.low, found.middle, found.high) == (6, 10, 14)
    assert (found.moves, found.certain) == (False, False)


def test_hours_without_a_record_count_at_the_high_end_alone():
    found = losses(hour(4), Interval(wanted=None, fewest=None, most=None), hour(4))
    assert (found.low, found.middle, found.high, found.unrecorded) == (0, 0, 1, 1)


ENTRIES = st.builds(
    Interval,
    wanted=st.sampled_from([None, 0.0, 4.0]),
    fewest=st.sampled_from([None, 0.0, 3.0, 4.0]),
    most=st.sampled_from([None, 4.0]),
)


@given(st.lists(ENTRIES, max_size=40), st.integers(0, 39))
def test_a_record_that_is_lost_never_raises_the_low_end_nor_lowers_what_it_may_be(entries, place):
    before = losses(*entries)
    assert 0 <= before.low <= before.middle <= before.high
    assert before.high <= len(entries) + before.interruptions * 2.5
    assert before.moves == (before.middle > RULE.threshold_hours)
    halved = losses_of(
        History(begins=BEGINS, hours=0.5, intervals=[one for one in entries for _ in (0, 1)]),
        replace(RULE, nodes=4),
    )
    assert (halved.low, halved.high) == pytest.approx((before.low, before.high))
