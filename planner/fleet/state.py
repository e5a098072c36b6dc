"""What a simulated queue knows at one moment. Lists of numbers, and functions that Numba may compile (compiled.py)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from planner.fleet.profile import Profile, profile_of

END, FAILURE, REPAIR = 0, 1, 2
SLURM, EASY, FCFS = 0, 1, 2
NOBODY = -1
ABOVE, WAITING, FAILURES, PREEMPTED, EVENTS, DRAWN, RAN_OUT, OVERLOADED = range(8)  # places in State.counts
BACKLOG, LOST = 0, 1  # in State.sums

Of: TypeAlias = list[int]  # of each job, group or project, by index
Hours: TypeAlias = list[float]


class Fixed(NamedTuple):
    """`Rules` as numbers. most: node-hours that wait, at which a queue is given up."""

    policy: int
    fair_share: bool
    preempt: bool
    decay: float
    depth: int
    failures: float
    repair: float
    restart: float
    parts: int
    most: float
    until: float


@dataclass(slots=True)
class State:
    """Of one run. Jobs that wait stand in lists that are each in order, by project or with age alone by tier: first and
    last are of each list, after and before of each job."""

    rules: Fixed
    # what is given, of jobs, then of projects and groups
    size: Of
    nth_size: Of  # place in sizes
    owner: Of
    way: Of  # place in ways
    submit: Hours
    limit: Hours
    tier: Of
    share: Hours
    checkpoint: Hours
    sizes: Of  # that jobs have, the smallest first
    ways: list[list[tuple[int, float]]]  # (group, speed), tried in this order
    capacity: Of
    lives: Hours  # standard exponential numbers
    # of jobs
    left: Hours
    attempt: Of
    group: Of
    began: Hours
    ends: Hours  # at its limit
    speed: Hours
    overhead: Hours
    queued_at: Hours
    wait: Hours
    start: Hours
    end: Hours
    after: Of
    before: Of
    first: Of
    last: Of
    # of groups
    free: Of
    running: list[list[tuple[float, int, int]]]  # (expected end, job, nodes), by time
    low: list[Of]  # jobs that may be preempted, the youngest last
    takable: Of  # nodes that they hold
    hours: list[Hours]  # by group and size, the shortest first: of jobs that wait, at their limits
    profiles: list[Profile]
    reserved: list[bool]  # whether that profile is of this pass
    # of projects
    used: Hours
    rate: Hours
    used_at: Hours
    # of all
    heap: list[tuple[float, int, int, int]]  # (when, what, job or group, attempt or nodes)
    held: list[tuple[float, float, float, float, float]]
    sums: Hours
    counts: Of


def state_of(
    rules: Fixed, jobs: tuple[Of, Of, Of, Of, Hours, Hours, Hours], projects: tuple[Of, Hours, Hours],
    ways: tuple[Of, Of, Hours], capacity: Of, sizes: Of, lives: Hours,
) -> State:  # fmt: skip
    """Before the first event. ways: where each begins and the last ends, groups, speeds."""
    size, nth_size, owner, way, submit, limit, hours = jobs
    tier, share, checkpoint = projects
    begins, group, speed = ways
    count, groups, owners = range(len(size)), range(len(capacity)), range(len(tier))
    lists, nothing, never = range(len(tier) if rules.fair_share else 3), range(0), math.inf
    return State(
        rules, size, nth_size, owner, way, submit, limit, tier, share, checkpoint, sizes,
        [[(group[at], speed[at]) for at in range(begins[n], begins[n + 1])] for n in range(len(begins) - 1)],
        capacity, lives,
        # of jobs
        list(hours), [0 for _ in count], [NOBODY for _ in count], [0.0 for _ in count], [0.0 for _ in count],
        [1.0 for _ in count], [0.0 for _ in count], list(submit), [0.0 for _ in count],
        [never for _ in count], [never for _ in count], [NOBODY for _ in count], [NOBODY for _ in count],
        [NOBODY for _ in lists], [NOBODY for _ in lists],
        # of groups
        list(capacity), [[(0.0, 0, 0) for _ in nothing] for _ in groups], [[0 for _ in nothing] for _ in groups],
        [0 for _ in groups], [[0.0 for _ in nothing] for _ in range(len(groups) * len(sizes))],
        [profile_of(0.0, 0, [(0.0, 0, 0) for _ in nothing]) for _ in groups], [False for _ in groups],
        # of projects, and of all
        [0.0 for _ in owners], [0.0 for _ in owners], [0.0 for _ in owners],
        [(0.0, 0, 0, 0) for _ in nothing], [(0.0, 0.0, 0.0, 0.0, 0.0) for _ in nothing], [0.0, 0.0],
        [0 for _ in range(8)],
    )  # fmt: skip
