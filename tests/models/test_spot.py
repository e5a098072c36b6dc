"""Spot as a policy: replay of observed gangs, laws, and the rule that moves a run to On-Demand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.models.goodput import availability, optimal_interval
from planner.models.interruptions import mean_wait_hours, platform_mtbf, unheld_hours
from planner.models.spot import (
    NOTICE_HOURS,
    availability_with_notice,
    fallback_hours,
    fallback_spot_fraction,
    fallback_spot_hours,
    fallback_threshold,
)
from tests.models.spot_traces import GANGS, Gang, read_gang, synthetic_gang

needs_traces = pytest.mark.skipif(not GANGS, reason="the spot traces are not beside this repository (../shared/traces)")
RESTARTS = (3 / 60, 10 / 60)  # of the assumption goodput.restart_minutes, and a fast one
WRITE = 1 / 60
TWINS = {
    "4 nodes, often": (4, 13.7, 4.0, 1),
    "4 nodes, seldom": (4, 2.8, 3.5, 2),
    "16 nodes": (16, 13.2, 2.5, 3),
}


def check_replay(gang: Gang, restart: float) -> None:
    """The model with the gang's own rate and wait gives the useful share of its wall time."""
    interval = optimal_interval(mtbf_hours=gang.hours_between, write_hours=WRITE)
    lossy = availability(
        work_hours=interval,
        write_hours=WRITE,
        restart_hours=restart,
        wait_hours=gang.wait_hours,
        mtbf_hours=gang.hours_between,
    )
    replayed = gang.useful_share(restart_hours=restart, write_hours=WRITE, interval_hours=float(interval))
    assert lossy == pytest.approx(replayed, rel=0.05)
    noticed = availability_with_notice(
        unannounced_fraction=1.0,
        announced_per_hour=1 / gang.hours_between,
        announced_wait_fraction=gang.wait_hours / gang.hours_between,
        restart_hours=restart,
        write_hours=WRITE,
    )
    replayed = gang.useful_share(restart_hours=restart, write_hours=WRITE, interval_hours=None)
    assert noticed == pytest.approx(replayed, rel=0.05)
    assert noticed > lossy


@needs_traces
@pytest.mark.parametrize("restart", RESTARTS)
@pytest.mark.parametrize("path", GANGS, ids=lambda path: f"{path.parent.parent.name} {path.stem}")
def test_replay_of_the_public_gangs(path, restart):
    check_replay(read_gang(path), restart)


@pytest.mark.parametrize("restart", RESTARTS)
@pytest.mark.parametrize("twin", TWINS)
def test_replay_of_synthetic_gangs(twin, restart):
    nodes, losses, wait, seed = TWINS[twin]
    check_replay(synthetic_gang(nodes, losses_per_day=losses, wait_hours=wait, days=400, seed=seed), restart)


@needs_traces
def test_the_assumptions_reach_from_the_least_to_the_most_of_the_gangs():
    from planner.plan.assumptions import default_assumptions

    table = default_assumptions()
    gangs = [read_gang(path) for path in GANGS]
    assert sorted(gang.nodes for gang in gangs) == [4, 4, 16, 16, 16]
    for key, seen in (
        ("spot.gang_interruptions_per_day", [24 / gang.hours_between for gang in gangs]),
        ("spot.gang_wait_hours", [gang.wait_hours for gang in gangs]),
    ):
        assert table[key].low == pytest.approx(min(seen), rel=0.03)
        assert table[key].high == pytest.approx(max(seen), rel=0.03)
        assert table[key].value == pytest.approx(np.median(seen), rel=0.03)


@needs_traces
def test_a_large_gang_is_interrupted_as_often_as_a_small_one():
    """Independent nodes would stop 16 nodes 4 times as often as 4 nodes; in the traces it is less than twice."""
    by_size = {
        nodes: np.mean([24 / g.hours_between for g in map(read_gang, GANGS) if g.nodes == nodes]) for nodes in (4, 16)
    }
    assert by_size[16] < 2 * by_size[4]


rates = st.floats(0.001, 2.0)
hours = st.floats(0.01, 12.0)


class TestLaws:
    @given(rate=rates, more=st.floats(1.0, 5.0), wait=hours, restart=hours)
    def test_more_interruptions_never_leave_more_time(self, rate, more, wait, restart):
        def share(rate):
            return availability_with_notice(
                unannounced_fraction=0.9,
                announced_per_hour=rate,
                announced_wait_fraction=rate * wait,
                restart_hours=restart,
                write_hours=NOTICE_HOURS,
            )

        assert share(rate * more) <= share(rate) <= 0.9

    @given(rate=rates, wait=hours, restart=st.floats(0.0, 1.0), write=st.floats(0.001, NOTICE_HOURS))
    def test_saving_within_the_notice_never_costs_more_than_losing_the_work(self, rate, wait, restart, write):
        interval = optimal_interval(mtbf_hours=1 / rate, write_hours=write)
        lost = availability(
            work_hours=interval, write_hours=write, restart_hours=restart, wait_hours=wait, mtbf_hours=1 / rate
        )
        saved = availability_with_notice(
            unannounced_fraction=1.0,
            announced_per_hour=rate,
            announced_wait_fraction=rate * wait,
            restart_hours=restart,
            write_hours=write,
        )
        assert saved >= lost * (1 - 1e-9)

    @given(rate=rates, wait=hours)
    def test_one_node_has_no_gang_effect(self, rate, wait):
        """A gang of one node and one independent node are interrupted, wait and bill alike."""
        steady = {"nodes": 1, "failures_per_1000_node_days": 6.5}
        failures = 6.5 / 24_000
        alone = platform_mtbf(**steady, hazard_per_node_hour=rate)
        gang = platform_mtbf(**steady, gang_interruptions_per_hour=rate)
        assert alone == pytest.approx(gang, rel=1e-12)
        waits = {"mtbf_hours": gang, "node_wait_hours": wait}
        of_node = mean_wait_hours(failures_per_hour=failures + rate, **waits)
        of_gang = mean_wait_hours(failures_per_hour=failures, reclaims_per_hour=rate, gang_wait_hours=wait, **waits)
        assert of_node == pytest.approx(of_gang, rel=1e-12)
        training = {"training_hours": 100.0, "mtbf_hours": gang, "wait_hours": of_gang}
        assert unheld_hours(**training, node_reclaims_per_hour=rate, replacement_hours=wait, nodes=1) == pytest.approx(
            unheld_hours(**training, reclaims_per_hour=rate, gang_wait_hours=wait), rel=1e-12
        )

    @given(nodes=st.integers(1, 1000), rate=rates)
    def test_gang_interruptions_do_not_grow_with_the_nodes(self, nodes, rate):
        failures = {"failures_per_1000_node_days": 6.5}
        without = 1 / platform_mtbf(nodes=nodes, **failures)
        with_gang = 1 / platform_mtbf(nodes=nodes, **failures, gang_interruptions_per_hour=rate)
        assert with_gang - without == pytest.approx(rate, rel=1e-6)


class TestTheRule:
    @given(
        first_wait=st.floats(0.0, 200.0),
        slower=st.floats(1.0, 1000.0),
        threshold=st.floats(0.0, 500.0),
        changeover=st.floats(0.0, 10.0),
    )
    def test_spot_costs_at_most_the_threshold_and_one_changeover(self, first_wait, slower, threshold, changeover):
        on_demand, bring_up = 1000.0, 0.5
        fraction = fallback_spot_fraction(
            first_wait_hours=first_wait,
            spot_training_hours=on_demand * slower,
            on_demand_training_hours=on_demand,
            threshold_hours=threshold,
        )
        assert 0 <= fraction <= 1
        spot = fallback_spot_hours(
            first_wait_hours=first_wait,
            start_hours=first_wait + bring_up,
            spot_training_hours=on_demand * slower,
            spot_fraction=fraction,
            threshold_hours=threshold,
        )
        total = fallback_hours(
            spot_hours=spot,
            spot_fraction=fraction,
            changeover_hours=changeover,
            on_demand_training_hours=on_demand,
        )
        assert total <= on_demand + bring_up + threshold + changeover + 1e-6

    def test_no_time_left_is_no_spot(self):
        assert fallback_threshold(limit_hours=90, on_demand_hours=100) == 0
        assert (
            fallback_spot_fraction(
                first_wait_hours=0, spot_training_hours=110, on_demand_training_hours=100, threshold_hours=0
            )
            == 0
        )

    def test_arrays_are_each_draw_alone(self):
        found = fallback_spot_fraction(
            first_wait_hours=np.array([0.0, 0.0, 9.0]),
            spot_training_hours=np.array([110.0, 300.0, 300.0]),
            on_demand_training_hours=100.0,
            threshold_hours=8.0,
        )
        np.testing.assert_allclose(found, [0.8, 0.04, 0.0])
