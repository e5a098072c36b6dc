"""A worker pool in discrete events: jobs wait, run, stall, move to another node, and end or become dead letters.

An event is a change of state: a node is ready, lost, replaced or removed, a job starts, ends, fails or is found to have
stalled, the autoscaler looks. What happens between a start and its end (checkpoints, heartbeats, repeated work) is
calculated, not stepped through.
"""

from __future__ import annotations

import math
from bisect import insort
from collections import deque
from collections.abc import Iterator
from heapq import heappop, heappush
from itertools import repeat
from typing import Any

import numpy as np

from planner.worker_pool.launches import Requests
from planner.worker_pool.machine import Kind, Node
from planner.worker_pool.model import Jobs, Market, Nodes, Rules, Supply, checkpoints
from planner.worker_pool.run import BOOT, FAILED, LOAD, READY, REPEATED, WORK, WRITE, Attempt, PoolRun
from planner.worker_pool.tail import Tail

# from which a run counts as never finished: times the shortest makespan; tries of each job, on average
HORIZON, MOST_TRIES = 100.0, 1000


def simulate(
    jobs: Jobs, nodes: Nodes, rules: Rules, rng: np.random.Generator, *, watched: frozenset[int] = frozenset()
) -> PoolRun:
    """One run on one market. watched: jobs whose attempts are kept."""
    return simulate_supply(Supply(markets=(Market(nodes=nodes, jobs=jobs),)), rules, rng, watched=watched)


def simulate_supply(
    supply: Supply, rules: Rules, rng: np.random.Generator, *, watched: frozenset[int] = frozenset()
) -> PoolRun:
    """One run. All markets have the same jobs, each at its own speed. watched: jobs whose attempts are kept."""
    return _Pool(supply, rules, rng, watched).run()


class _Pool:
    """The state of one run. Queues: stalled jobs first, the oldest before; then by submission."""

    def __init__(self, supply: Supply, rules: Rules, rng: np.random.Generator, watched: frozenset[int]) -> None:
        jobs = supply.markets[0].jobs
        self.supply, self.jobs, self.rules, self.watched = supply, jobs, rules, watched
        self.requests = Requests(supply, rng)
        self.kinds = [Kind(one, jobs, rules) for one in supply.every]
        self.left_spot = math.inf  # when the rest went On-Demand
        self.tail = None if supply.tail is None else Tail(supply, rules)
        count = jobs.count
        drawn = rng.random(count) < jobs.broken_fraction if jobs.broken_fraction else ()
        self.broken = {job for job, is_broken in enumerate(drawn) if is_broken}
        self.can_fail = bool(self.broken or rules.bad_first or rules.bad_fraction)
        self.heap: list[tuple[float, int, Any, Any]] = []  # time, order of the push, what to call, with what
        self.pushed = self.starts = 0
        self.members: dict[int, Node] = {}
        self.idle: deque[Node] = deque()
        self.stalled: deque[int] = deque()
        self.returned: list[int] = []
        self.next_job, self.open = 0, count
        self.saved = [0.0] * count  # hours of work behind the last checkpoint
        self.first, self.ended, self.busy = [math.inf] * count, [math.inf] * count, [0.0] * count
        self.interruptions, self.failed, self.dead = [0] * count, [0] * count, [False] * count
        self.mark: dict[int, float] = {}  # of interrupted jobs: when they first were where they will resume
        self.losses: list[float] = []
        self.last_end = self.limit = 0.0
        self.started = self.lost = self.replaced = self.most = self.target = 0
        self.unneeded_since = math.inf
        self.attempts: list[Attempt] = []

    def run(self) -> PoolRun:
        heap, events, now = self.heap, 0, 0.0
        rounds, markets = math.ceil(self.jobs.count / self.rules.most), self.supply.every
        once = max(rounds * one.jobs.alone_hours + one.nodes.boot_hours for one in markets)
        self.limit, tries = HORIZON * (once + self.rules.every_hours), MOST_TRIES * self.jobs.count
        self._push(0.0, self._look, None)
        while heap:
            now, _, act, who = heappop(heap)
            if now > self.limit:
                now = self.limit
                break
            if self.starts > tries:
                break
            act(who, now)
            events += 1
            if not self.open and len(self.members) <= self.rules.least:
                break
        for node in tuple(self.members.values()):
            self._remove(node, now)
        return self._result(events + self.starts)

    def _push(self, when: float, act: Any, who: Any) -> None:
        self.pushed += 1
        heappush(self.heap, (when, self.pushed, act, who))

    # nodes

    def _look(self, _: None, now: float) -> None:
        """The autoscaler: launch what is missing, let go of what was not needed for the cool-down."""
        rules = self.rules
        if self.tail and self.left_spot == math.inf and self.tail.is_due(now, self.open, lambda: self._progress(now)):
            self._leave_spot(now)
        wanted = min(max(math.ceil(self.open / rules.jobs_per_node), rules.least), rules.most)
        if wanted >= self.target:
            self.target, self.unneeded_since = wanted, math.inf
        elif self.unneeded_since == math.inf:
            self.unneeded_since = now
        if now - self.unneeded_since >= rules.cool_down_hours - 1e-12:
            self.target = wanted
        # each node that is there has failed every job that waits: others are needed
        if self.returned and self.members and len(self.idle) == len(self.members):
            while self.idle:
                self._remove(self.idle.pop(), now)
        # also nodes that were still booting when the target fell
        while len(self.members) > self.target and self.idle:
            self._remove(self.idle.pop(), now)
        while len(self.members) < self.target:
            self._launch(now)
        if self.open or len(self.members) > rules.least:
            self._push(now + rules.every_hours, self._look, None)

    def _progress(self, now: float) -> Iterator[float]:
        """Of each open job, the fraction that is behind its newest checkpoint."""
        saved, work = self.saved.copy(), self.jobs.work_hours
        for node in self.members.values():
            if node.job >= 0:
                whole = node.segments(now, self._left(node))
                saved[node.job] += whole * node.kind.jobs.segment_hours / node.kind.pace
        for job in range(self.next_job):
            if self.ended[job] == math.inf and not self.dead[job]:
                yield saved[job] / work
        yield from repeat(0.0, self.jobs.count - self.next_job)

    def _leave_spot(self, now: float) -> None:
        """Nodes that run or boot stay; requests that no market has met are made again, On-Demand."""
        self.left_spot = now
        for node in [one for one in self.members.values() if one.begin > now]:
            self._remove(node, now)

    def _launch(self, now: float) -> None:
        rules, left = self.rules, self.left_spot < math.inf
        market, begin, ready, lost = self.requests.on_demand(now) if left else self.requests.spot(now, self.limit)
        bad = self.started < rules.bad_first or (rules.bad_fraction > 0 and self.requests.chance() < rules.bad_fraction)
        node = Node(self.started, self.kinds[market], begin, ready, lost, bad=bad)
        node.kind.hours[BOOT] += ready - begin
        self.started += 1
        self.members[node.number] = node
        if len(self.members) > self.most:
            self.most = len(self.members)
        self._push(ready, self._free, node)

    def _remove(self, node: Node, now: float) -> None:
        del self.members[node.number]
        if now >= node.ready:
            node.kind.hours[READY] += now - node.ready
        else:  # it was still booting, or the market had none yet
            node.kind.hours[BOOT] -= node.ready - max(now, node.begin)

    def _gone(self, node: Node, now: float) -> None:
        """A node is lost or replaced; another one takes its place at once."""
        self._remove(node, now)
        if self.open and len(self.members) < self.target:
            self._launch(now)

    def _idle_lost(self, node: Node, now: float) -> None:
        if node.job == -1 and node.number in self.members:
            self.idle.remove(node)
            self.lost += 1
            self._gone(node, now)

    # jobs

    def _free(self, node: Node, now: float) -> None:
        """A node without a job takes the next one, or becomes idle."""
        if node.number not in self.members:
            return  # a request that was given up before the market met it
        job = self._next(node)
        if job >= 0:
            self._start(node, job, now)
            return
        node.job = -1
        self.idle.append(node)
        if node.lost < math.inf:
            self._push(node.lost, self._idle_lost, node)

    def _next(self, node: Node) -> int:
        """The next job for a node, or -1. A job that failed on it is not given to it again."""
        banned = node.banned
        if self.stalled:
            for at, job in enumerate(self.stalled):
                if not banned or job not in banned:
                    del self.stalled[at]
                    return job
        if self.returned:
            for at, job in enumerate(self.returned):
                if not banned or job not in banned:
                    del self.returned[at]
                    return job
        job = self.next_job
        if job < self.jobs.count:
            self.next_job = job + 1
            return job
        return -1

    def _waiting(self, job: int, now: float) -> bool:
        """Whether an idle node takes a job that has just come back."""
        for node in self.idle:
            if not node.banned or job not in node.banned:
                self.idle.remove(node)
                self._start(node, job, now)
                return True
        return False

    def _stalled(self, job: int, now: float) -> None:
        if not self._waiting(job, now):
            self.stalled.append(job)

    def _start(self, node: Node, job: int, now: float) -> None:
        kind = node.kind
        jobs, saved = kind.jobs, self.saved[job]
        load = jobs.model_hours if node.fresh else 0.0
        if saved:
            load += jobs.resume_hours
        if self.first[job] == math.inf:
            self.first[job] = now
        elif job in self.mark:
            self.losses.append(now + load - self.mark.pop(job))
        node.job, node.start, node.load, node.fresh = job, now, load, False
        self.starts += 1
        left = self._left(node)
        end = now + load + left
        if jobs.write_hours:
            end += checkpoints(left, jobs.segment_hours) * jobs.write_hours
        if self.can_fail and (node.bad or job in self.broken):
            failure = now + self.rules.fail_hours
            if failure < min(end, node.lost):
                self._push(failure, self._fail, node)
                return
        self.pushed += 1
        if end <= node.lost:
            heappush(self.heap, (end, self.pushed, self._done, node))
        elif kind.saves:
            notice = max(node.lost - kind.notice_hours, now)
            heappush(self.heap, (notice, self.pushed, self._notified, node))
        else:
            heappush(self.heap, (node.lost, self.pushed, self._lost, node))

    def _done(self, node: Node, now: float) -> None:
        job, kind = node.job, node.kind
        jobs, used, hours = kind.jobs, kind.hours, now - node.start
        left = self._left(node)
        self.busy[job] += hours
        used[WORK] += left
        used[LOAD] += node.load
        if jobs.write_hours:
            used[WRITE] += checkpoints(left, jobs.segment_hours) * jobs.write_hours
        self.ended[job] = self.last_end = now
        self.open -= 1
        if job in self.watched:
            self._note(node, now, "done", hours - node.load, 0.0)
        self._free(node, now)

    def _lost(self, node: Node, now: float) -> None:
        """A node is lost. Its job stalls until its last heartbeat is too old."""
        jobs, rules = node.kind.jobs, self.rules
        worked = now - node.start - node.load
        if worked < 0.0:
            worked = 0.0
        whole = node.segments(now, self._left(node))
        kept, written = whole * jobs.segment_hours, whole * jobs.write_hours
        self._interrupted(node, now, kept, written, worked - kept - written)
        # the last heartbeat was up to one interval before the end
        since = math.fmod(now - node.start, rules.heartbeat_hours)
        again = now + rules.stalled_hours - since
        self._push(again if again > now else now, self._stalled, node.job)
        self.lost += 1
        self._gone(node, now)

    def _left(self, node: Node) -> float:
        """Hours of work on a node that its job came with."""
        return (self.jobs.work_hours - self.saved[node.job]) * node.kind.pace

    def _notified(self, node: Node, now: float) -> None:
        """A node will be lost after its notice. Its job saves a checkpoint and returns to the queue at once."""
        jobs, job = node.kind.jobs, node.job
        worked = max(now - node.start - node.load, 0.0)
        left = self._left(node)
        segments = checkpoints(left, jobs.segment_hours)
        whole = min(int(worked / (jobs.segment_hours + jobs.write_hours)), segments - 1)
        written = whole * jobs.write_hours
        # in the last segment it may be at its final checkpoint already
        kept = min(worked - written, (whole + 1) * jobs.segment_hours, left)
        again = now + (jobs.write_hours if worked else 0.0)
        self._interrupted(node, now, kept, worked - kept, 0.0, saving=again - now)
        self._push(again, self._stalled, job)
        node.job = -2  # it takes no other one
        self._push(node.lost, self._notified_lost, node)

    def _notified_lost(self, node: Node, now: float) -> None:
        self.lost += 1
        self._gone(node, now)

    def _interrupted(
        self, node: Node, now: float, kept: float, written: float, over: float, saving: float = 0.0
    ) -> None:
        """Book an attempt that ended early. over: work that is done again; saving: the checkpoint after `now`."""
        job, load, used = node.job, node.load, node.kind.hours
        if load > now - node.start:
            load = now - node.start
        self.saved[job] += kept / node.kind.pace
        used[WORK] += kept
        used[WRITE] += written + saving
        used[REPEATED] += over
        used[LOAD] += load
        self.busy[job] += load + kept + written + over + saving
        self.interruptions[job] += 1
        self.mark[job] = node.start + node.load + kept + written
        if job in self.watched:
            self._note(node, now + saving, "interrupted", kept + written + saving, over)

    def _fail(self, node: Node, now: float) -> None:
        """A job failed: it is banned from this node; one that failed too often is a dead letter, a node on which too
        many jobs failed is replaced."""
        job, rules = node.job, self.rules
        self.busy[job] += now - node.start
        node.kind.hours[FAILED] += now - node.start
        self.failed[job] += 1
        node.failures += 1
        node.banned = node.banned or set()
        node.banned.add(job)
        if job in self.watched:
            self._note(node, now, "failed", 0.0, now - node.start - min(node.load, now - node.start))
        if self.failed[job] >= rules.max_failures:
            self.dead[job] = True
            self.last_end = now
            self.open -= 1
        elif not self._waiting(job, now):
            insort(self.returned, job)
        if rules.node_failures is not None and node.failures >= rules.node_failures:
            self.replaced += 1
            self._gone(node, now)
        else:
            self._free(node, now)

    def _note(self, node: Node, now: float, how: str, kept: float, lost: float) -> None:
        self.attempts.append(
            Attempt(
                job=node.job,
                node=node.number,
                start=node.start,
                end=now,
                how=how,
                load_hours=min(node.load, now - node.start),
                kept_hours=kept,
                lost_hours=lost,
            )
        )

    def _result(self, events: int) -> PoolRun:
        return PoolRun(
            makespan=math.inf if self.open else self.last_end,
            wait=np.array(self.first),
            end=np.array(self.ended),
            busy=np.array(self.busy),
            interruptions=np.array(self.interruptions),
            failures=np.array(self.failed),
            dead=np.array(self.dead),
            losses=np.array(self.losses),
            hours=np.array([kind.hours for kind in self.kinds]),
            left_spot=self.left_spot,
            nodes_started=self.started,
            nodes_lost=self.lost,
            nodes_replaced=self.replaced,
            most_nodes=self.most,
            events=events,
            attempts=tuple(self.attempts),
        )
