"""What a simulated queue is given and what it gives. Time is in hours from the first one, nodes are whole."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
Speeds: TypeAlias = tuple[tuple[int, float], ...]
Policy: TypeAlias = Literal["slurm", "easy", "fcfs"]
HIGH, NORMAL, LOW = 2, 1, 0


@dataclass(frozen=True, kw_only=True)
class Owner:
    """A project to the queue. tier: HIGH, NORMAL or LOW. speeds: (group, relative speed), tried in this order.
    checkpoint: hours between two; infinite where none is saved."""

    tier: int = NORMAL
    share: float = 1.0
    speeds: Speeds = ((0, 1.0),)
    checkpoint: float = float("inf")


@dataclass(frozen=True, kw_only=True)
class Jobs:
    """By time of submission. nodes: or parts of nodes, as `Rules.parts` says. hours: of each at speed 1. limit: what
    backfill expects it to take, as a multiple of what it takes. owner: index of its project. way: index in ways, the
    speeds of jobs that may not use all that their project may; -1 for its project's, as of all jobs without ways."""

    submit: Floats
    nodes: Ints
    hours: Floats
    limit: Floats
    owner: Ints
    way: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    ways: tuple[Speeds, ...] = ()

    def of(self, owner: int) -> Jobs:
        """Those of one project."""
        mine = self.owner == owner
        columns = {name: one for name, one in vars(self).items() if isinstance(one, np.ndarray)}
        return replace(self, **{name: one[mine] for name, one in columns.items() if one.size})


@dataclass(frozen=True, kw_only=True)
class Rules:
    """policy: "slurm" (no job of higher priority is expected to start later for a backfilled one), "easy" (only not the
    first one) or "fcfs". fair_share: projects with less use for their share first, use counting half after
    half_life_hours; else jobs by age. depth: jobs that a pass of backfill looks at. failures: of a node that runs a
    job, an hour; repair, restart: hours. overload: node-hours that wait, as hours of the whole fleet, beside at_once,
    at which the simulation ends: such a queue only grows. at_once: node-hours of jobs that may wait together and say
    nothing of a rate, such as one that takes weeks. parts: that a node has, where jobs may be smaller than a node; any
    free parts will do for a job, whatever nodes they are on, and a failure takes all of a node's that the job held."""

    policy: Policy = "slurm"
    fair_share: bool = True
    preempt: bool = True
    half_life_hours: float = 14 * 24.0
    depth: int = 100
    failures: float = 0.0
    repair: float = 0.0
    restart: float = 0.0
    overload: float = 14 * 24.0
    at_once: float = 0.0
    parts: int = 1


@dataclass(frozen=True, kw_only=True)
class Ran:
    """Jobs by index, as they were given. wait: hours in the queue, also after a requeue; those that wait at the end
    count until then. start: the first one, end: infinite where there is none. group: in which it ended, else -1.

    held: (group, owner, from, to, nodes) of every attempt, one a row. lost: node-hours of work that was done again.
    until: when the simulation ended. overloaded: whether that was early, because the queue only grew.
    """

    start: Floats
    end: Floats
    wait: Floats
    group: Ints
    held: Floats
    lost: float
    failures: int
    preempted: int
    events: int
    until: float
    overloaded: bool

    def busy(self, group: int, hours: int) -> Floats:
        """Mean busy nodes of a group in each hour."""
        mine = self.held[self.held[:, 0] == group]
        when = np.concatenate([mine[:, 2], mine[:, 3]])
        change = np.concatenate([mine[:, 4], -mine[:, 4]])
        order = np.argsort(when, kind="stable")
        when, rate = when[order], np.cumsum(change[order])
        if not when.size:
            return np.zeros(hours)
        area = np.concatenate([[0.0], np.cumsum(rate[:-1] * np.diff(when))])
        return np.maximum(np.diff(np.interp(np.arange(hours + 1.0), when, area)), 0.0)

    def node_hours(self, groups: int, owners: int, until: float) -> Floats:
        """Node-hours to a time, groups x owners."""
        found = np.zeros((groups, owners))
        kept = np.maximum(np.minimum(self.held[:, 3], until) - self.held[:, 2], 0.0) * self.held[:, 4]
        np.add.at(found, (self.held[:, 0].astype(int), self.held[:, 1].astype(int)), kept)
        return found
