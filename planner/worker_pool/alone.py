"""One job alone, always with a node at hand: whole runs drawn exactly, without stepping through their checkpoints.

At a constant rate of interruptions the failed tries of a segment are geometric, so those of all segments together are
binomial and negative binomial; what each failed try lasted is a truncated exponential. Thousands of runs are a few
draws.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from planner.worker_pool.model import Jobs, checkpoints

MOST_TRIES = 50_000_000  # failed tries in one call, from which the runs are too long to be drawn


def sampled_hours(
    jobs: Jobs, mtbf_hours: float, runs: int, rng: np.random.Generator, *, wait_hours: float = 0.0
) -> NDArray[np.float64]:
    """Hours of each run of one job, interrupted every `mtbf_hours` on average while it is on a node.

    wait_hours: after each interruption, without a node; it cannot be interrupted then. The work is cut into whole
    segments, rounded up as in `checkpoints`; the last one is as long as what is left. Raises ValueError for runs that
    are interrupted so often that they do not end.
    """
    count = checkpoints(jobs.work_hours, jobs.segment_hours)
    segment = jobs.segment_hours + jobs.write_hours
    last = jobs.work_hours - (count - 1) * jobs.segment_hours + jobs.write_hours
    reload = jobs.model_hours + jobs.resume_hours
    # what has to go right at once: (how many, the first try, each later try)
    parts = [
        (1, jobs.model_hours + (segment if count > 1 else last), jobs.model_hours + (segment if count > 1 else last))
    ]
    if count > 1:
        parts += [(count - 2, segment, reload + segment), (1, last, reload + last)]
    found = np.zeros(runs)
    for many, first, later in parts:
        if not many:
            continue
        lost = rng.binomial(many, -np.expm1(-first / mtbf_hours), runs)
        chance = np.exp(-later / mtbf_hours)
        if lost.sum() / max(chance, 1e-300) > MOST_TRIES:
            raise ValueError(f"a job that is interrupted every {mtbf_hours:g} h on average does not end")
        again = rng.negative_binomial(np.maximum(lost, 1), chance) * (lost > 0)
        found += many * first + lost * (later - first) + (lost + again) * wait_hours
        found += _lost_hours(lost, first, mtbf_hours, rng) + _lost_hours(again, later, mtbf_hours, rng)
    return found


def _lost_hours(
    tries: NDArray[np.int64], length: float, mtbf_hours: float, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Sums of so many failed tries of a length, each an exponential time that ended before it."""
    total = int(tries.sum())
    if not total:
        return np.zeros(len(tries))
    drawn = rng.random(total)
    drawn *= np.expm1(-length / mtbf_hours)
    np.log1p(drawn, out=drawn)
    drawn *= -mtbf_hours
    ends = np.cumsum(tries)
    sums = np.concatenate(([0.0], np.cumsum(drawn)))
    return sums[ends] - sums[ends - tries]
