"""What one simulated run of a worker pool came to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Hours = NDArray[np.float64]
# what node hours are used for: the parts of a job's time on nodes, all hours from ready to gone, and those before
USES = WORK, LOAD, WRITE, REPEATED, FAILED, READY, BOOT = range(7)
JOB_USES = [WORK, LOAD, WRITE, REPEATED, FAILED]


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """One start of a job on a node. load_hours: downloads; kept_hours: from there to the last checkpoint; lost_hours:
    work after it, which is done again. how: done, interrupted or failed."""

    job: int
    node: int
    start: float
    end: float
    how: str
    load_hours: float
    kept_hours: float
    lost_hours: float


@dataclass(frozen=True, kw_only=True)
class PoolRun:
    """Hours from the submission; arrays have an entry a job, except losses.

    makespan: until every job has ended or is a dead letter; infinite if that never happens. wait, end: first start and
    end of each job, infinite for what never happened. busy: hours on nodes, which a bill by heartbeats counts. losses:
    clock hours that each interruption cost its job, from its last checkpoint until it is there again on another node.
    hours: of nodes, a row a market of the supply and a column a use. work, load, write, repeated, failed: the parts of
    busy. node_hours: of all nodes from ready to gone; boot_hours: before that. left_spot: when new nodes were On-Demand
    for the first time; infinite for never. events: changes of state; see planner.worker_pool.simulation.
    """

    makespan: float
    wait: Hours
    end: Hours
    busy: Hours
    interruptions: NDArray[np.int64]
    failures: NDArray[np.int64]
    dead: NDArray[np.bool_]
    losses: Hours
    hours: Hours
    left_spot: float
    nodes_started: int
    nodes_lost: int
    nodes_replaced: int
    most_nodes: int
    events: int
    attempts: tuple[Attempt, ...] = ()

    def used(self, use: int) -> float:
        """Node hours of one use, on all markets."""
        return float(self.hours[:, use].sum())

    @property
    def work_hours(self) -> float:
        return self.used(WORK)

    @property
    def load_hours(self) -> float:
        return self.used(LOAD)

    @property
    def write_hours(self) -> float:
        return self.used(WRITE)

    @property
    def repeated_hours(self) -> float:
        return self.used(REPEATED)

    @property
    def failed_hours(self) -> float:
        return self.used(FAILED)

    @property
    def node_hours(self) -> float:
        return self.used(READY)

    @property
    def boot_hours(self) -> float:
        return self.used(BOOT)

    @property
    def finished(self) -> bool:
        return bool(np.isfinite(self.makespan))

    @property
    def idle_hours(self) -> float:
        """Node hours without a job."""
        return self.node_hours - float(self.busy.sum())

    @property
    def done(self) -> int:
        """Jobs that ended well."""
        return int(np.isfinite(self.end).sum())

    @property
    def dead_letters(self) -> int:
        """Jobs that failed too often."""
        return int(self.dead.sum())
