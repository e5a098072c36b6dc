"""A queue of gangs in discrete events: arrivals, ends, failures and repairs, and a pass of the scheduler after each.

slurm.conf(5) and Slurm's scheduling guide (SchedulerType=sched/backfill): jobs start in the order of priority; a job of
lower priority starts before its turn only if that delays the expected start of no job of higher priority. EASY (Lifka
1995) protects only the first of them. Expected ends come from time limits, which most jobs do not reach.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from functools import cache
from heapq import heappop
from typing import Any

import numpy as np

from planner.fleet import moves, passes, profile, state
from planner.fleet.compiled import compiled
from planner.fleet.model import Jobs, Owner, Ran, Rules
from planner.fleet.moves import fail, join, stop
from planner.fleet.passes import might, start_at_once, start_some
from planner.fleet.state import (
    BACKLOG,
    EASY,
    END,
    EVENTS,
    FAILURES,
    FCFS,
    LOST,
    NOBODY,
    OVERLOADED,
    PREEMPTED,
    RAN_OUT,
    REPAIR,
    SLURM,
    WAITING,
    Fixed,
    State,
    state_of,
)

POLICIES = {"slurm": SLURM, "easy": EASY, "fcfs": FCFS}
WORTH_COMPILING: float = 100_000  # jobs of one process, from which on loading the compiled queue pays
_simulated = 0  # jobs, by this process


def simulated(
    jobs: Jobs, owners: Sequence[Owner], nodes: Sequence[int], rules: Rules, until: float, seed: int = 0
) -> Ran:
    """Jobs through the queue to a time. nodes: of each group, in parts where jobs are. Every job fits one
    of its groups, or waits to the end."""
    global _simulated
    _simulated += jobs.submit.size
    fast = None if _simulated < WORTH_COMPILING else fast_queue()
    room = 2 * jobs.submit.size + 64  # failures to draw: one an attempt
    while True:
        lives = np.random.default_rng(seed).standard_exponential(room) if rules.failures else np.zeros(0)
        given = (_fixed(rules, nodes, until), *_arrays(jobs, owners, nodes), lives)
        found = run(state_of(*map(_listed, given))) if fast is None else fast(*given)
        start, end, wait, group, held, lost, counts, last = found
        if not counts[RAN_OUT]:
            break
        room *= 2  # of the same numbers, and more
    return Ran(
        start=start,
        end=end,
        wait=wait,
        group=np.where(np.isfinite(end), group, NOBODY),
        held=held,
        lost=lost,
        failures=int(counts[FAILURES]),
        preempted=int(counts[PREEMPTED]),
        events=int(counts[EVENTS]),
        until=last,
        overloaded=bool(counts[OVERLOADED]),
    )


@cache
def fast_queue() -> Callable[..., Any] | None:
    """`run` of `state_of`, compiled; None where Numba is not installed."""
    return compiled([profile, state, moves, passes, sys.modules[__name__]], State, state_of, run)


def _fixed(rules: Rules, nodes: Sequence[int], until: float) -> Fixed:
    return Fixed(
        policy=POLICIES[rules.policy],
        fair_share=rules.fair_share,
        preempt=rules.preempt,
        decay=math.log(2) / rules.half_life_hours,
        depth=rules.depth,
        failures=rules.failures,
        repair=rules.repair,
        restart=rules.restart,
        parts=rules.parts,
        most=float(rules.overload * sum(nodes) + rules.at_once),
        until=float(until),
    )


def _arrays(jobs: Jobs, owners: Sequence[Owner], nodes: Sequence[int]) -> tuple[Any, ...]:
    """What `state_of` is given beside rules and failures."""
    ways = [*(owner.speeds for owner in owners), *jobs.ways]
    way = np.where(jobs.way < 0, jobs.owner, jobs.way + len(owners)) if jobs.ways else jobs.owner
    pairs = [pair for one in ways for pair in one]
    sizes, nth_size = np.unique(jobs.nodes, return_inverse=True)
    return (
        (*map(_whole, (jobs.nodes, nth_size, jobs.owner, way)), *map(_real, (jobs.submit, jobs.limit, jobs.hours))),
        (_whole([o.tier for o in owners]), _real([o.share for o in owners]), _real([o.checkpoint for o in owners])),
        (_whole([0, *np.cumsum([len(w) for w in ways])]), _whole([g for g, _ in pairs]), _real([v for _, v in pairs])),
        _whole(nodes),
        _whole(sizes),
    )


def _whole(values: Any) -> Any:
    return np.asarray(values, dtype=np.int64)


def _real(values: Any) -> Any:
    return np.asarray(values, dtype=np.float64)


def _listed(given: Any) -> Any:
    """Arrays as lists, which plain Python reads faster."""
    if isinstance(given, np.ndarray):
        return given.tolist()
    return given if isinstance(given, Fixed) or not isinstance(given, tuple) else tuple(map(_listed, given))


def run(s: State) -> tuple[Any, ...]:
    """To a time, or to where the queue is known to grow without end."""
    at, count, submit, until, most = 0, len(s.size), s.submit, s.rules.until, s.rules.most
    heap, counts, sums = s.heap, s.counts, s.sums
    while True:
        coming = submit[at] if at < count else math.inf
        due = heap[0][0] if len(heap) else math.inf
        now = min(coming, due)
        if now > until or now == math.inf:
            break
        changed = False
        if counts[WAITING] == 0 and coming < due and (at + 1 == count or submit[at + 1] > now):
            counts[EVENTS] += 1
            if not start_at_once(s, at, now):
                join(s, at, now, False)
                changed = might(s, at)
            at += 1
        while at < count and submit[at] <= now:
            join(s, at, now, False)
            changed = changed or might(s, at)
            at += 1
            counts[EVENTS] += 1
        while len(heap) and heap[0][0] <= now:
            _, what, index, attempt = heappop(heap)
            if what == REPAIR:
                s.free[index] += attempt
            elif s.attempt[index] != attempt:
                continue  # of an attempt that is over
            elif what == END:
                stop(s, index, now)
                s.end[index] = now
            else:
                fail(s, index, now)
            counts[EVENTS] += 1
            changed = True
        if changed and counts[WAITING]:
            start_some(s, now)
        if sums[BACKLOG] > most:
            counts[OVERLOADED] = 1
            break
        if counts[RAN_OUT]:
            break
    return at_the_end(s, min(until, now) if counts[OVERLOADED] else until)


def at_the_end(s: State, until: float) -> tuple[Any, ...]:
    """What `Ran` is made of."""
    for running in s.running:
        for _, job, size in running:
            s.held.append((float(s.group[job]), float(s.owner[job]), s.began[job], until, float(size)))
    for first in s.first:
        job = first
        while job != NOBODY:
            s.wait[job] += max(until - s.queued_at[job], 0.0)
            job = s.after[job]
    held = np.array(s.held) if len(s.held) else np.zeros((0, 5))
    return (
        *(np.array(s.start), np.array(s.end), np.array(s.wait), np.array(s.group)),
        *(held, s.sums[LOST], np.array(s.counts), until),
    )
