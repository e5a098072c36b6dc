"""A worker pool as numbers: its jobs, its nodes and its rules. Hours throughout; no plan and no price."""

from __future__ import annotations

import math
from dataclasses import dataclass

P90_NORMAL = 1.2815515655446004  # standard normal quantile of 0.9


@dataclass(frozen=True, kw_only=True)
class Jobs:
    """Equal jobs, all submitted at time 0, each on one node at a time.

    work_hours: of one job, without anything else. segment_hours: work between two checkpoints; there is one at the end
    too. write_hours: a checkpoint, which the work waits for. model_hours: download at the first job of a node.
    resume_hours: download of a checkpoint. broken_fraction: jobs that fail on every node.
    """

    count: int
    work_hours: float
    segment_hours: float
    write_hours: float = 0.0
    model_hours: float = 0.0
    resume_hours: float = 0.0
    broken_fraction: float = 0.0

    @property
    def alone_hours(self) -> float:
        """One job on a fresh node that is never interrupted."""
        return self.model_hours + self.work_hours + checkpoints(self.work_hours, self.segment_hours) * self.write_hours


def checkpoints(work_hours: float, segment_hours: float) -> int:
    """How many are written while this work is done: after each segment, and at the end."""
    return math.ceil(work_hours / segment_hours - 1e-9)


@dataclass(frozen=True, kw_only=True)
class Nodes:
    """What can be said of one node.

    interruptions_per_hour: over a long time, 0 for never. shape: of the Weibull distribution of a node's life; 1 is a
    constant rate, below 1 the rate falls with age. boot_hours, boot_p90_hours: median and P90 from the request to the
    first job, log-normal. outages_per_hour, outage_hours: how often the market takes all nodes at once, and how long it
    has none; first_wait_hours: how long it has none at the start. notice_hours: warning before an interruption.
    """

    interruptions_per_hour: float = 0.0
    shape: float = 1.0
    boot_hours: float = 0.0
    boot_p90_hours: float = 0.0
    outages_per_hour: float = 0.0
    outage_hours: float = 0.0
    first_wait_hours: float = 0.0
    notice_hours: float = 0.0

    @property
    def life_scale_hours(self) -> float:
        """Scale of the Weibull distribution: the mean life is 1 / interruptions_per_hour."""
        if not self.interruptions_per_hour:
            return math.inf
        return 1 / (self.interruptions_per_hour * math.gamma(1 + 1 / self.shape))

    @property
    def boot_sigma(self) -> float:
        """Standard deviation of the logarithm of the boot time."""
        if self.boot_p90_hours <= self.boot_hours or not self.boot_hours:
            return 0.0
        return math.log(self.boot_p90_hours / self.boot_hours) / P90_NORMAL


@dataclass(frozen=True, kw_only=True)
class Rules:
    """What the pool's control does.

    least, most, jobs_per_node: nodes are the unfinished jobs by jobs_per_node, within least and most, looked at every
    `every_hours`; a node leaves after it was not needed for `cool_down_hours`. heartbeat_hours, stalled_hours: a job is
    taken over once its last heartbeat is older than stalled_hours. max_failures: of a job, then it is a dead letter.
    node_failures: jobs that fail on a node before it is replaced; None: it never is. bad_first: how many of the first
    nodes fail every job; bad_fraction: share of the later ones; fail_hours: how long that takes. saves_on_notice: a job
    with notice of an interruption saves a checkpoint and returns to the queue.
    """

    least: int
    most: int
    jobs_per_node: float = 1.0
    every_hours: float = 5 / 60
    cool_down_hours: float = 10 / 60
    heartbeat_hours: float = 30 / 3600
    stalled_hours: float = 60 / 3600
    max_failures: int = 3
    node_failures: int | None = 5
    bad_first: int = 0
    bad_fraction: float = 0.0
    fail_hours: float = 15 / 3600
    saves_on_notice: bool = False


@dataclass(frozen=True, kw_only=True)
class Market:
    """One instance type in one zone, bought one way, as one run meets it. usd_per_hour: of a node."""

    nodes: Nodes
    jobs: Jobs
    usd_per_hour: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Supply:
    """Where the nodes of one run come from.

    markets: that a request may be met by, the one with the lowest price first among those that have nodes. shared:
    fraction of the outages of scarce markets that take all of them at once. tail: On-Demand, which new nodes are of
    once what is left would otherwise miss the deadline (planner.worker_pool.tail); None for never.
    """

    markets: tuple[Market, ...]
    shared: float = 1.0
    tail: Market | None = None
    deadline_hours: float = math.inf

    @property
    def every(self) -> tuple[Market, ...]:
        """All markets, the tail last."""
        return self.markets if self.tail is None else (*self.markets, self.tail)
