"""A queue of gangs in discrete events: arrivals, ends, failures and repairs, and a pass of the scheduler after each.

slurm.conf(5) and Slurm's scheduling guide (SchedulerType=sched/backfill): jobs start in the order of priority; a job of
lower priority starts before its turn only if that delays the expected start of no job of higher priority. EASY (Lifka
1995) protects only the first of them. Expected ends come from time limits, which most jobs do not reach.
"""

from __future__ import annotations

import math
from bisect import bisect_left, insort
from collections import deque
from collections.abc import Iterator, Sequence
from heapq import heappop, heappush

import numpy as np

from planner.fleet.model import Jobs, Owner, Ran, Rules, sizes_of
from planner.fleet.profile import Profile

END, FAILURE, REPAIR = 0, 1, 2
RANDOM = 4096  # numbers that are drawn at once


def simulated(
    jobs: Jobs, owners: Sequence[Owner], nodes: Sequence[int], rules: Rules, until: float, seed: int = 0
) -> Ran:
    """Jobs through the queue to a time. nodes: of each group, in parts where jobs are. Every job fits one
    of its groups, or waits to the end."""
    return _Queue(jobs, owners, nodes, rules, seed).run(until)


class _Queue:
    """The state of one run. Attributes are lists, which Python reads faster than arrays."""

    def __init__(self, jobs: Jobs, owners: Sequence[Owner], nodes: Sequence[int], rules: Rules, seed: int) -> None:
        self.rules, self.owners, count = rules, owners, jobs.submit.size
        self.submit, self.nodes = jobs.submit.tolist(), jobs.nodes.tolist()
        self.left, self.limit = jobs.hours.tolist(), jobs.limit.tolist()
        self.owner, self.speeds = jobs.owner.tolist(), jobs.speeds(owners)
        self.free, self.capacity = list(nodes), list(nodes)
        self.running: list[list[tuple[float, int, int]]] = [[] for _ in nodes]  # by expected end
        self.low: list[dict[int, None]] = [{} for _ in nodes]  # that may be preempted, the youngest last
        self.takable = [0 for _ in nodes]  # nodes that they hold
        # jobs that wait, in lists that are each in order: by project, or with age alone by tier
        self.lists: list[deque[int]] = [deque() for _ in (owners if rules.fair_share else range(3))]
        # by group and size, the shortest first: the hours of jobs that wait, at their limits
        self.waiting: list[dict[int, list[float]]] = [{size: [] for size in sizes_of(self.nodes)} for _ in nodes]
        self.backlog = 0.0  # node-hours at speed 1
        self.above = 0  # jobs that wait and are not low
        self.heap: list[tuple[float, int, int, int]] = []  # (when, what, job or group, attempt or nodes)
        self.attempt = [0] * count
        self.group, self.began, self.ends = [-1] * count, [0.0] * count, [0.0] * count
        self.speed, self.overhead = [1.0] * count, [0.0] * count
        self.queued_at, self.wait = list(self.submit), [0.0] * count
        self.start, self.end = [math.inf] * count, [math.inf] * count
        self.tier, self.share = [owner.tier for owner in owners], [owner.share for owner in owners]
        self.used, self.rate, self.used_at = ([0.0] * len(owners) for _ in range(3))
        self.decay = math.log(2) / rules.half_life_hours
        self.held: list[tuple[float, ...]] = []
        self.lost, self.failures, self.preempted, self.events = 0.0, 0, 0, 0
        self.lifetimes = _exponentials(seed) if rules.failures else None

    def run(self, until: float) -> Ran:
        """To a time, or to where the queue is known to grow without end."""
        at, count, heap, submit = 0, len(self.submit), self.heap, self.submit
        most = self.rules.overload * sum(self.capacity) + self.rules.at_once
        overloaded = False
        while True:
            coming = submit[at] if at < count else math.inf
            now = min(coming, heap[0][0] if heap else math.inf)
            if now > until or now == math.inf:
                break
            changed = False
            while at < count and submit[at] <= now:
                self._wait(at, now, first=False)
                changed = changed or self._might(at)
                at += 1
                self.events += 1
            while heap and heap[0][0] <= now:
                _, what, index, attempt = heappop(heap)
                if what == REPAIR:
                    self.free[index] += attempt
                elif self.attempt[index] != attempt:
                    continue  # of an attempt that is over
                elif what == END:
                    self._stop(index, now)
                    self.end[index] = now
                else:
                    self._fail(index, now)
                self.events += 1
                changed = True
            if changed:
                self._pass(now)
            if self.backlog > most:
                overloaded = True
                break
        return self._ran(min(until, now) if overloaded else until, overloaded)

    def _wait(self, job: int, now: float, *, first: bool) -> None:
        owner = self.owner[job]
        mine = self.lists[owner if self.rules.fair_share else self.owners[owner].tier]
        mine.appendleft(job) if first else mine.append(job)
        size = self.nodes[job]
        for group, speed in self.speeds[job]:
            insort(self.waiting[group][size], (self.left[job] / speed + self.overhead[job]) * self.limit[job])
        self.backlog += size * self.left[job]
        self.above += self.owners[owner].tier > 0
        self.queued_at[job] = now

    def _start(self, job: int, group: int, speed: float, now: float) -> None:
        size, hours = self.nodes[job], self.left[job] / speed + self.overhead[job]
        owner = self.owner[job]
        for other, fast in self.speeds[job]:
            hours_there = (self.left[job] / fast + self.overhead[job]) * self.limit[job]
            del (there := self.waiting[other][size])[bisect_left(there, hours_there)]
        self.backlog -= size * self.left[job]
        self.above -= self.owners[owner].tier > 0
        self.wait[job] += now - self.queued_at[job]
        if self.start[job] == math.inf:
            self.start[job] = now
        self.attempt[job] += 1
        self.group[job], self.speed[job], self.began[job] = group, speed, now
        self.ends[job] = now + hours * self.limit[job]
        self.free[group] -= size
        insort(self.running[group], (self.ends[job], job, size))
        if self.owners[owner].tier == 0:
            self.low[group][job] = None
            self.takable[group] += size
        self._use(owner, now, size)
        on = -(-size // self.rules.parts)  # nodes
        life = math.inf if self.lifetimes is None else next(self.lifetimes) / (self.rules.failures * on)
        what, when = (FAILURE, life) if life < hours else (END, hours)
        heappush(self.heap, (now + when, what, job, self.attempt[job]))

    def _stop(self, job: int, now: float) -> None:
        """Its nodes are free again."""
        group, size, owner = self.group[job], self.nodes[job], self.owner[job]
        self.free[group] += size
        running = self.running[group]
        del running[bisect_left(running, (self.ends[job], job, size))]
        if self.owners[owner].tier == 0:
            del self.low[group][job]
            self.takable[group] -= size
        self._use(owner, now, -size)
        self.held.append((group, owner, self.began[job], now, size))

    def _again(self, job: int, now: float) -> None:
        """It waits again, with what it saved."""
        self._stop(job, now)
        self.attempt[job] += 1
        every = self.owners[self.owner[job]].checkpoint
        ran = max(now - self.began[job] - self.overhead[job], 0.0)
        kept = math.floor(ran / every) * every if math.isfinite(every) and every > 0 else 0.0
        self.lost += (now - self.began[job] - kept) * self.nodes[job]
        self.left[job] -= kept * self.speed[job]
        self.overhead[job] = self.rules.restart
        self._wait(job, now, first=True)

    def _fail(self, job: int, now: float) -> None:
        group = self.group[job]
        self._again(job, now)
        self.failures += 1
        if self.rules.repair > 0:
            broken = min(self.nodes[job], self.rules.parts)
            self.free[group] -= broken
            heappush(self.heap, (now + self.rules.repair, REPAIR, group, broken))

    def _use(self, owner: int, now: float, change: float) -> None:
        """What runs adds to an owner's use. Use counts less with time: instead of less of the old, more of the new."""
        weight = math.exp(self.decay * now)
        self.used[owner] += self.rate[owner] * (weight - self.used_at[owner])
        self.used_at[owner] = weight
        self.rate[owner] += change

    def _order(self, now: float) -> list[int]:
        """Lists with jobs, the one whose turn it is first."""
        some = [at for at, jobs in enumerate(self.lists) if jobs]
        if not self.rules.fair_share:
            return some[::-1]
        if len(some) > 1:
            weight, used, rate, since = math.exp(self.decay * now), self.used, self.rate, self.used_at
            about = [(-self.tier[o], (used[o] + rate[o] * (weight - since[o])) / self.share[o], o) for o in some]
            return [owner for _, _, owner in sorted(about)]
        return some

    def _fits(self, profiles: dict[int, Profile], may_take: bool) -> bool:
        """Whether any job that waits could start now, beside what is reserved so far. may_take: from low, where nobody
        waits for the group yet."""
        for group, free in enumerate(self.free):
            profile = profiles.get(group)
            reach = free + self.takable[group] if may_take and profile is None else free
            if reach > 0:
                for size, hours in self.waiting[group].items():
                    if size > reach:
                        break
                    if hours and (profile is None or hours[0] <= profile.window(size)):
                        return True
        return False

    def _might(self, job: int) -> bool:
        """Whether a job that arrives could start at once. What waited before it cannot, if nothing else changed."""
        size, owner = self.nodes[job], self.owners[self.owner[job]]
        may_take = self.rules.preempt and owner.tier > 0
        return any(size <= self.free[at] + (self.takable[at] if may_take else 0) for at, _ in self.speeds[job])

    def _pass(self, now: float) -> None:
        """Start what may start."""
        profiles: dict[int, Profile] = {}
        may_take = self.rules.preempt and self.above > 0
        if not self._fits(profiles, may_take):
            return
        left, fcfs = self.rules.depth, self.rules.policy == "fcfs"
        for at in self._order(now):
            jobs, blocked = self.lists[at], []
            while jobs and left:
                job = jobs.popleft()
                left -= 1
                started = self._try(job, now, profiles)
                may_take = may_take and self.above > 0 and self.tier[self.owner[job]] > 0
                if not started:
                    blocked.append(job)
                # a place matters only where another job might take it
                if not self._fits(profiles, may_take) or (fcfs and len(profiles) == len(self.free)):
                    left = 0
                elif not started:
                    self._reserve(job, now, profiles)
            jobs.extendleft(reversed(blocked))
            if not left:
                return

    def _try(self, job: int, now: float, profiles: dict[int, Profile]) -> bool:
        """Whether a job could start."""
        size, owner = self.nodes[job], self.owners[self.owner[job]]
        for group, speed in self.speeds[job]:
            if size > self.free[group]:
                continue
            profile = profiles.get(group)
            if profile is not None:
                hours = (self.left[job] / speed + self.overhead[job]) * self.limit[job]
                if self.rules.policy == "fcfs" or profile.window(size) < hours:
                    continue
                profile.take(now, size, hours)
            self._start(job, group, speed, now)
            return True
        return self.rules.preempt and owner.tier > 0 and self._preempt(job, now, profiles)

    def _reserve(self, job: int, now: float, profiles: dict[int, Profile]) -> None:
        """A job that cannot start holds its place, by the policy: where it is expected to end first."""
        size, left, over, limit = self.nodes[job], self.left[job], self.overhead[job], self.limit[job]
        policy = self.rules.policy
        found, place = math.inf, None
        for group, speed in self.speeds[job]:
            profile = profiles.get(group)
            if size > self.capacity[group] or (profile is not None and policy != "slurm"):
                continue
            if profile is None:
                # first come, first served needs no ends: that somebody waits for the group is enough
                ends = () if policy == "fcfs" else self.running[group]
                profile = profiles[group] = Profile(now, self.free[group], ends)
            hours = (left / speed + over) * limit
            if profile.not_before(size) + hours >= found:
                continue
            when = profile.earliest(size, hours)
            if when + hours < found:
                found, place = when + hours, (profile, when, hours)
        if place is not None:
            profile, when, hours = place
            profile.take(when, size, hours)

    def _preempt(self, job: int, now: float, profiles: dict[int, Profile]) -> bool:
        """Start it on nodes of low, the youngest jobs first, where nobody of higher priority waits for them."""
        size = self.nodes[job]
        for group, speed in self.speeds[job]:
            lacking, taken = size - self.free[group], []
            if group in profiles:
                continue
            for other in reversed(self.low[group]):
                if lacking <= 0:
                    break
                taken.append(other)
                lacking -= self.nodes[other]
            if lacking > 0:
                continue
            for other in taken:
                self._again(other, now)
            self.preempted += len(taken)
            self._start(job, group, speed, now)
            return True
        return False

    def _ran(self, until: float, overloaded: bool) -> Ran:
        for running in self.running:
            for _, job, size in running:
                self.held.append((self.group[job], self.owner[job], self.began[job], until, size))
        for jobs in self.lists:
            for job in jobs:
                self.wait[job] += max(until - self.queued_at[job], 0.0)
        end = np.array(self.end)
        return Ran(
            start=np.array(self.start),
            end=end,
            wait=np.array(self.wait),
            group=np.where(np.isfinite(end), np.array(self.group, dtype=np.int64), -1),
            held=np.array(self.held, dtype=np.float64).reshape(-1, 5),
            lost=self.lost,
            failures=self.failures,
            preempted=self.preempted,
            events=self.events,
            until=until,
            overloaded=overloaded,
        )


def _exponentials(seed: int) -> Iterator[float]:
    """Standard exponential numbers without end."""
    rng = np.random.default_rng(seed)
    while True:
        yield from rng.standard_exponential(RANDOM).tolist()
