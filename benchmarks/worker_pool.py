"""B4: whole runs of a job with checkpoints and restarts, and a pool of workers in discrete events, beside SimPy."""

from __future__ import annotations

import importlib.util
import math
import random
import time
from collections.abc import Callable, Generator
from typing import Any

import numpy as np

from planner.models.goodput import availability, optimal_interval
from planner.worker_pool.alone import sampled_hours
from planner.worker_pool.model import Jobs, Nodes, Rules
from planner.worker_pool.simulation import simulate

GOAL_RUNS, GOAL_EVENTS = 20_000, 1_000_000
WORK_HOURS, WRITE_HOURS, RESTART_HOURS = 500.0, 0.01, 0.05
SECOND = 1 / 3600
# Salad's service: 1,000 jobs of 54 minutes with a checkpoint every 50 of 1,400 steps, on 40 nodes
POOL = Jobs(count=1000, work_hours=0.9, segment_hours=0.9 / 28)
RULES = Rules(least=0, most=40)


def main() -> str:
    library = importlib.util.find_spec("simpy") is not None
    lines = [] if library else ["(simpy: not installed, not measured; pip install -e .[bench])"]
    return "\n".join([*lines, *whole_runs(library), "", *pools(library)])


def whole_runs(library: bool) -> list[str]:
    """One job of 500 hours at its optimal interval."""
    lines = [f"{'one job of 500 h':<28}{'MTBF h':>8}{'runs/s':>12}{'events/s':>14}{'mean h':>10}{'closed form':>13}"]
    for mtbf in (1.0, 10.0, 100.0):
        jobs = _job(mtbf)
        closed = WORK_HOURS / float(
            availability(
                work_hours=jobs.segment_hours,
                write_hours=WRITE_HOURS,
                restart_hours=RESTART_HOURS,
                wait_hours=0.0,
                mtbf_hours=mtbf,
            )
        )
        ways: dict[str, Callable[[], tuple[int, int, float]]] = {
            "planner, numpy": lambda jobs=jobs, mtbf=mtbf: _sampled(jobs, mtbf, 20_000),
            "plain Python loop": lambda jobs=jobs, mtbf=mtbf: _stepped(jobs, mtbf, 5 if mtbf < 5 else 40),
        }
        if library:
            ways["SimPy, interrupts"] = lambda jobs=jobs, mtbf=mtbf: _simpy_job(jobs, mtbf, 2 if mtbf < 5 else 10)
        for name, way in ways.items():
            (runs, events, mean), seconds = _best(way)
            verdict = ""
            if name.startswith("planner"):
                verdict = f"  (goal {GOAL_RUNS:,} runs/s: {'met' if runs / seconds >= GOAL_RUNS else 'MISSED'})"
            rate = f"{events / seconds:,.0f}" if events else ""
            lines.append(f"{name:<28}{mtbf:>8g}{runs / seconds:>12,.0f}{rate:>14}{mean:>10.1f}{closed:>13.1f}{verdict}")
    return lines


def pools(library: bool) -> list[str]:
    """A thousand jobs on forty nodes."""
    lines = [f"{'1,000 jobs on 40 nodes':<28}{'MTBF h':>8}{'pools/s':>12}{'events/s':>14}{'makespan h':>12}"]
    for rate in (0.0108, 1.0):
        nodes = Nodes(interruptions_per_hour=rate, boot_hours=1 / 6, boot_p90_hours=2 / 3)
        ways: dict[str, Callable[[], tuple[int, int, float]]] = {
            "planner": lambda nodes=nodes: _planner_pool(nodes, 100)
        }
        if library:
            ways["SimPy, timeouts"] = lambda nodes=nodes: _simpy_pool(nodes, 20)
        for name, way in ways.items():
            (runs, events, makespan), seconds = _best(way)
            verdict = ""
            if name == "planner":
                verdict = f"  (goal {GOAL_EVENTS:,} events/s: {'met' if events / seconds >= GOAL_EVENTS else 'MISSED'})"
            speeds = f"{runs / seconds:>12,.0f}{events / seconds:>14,.0f}"
            lines.append(f"{name:<28}{1 / rate:>8.3g}{speeds}{makespan:>12.2f}{verdict}")
    lines.append("an event is a change of state, counted alike: a node is ready or lost, a job starts, ends or stalls;")
    lines.append("the planner also has the looks of its autoscaler. Neither steps through checkpoints.")
    return lines


def _best(way: Callable[[], tuple[int, int, float]], times: int = 3) -> tuple[tuple[int, int, float], float]:
    """(result, the shortest of its times on one core: other programs of the machine do not count)."""
    found, seconds = way(), math.inf
    for _ in range(times):
        start = time.process_time()
        found = way()
        seconds = min(seconds, time.process_time() - start)
    return found, seconds


def _job(mtbf: float) -> Jobs:
    interval = float(optimal_interval(mtbf_hours=mtbf, write_hours=WRITE_HOURS))
    count = math.ceil(WORK_HOURS / interval)
    return Jobs(
        count=1,
        work_hours=WORK_HOURS,
        segment_hours=WORK_HOURS / count,
        write_hours=WRITE_HOURS,
        resume_hours=RESTART_HOURS,
    )


def _sampled(jobs: Jobs, mtbf: float, runs: int) -> tuple[int, int, float]:
    # in blocks that fit the processor's cache
    rng, block = np.random.default_rng(0), 500
    drawn = [sampled_hours(jobs, mtbf, block, rng) for _ in range(runs // block)]
    return runs, 0, float(np.mean(drawn))


def _stepped(jobs: Jobs, mtbf: float, runs: int) -> tuple[int, int, float]:
    """Each segment and each failure in a loop."""
    draw, events, total = random.Random(0).expovariate, 0, 0.0
    count, segment = round(jobs.work_hours / jobs.segment_hours), jobs.segment_hours + jobs.write_hours
    for _ in range(runs):
        now, done, failure, restart = 0.0, 0, draw(1 / mtbf), 0.0
        while done < count:
            end = now + restart + segment
            events += 1
            if failure < end:
                now, restart = failure, jobs.resume_hours
                failure = now + draw(1 / mtbf)
            else:
                now, restart, done = end, 0.0, done + 1
        total += now
    return runs, events, total / runs


def _simpy_job(jobs: Jobs, mtbf: float, runs: int) -> tuple[int, int, float]:
    """The same with SimPy: a process that is interrupted by another one."""
    import simpy

    rng, events, total = random.Random(0), 0, 0.0
    count, segment = round(jobs.work_hours / jobs.segment_hours), jobs.segment_hours + jobs.write_hours

    def work(env: Any) -> Generator[Any, Any, None]:
        nonlocal events
        done, restart = 0, 0.0
        while done < count:
            events += 1
            try:
                yield env.timeout(restart + segment)
                done, restart = done + 1, 0.0
            except simpy.Interrupt:
                restart = jobs.resume_hours

    def fail(env: Any, process: Any) -> Generator[Any, Any, None]:
        while process.is_alive:
            yield env.timeout(rng.expovariate(1 / mtbf))
            if process.is_alive:
                process.interrupt()

    for _ in range(runs):
        env = simpy.Environment()
        process = env.process(work(env))
        env.process(fail(env, process))
        env.run(until=process)
        total += env.now
    return runs, events, total / runs


def _planner_pool(nodes: Nodes, runs: int) -> tuple[int, int, float]:
    found = [simulate(POOL, nodes, RULES, np.random.default_rng(seed)) for seed in range(runs)]
    return runs, sum(run.events for run in found), float(np.mean([run.makespan for run in found]))


def _simpy_pool(nodes: Nodes, runs: int) -> tuple[int, int, float]:
    """The same pool as SimPy processes: a node boots, takes jobs until it is lost, and is replaced."""
    import simpy

    events, total = 0, 0.0

    def node(env: Any, queue: Any, rng: random.Random, state: dict[str, Any]) -> Generator[Any, Any, None]:
        nonlocal events
        while state["open"]:
            yield env.timeout(nodes.boot_hours * math.exp(nodes.boot_sigma * rng.gauss(0.0, 1.0)))
            events += 1
            lost = env.now + rng.expovariate(nodes.interruptions_per_hour)
            while env.now < lost:
                order, job = yield queue.get()
                if env.now >= lost:  # while it was idle
                    queue.put((order, job))
                    break
                events += 1
                end = env.now + POOL.work_hours - state["saved"][job]
                begin = env.now
                yield env.timeout(min(end, lost) - env.now)
                events += 1
                if end <= lost:
                    state["open"] -= 1
                    if not state["open"]:
                        state["all"].succeed()
                else:
                    state["saved"][job] += int((lost - begin) / POOL.segment_hours) * POOL.segment_hours
                    env.process(stall(env, queue, job))

    def stall(env: Any, queue: Any, job: int) -> Generator[Any, Any, None]:
        nonlocal events
        yield env.timeout(RULES.stalled_hours)
        events += 1
        queue.put((0, job))

    for seed in range(runs):
        env, rng = simpy.Environment(), random.Random(seed)
        queue = simpy.PriorityStore(env)
        queue.items.extend((1, job) for job in range(POOL.count))
        state = {"open": POOL.count, "saved": [0.0] * POOL.count, "all": env.event()}
        for _ in range(RULES.most):
            env.process(node(env, queue, rng, state))
        env.run(until=state["all"])
        total += env.now
    return runs, events, total / runs


if __name__ == "__main__":
    print(f"== {__doc__}\n{main()}\n")
