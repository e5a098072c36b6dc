"""What a worker pool costs and takes on each choice, as ranges over simulated runs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from planner.answer.compared import Compared
from planner.answer.ranges import Range
from planner.answer.row import Row
from planner.models.number import quantiles
from planner.plan.worker_pool_types import WorkerPoolPlan
from planner.worker_pool.choices import Choice
from planner.worker_pool.model import Jobs, Nodes
from planner.worker_pool.run import Attempt

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Spread:
    """The mean and the 10th, 50th and 90th percentile; infinite beyond the runs that finish."""

    mean: float
    p10: float
    p50: float
    p90: float


def of_range(found: Range) -> Spread:
    """The planned figure of a pool is the mean."""
    return Spread(mean=found.plan, p10=found.p10, p50=found.p50, p90=found.p90)


def spread_of(values: Floats) -> Spread:
    """Of all runs or all jobs; NaN where there is nothing."""
    if not values.size:
        return Spread(mean=math.nan, p10=math.nan, p50=math.nan, p90=math.nan)
    p10, p50, p90 = quantiles(values, (0.1, 0.5, 0.9))
    return Spread(mean=float(values.mean()), p10=p10, p50=p50, p90=p90)


@dataclass(frozen=True, kw_only=True)
class Interrupted:
    """The most interrupted job of all runs, with its attempts. wait_hours: in the queue before the first."""

    job: int
    run: int
    wait_hours: float
    stalled_hours: float
    checkpoint_hours: float
    interruptions: int
    attempts: tuple[Attempt, ...]
    usd: float


@dataclass(frozen=True, kw_only=True)
class Alone:
    """One job with a node always at hand. closed_hours: the mean by equation G32 at the planned rate, None if the rate
    is not constant; sampled: the same drawn; pool_mean_hours: the mean of the simulated pools on nodes."""

    mtbf_hours: float | None
    closed_hours: float | None
    sampled: Spread | None
    uninterrupted_hours: float


@dataclass(frozen=True, kw_only=True)
class PoolScenario(Row):
    """A choice, simulated. Its planned cost and days are means over the runs: that of the cost is the sum of the bill.

    per_job, per_step, dead_letters: over runs. wait_hours, job_hours, job_usd: over all jobs of all runs, job_usd by
    hours on nodes, as heartbeats are billed. loss_minutes: over all interruptions. shares: of the node hours that are
    paid, by use, each over runs. price: USD per node-hour. left_spot_fraction: of the runs, those in which the rest
    went On-Demand.
    """

    choice: Choice
    per_job: Spread | None = None
    per_step: Spread | None = None
    price: Spread | None = None
    dead_letters: Spread | None = None
    wait_hours: Spread | None = None
    job_hours: Spread | None = None
    job_usd: Spread | None = None
    loss_minutes: Spread | None = None
    interruptions: float = 0.0
    interrupted_fraction: float = 0.0
    shares: Mapping[str, Spread] = field(default_factory=dict)
    nodes_lost: float = 0.0
    nodes_replaced: float = 0.0
    most_nodes: int = 0
    left_spot_fraction: float = 0.0
    events: int = 0
    alone: Alone | None = None
    interrupted: Interrupted | None = None

    @property
    def instance_type(self) -> str:
        """Of its nodes; a name where they are of several types, or of a price list."""
        worker = self.choice.worker
        return worker.id if self.choice.members else worker.instance_type or worker.id


@dataclass(frozen=True, kw_only=True)
class PoolComparison(Compared[PoolScenario]):
    """Every choice of a plan, in the order of its answer; `draws` are the simulated runs of each."""

    plan: WorkerPoolPlan


def typical(nodes: Sequence[Nodes]) -> Nodes:
    """The nodes of the run with the median rate of single interruptions, among those that have any: scarce markets
    take all nodes at once instead."""
    some = [one for one in nodes if one.interruptions_per_hour] or list(nodes)
    return sorted(some, key=lambda one: one.interruptions_per_hour)[len(some) // 2]


def segments_of(jobs: Jobs) -> float:
    """Checkpoint intervals of one job."""
    return jobs.work_hours / jobs.segment_hours
