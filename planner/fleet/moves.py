"""What happens to a job of a simulated queue: it joins, starts, stops, fails. Functions that Numba may compile."""

from __future__ import annotations

import math
from bisect import bisect_left, insort
from heapq import heappush

from planner.fleet.state import (
    ABOVE,
    BACKLOG,
    DRAWN,
    END,
    FAILURE,
    FAILURES,
    LOST,
    NOBODY,
    RAN_OUT,
    REPAIR,
    WAITING,
    State,
)


def join(s: State, job: int, now: float, first: bool) -> None:
    """It waits, behind the others of its list or before them."""
    owner, size = s.owner[job], s.size[job]
    mine = owner if s.rules.fair_share else s.tier[owner]
    other = s.first[mine] if first else s.last[mine]
    if other == NOBODY:
        s.first[mine] = s.last[mine] = job
    elif first:
        s.after[job], s.before[other], s.first[mine] = other, job, job
    else:
        s.before[job], s.after[other], s.last[mine] = other, job, job
    for group, speed in s.ways[s.way[job]]:
        hours = (s.left[job] / speed + s.overhead[job]) * s.limit[job]
        insort(s.hours[group * len(s.sizes) + s.nth_size[job]], hours)
    s.sums[BACKLOG] += size * s.left[job]
    s.counts[WAITING] += 1
    if s.tier[owner] > 0:
        s.counts[ABOVE] += 1
    s.queued_at[job] = now


def leave(s: State, job: int, now: float) -> None:
    """It waits no more."""
    owner = s.owner[job]
    mine = owner if s.rules.fair_share else s.tier[owner]
    before, after = s.before[job], s.after[job]
    if before == NOBODY:
        s.first[mine] = after
    else:
        s.after[before] = after
    if after == NOBODY:
        s.last[mine] = before
    else:
        s.before[after] = before
    s.before[job] = s.after[job] = NOBODY
    for group, speed in s.ways[s.way[job]]:
        hours = (s.left[job] / speed + s.overhead[job]) * s.limit[job]
        there = s.hours[group * len(s.sizes) + s.nth_size[job]]
        there.pop(bisect_left(there, hours))
    s.sums[BACKLOG] -= s.size[job] * s.left[job]
    s.counts[WAITING] -= 1
    if s.tier[owner] > 0:
        s.counts[ABOVE] -= 1
    s.wait[job] += now - s.queued_at[job]


def start(s: State, job: int, group: int, speed: float, now: float) -> None:
    size, hours, owner = s.size[job], s.left[job] / speed + s.overhead[job], s.owner[job]
    if s.start[job] == math.inf:
        s.start[job] = now
    s.attempt[job] += 1
    s.group[job], s.speed[job], s.began[job] = group, speed, now
    ends = s.ends[job] = now + hours * s.limit[job]
    s.free[group] -= size
    insort(s.running[group], (ends, job, size))
    if s.tier[owner] == 0:
        s.low[group].append(job)
        s.takable[group] += size
    use(s, owner, now, size)
    what, when = END, hours
    if s.rules.failures:
        drawn = s.counts[DRAWN]
        s.counts[DRAWN] = drawn + 1
        if drawn == len(s.lives) - 1:
            s.counts[RAN_OUT] = 1  # it begins again with more of the same numbers
            s.counts[DRAWN] = drawn
        life = s.lives[drawn] / (s.rules.failures * -(-size // s.rules.parts))
        if life < hours:
            what, when = FAILURE, life
    heappush(s.heap, (now + when, what, job, s.attempt[job]))


def stop(s: State, job: int, now: float) -> None:
    """Its nodes are free again."""
    group, size, owner = s.group[job], s.size[job], s.owner[job]
    s.free[group] += size
    running = s.running[group]
    running.pop(bisect_left(running, (s.ends[job], job, size)))
    if s.tier[owner] == 0:
        s.low[group].remove(job)
        s.takable[group] -= size
    use(s, owner, now, -size)
    s.held.append((float(group), float(owner), s.began[job], now, float(size)))


def again(s: State, job: int, now: float) -> None:
    """It waits again, with what it saved."""
    stop(s, job, now)
    s.attempt[job] += 1
    every = s.checkpoint[s.owner[job]]
    ran = max(now - s.began[job] - s.overhead[job], 0.0)
    kept = math.floor(ran / every) * every if every > 0 and every < math.inf else 0.0
    s.sums[LOST] += (now - s.began[job] - kept) * s.size[job]
    s.left[job] -= kept * s.speed[job]
    s.overhead[job] = s.rules.restart
    join(s, job, now, True)


def fail(s: State, job: int, now: float) -> None:
    group = s.group[job]
    again(s, job, now)
    s.counts[FAILURES] += 1
    if s.rules.repair > 0:
        broken = min(s.size[job], s.rules.parts)
        s.free[group] -= broken
        heappush(s.heap, (now + s.rules.repair, REPAIR, group, broken))


def use(s: State, owner: int, now: float, change: int) -> None:
    """What runs adds to an owner's use. Use counts less with time: instead of less of the old, more of the new."""
    weight = math.exp(s.rules.decay * now)
    s.used[owner] += s.rate[owner] * (weight - s.used_at[owner])
    s.used_at[owner] = weight
    s.rate[owner] += change
