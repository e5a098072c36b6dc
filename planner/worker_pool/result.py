"""What a worker pool costs and takes on each choice, as ranges over simulated runs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

import numpy as np
from numpy.typing import NDArray

from planner.models.number import quantiles, share_of
from planner.plan.assumptions import Assumption
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

    def at(self, figure: str) -> float:
        """By the word of a plan: p50, p90, mean or planned, which is the mean of a pool."""
        return self.mean if figure in ("mean", "planned", "plan") else float(getattr(self, figure))


def spread_of(values: Floats) -> Spread:
    """Of all runs or all jobs; NaN where there is nothing."""
    if not values.size:
        return Spread(mean=math.nan, p10=math.nan, p50=math.nan, p90=math.nan)
    p10, p50, p90 = quantiles(values, (0.1, 0.5, 0.9))
    return Spread(mean=float(values.mean()), p10=p10, p50=p50, p90=p90)


@dataclass(frozen=True, kw_only=True)
class PoolLine:
    """One line of a bill, the mean over all runs: quantity x unit price = usd. service: AWS's, or whose price list.
    equation: its number in `planner calc --list`. usd_per_hour: of what stands without jobs, too."""

    line: str
    service: str
    equation: str
    what: str
    quantity: float
    unit: str
    usd_per_unit: float
    usd: float
    source: str
    observed: date | None
    grade: str
    usd_per_hour: float | None = None


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
class PoolScenario:
    """A choice, simulated.

    cost, days, per_job, per_step, dead_letters: over runs. wait_hours, job_hours, job_usd: over all jobs of all runs,
    job_usd by hours on nodes, as heartbeats are billed. loss_minutes: over all interruptions. shares: of the node hours
    that are paid, by use, each over runs. unpriced_lines: of a simulated choice, the
    line of each entry of choice.unpriced. price: USD per node-hour. left_spot_fraction: of the runs, those in which the
    rest went On-Demand.
    """

    choice: Choice
    runs: int
    cost: Spread | None = None
    days: Spread | None = None
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
    bill: tuple[PoolLine, ...] = ()
    unpriced_lines: tuple[str, ...] = ()
    finish_fraction: float = 0.0
    on_time_fraction: float = 0.0
    nodes_lost: float = 0.0
    nodes_replaced: float = 0.0
    most_nodes: int = 0
    left_spot_fraction: float = 0.0
    events: int = 0
    shortfalls: tuple[str, ...] = ()
    alone: Alone | None = None
    interrupted: Interrupted | None = None

    @property
    def id(self) -> str:
        return self.choice.id

    @property
    def feasible(self) -> bool:
        return not self.choice.why_not

    @property
    def complete(self) -> bool:
        return self.feasible and not self.choice.unpriced

    @property
    def eligible(self) -> bool:
        return self.complete and not self.shortfalls


@dataclass(frozen=True, kw_only=True)
class PoolComparison:
    """Every choice: eligible ones by cost, then complete ones, then those that lack a price or cannot be."""

    plan: WorkerPoolPlan
    plan_sha256: str
    prices_as_of: date
    seed: int
    runs: int
    scenarios: tuple[PoolScenario, ...]
    assumptions: tuple[Assumption, ...]
    notes: tuple[str, ...] = ()

    @property
    def best(self) -> PoolScenario | None:
        """The recommended choice: the first that is eligible, which a stack can be of if any can."""
        first = next(iter(self.scenarios), None)
        return first if first is not None and first.eligible else None


def within(values: Floats, limit: float) -> float:
    """The share of the runs that stay within a limit."""
    return share_of(values <= limit * (1 + 1e-12))


def typical(nodes: Sequence[Nodes]) -> Nodes:
    """The nodes of the run with the median rate of single interruptions, among those that have any: scarce markets
    take all nodes at once instead."""
    some = [one for one in nodes if one.interruptions_per_hour] or list(nodes)
    return sorted(some, key=lambda one: one.interruptions_per_hour)[len(some) // 2]


def segments_of(jobs: Jobs) -> float:
    """Checkpoint intervals of one job."""
    return jobs.work_hours / jobs.segment_hours
