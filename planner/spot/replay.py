"""Replay a rule on recorded or generated capacity: all jobs at once, tick by tick."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from fleet_pool.slurm.patient import Task, in_time
from numpy.typing import NDArray

from planner.spot.job import Counts, Job, Outcomes
from planner.spot.trace import Flags


@dataclass(kw_only=True)
class View:
    """What a rule sees at the start of a tick, of every job. It must not change the arrays.

    available: whether spot can be had, in any zone. on_spot: an instance that was kept into this tick. warming:
    seconds until an instance that runs now works. progress: seconds of work done. age: for how many ticks what the job
    sees has lasted, this tick included: capacity where there is some (of several zones, where it has lasted longest),
    else its absence; counted from the job's start.
    """

    job: Job
    tick: int
    available: Flags
    on_spot: Flags
    on_demand: Flags
    warming: Counts
    progress: Counts
    age: Counts

    @property
    def elapsed(self) -> int:
        """Seconds since the job could start."""
        return self.tick * self.job.gap


Wish = tuple[Flags, Flags]  # for each job: run on spot, run On-Demand; neither: wait
Rule = Callable[[View], Wish]


class Policy(Protocol):
    """name: of the rule. begin: the rule for these jobs; only one that looks ahead may use `available`."""

    @property
    def name(self) -> str: ...

    def begin(self, job: Job, available: Flags) -> Rule: ...


def windows(up: Flags, starts: Sequence[int], ticks: int) -> Flags:
    """What jobs that start at these ticks see, ticks x jobs. Raises ValueError if the series ends before."""
    first = np.asarray(starts, dtype=np.int64)
    if len(first) == 0 or first.min() < 0 or first.max() + ticks > len(up):
        raise ValueError(f"the recording has {len(up)} ticks: no job of {ticks} ticks can start at each of these ticks")
    return up[np.arange(ticks)[:, None] + first]


def task_of(job: Job) -> Task:
    """As the rules of a cluster's login node know it."""
    return Task(work=job.work, deadline=job.deadline, changeover=job.changeover)


# what a job does in a tick: the tick, whether it runs on spot, On-Demand, and seconds of the tick that are work
Watch = Callable[[int, Flags, Flags, Counts], None]


def replay(available: Flags, job: Job, policy: Policy, watch: Watch | None = None) -> Outcomes:
    """available: ticks x jobs, or ticks x zones x jobs, of at least the job's ticks; later ones are only looked at by
    rules that look ahead. A change of zone is a start. watch: called after each tick; it must not change the arrays."""
    zones = available if available.ndim == 3 else None
    seen = available if zones is None else np.logical_or.reduce(zones, axis=1)
    rule = policy.begin(job, seen)
    return _Replay(job, seen.shape[1]).run(seen, rule, None if zones is None else _Zones(zones), watch)


class _Zones:
    """In which zone each job runs. A new instance goes where capacity has lasted longest; the chance of losing it
    falls with its age in every public recording."""

    def __init__(self, available: Flags) -> None:
        self.available = available
        self.ages = np.zeros(available.shape[1:], dtype=np.int32)
        self.at = np.zeros(available.shape[2], dtype=np.int64)
        self.jobs = np.arange(available.shape[2])

    def keeps(self, tick: int) -> Flags:
        """Whether the zone of each job still has capacity."""
        now = self.available[tick]
        self.ages += 1
        self.ages *= now
        self.oldest = self.ages.argmax(axis=0)
        self.age = self.ages.max(axis=0)
        return now[self.at, self.jobs]

    def move(self, started: Flags) -> None:
        self.at = np.where(started, self.oldest, self.at)


class _Replay:
    def __init__(self, job: Job, jobs: int) -> None:
        self.job = job
        self.on_spot, self.on_demand = np.zeros(jobs, dtype=bool), np.zeros(jobs, dtype=bool)
        self.warming, self.progress = np.zeros(jobs, dtype=np.int32), np.zeros(jobs, dtype=np.int32)
        self.age = np.zeros(jobs, dtype=np.int32)
        self.spot_ticks, self.on_demand_ticks = np.zeros(jobs, dtype=np.int32), np.zeros(jobs, dtype=np.int32)
        self.seen_ticks, self.on_demand_starts = np.zeros(jobs, dtype=np.int32), np.zeros(jobs, dtype=np.int32)
        self.end, self.starts = np.zeros(jobs, dtype=np.int32), np.zeros(jobs, dtype=np.int32)
        self.live = np.ones(jobs, dtype=bool)

    def run(self, seen: Flags, rule: Rule, zones: _Zones | None, watch: Watch | None) -> Outcomes:
        before = None
        for tick in range(self.job.ticks):
            available = seen[tick]
            self.on_spot &= available if zones is None else zones.keeps(tick)
            if before is not None:
                self.age *= available == before
            self.age += 1
            before = available
            view = View(
                job=self.job,
                tick=tick,
                available=available,
                on_spot=self.on_spot,
                on_demand=self.on_demand,
                warming=self.warming,
                progress=self.progress,
                age=self.age if zones is None else np.where(available, zones.age, self.age),
            )
            spot, on_demand = self._in_time(view, *rule(view))
            moved = on_demand & ~self.on_demand
            started = (spot & ~self.on_spot) | moved
            if zones is not None:
                zones.move(started & spot)
            self.on_demand_starts += moved
            self.seen_ticks += on_demand & available
            worked = self._work(spot, on_demand, started)
            if watch is not None:
                watch(tick, spot, on_demand, worked)
            if not self._ended(tick):
                break
        return Outcomes(
            job=self.job,
            spot_ticks=self.spot_ticks,
            on_demand_ticks=self.on_demand_ticks,
            on_demand_starts=self.on_demand_starts,
            seen_ticks=self.seen_ticks,
            end=self.end,
            starts=self.starts,
        )

    def _in_time(self, view: View, spot: Flags, on_demand: Flags) -> Wish:
        """The safety net of every rule (fleet_pool.slurm.patient), where it can matter yet."""
        job = self.job
        last = (job.deadline - view.elapsed) // job.gap - 1  # ticks after this one
        left_after = last * job.gap
        if job.work + 2 * job.changeover > left_after:
            spot, on_demand = in_time(
                (spot, on_demand),
                task_of(job),
                view.progress,
                left_after,
                on_spot=view.on_spot,
                works=view.warming == 0,
            )
        return spot & self.live, on_demand & self.live

    def _work(self, spot: Flags, on_demand: Flags, started: Flags) -> Counts:
        """Seconds worked in one tick, which is billed whole: first what is left of the start, then work."""
        np.putmask(self.warming, started, np.int32(self.job.changeover))
        self.starts += started
        self.spot_ticks += spot
        self.on_demand_ticks += on_demand
        running = (spot | on_demand) * np.int32(self.job.gap)
        warmed = np.minimum(self.warming, running)
        self.warming -= warmed
        running -= warmed
        self.progress += running
        self.on_spot, self.on_demand = spot, on_demand
        return running

    def _ended(self, tick: int) -> bool:
        """Notes the jobs that are done; whether any is left."""
        if (tick + 1) * self.job.gap < self.job.work:
            return True
        done = self.live & (self.progress >= self.job.work)
        np.putmask(self.end, done, np.int32(tick + 1))
        self.live &= ~done
        return bool(self.live.any())


def spell_left(available: NDArray[np.bool_]) -> Counts:
    """For how many ticks capacity lasts from each tick on, ticks x jobs; 0 where there is none."""
    left = np.zeros(available.shape, dtype=np.int32)
    left[-1] = available[-1]
    for tick in range(len(available) - 2, -1, -1):
        left[tick] = (left[tick + 1] + 1) * available[tick]
    return left
