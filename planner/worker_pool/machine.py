"""A node of a simulated pool, and what it shares with the others of its market."""

from __future__ import annotations

from planner.worker_pool.model import Jobs, Market, Rules, checkpoints
from planner.worker_pool.run import USES


class Kind:
    """A market as its nodes see it. pace: its hours of work by those of the first market, in which progress is counted.
    saves: whether a notice leaves time for a checkpoint. hours: of all its nodes, by use."""

    def __init__(self, market: Market, first: Jobs, rules: Rules) -> None:
        self.jobs, self.notice_hours = market.jobs, market.nodes.notice_hours
        self.pace = market.jobs.work_hours / first.work_hours
        self.saves = rules.saves_on_notice and 0 < self.notice_hours >= self.jobs.write_hours
        self.hours = [0.0] * len(USES)


class Node:
    """One machine. begin: when the market has it, from which it is billed. job: -1 while it is idle; fresh: it has
    loaded no model yet; banned: jobs that failed on it."""

    __slots__ = (
        "bad",
        "banned",
        "begin",
        "failures",
        "fresh",
        "job",
        "kind",
        "load",
        "lost",
        "number",
        "ready",
        "start",
    )

    def __init__(self, number: int, kind: Kind, begin: float, ready: float, lost: float, *, bad: bool) -> None:
        self.number, self.kind, self.begin, self.ready, self.lost, self.bad = number, kind, begin, ready, lost, bad
        self.job, self.start, self.load, self.fresh, self.failures = -1, 0.0, 0.0, True, 0
        self.banned: set[int] | None = None

    def segments(self, now: float, left: float) -> int:
        """Checkpoints that the job on it has written since it came. left: hours of work that it came with."""
        jobs = self.kind.jobs
        worked = now - self.start - self.load
        if worked <= 0.0:
            return 0
        whole = int(worked / (jobs.segment_hours + jobs.write_hours))
        # not more than what is left: the job has not ended
        if whole and whole * jobs.segment_hours >= left:
            whole = checkpoints(left, jobs.segment_hours) - 1
        return whole
