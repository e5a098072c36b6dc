"""A pass of the scheduler over a simulated queue: who may start, in whose turn. Functions that Numba may compile."""

from __future__ import annotations

import math

from planner.fleet.moves import again, leave, start
from planner.fleet.profile import earliest, not_before, profile_of, take, window
from planner.fleet.state import ABOVE, FCFS, NOBODY, PREEMPTED, SLURM, State


def start_some(s: State, now: float) -> None:
    """A pass of the scheduler: start what may start."""
    for group in range(len(s.free)):
        s.reserved[group] = False
    may_take = s.rules.preempt and s.counts[ABOVE] > 0
    if not any_fits(s, may_take):
        return
    looked, reserved = 0, 0
    for at in in_turn(s, now):
        job = s.first[at]
        while job != NOBODY:
            after = s.after[job]
            started = try_to_start(s, job, now)
            may_take = may_take and s.counts[ABOVE] > 0 and s.tier[s.owner[job]] > 0
            looked += 1
            # a place matters only where another job might take it
            if looked == s.rules.depth or not any_fits(s, may_take):
                return
            if s.rules.policy == FCFS and reserved == len(s.free):
                return
            if not started:
                reserved += reserve(s, job, now)
            job = after


def start_at_once(s: State, job: int, now: float) -> bool:
    """Start a job where nothing waits and nodes are free."""
    size = s.size[job]
    for group, speed in s.ways[s.way[job]]:
        if size <= s.free[group]:
            start(s, job, group, speed, now)
            return True
    return False


def might(s: State, job: int) -> bool:
    """Whether a job that arrives could start at once. What waited before it cannot, if nothing else changed."""
    size, may_take = s.size[job], s.rules.preempt and s.tier[s.owner[job]] > 0
    for group, _ in s.ways[s.way[job]]:  # noqa: SIM110 (Numba has no any())
        if size <= s.free[group] + (s.takable[group] if may_take else 0):
            return True
    return False


def in_turn(s: State, now: float) -> list[int]:
    """Lists with jobs, the one whose turn it is first."""
    some = [at for at in range(len(s.first)) if s.first[at] != NOBODY]
    if not s.rules.fair_share:
        return some[::-1]
    if len(some) < 2:
        return some
    weight = math.exp(s.rules.decay * now)
    about = [(-s.tier[o], (s.used[o] + s.rate[o] * (weight - s.used_at[o])) / s.share[o], o) for o in some]
    about.sort()
    return [o for _, _, o in about]


def any_fits(s: State, may_take: bool) -> bool:
    """Whether any job that waits could start now, beside what is reserved so far. may_take: from low, where nobody
    waits for the group yet."""
    sizes = s.sizes
    for group in range(len(s.free)):
        reserved = s.reserved[group]
        reach = s.free[group] + s.takable[group] if may_take and not reserved else s.free[group]
        if reach <= 0:
            continue
        base = group * len(sizes)
        for at in range(len(sizes)):
            size = sizes[at]
            if size > reach:
                break
            hours = s.hours[base + at]
            if len(hours) and (not reserved or hours[0] <= window(s.profiles[group], size)):
                return True
    return False


def try_to_start(s: State, job: int, now: float) -> bool:
    """Whether a job could start."""
    size = s.size[job]
    for group, speed in s.ways[s.way[job]]:
        if size > s.free[group]:
            continue
        if s.reserved[group]:
            hours = (s.left[job] / speed + s.overhead[job]) * s.limit[job]
            if s.rules.policy == FCFS or window(s.profiles[group], size) < hours:
                continue
            take(s.profiles[group], now, size, hours)
        leave(s, job, now)
        start(s, job, group, speed, now)
        return True
    return s.rules.preempt and s.tier[s.owner[job]] > 0 and preempt(s, job, now)


def reserve(s: State, job: int, now: float) -> int:
    """A job that cannot start holds its place, by the policy: where it is expected to end first. How many groups had no
    profile before."""
    size, found, where, when_there, hours_there, new = s.size[job], math.inf, NOBODY, 0.0, 0.0, 0
    for group, speed in s.ways[s.way[job]]:
        if size > s.capacity[group] or (s.reserved[group] and s.rules.policy != SLURM):
            continue
        if not s.reserved[group]:
            # first come, first served needs no ends: that somebody waits for the group is enough
            ends = s.running[group][:0] if s.rules.policy == FCFS else s.running[group]
            s.profiles[group] = profile_of(now, s.free[group], ends)
            s.reserved[group] = True
            new += 1
        hours = (s.left[job] / speed + s.overhead[job]) * s.limit[job]
        if not_before(s.profiles[group], size) + hours >= found:
            continue
        when = earliest(s.profiles[group], size, hours)
        if when + hours < found:
            found, where, when_there, hours_there = when + hours, group, when, hours
    if where != NOBODY:
        take(s.profiles[where], when_there, size, hours_there)
    return new


def preempt(s: State, job: int, now: float) -> bool:
    """Start it on nodes of low, the youngest jobs first, where nobody of higher priority waits for them."""
    size = s.size[job]
    for group, speed in s.ways[s.way[job]]:
        if s.reserved[group] or size > s.free[group] + s.takable[group]:
            continue
        while size > s.free[group]:
            again(s, s.low[group][-1], now)
            s.counts[PREEMPTED] += 1
        leave(s, job, now)
        start(s, job, group, speed, now)
        return True
    return False
