"""Jobs of a file as a plan's fleet would run them: their size on its nodes, and which groups they may use.

A year is made of the file's weeks, drawn with replacement, so that days, nights, weekends and bursts that projects
share stay as they were. How little some weeks say of a year is in the range: each outcome first draws as many weeks as
the file has, with replacement, and only these make its year.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from planner.demand.sacct_row import Job
from planner.demand.weeks import WEEK_HOURS, Weeks
from planner.errors import PlanProblems, Problem
from planner.fleet.model import Floats, Ints, Speeds
from planner.fleet.with_demand import ran_on
from planner.plan.fleet_types import FleetPlan, Project
from planner.plan.load import LoadedFleet
from planner.plan.textfile import label_of
from planner.plan.wording import listed

DEFAULT_LIMIT = 1.5  # as of a stream: time limit over duration, where the file has none
SHORTEST = 1e-4  # hours


@dataclass(frozen=True, kw_only=True)
class Past:
    """By week and time in it. slots: of a node; a job has whole slots. at: hours from its week's begin. size: in slots.
    hours: at speed 1. way: index in ways, the groups that a job may use with their speeds."""

    weeks: int
    slots: int
    week: Ints
    at: Floats
    size: Ints
    hours: Floats
    limit: Floats
    owner: Ints
    way: Ints
    ways: tuple[Speeds, ...]

    @cached_property
    def largest(self) -> dict[tuple[int, int], float]:
        """Nodes of the largest job, by the index of its project and of its way."""
        found: dict[tuple[int, int], int] = {}
        for owner, way, size in zip(self.owner.tolist(), self.way.tolist(), self.size.tolist(), strict=True):
            found[owner, way] = max(size, found.get((owner, way), 0))
        return {key: size / self.slots for key, size in found.items()}

    def drawn(self, weeks: int, seed: list[int]) -> Ints:
        """The week of the file that each week of an outcome repeats."""
        rng = np.random.default_rng(seed)
        known = rng.integers(self.weeks, size=self.weeks)
        return known[rng.integers(self.weeks, size=weeks)]


def past_of(loaded: LoadedFleet, gpus: Mapping[str, int]) -> Past | None:
    """The jobs of a plan's file of demand; None without one. gpus: of a node of each type. Raises PlanProblems for jobs
    that no group can hold."""
    plan, weeks = loaded.plan, loaded.weeks
    if weeks is None or plan.demand is None:
        return None
    index = {one.name: at for at, one in enumerate(plan.projects)}
    group = {name: at for at, name in enumerate(plan.types)}
    ways: dict[Speeds, int] = {}
    sizes: list[tuple[int, int]] = []  # nodes of each job as a fraction
    rows: list[tuple[int, float, float, float, int, int]] = []
    problems = _Problems(plan, label_of(loaded.demand_file or ""))
    for job in weeks.jobs:
        owner = index[job.project]
        project = plan.projects[owner]
        types, speed = _usable(plan, project, ran_on(plan.demand, job.gpu, job.partition))
        size = _nodes(weeks, job, types, gpus)
        if size is None:
            problems.differ(job, project, types)
            continue
        problems.fits(job, project, types, size)
        sizes.append(size)
        hours = max(weeks.found.hours(job), SHORTEST)
        limit = DEFAULT_LIMIT if job.limit_hours is None else max(job.limit_hours / hours, 1.0)
        since = weeks.hour(job)
        way = ways.setdefault(tuple((group[name], fast) for name, fast in types.items()), len(ways))
        rows.append((int(since // WEEK_HOURS), since % WEEK_HOURS, hours * speed, limit, owner, way))
    if found := list(problems.found()):
        raise PlanProblems(tuple(found))
    slots = math.lcm(*(below // math.gcd(nodes, below) for nodes, below in set(sizes)))
    week, at, hours, limit, owner, way = (np.array(column) for column in zip(*rows, strict=True))
    order = np.lexsort((at, week))
    return Past(
        weeks=weeks.count,
        slots=slots,
        week=week[order],
        at=at[order],
        size=np.array([nodes * slots // below for nodes, below in sizes], dtype=np.int64)[order],
        hours=hours[order],
        limit=limit[order],
        owner=owner[order],
        way=way[order],
        ways=tuple(ways),
    )


def _usable(plan: FleetPlan, project: Project, ran: str | None) -> tuple[dict[str, float], float]:
    """(types that a job may use with their speeds, speed of the one it ran on)."""
    if ran is None:
        return plan.speeds(project), 1.0
    if project.types is None:
        return {ran: 1.0}, 1.0
    return plan.speeds(project), project.types[ran]


def _nodes(weeks: Weeks, job: Job, types: Mapping[str, float], gpus: Mapping[str, int]) -> tuple[int, int] | None:
    """Nodes of a job as a fraction: GPUs over those of a node. None where its types differ in that."""
    if not weeks.found.counts_gpus:
        return job.nodes, 1
    each = {gpus[name] for name in types}
    return (job.gpus, each.pop()) if len(each) == 1 else None


class _Problems:
    """One problem for each project and set of types, at its largest job."""

    def __init__(self, plan: FleetPlan, where: str) -> None:
        self._where, self._most = where, {one.instance_type: max(one.nodes, default=math.inf) for one in plan.groups}
        self._large: dict[tuple[str, tuple[str, ...]], tuple[float, Job, int]] = {}
        self._differ: dict[tuple[str, tuple[str, ...]], Job] = {}

    def fits(self, job: Job, project: Project, types: Mapping[str, float], size: tuple[int, int]) -> None:
        nodes = math.ceil(size[0] / size[1])
        if nodes > max(self._most[name] for name in types):
            key = project.name, tuple(types)
            most, largest, count = self._large.get(key, (0, job, 0))
            self._large[key] = (nodes, job, count + 1) if nodes > most else (most, largest, count + 1)

    def differ(self, job: Job, project: Project, types: Mapping[str, float]) -> None:
        self._differ.setdefault((project.name, tuple(types)), job)

    def found(self) -> Iterator[Problem]:
        for (name, types), (nodes, job, count) in self._large.items():
            many = f"{count} jobs" if count > 1 else "1 job"
            most = max(self._most[one] for one in types)
            yield self._at(
                job,
                f"job {job.id} of {name} needs {nodes:.0f} nodes of {' or '.join(types)}, and no group has more than "
                f"{most:.0f}; {many} of {name} never fit",
                "write more nodes, or nodes: mix; or leave these jobs out of the file",
            )
        for (name, types), job in self._differ.items():
            yield self._at(
                job,
                f"job {job.id} of {name} may run on {listed(types)}, whose nodes differ in GPUs, so it has no one size",
                "write demand.ran_on, or types of that project, so that each job has types of as many GPUs",
            )

    def _at(self, job: Job, message: str, remedy: str) -> Problem:
        return Problem(where=self._where, line=job.line, column=1, message=message, remedy=remedy)
