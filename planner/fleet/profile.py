"""Free nodes of one group over time, as far as running jobs and reservations are expected to end.

A profile is (times, free, its times, its free without reservations): free[i] nodes from times[i] to times[i + 1], the
last one without end. Beside what runs alone the counts only grow.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TypeAlias

Profile: TypeAlias = tuple[list[float], list[int], list[float], list[int]]
INFINITE = float("inf")


def profile_of(now: float, free: int, ends: list[tuple[float, int, int]]) -> Profile:
    """ends: (when, job, nodes) of what runs, by time; nodes come free then at the latest."""
    times, counts = [now], [free]
    for when, _, nodes in ends:
        free += nodes
        if when > times[-1]:
            times.append(when)
            counts.append(free)
        else:
            counts[-1] = free
    return times, counts, times.copy(), counts.copy()


def window(profile: Profile, nodes: int) -> float:
    """Hours from now for which so many nodes are free."""
    times, free = profile[0], profile[1]
    for at in range(len(free)):
        if free[at] < nodes:
            return times[at] - times[0]
    return INFINITE


def not_before(profile: Profile, nodes: int) -> float:
    """The first time at which so many nodes are free beside what runs; infinite where there are never so many."""
    at = bisect_left(profile[3], nodes)
    return profile[2][at] if at < len(profile[2]) else INFINITE


def earliest(profile: Profile, nodes: int, hours: float) -> float:
    """The first time from which so many nodes are free for so long; infinite where there are never so many."""
    times, free = profile[0], profile[1]
    begin = not_before(profile, nodes)
    if begin == INFINITE:
        return begin
    at, last = bisect_left(times, begin), len(times) - 1
    while True:
        while free[at] < nodes:
            if at == last:
                return INFINITE
            at += 1
        until, look = times[at] + hours, at + 1
        while look <= last and times[look] < until and free[look] >= nodes:
            look += 1
        if look > last or times[look] >= until:
            return times[at]
        at = look


def take(profile: Profile, start: float, nodes: int, hours: float) -> None:
    """Reserve them from a time that `earliest` gave."""
    end = start + hours
    times, free = profile[0], profile[1]
    first = bisect_right(times, start) - 1
    if times[first] < start:
        first += 1
        times.insert(first, start)
        free.insert(first, free[first - 1])
    last = bisect_right(times, end) - 1
    if times[last] < end:
        last += 1
        times.insert(last, end)
        free.insert(last, free[last - 1])
    for at in range(first, last):
        free[at] -= nodes
