"""Simulated outcomes of one choice of nodes: how busy they are, how long jobs wait, what is done by whom."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from planner.fleet.model import Floats, Jobs, Ran
from planner.fleet.past import Past
from planner.fleet.queue import simulated
from planner.fleet.workload import MONTH_HOURS, Drawn, jobs_of, owners_of, rules_of, unit_type
from planner.plan.fleet_types import FleetPlan

BEFORE = 14 * 24  # hours whose use stands for those after a queue was given up
UNLIMITED = 10_000_000  # nodes of a group that has as many as its jobs ask for


@dataclass(frozen=True, kw_only=True)
class Task:
    """One draw of one choice. nodes: of each group. past: jobs of the plan's file. alone: index of the only project
    that is there; None for all."""

    plan: FleetPlan
    gpus: Mapping[str, int]
    nodes: tuple[int, ...]
    drawn: Drawn
    draw: int
    seed: int
    past: Past | None = None
    alone: int | None = None


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """busy: nodes of each group in each hour. node_hours: groups x projects. wait, nodes: of each job that was
    submitted until the simulation ended, nodes with fractions. waited_gpu_hours: GPU-hours of waiting. useful:
    GPU-hours of work of each project, on its type of speed 1, in jobs that completed. deadlines: (met, all) jobs that
    have one. backlog: of the submitted work, the share that has not begun at the end."""

    busy: Floats
    node_hours: Floats
    wait: Floats
    nodes: Floats
    waited_gpu_hours: float
    useful: Floats
    deadlines: tuple[int, int]
    backlog: float
    lost_node_hours: float
    failures: int
    preempted: int
    events: int
    overloaded: bool

    @property
    def mean_wait(self) -> float:
        """Hours, of its jobs; 0 without any."""
        return float(self.wait.mean()) if self.wait.size else 0.0


def outcome_of(task: Task) -> Outcome:
    """Simulate it."""
    plan, draw = task.plan, task.draw
    hours = plan.run.months * MONTH_HOURS
    jobs = jobs_of(plan, task.gpus, task.drawn.factors[:, draw], (task.seed, draw), task.past)
    if task.alone is not None:
        jobs = jobs.of(task.alone)
    slots = 1 if task.past is None else task.past.slots
    rules = replace(rules_of(plan, task.drawn, draw, slots), at_once=_at_once(plan, jobs))
    capacity = [count * slots for count in task.nodes]
    ran = simulated(jobs, owners_of(plan), capacity, rules, float(hours), seed=task.seed * 1_000_003 + draw)
    nodes = jobs.nodes / slots
    gpus = np.array([task.gpus[unit_type(plan, project)] for project in plan.projects])
    useful = np.zeros(len(plan.projects))
    ended = np.isfinite(ran.end)
    work = jobs.hours * nodes
    np.add.at(useful, jobs.owner[ended], (work * gpus[jobs.owner])[ended])
    not_begun, came = ~np.isfinite(ran.start), jobs.submit <= ran.until
    busy = np.array([ran.busy(group, hours) for group in range(len(task.nodes))]) / slots
    if ran.overloaded:  # a queue that only grows keeps its nodes as busy as they were
        end = int(ran.held[:, 3].max(initial=0.0))
        busy[:, end:] = busy[:, max(end - BEFORE, 0) : end].mean(axis=1, keepdims=True) if end else 0.0
    return Outcome(
        busy=busy,
        node_hours=ran.node_hours(len(task.nodes), len(plan.projects), float(hours)) / slots,
        wait=ran.wait[came],
        nodes=nodes[came],
        waited_gpu_hours=float((ran.wait * nodes * gpus[jobs.owner]).sum()),
        useful=useful * (1 - task.drawn.unfinished[:, draw]),
        deadlines=_deadlines(plan, jobs, ran, hours),
        backlog=float(work[not_begun].sum() / work.sum()) if work.size else 0.0,
        lost_node_hours=ran.lost / slots,
        failures=ran.failures,
        preempted=ran.preempted,
        events=ran.events,
        overloaded=ran.overloaded,
    )


def _at_once(plan: FleetPlan, jobs: Jobs) -> float:
    """Work of the jobs that begin with their project, and of the largest of the others."""
    work = jobs.hours * jobs.nodes
    listed = np.array([any(stream.count for stream in one.jobs) for one in plan.projects])[jobs.owner]
    return float(work[listed].sum() + work[~listed].max(initial=0.0))


def _deadlines(plan: FleetPlan, jobs: Jobs, ran: Ran, hours: float) -> tuple[int, int]:
    """Jobs whose deadline falls in the horizon."""
    given = np.array([project.deadline_hours or np.inf for project in plan.projects])[jobs.owner]
    due = jobs.submit + given <= hours
    return int((ran.end[due] - jobs.submit[due] <= given[due]).sum()), int(due.sum())


def too_large(plan: FleetPlan, nodes: Sequence[int], past: Past | None, alone: int | None = None) -> str:
    """The project of a job that fits no group that it may use, with the nodes it needs; "" if all fit. alone: index of
    the only project that counts."""
    of = dict(zip(plan.types, nodes, strict=True))
    wanted = [
        (at, float(stream.nodes), max(of[name] for name in plan.speeds(one)))
        for at, one in enumerate(plan.projects)
        for stream in one.jobs
    ]
    if past is not None:
        wanted += [
            (at, size, max(nodes[group] for group, _ in past.ways[way])) for (at, way), size in past.largest.items()
        ]
    large = [(size, at) for at, size, most in wanted if size > most and alone in (None, at)]
    if not large:
        return ""
    size, at = max(large)
    return f"a job of {plan.projects[at].name} needs {math.ceil(size)} nodes at once"


def counts_of(plan: FleetPlan) -> list[tuple[int, ...]]:
    """Nodes of each group, for each choice of nodes that is compared: at most five counts of a range, and fewer where
    several groups have one."""
    most = 5
    while True:
        counts: list[tuple[int, ...]] = [()]
        for group in plan.groups:
            these = _spread(group.nodes, most) if group.nodes else [UNLIMITED]
            counts = [(*before, one) for before in counts for one in these]
        if len(counts) <= 25 or most == 2:
            return counts
        most -= 1


def _spread(nodes: Sequence[int], most: int) -> list[int]:
    """At most so many of them, the first and the last among them."""
    if len(nodes) <= most:
        return list(nodes)
    return [nodes[round(at * (len(nodes) - 1) / (most - 1))] for at in range(most)]
