"""The least that a job could have cost, had it known all capacity in advance: an exact dynamic program.

A plan says for each tick: wait, run on spot where there is some, or run On-Demand. It is in time if the ticks bought
are at least the work plus one changeover for each start. This is the integer program of Wu et al. (NSDI 2024).
"""

from __future__ import annotations

from math import gcd

import numpy as np
from numpy.typing import NDArray

from planner.spot.job import Job
from planner.spot.trace import Flags

BATCH_BYTES = 1_000_000  # of one array of states: what a core keeps close


def least_cost_fraction(available: Flags, job: Job) -> NDArray[np.float64]:
    """Cost of each job by that of its work alone On-Demand. available: ticks x jobs, or ticks x zones x jobs; a change
    of zone is a start."""
    zones = (available if available.ndim == 3 else available[:, None, :])[: job.ticks]
    jobs = zones.shape[2]
    batch = max(BATCH_BYTES // (8 * _states(job)), 1)
    costs = [_least(zones[:, :, at : at + batch], job) for at in range(0, jobs, batch)]
    return np.concatenate(costs) * job.gap / (job.work * job.price_ratio)


def _unit(job: Job) -> int:
    """Seconds in steps of which time can be lost."""
    return gcd(job.gap, job.changeover)


def _states(job: Job) -> int:
    return (job.ticks * job.gap - job.work) // _unit(job) + 1


def _least(zones: Flags, job: Job) -> NDArray[np.float64]:
    """Least cost in ticks of spot.

    A state is the time lost so far, in waiting and starts; more than the deadline leaves is never kept. For each state
    there is one cost for each thing that may be running.
    """
    states, unit = _states(job), _unit(job)
    tick, start = min(job.gap // unit, states), job.changeover // unit
    _, count, jobs = zones.shape
    waiting = np.full((states, jobs), np.inf)
    waiting[0] = 0.0
    running = np.full((count + 1, states, jobs), np.inf)  # each zone, then On-Demand
    price = np.full((count + 1, jobs), float(job.price_ratio))
    best = np.empty_like(waiting)
    reachable = 1
    for now in zones:
        reachable = min(reachable + tick + start, states)  # no more has been lost yet
        np.copyto(best[:reachable], waiting[:reachable])
        for costs in running:
            np.minimum(best[:reachable], costs[:reachable], out=best[:reachable])
        price[:-1] = np.where(now, 1.0, np.inf)
        for costs, ticks in zip(running, price, strict=True):
            started = costs[start:reachable]
            np.minimum(started, best[: max(reachable - start, 0)], out=started)
            costs[:reachable] += ticks
        waiting[tick:reachable] = best[: reachable - tick]
        waiting[:tick] = np.inf
    return np.minimum(waiting.min(axis=0), running.min(axis=(0, 1)))
