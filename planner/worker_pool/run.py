"""What one simulated run of a worker pool came to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Hours = NDArray[np.float64]


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
    work, load, write, repeated, failed: the parts of busy. node_hours: of all nodes from ready to gone; boot_hours:
    before that. events: changes of state; see planner.worker_pool.simulation.
    """

    makespan: float
    wait: Hours
    end: Hours
    busy: Hours
    interruptions: NDArray[np.int64]
    failures: NDArray[np.int64]
    dead: NDArray[np.bool_]
    losses: Hours
    work_hours: float
    load_hours: float
    write_hours: float
    repeated_hours: float
    failed_hours: float
    node_hours: float
    boot_hours: float
    nodes_started: int
    nodes_lost: int
    nodes_replaced: int
    most_nodes: int
    events: int
    attempts: tuple[Attempt, ...] = ()

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
