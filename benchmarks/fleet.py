"""A fleet's queue in events a second beside heapq alone, and a year of 36 projects with 1,000 outcomes on two cores."""

from __future__ import annotations

import math
import os
import time
from concurrent.futures import ProcessPoolExecutor
from heapq import heappop, heappush
from random import Random

import numpy as np

from planner.api.books import book_for
from planner.fleet import queue
from planner.fleet.compare import compare_fleet
from planner.fleet.model import Jobs, Owner, Rules
from planner.plan.load import LoadedFleet, load_any_text

GOAL_EVENTS, GOAL_SECONDS = 1_000_000, 30.0
NODES, SIZES, MEAN_HOURS, OWNERS = 64, (1, 1, 2, 2, 4, 8), 6.0, 36
BOOK = "2026-10-10"
YEAR = "\n".join(
    [
        "apiVersion: planner/v1\nname: thirty-six\nregion: us-east-1\nstart: 2026-11-02",
        "run: {kind: fleet, months: 12}\ngroups: [{instance_type: p4d.24xlarge, nodes: 72}]\nprojects:",
        *(
            f"  - {{name: p{at:02}, jobs: [{{per_day: 0.5, nodes: {2 ** (at % 4)}, hours: {10 + at % 4 * 3}h}}]}}"
            for at in range(OWNERS)
        ),
    ]
)


def main() -> str:
    heap = _heapq()
    worth_compiling, _ = queue.WORTH_COMPILING, _queue(0.5, 10, 0)
    lines = [f"heapq alone, 1,000 events that wait: {heap:,.0f} events/s"]
    for load in (0.5, 0.7, 0.85, 0.95):
        plain, fast = (_queue(load, 30_000, worth) for worth in (math.inf, 0))
        lines.append(
            f"queue of {NODES} nodes, {OWNERS} projects, load {load:.2f}: {plain:>9,.0f} events/s in plain Python, "
            f"{fast:>9,.0f} compiled, {fast / heap:.2f} x heapq  "
            f"(goal {GOAL_EVENTS:,}: {'met' if fast >= GOAL_EVENTS else 'MISSED'})"
        )
    queue.WORTH_COMPILING = worth_compiling
    seconds, cores, jobs = _year(1_000)
    verdict = "met" if seconds <= GOAL_SECONDS else "MISSED"
    lines.append(
        f"36 projects, a year, 1,000 outcomes of {jobs:,.0f} jobs, five ways to buy: {seconds:.1f} s, {cores:.1f} s of "
        f"processors  (goal {GOAL_SECONDS:.0f} s: {verdict})"
    )
    return "\n".join(lines)


def _heapq(events: int = 300_000) -> float:
    random, heap = Random(0), [(0.0, at) for at in range(1_000)]
    began = time.process_time()
    for _ in range(events):
        now, at = heappop(heap)
        heappush(heap, (now + random.random(), at))
    return events / (time.process_time() - began)


def _queue(load: float, count: int, worth_compiling: float) -> float:
    queue.WORTH_COMPILING = worth_compiling
    rng = np.random.default_rng(1)
    jobs = Jobs(
        submit=np.cumsum(rng.exponential(MEAN_HOURS * np.mean(SIZES) / load / NODES, count)),
        nodes=rng.choice(np.array(SIZES), count),
        hours=rng.exponential(MEAN_HOURS, count) + 1e-9,
        limit=np.full(count, 1.5),
        owner=rng.integers(0, OWNERS, count),
    )
    began = time.process_time()
    ran = queue.simulated(jobs, [Owner()] * OWNERS, [NODES], Rules(overload=1e9), 1e9)
    return ran.events / (time.process_time() - began)


def _year(outcomes: int) -> tuple[float, float, float]:
    loaded = load_any_text(YEAR)
    assert isinstance(loaded, LoadedFleet)
    began, before = time.perf_counter(), os.times()
    with ProcessPoolExecutor(2) as pool:
        found = compare_fleet(
            loaded, book_for(BOOK), runs=outcomes, each=lambda work, tasks: pool.map(work, tasks, chunksize=8)
        )
    after = os.times()
    cores = sum(after[:4]) - sum(before[:4])
    return time.perf_counter() - began, cores, sum(one.jobs for one in found.scenarios[0].waits)


if __name__ == "__main__":
    print(f"== {__doc__}\n{main()}\n")
