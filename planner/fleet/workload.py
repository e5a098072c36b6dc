"""The jobs of one draw: arrivals at random times, durations, and how many there are against the plan."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from planner.fleet.model import HIGH, LOW, NORMAL, Floats, Jobs, Owner, Rules
from planner.models.number import each_draw
from planner.models.values import Values
from planner.plan.fleet_types import FleetPlan, Project, Stream

MONTH_HOURS = 730
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
    """values: with draws. The draws of one project do not depend on the others."""
    count = values.draws
    common = each_draw(values["fleet.demand_factor"], count)
    own = [values.sampled("fleet.project_factor", f"fleet.project {one.name}") for one in plan.projects]
    general = each_draw(values["fleet.unfinished_fraction"], count)
    return Drawn(
        factors=np.array([each_draw(one, count) * common for one in own]),
        failures=each_draw(values["goodput.failures_per_1000_node_days"], count) / 24_000,
        repair=each_draw(values["goodput.replacement_hours"], count),
        restart=each_draw(values["goodput.restart_minutes"], count) / 60,
        unfinished=np.array(
            [general if one.unfinished is None else np.full(count, one.unfinished) for one in plan.projects]
        ),
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


def rules_of(plan: FleetPlan, drawn: Drawn, draw: int) -> Rules:
    """Of one draw."""
    return Rules(
        policy=plan.queue.policy,
        fair_share=plan.queue.fair_share,
        preempt=plan.queue.preempt,
        failures=float(drawn.failures[draw]),
        repair=float(drawn.repair[draw]),
        restart=float(drawn.restart[draw]),
    )


def per_month(plan: FleetPlan, project: Project, stream: Stream, gpus: Mapping[str, int]) -> list[float]:
    """Expected jobs submitted in each month of the plan; of a count, in the first one. gpus: of a node, by type."""
    last = project.to_month or plan.run.months
    if stream.count is not None:
        rate, growth = float(stream.count), -1.0
    elif stream.per_day is not None:
        rate, growth = stream.per_day * MONTH_HOURS / 24, project.growth
    else:
        assert stream.gpu_hours_per_month is not None  # the plan was checked
        rate = stream.gpu_hours_per_month / (stream.nodes * gpus[unit_type(plan, project)] * stream.hours)
        growth = project.growth
    first = project.from_month
    return [
        rate * (1 + growth) ** (month - first) if first <= month <= last else 0.0
        for month in range(1, plan.run.months + 1)
    ]


def unit_type(plan: FleetPlan, project: Project) -> str:
    """The type whose hours a project counts its work in: of speed 1, else the first."""
    speeds = plan.speeds(project)
    return next((name for name, speed in speeds.items() if speed == 1.0), next(iter(speeds)))


def jobs_of(plan: FleetPlan, gpus: Mapping[str, int], factors: Floats, seed: Sequence[int]) -> Jobs:
    """One list of jobs. factors: of each project. seed: of this draw; the list is the same for every choice."""
    parts: list[tuple[Floats, int, Floats, float, int]] = []
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
            parts.append((submit, stream.nodes, more * stream.hours * np.exp(scattered), stream.limit, owner))
    submit = np.concatenate([part[0] for part in parts])
    sizes = [part[0].size for part in parts]
    order = np.argsort(submit, kind="stable")
    return Jobs(
        submit=submit[order],
        nodes=np.repeat([part[1] for part in parts], sizes)[order].astype(np.int64),
        hours=np.maximum(np.concatenate([part[2] for part in parts]), 1e-6)[order],
        limit=np.repeat([part[3] for part in parts], sizes)[order],
        owner=np.repeat([part[4] for part in parts], sizes)[order].astype(np.int64),
    )
