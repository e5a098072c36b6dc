"""The jobs of one draw: arrivals at random times, durations, and how many there are against the plan."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from planner.demand.weeks import WEEK_HOURS
from planner.fleet.model import HIGH, LOW, NORMAL, Floats, Jobs, Owner, Rules
from planner.fleet.past import Past
from planner.models.number import each_draw
from planner.models.values import Values
from planner.plan.fleet_types import FleetPlan, Project, Stream

MONTH_HOURS = 730
FILE = 255  # the stream of a project's jobs of a file; those of the plan begin at 0
TIERS = {"high": HIGH, "normal": NORMAL, "low": LOW}


@dataclass(frozen=True, kw_only=True)
class Drawn:
    """What differs from draw to draw, one entry a draw. factors: jobs of each project against the plan, projects x
    draws. failures: of a busy node, an hour; repair, restart: hours. unfinished: of each project's GPU-hours, the share
    in jobs that do not complete, projects x draws."""

    factors: Floats
    failures: Floats
    repair: Floats
    restart: Floats
    unfinished: Floats

    @property
    def draws(self) -> int:
        return self.failures.size


def drawn_of(plan: FleetPlan, values: Values) -> Drawn:
    """values: with draws. The draws of one project do not depend on the others. What a file says of a project's jobs is
    no estimate of theirs, so only what may change for all is drawn beside its weeks."""
    count = values.draws
    common = each_draw(values["fleet.demand_factor"], count)
    own = [
        values.sampled("fleet.project_factor", f"fleet.project {one.name}") if one.jobs else 1.0
        for one in plan.projects
    ]
    unfinished = [
        values["fleet.unfinished_fraction"] if one.unfinished is None else one.unfinished for one in plan.projects
    ]
    return Drawn(
        factors=np.array([each_draw(one, count) * common for one in own]),
        failures=each_draw(values["goodput.failures_per_1000_node_days"], count) / 24_000,
        repair=each_draw(values["goodput.replacement_hours"], count),
        restart=each_draw(values["goodput.restart_minutes"], count) / 60,
        unfinished=np.array([each_draw(one, count) for one in unfinished]),
    )


def owners_of(plan: FleetPlan) -> list[Owner]:
    """The projects as the queue knows them."""
    at = {name: index for index, name in enumerate(plan.types)}
    return [
        Owner(
            tier=TIERS[one.queue],
            share=one.share,
            speeds=tuple((at[name], speed) for name, speed in plan.speeds(one).items()),
            checkpoint=math.inf if one.checkpoint_hours is None else one.checkpoint_hours,
        )
        for one in plan.projects
    ]


def rules_of(plan: FleetPlan, drawn: Drawn, draw: int, slots: int) -> Rules:
    """Of one draw. slots: of a node."""
    return Rules(
        policy=plan.queue.policy,
        fair_share=plan.queue.fair_share,
        preempt=plan.queue.preempt,
        failures=float(drawn.failures[draw]),
        repair=float(drawn.repair[draw]),
        restart=float(drawn.restart[draw]),
        parts=slots,
    )


def per_month(plan: FleetPlan, project: Project, stream: Stream, gpus: Mapping[str, int]) -> list[float]:
    """Expected jobs submitted in each month of the plan; of a count, in the first one. gpus: of a node, by type."""
    if stream.count is not None:
        return [float(stream.count) if month == project.from_month else 0.0 for month in range(1, plan.run.months + 1)]
    if stream.per_day is not None:
        rate = stream.per_day * MONTH_HOURS / 24
    else:
        assert stream.gpu_hours_per_month is not None  # the plan was checked
        rate = stream.gpu_hours_per_month / (stream.nodes * gpus[unit_type(plan, project)] * stream.hours)
    return [rate * grown for grown in growth_by_month(plan, project)]


def growth_by_month(plan: FleetPlan, project: Project) -> list[float]:
    """Jobs of each month of the plan against the project's first one; 0 where it submits none."""
    first, last = project.from_month, project.to_month or plan.run.months
    return [
        (1 + project.growth) ** (month - first) if first <= month <= last else 0.0
        for month in range(1, plan.run.months + 1)
    ]


def unit_type(plan: FleetPlan, project: Project) -> str:
    """The type whose hours a project counts its work in: of speed 1, else the first."""
    speeds = plan.speeds(project)
    return next((name for name, speed in speeds.items() if speed == 1.0), next(iter(speeds)))


def jobs_of(
    plan: FleetPlan, gpus: Mapping[str, int], factors: Floats, seed: Sequence[int], past: Past | None = None
) -> Jobs:
    """One list of jobs, by streams and from the plan's file. factors: of each project. seed: of this draw; the list is
    the same for every choice."""
    nobody = np.zeros(0)  # of drawn weeks in which nobody submitted a job
    none: _Columns = (nobody, nobody, nobody, nobody, nobody, nobody)
    parts = [none, *_streams(plan, gpus, factors, seed, 1 if past is None else past.slots)]
    if past is not None:
        parts += _from_file(plan, past, factors, seed)
    submit, nodes, hours, limit, owner, way = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    order = np.argsort(submit, kind="stable")
    return Jobs(
        submit=submit[order],
        nodes=nodes[order].astype(np.int64),
        hours=np.maximum(hours, 1e-6)[order],
        limit=limit[order],
        owner=owner[order].astype(np.int64),
        way=way[order].astype(np.int64),
        ways=() if past is None else past.ways,
    )


_Columns = tuple[Any, Any, Any, Any, Any, Any]  # submit, nodes, hours, limit, owner, way


def _streams(
    plan: FleetPlan, gpus: Mapping[str, int], factors: Floats, seed: Sequence[int], slots: int
) -> Iterator[_Columns]:
    for owner, project in enumerate(plan.projects):
        for at, stream in enumerate(project.jobs):
            # a stream of its own, so that a project more or less changes no other one's jobs
            rng = np.random.default_rng([*seed, *project.name.encode(), at])
            months = np.array(per_month(plan, project, stream, gpus))
            if stream.count is not None:
                counts = months.astype(int)
                submit = np.full(stream.count, (project.from_month - 1.0) * MONTH_HOURS)
            else:
                counts = rng.poisson(months * factors[owner])
                submit = (np.repeat(np.arange(len(months)), counts) + rng.random(counts.sum())) * MONTH_HOURS
            width = math.log1p(stream.spread**2)
            # the work of a list of jobs that is known differs from its plan too; that of a rate is in its number
            more = float(factors[owner]) if stream.count is not None else 1.0
            scattered = rng.standard_normal(counts.sum()) * math.sqrt(width) - width / 2
            hours = more * stream.hours * np.exp(scattered)
            nodes, limit, mine, way = (np.full(hours.size, n) for n in (stream.nodes * slots, stream.limit, owner, -1))
            yield submit, nodes, hours, limit, mine, way


def _from_file(plan: FleetPlan, past: Past, factors: Floats, seed: Sequence[int]) -> Iterator[_Columns]:
    """Every job of the drawn weeks, once for a factor and a growth of 1. Others are left out or repeated at random;
    what is repeated comes within an hour, so that a burst stays one."""
    until = plan.run.months * MONTH_HOURS
    weeks = past.drawn(math.ceil(until / WEEK_HOURS), [*seed, *b"weeks"])
    bounds: list[int] = np.searchsorted(past.week, np.arange(past.weeks + 1)).tolist()
    index = np.concatenate([np.arange(bounds[week], bounds[week + 1]) for week in weeks.tolist()])
    begun = np.repeat(np.arange(weeks.size) * WEEK_HOURS, np.diff(bounds)[weeks])
    submit = begun + past.at[index]
    index, submit = index[submit < until], submit[submit < until]
    owners = past.owner[index]
    for owner in np.unique(owners):
        project, mine = plan.projects[owner], owners == owner
        jobs, when = index[mine], submit[mine]
        rng = np.random.default_rng([*seed, *project.name.encode(), FILE])
        wanted = factors[owner] * np.array(growth_by_month(plan, project))[(when // MONTH_HOURS).astype(int)]
        copies = np.floor(wanted + rng.random(when.size)).astype(int)
        again = np.arange(copies.sum()) - np.repeat(np.cumsum(copies) - copies, copies) > 0
        when = np.repeat(when, copies) + np.where(again, rng.random(again.size), 0.0)
        jobs = np.repeat(jobs, copies)
        yield when, past.size[jobs], past.hours[jobs], past.limit[jobs], past.owner[jobs], past.way[jobs]
