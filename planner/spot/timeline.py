"""What one job does over time by each rule: waits, starts an instance, works on spot, works On-Demand."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from planner.spot.job import Counts, Job
from planner.spot.replay import Policy, replay
from planner.spot.trace import Flags

WAITING, STARTING, SPOT, ON_DEMAND = "waiting", "starting", "spot", "On-Demand"


@dataclass(frozen=True, kw_only=True)
class Stretch:
    """Ticks from `begin` to before `end` in which a job does the same."""

    what: str
    begin: int
    end: int


@dataclass(frozen=True, kw_only=True)
class Timeline:
    """One job by one rule, until it is done."""

    policy: str
    stretches: tuple[Stretch, ...]
    cost_fraction: float


def timeline(seen: Flags, job: Job, policy: Policy) -> Timeline:
    """seen: capacity in each tick. A tick counts as a start if work takes less than half of it."""
    done: list[str] = []

    def watch(tick: int, spot: Flags, on_demand: Flags, worked: Counts) -> None:
        del tick
        if not (spot[0] or on_demand[0]):
            done.append(WAITING)
        elif 2 * worked[0] < job.gap:
            done.append(STARTING)
        else:
            done.append(SPOT if spot[0] else ON_DEMAND)

    outcome = replay(seen[:, None], job, policy, watch)
    lived = np.array(done[: outcome.end.item() or len(done)])
    edges = [0, *(np.flatnonzero(lived[1:] != lived[:-1]) + 1).tolist(), len(lived)]
    return Timeline(
        policy=policy.name,
        stretches=tuple(Stretch(what=str(lived[a]), begin=a, end=b) for a, b in pairwise(edges)),
        cost_fraction=outcome.cost_fraction.item(),
    )
