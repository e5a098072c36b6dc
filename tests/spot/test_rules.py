"""Published rules: the published costs to the last digit, and what holds for every rule on every market."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.models.spot import fallback_threshold
from planner.spot.job import Job
from planner.spot.optimum import least_cost_fraction
from planner.spot.replay import replay, spell_left, windows
from planner.spot.rules import Fallback, Greedy, NextSpotOracle, UniformProgress
from tests.spot.jobs import NEW, OLD, POLICIES, PUBLISHED, job_of, means, per_start, recordings, seen, twin
from tests.spot.recordings import needs_public

HOURLY = Job.of_hours(work=4, deadline=8, changeover=0.5, gap_seconds=3600, price_ratio=3.0)


def series(text: str) -> np.ndarray:
    """What one job sees, from 1s and 0s."""
    return np.array([[mark == "1"] for mark in text])


def test_greedy_by_hand():
    """Half an hour of the first tick is the start: 1.5 hours after two ticks, then two of waiting. With four ticks
    left, 2.5 hours of work and two starts fill all of them: On-Demand, although there is spot again."""
    outcome = replay(series("11001111"), HOURLY, Greedy())
    assert (outcome.spot_ticks.item(), outcome.on_demand_ticks.item(), outcome.end.item()) == (2, 3, 7)
    assert outcome.starts.item() == 2
    assert outcome.cost_fraction.item() == pytest.approx((2 + 3 * 3) / (4 * 3))


def test_greedy_without_capacity_moves_at_the_last_moment():
    """4.5 hours On-Demand are 5 ticks: they start three ticks before the end at the latest, with two starts' time."""
    outcome = replay(series("00000000"), HOURLY, Greedy())
    assert (outcome.on_demand_ticks.item(), outcome.spot_ticks.item(), outcome.end.item()) == (5, 0, 8)


def test_uniform_progress_by_hand():
    """Half of the elapsed time has to be worked. Behind at the third tick (1.5 of 1.0 is ahead: it waits), at the
    fourth 1.5 of 1.5 is on time and waits, at the fifth 1.5 of 2 is behind: On-Demand to the end."""
    outcome = replay(series("11000000"), HOURLY, UniformProgress())
    assert (outcome.spot_ticks.item(), outcome.on_demand_ticks.item(), outcome.end.item()) == (2, 3, 7)


def test_the_oracle_leaves_capacity_that_does_not_pay_for_its_start():
    """A start of 0.5 h On-Demand costs what 0.75 h of spot saves: 1.5 h by the saving of two thirds."""
    left = spell_left(series("0110100"))
    assert left.ravel().tolist() == [0, 2, 1, 0, 1, 0, 0]
    long = Job.of_hours(work=4, deadline=12, changeover=1.0, gap_seconds=3600, price_ratio=3.0)
    short = replay(series("100000000000"), long, NextSpotOracle())
    assert short.spot_ticks.item() == 0


def test_the_fallback_rule_moves_once_and_for_good():
    """The threshold is that of equation G15: (8 - 4.5) / 2 hours."""
    assert fallback_threshold(limit_hours=8.0, on_demand_hours=4.5) == 1.75
    outcome = replay(series("10011111"), HOURLY, Fallback())
    # one tick on spot, two waiting: 2.5 hours lost at the fourth tick, so On-Demand although there is spot
    assert (outcome.spot_ticks.item(), outcome.on_demand_ticks.item(), outcome.end.item()) == (1, 4, 7)


@needs_public
@pytest.mark.parametrize("dataset", [OLD, NEW])
@pytest.mark.parametrize("policy", PUBLISHED, ids=lambda policy: policy.name)
def test_every_published_cost_comes_out(dataset, policy):
    """Anchor A1: within 1e-6 of every start's published cost, and no job is late."""
    for name in recordings(dataset):
        rows = per_start()[dataset, name]
        job = job_of(0.2, 60, recordings(dataset)[name].gap_seconds)
        up = windows(recordings(dataset)[name].up(1), [int(row["start"]) for row in rows], job.ticks)
        outcome = replay(up, job, policy)
        assert not outcome.late.any()
        assert outcome.cost_fraction == pytest.approx([float(row[policy.name]) for row in rows], abs=1e-6)
        assert job.on_demand_fraction == pytest.approx(float(rows[0]["on_demand"]), abs=1e-6)


@needs_public
@pytest.mark.thorough
def test_published_means_of_other_deadlines_and_changeovers_come_out():
    """The means are rounded to five digits. The starts of 2023 are published for 60 hours only."""
    checked = 0
    for row in means():
        dataset, deadline = row["dataset"], int(row["deadline_h"])
        if dataset not in (OLD, NEW) or (dataset == NEW and deadline != 60) or row["series"] not in recordings(dataset):
            continue
        job = job_of(float(row["changeover_h"]), deadline, recordings(dataset)[row["series"]].gap_seconds)
        up = seen(dataset, row["series"], job)
        assert up.mean() == pytest.approx(float(row["spot_fraction"]), abs=6e-6)
        for policy in PUBLISHED:
            outcome = replay(up, job, policy)
            assert not outcome.late.any()
            assert outcome.cost_fraction.mean() == pytest.approx(float(row[policy.name]), abs=6e-6)
            checked += 1
    assert checked == (7 * 9 + 7 * 3) * 4


MARKETS = st.tuples(
    st.sampled_from((0.0, 0.02, 0.2, 0.4)), st.sampled_from((49, 52, 60, 90)), st.floats(0.05, 0.95), st.integers(0, 99)
)


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.name)
@given(MARKETS)
@settings(deadline=None, max_examples=12)
def test_no_rule_is_late_and_none_beats_the_optimum(policy, market):
    changeover, deadline, share, seed = market
    job = job_of(changeover, deadline)
    up = twin(job, 12, seed, share)
    outcome = replay(up, job, policy)
    assert not outcome.late.any()
    assert (outcome.end * job.gap <= job.deadline).all()
    assert (outcome.cost_fraction >= least_cost_fraction(up, job) - 1e-9).all()
    bought = (outcome.spot_ticks + outcome.on_demand_ticks) * job.gap
    assert (bought <= outcome.end * job.gap).all()
    assert (bought >= job.work + (outcome.starts > 0) * job.changeover).all()


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.name)
def test_with_capacity_all_the_time_every_rule_stays_on_spot(policy):
    job = job_of(0.2, 60)
    outcome = replay(np.ones((job.ticks, 3), dtype=bool), job, policy)
    assert outcome.cost_fraction == pytest.approx(job.on_demand_fraction / job.price_ratio)
    assert outcome.starts.tolist() == [1, 1, 1]


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.name)
def test_without_any_capacity_every_rule_runs_on_demand_once(policy):
    job = job_of(0.2, 60)
    outcome = replay(np.zeros((job.ticks, 2), dtype=bool), job, policy)
    assert outcome.cost_fraction == pytest.approx(job.on_demand_fraction)


def test_jobs_do_not_see_each_other():
    """Each job alone costs what it costs among others."""
    job = job_of(0.2, 52)
    up = twin(job, 9, 5)
    for policy in POLICIES:
        together = replay(up, job, policy).cost_fraction
        alone = [replay(up[:, at : at + 1], job, policy).cost_fraction.item() for at in range(9)]
        assert together.tolist() == alone


@pytest.mark.parametrize(
    "wrong",
    [
        {"deadline": 48.1, "changeover": 0.2},
        {"work": 0.0},
        {"changeover": -0.1},
        {"price_ratio": 0.9},
    ],
)
def test_a_job_that_cannot_be_done_is_refused(wrong):
    given_here = {"work": 48.0, "deadline": 60.0, "changeover": 0.2, "price_ratio": 3.0} | wrong
    with pytest.raises(ValueError, match=r"a job needs|hours of work"):
        Job.of_hours(gap_seconds=600, **given_here)


def test_a_start_after_the_end_of_a_recording_is_refused():
    with pytest.raises(ValueError, match="the recording has 10 ticks"):
        windows(np.ones(10, dtype=bool), [0, 5], 6)
