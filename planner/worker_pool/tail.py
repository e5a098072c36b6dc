"""The rule that leaves spot before a deadline: new nodes are On-Demand once what is left fits no later start.

It uses only what was observed: which jobs are open, their newest checkpoints, and the time. On so many nodes that never
stop, jobs one after the other end within the bound of `hours_left`; the reserve is what one interruption costs a job.
Nodes that run stay: while they do, the work that is left shrinks as fast as the time.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

from planner.worker_pool.model import Market, Rules, Supply, checkpoints


def hours_left(lefts: Sequence[float], nodes: int) -> float:
    """Hours until jobs with so many hours left each end on a number of nodes, whatever their order: the smaller of two
    bounds, whole rounds of the longest job, and equal shares plus the longest job (Graham, "Bounds on Multiprocessing
    Timing Anomalies", 1969)."""
    if not lefts:
        return 0.0
    longest = max(lefts)
    return min(math.ceil(len(lefts) / nodes) * longest, math.fsum(lefts) / nodes + (1 - 1 / nodes) * longest)


def of_job(market: Market, done: float) -> float:
    """Hours of a job on a fresh node of a market, of which the fraction `done` is behind its newest checkpoint."""
    jobs = market.jobs
    left = jobs.work_hours * (1 - done)
    resume = jobs.resume_hours if done else 0.0
    return jobs.model_hours + resume + left + checkpoints(left, jobs.segment_hours) * jobs.write_hours


class Tail:
    """Of one run, which has a tail."""

    def __init__(self, supply: Supply, rules: Rules) -> None:
        assert supply.tail is not None  # the caller has looked
        self._market, self._nodes = supply.tail, rules.most
        self._latest = supply.deadline_hours - reserve_hours(supply, rules)

    def is_due(self, now: float, open_jobs: int, progress: Callable[[], Iterable[float]]) -> bool:
        """Whether what is left has to go On-Demand now. progress: the fraction of each open job that is behind its
        newest checkpoint; asked only where it matters."""
        whole = of_job(self._market, 0.0)
        # most looks end here: there would be time even if no open job had a checkpoint
        if not open_jobs or now + math.ceil(open_jobs / self._nodes) * whole < self._latest:
            return False
        lefts = [of_job(self._market, done) if done else whole for done in progress()]
        return now + hours_left(lefts, self._nodes) >= self._latest


def reserve_hours(supply: Supply, rules: Rules) -> float:
    """What one interruption costs a job: noticing it, a new node that boots and loads, a segment that is repeated; and
    the time between two looks."""
    assert supply.tail is not None  # there is nothing to reserve for otherwise
    boot = max(supply.tail.nodes.boot_hours, supply.tail.nodes.boot_p90_hours)
    segment = max(one.jobs.segment_hours + one.jobs.write_hours for one in supply.every)
    jobs = supply.tail.jobs
    return rules.stalled_hours + boot + jobs.model_hours + jobs.resume_hours + segment + rules.every_hours
