"""What recordings say of a market: by hand, against the figures that were published of them, and by laws."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.plan.assumptions import default_assumptions
from planner.spot.statistics import ages_of, any_of_zones, market_of
from planner.spot.trace import spells_of
from tests.spot.recordings import made, needs_public, public

SERIES = st.lists(st.booleans(), min_size=2, max_size=60).map(lambda flags: np.array(flags))


def test_a_short_recording_by_hand():
    market = market_of(made([0, 2, 2, 1, 0, 2, 2, 2, 0, 2], gap_seconds=3600))
    assert (market.gang, market.available_fraction, market.all_or_none_fraction) == (2, 0.6, 0.9)
    assert (market.interruptions, market.losses) == (2, 4)
    assert market.losses_per_node_day == pytest.approx(4 / (13 / 24))
    # six hours held and two ends; four hours without, and three ends
    assert market.interruption_free_hours == pytest.approx(3)
    assert market.wait_hours == pytest.approx(4 / 3)
    assert (market.up.whole, market.up.median_hours) == (2, 2.5)
    assert market.first_wait_hours == pytest.approx((1 + 2 + 1 + 1) / 10)
    # spells of two and three hours and the last one of one: none is lost after its first hour of three
    assert market.hazard_first_hour == 0
    assert market.hazard_later == pytest.approx(2 / 3)


def test_a_smaller_gang_has_more():
    trace = made([0, 2, 2, 1, 0, 2, 2, 2, 0, 2])
    assert market_of(trace, 1).available_fraction == 0.7
    assert market_of(trace, 3).available_fraction == 0
    assert market_of(trace, 3).first_wait_hours is None


def test_a_recording_without_capacity_has_nothing_to_measure():
    market = market_of(made([0, 0, 0]))
    assert (market.gang, market.interruption_free_hours, market.losses_per_node_day) == (1, None, None)


@given(SERIES)
def test_spells_are_the_series_again(up):
    spells = spells_of(up)
    assert np.repeat(spells.up, spells.length).tolist() == up.tolist()
    assert (spells.up[1:] != spells.up[:-1]).all()
    assert spells.length.min() >= 1
    ages = ages_of(up)
    assert ages[spells.start[1:]].tolist() == [1] * (len(spells.start) - 1)


@given(st.integers(1, 5).flatmap(lambda n: st.lists(st.tuples(*[st.booleans()] * n), min_size=1, max_size=30)))
def test_any_of_k_zones_is_the_mean_over_every_choice(rows):
    series = list(np.array(rows).T)
    for k, share in enumerate(any_of_zones(series), 1):
        each = [np.logical_or.reduce(chosen).mean() for chosen in combinations(series, k)]
        assert share == pytest.approx(np.mean(each))


@given(st.lists(SERIES, min_size=2, max_size=4))
def test_more_zones_never_have_less(series):
    ticks = min(map(len, series))
    shares = any_of_zones([one[:ticks] for one in series])
    assert all(one <= other + 1e-12 for one, other in pairwise(shares))


@needs_public
def test_the_assumptions_on_gangs_come_out_of_the_recordings():
    """A second route: the figures in planner/plan/assumptions.csv were counted without this code."""
    four = [market_of(trace) for trace in public("preemption/4-node/aws-08-03-2023")]
    sixteen = [market_of(trace) for trace in public("availability/16-node/aws-08-27-2023")]
    held = [m.interruption_free_hours or 0.0 for m in four + sixteen]
    waits = [m.wait_hours or 0.0 for m in four + sixteen]
    assert sorted(round(24 / hours, 1) for hours in held) == [2.8, 11.9, 13.2, 13.7, 14.4]
    assert sorted(round(hours, 1) for hours in waits) == [2.0, 2.5, 2.8, 3.5, 4.0]
    table = default_assumptions()
    rates, wait = table["spot.gang_interruptions_per_day"], table["spot.gang_wait_hours"]
    assert rates.low == pytest.approx(24 / max(held), abs=0.05)
    assert rates.high == pytest.approx(24 / min(held), abs=0.05)
    assert (wait.low, wait.high) == pytest.approx((min(waits), max(waits)), abs=0.05)


@needs_public
def test_nodes_of_a_gang_come_and_go_together():
    """Published in Wu et al. (NSDI 2024): in over 94 % of the ticks all or none of a gang's nodes are up; the series of
    16 nodes that are recorded here have 83 to 97 %."""
    gangs = public("preemption/4-node/aws-08-03-2023") + public("availability/16-node/aws-08-27-2023")
    shares = [market_of(trace).all_or_none_fraction for trace in gangs]
    assert min(shares) == pytest.approx(0.83, abs=0.005)
    assert max(shares) == pytest.approx(0.97, abs=0.005)
