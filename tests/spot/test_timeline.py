"""What one job does over time: by hand, and the same ticks that its outcome counts."""

from __future__ import annotations

import numpy as np
import pytest

from planner.spot.job import Job
from planner.spot.replay import replay
from planner.spot.rules import Greedy
from planner.spot.timeline import ON_DEMAND, SPOT, STARTING, WAITING, timeline
from tests.spot.jobs import POLICIES, job_of, twin


def test_a_short_job_by_hand():
    """A start takes 0.6 of a tick, so its tick counts as a start. From the fifth tick on, only On-Demand is in time."""
    job = Job.of_hours(work=4, deadline=8, changeover=0.6, gap_seconds=3600, price_ratio=3.0)
    row = timeline(np.array([mark == "1" for mark in "11001111"]), job, Greedy())
    assert [(one.what, one.begin, one.end) for one in row.stretches] == [
        (STARTING, 0, 1),
        (SPOT, 1, 2),
        (WAITING, 2, 4),
        (STARTING, 4, 5),
        (ON_DEMAND, 5, 8),
    ]


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.name)
def test_the_stretches_are_the_ticks_of_the_outcome(policy):
    job = job_of(0.4, 60)
    up = twin(job, 3, 8, 0.4)
    outcome = replay(up, job, policy)
    for at in range(3):
        row = timeline(up[:, at], job, policy)
        assert row.cost_fraction == outcome.cost_fraction[at]
        assert [one.begin for one in row.stretches] == [0, *(one.end for one in row.stretches[:-1])]
        assert row.stretches[-1].end == outcome.end[at]
        bought = sum(one.end - one.begin for one in row.stretches if one.what != WAITING)
        assert bought == outcome.spot_ticks[at] + outcome.on_demand_ticks[at]
