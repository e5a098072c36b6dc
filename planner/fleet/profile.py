"""Free nodes of one group over time, as far as running jobs and reservations are expected to end."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable


class Profile:
    """free[i] nodes from times[i] to times[i + 1], the last one without end."""

    def __init__(self, now: float, free: int, ends: Iterable[tuple[float, int, int]]) -> None:
        """ends: (when, job, nodes) of what runs, by time; nodes come free then at the latest."""
        times, counts = [now], [free]
        for when, _, nodes in ends:
            free += nodes
            if when > times[-1]:
                times.append(when)
                counts.append(free)
            else:
                counts[-1] = free
        self.times, self.free = times, counts
        self._at_most = times.copy(), counts.copy()  # without reservations: counts only grow

    def window(self, nodes: int) -> float:
        """Hours from now for which so many nodes are free."""
        for when, free in zip(self.times, self.free, strict=True):
            if free < nodes:
                return when - self.times[0]
        return float("inf")

    def not_before(self, nodes: int) -> float:
        """The first time at which so many nodes are free beside what runs; infinite where there are never so many."""
        at = bisect_left(self._at_most[1], nodes)
        return self._at_most[0][at] if at < len(self._at_most[0]) else float("inf")

    def earliest(self, nodes: int, hours: float) -> float:
        """The first time from which so many nodes are free for so long; infinite where there are never so many."""
        times, free = self.times, self.free
        begin = self.not_before(nodes)
        if begin == float("inf"):
            return begin
        at, last = bisect_left(times, begin), len(times) - 1
        while True:
            while free[at] < nodes:
                if at == last:
                    return float("inf")
                at += 1
            until, look = times[at] + hours, at + 1
            while look <= last and times[look] < until:
                if free[look] < nodes:
                    break
                look += 1
            else:
                return times[at]
            at = look

    def take(self, start: float, nodes: int, hours: float) -> None:
        """Reserve them from a time that `earliest` gave."""
        end = start + hours
        times, free = self.times, self.free
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
