"""The exact optimum: every plan of tiny jobs, published values, and what must hold of it on any market."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.spot.job import Job
from planner.spot.optimum import least_cost_fraction
from planner.spot.replay import windows
from tests.spot.jobs import NEW, OLD, job_of, means, per_start, recordings, seen, twin
from tests.spot.recordings import needs_public


def cheapest_of_all_plans(up: np.ndarray, job: Job) -> float:
    """A second route: every plan of a job in zones x ticks. 0 waits, -1 is On-Demand, z is zone z - 1."""
    zones, ticks = up.shape
    least = np.inf
    for plan in product(range(-1, zones + 1), repeat=ticks):
        if any(what > 0 and not up[what - 1, tick] for tick, what in enumerate(plan)):
            continue
        starts = sum(what not in (0, before) for before, what in zip((0, *plan), plan, strict=False))
        bought = sum(what != 0 for what in plan)
        if bought * job.gap >= job.work + job.changeover * starts:
            cost = sum(1.0 if what > 0 else job.price_ratio for what in plan if what)
            least = min(least, cost)
    return least * job.gap / (job.work * job.price_ratio)


TINY = st.tuples(
    st.lists(st.booleans(), min_size=8, max_size=8),
    st.sampled_from((0, 200, 900, 1000, 2000)),
    st.sampled_from((1700, 3000, 3600)),
    st.sampled_from((1, 1.5, 3)),
)


@given(TINY)
@settings(deadline=None, max_examples=25)
def test_tiny_jobs_cost_what_their_best_plan_costs(case):
    flags, changeover, work, ratio = case
    job = Job(work=work, deadline=8 * 900, changeover=changeover, gap=900, price_ratio=ratio)
    up = np.array([flags])
    assert least_cost_fraction(up.T, job).item() == pytest.approx(cheapest_of_all_plans(up, job))


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=6, max_size=6), st.sampled_from((0, 300, 900)))
@settings(deadline=None, max_examples=15)
def test_tiny_jobs_in_two_zones_cost_what_their_best_plan_costs(flags, changeover):
    job = Job(work=2700, deadline=6 * 900, changeover=changeover, gap=900, price_ratio=3.0)
    up = np.array(flags).T
    zones = up.T[:, :, None]
    assert least_cost_fraction(zones, job).item() == pytest.approx(cheapest_of_all_plans(up, job))


@given(st.integers(0, 99), st.sampled_from((0.02, 0.2, 0.4)), st.sampled_from((50, 52, 60)))
@settings(deadline=None, max_examples=15)
def test_more_capacity_and_more_time_never_cost_more(seed, changeover, deadline):
    job, later = job_of(changeover, deadline), job_of(changeover, deadline + 4)
    up = twin(later, 8, seed, 0.5)
    more = up | twin(later, 8, seed + 1, 0.1)
    least = least_cost_fraction(up, job)
    assert (least_cost_fraction(more, job) <= least + 1e-12).all()
    assert (least_cost_fraction(up, later) <= least + 1e-12).all()
    assert (least_cost_fraction(np.stack((up, more), axis=1), job) <= least_cost_fraction(more, job) + 1e-12).all()
    assert (least <= job.on_demand_fraction + 1e-12).all()


def test_the_ends_of_the_scale():
    job = job_of(0.2, 60)
    none, all_of_it = (np.full((job.ticks, 1), flag) for flag in (False, True))
    assert least_cost_fraction(none, job).item() == pytest.approx(job.on_demand_fraction)
    assert least_cost_fraction(all_of_it, job).item() == pytest.approx(job.on_demand_fraction / job.price_ratio)


@needs_public
@pytest.mark.parametrize(("dataset", "step"), [(OLD, 12), (NEW, 25)])
def test_published_optima_come_out(dataset, step):
    """Anchor A2: within 1e-6; these were computed with another program and checked against an integer program."""
    for name, trace in recordings(dataset).items():
        rows = per_start()[dataset, name][::step]
        job = job_of(0.2, 60, trace.gap_seconds)
        up = windows(trace.up(1), [int(row["start"]) for row in rows], job.ticks)
        expected = [float(row["omniscient"]) for row in rows]
        assert least_cost_fraction(up, job) == pytest.approx(expected, abs=1e-6)


@needs_public
@pytest.mark.thorough
def test_published_means_of_the_optimum_come_out():
    for row in means():
        if row["dataset"] == OLD and row["series"] in recordings(OLD):
            job = job_of(float(row["changeover_h"]), int(row["deadline_h"]))
            least = least_cost_fraction(seen(OLD, row["series"], job), job)
            assert least.mean() == pytest.approx(float(row["omniscient"]), abs=6e-6)
