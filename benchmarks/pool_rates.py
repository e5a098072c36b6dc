"""Bytes over time on this machine, and the processor time that each process took for them."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

THREADS, RUNS = 4, 2
GB = 1e9
TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, kw_only=True)
class Rate:
    """gb_per_s: bytes over wall time. core_s_per_gb: processor time for a GB, by part: "client" is this process."""

    gb_per_s: float
    core_s_per_gb: Mapping[str, float]

    @property
    def total(self) -> float:
        """Of all parts, core-s/GB."""
        return sum(self.core_s_per_gb.values())


@dataclass(frozen=True, kw_only=True)
class Moved:
    """seconds: of the work alone, where that is less than the call took; None for the time of the call."""

    bytes: int
    seconds: float | None = None


@dataclass(frozen=True)
class Meter:
    """processes: ids, by the part of the system that they are."""

    processes: Mapping[str, Iterable[int]]

    def rate(self, action: Callable[[], Moved]) -> Rate:
        """Of an action that moves bytes and says how many."""
        wall, before = time.perf_counter(), self._cores_s()
        moved = action()
        after, seconds = self._cores_s(), moved.seconds or time.perf_counter() - wall
        used = {part: (after[part] - before[part]) / moved.bytes * GB for part in after}
        return Rate(gb_per_s=moved.bytes / seconds / GB, core_s_per_gb=used)

    def best(self, action: Callable[[], Moved], before: Callable[[], object] = lambda: None, runs: int = RUNS) -> Rate:
        """The fastest of some runs: what a machine that others use too gets in its way only makes slower. before:
        called ahead of each, unmeasured."""
        found = []
        for _ in range(runs):
            before()
            found.append(self.rate(action))
        return max(found, key=lambda rate: rate.gb_per_s)

    def _cores_s(self) -> dict[str, float]:
        found = {part: sum(map(process_s, ids)) for part, ids in self.processes.items()}
        return {**found, "client": time.process_time()}


def in_threads(action: Callable[[int], int], numbers: Iterable[int], threads: int = THREADS) -> Callable[[], Moved]:
    """The action for each number, so many at a time; it says how many bytes it moved."""

    def run() -> Moved:
        with ThreadPoolExecutor(threads) as pool:
            return Moved(bytes=sum(pool.map(action, numbers)))

    return run


def process_s(process: int) -> float:
    """Processor seconds that a process has used (proc(5): /proc/PID/stat, fields 14 and 15)."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS_A_SECOND
