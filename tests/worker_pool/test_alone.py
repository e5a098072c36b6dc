"""One job alone: whole runs drawn at once, beside the closed form and beside a loop over tries."""

from __future__ import annotations

import math

import numpy as np
import pytest

from planner.models.goodput import availability
from planner.models.worker_pool import worker_job_hours
from planner.worker_pool.alone import sampled_hours
from planner.worker_pool.model import Jobs, Nodes, Rules
from planner.worker_pool.simulation import simulate

JOBS = Jobs(count=1, work_hours=10.0, segment_hours=1.0, write_hours=0.1, model_hours=0.2, resume_hours=0.3)


def closed_form(jobs: Jobs, mtbf: float) -> float:
    return float(
        worker_job_hours(
            segments=jobs.work_hours / jobs.segment_hours,
            segment_hours=jobs.segment_hours,
            write_hours=jobs.write_hours,
            load_hours=jobs.model_hours,
            resume_hours=jobs.resume_hours,
            mtbf_hours=mtbf,
        )
    )


@pytest.mark.parametrize("mtbf", [1.0, 3.0, 100.0])
def test_the_mean_of_the_runs_is_the_closed_form(mtbf):
    drawn = sampled_hours(JOBS, mtbf, 40_000, np.random.default_rng(1))
    error = drawn.std() / math.sqrt(len(drawn))
    assert abs(drawn.mean() - closed_form(JOBS, mtbf)) < 4 * error


def test_without_downloads_it_is_the_availability_of_a_gang():
    jobs = Jobs(count=1, work_hours=500.0, segment_hours=2.0, write_hours=0.05)
    share = availability(work_hours=2.0, write_hours=0.05, restart_hours=0.0, wait_hours=0.0, mtbf_hours=5.0)
    assert closed_form(jobs, 5.0) == pytest.approx(500 / share, rel=1e-12)


def test_the_runs_are_distributed_as_those_of_a_loop():
    rng = np.random.default_rng(2)

    def one() -> float:
        now, done = 0.0, 0
        while done < 10:
            left, at = rng.exponential(3.0), JOBS.model_hours + (JOBS.resume_hours if done else 0.0)
            while done < 10 and at + 1.1 <= left:
                at, done = at + 1.1, done + 1
            now += min(left, at) if done == 10 else left
        return now

    looped = np.array([one() for _ in range(20_000)])
    drawn = sampled_hours(JOBS, 3.0, 20_000, rng)
    for share in (0.1, 0.5, 0.9, 0.99):
        assert np.quantile(drawn, share) == pytest.approx(np.quantile(looped, share), rel=0.03)


def test_an_uninterrupted_job_takes_its_parts():
    drawn = sampled_hours(JOBS, 1e12, 5, np.random.default_rng(0))
    assert drawn == pytest.approx(10 + 10 * 0.1 + 0.2, abs=1e-9)


def test_a_last_segment_may_be_shorter():
    jobs = Jobs(count=1, work_hours=2.5, segment_hours=1.0, write_hours=0.1)
    assert sampled_hours(jobs, 1e12, 3, np.random.default_rng(0)) == pytest.approx(2.8, abs=1e-9)


def test_the_wait_counts_after_each_interruption():
    jobs = Jobs(count=1, work_hours=1.0, segment_hours=1.0)
    without = sampled_hours(jobs, 1.0, 50_000, np.random.default_rng(3))
    waiting = sampled_hours(jobs, 1.0, 50_000, np.random.default_rng(3), wait_hours=2.0)
    # e - 1 failed tries on average before an hour goes right
    assert (waiting - without).mean() == pytest.approx(2 * (math.e - 1), rel=0.03)


def test_a_job_that_cannot_end_is_refused():
    with pytest.raises(ValueError, match="does not end"):
        sampled_hours(JOBS, 0.01, 1000, np.random.default_rng(0))


def test_the_pool_with_a_node_for_each_job_gives_the_same_hours():
    jobs = Jobs(count=4000, work_hours=10.0, segment_hours=1.0, write_hours=0.1, model_hours=0.2, resume_hours=0.3)
    rules = Rules(least=0, most=4000)
    run = simulate(jobs, Nodes(interruptions_per_hour=1 / 3), rules, np.random.default_rng(4))
    error = run.busy.std() / math.sqrt(len(run.busy))
    assert abs(run.busy.mean() - closed_form(jobs, 3.0)) < 4 * error
