"""What past demand says: its span and size, its peak, and whether the old fleet limited it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime

import numpy as np

from planner.demand.sacct_file import JobsFile
from planner.demand.sacct_row import Job
from planner.demand.weeks import Weeks
from planner.mix.demand_file import Demand

CENSORED = 0.01  # share of the time from which on demand counts as limited by the fleet; the share itself is shown
NEAR_PEAK = 0.99  # of the peak: an hour at the ceiling


@dataclass(frozen=True, kw_only=True)
class ProjectShown:
    """An account: jobs that held nodes, and what they held. gpu_hours: None where the file names no GPUs. completed:
    share of it in jobs that completed."""

    name: str
    jobs: int
    node_hours: float
    gpu_hours: float | None
    completed: float


@dataclass(frozen=True, kw_only=True)
class JobsShown:
    """states: jobs by state. node_hours: that jobs used. waits_h: mean, median and 95th percentile of the jobs that
    started, in hours; None if none did. peak_nodes: the most that ran at once. peak_wanted: the most that ran or
    waited at once, counting a node for each job on it. peak_gpus, peak_wanted_gpus: the same in GPUs; None where the
    file names none. utilisation: mean in use over the peak, and limited: share of the time in which jobs that ran and
    waited needed more than it; in GPUs where the file has them. running: started and not over; they count to the
    file's end. gpu_hours: None where the file names no GPUs. projects: the one with the most first. ran_on: GPU- or
    node-hours by the name of the GPU, or the partition where there is none. no_gpu: jobs that ran without a GPU, where
    others have some. weeks: whole ones from first_day on, for a plan to draw from; empty_weeks: those without a job.
    early: jobs before first_day, of whose time the file has only what still ran. zone: in which its times were read;
    None where they name their offset."""

    begin: datetime
    end: datetime
    states: dict[str, int]
    node_hours: float
    completed_node_hours: float
    waits_h: tuple[float, float, float] | None
    largest_nodes: int
    peak_nodes: int
    peak_wanted: int
    peak_gpus: int | None
    peak_wanted_gpus: int | None
    utilisation: float
    limited: float
    running: int
    steps: int
    repeated: int
    twice: int
    resized: int
    gpu_hours: float | None
    projects: tuple[ProjectShown, ...]
    ran_on: dict[str, float]
    no_gpu: int
    weeks: int
    empty_weeks: int
    first_day: date | None
    early: int
    zone: str | None

    @property
    def days(self) -> float:
        return (self.end - self.begin).total_seconds() / 86_400

    @property
    def censored(self) -> bool:
        return self.limited >= CENSORED


@dataclass(frozen=True, kw_only=True)
class TypeHours:
    """One instance type. at_peak: share of the hours within 1 % of its peak; utilisation: its mean over its peak."""

    name: str
    instance_hours: float
    peak: float
    utilisation: float
    at_peak: float

    @property
    def may_be_censored(self) -> bool:
        """Hours show no queue: a flat top is a ceiling, or a demand that does not vary."""
        return self.peak > 0 and self.at_peak >= CENSORED


@dataclass(frozen=True, kw_only=True)
class HoursShown:
    begin: datetime
    hours: int
    types: tuple[TypeHours, ...]
    assumed_utc: bool
    regions: tuple[str, ...] = ()

    @property
    def days(self) -> float:
        return self.hours / 24


def jobs_shown(found: JobsFile, weeks: Weeks | None, zone: str | None) -> JobsShown:
    """Of at least one job. weeks: that a plan would draw from, None for less than one. zone: its name, as given."""
    jobs = found.jobs
    begin, last = min(one.eligible for one in jobs), found.last
    since = max(begin, weeks.begin) if weeks else begin
    started = [one for one in jobs if one.start is not None]
    used = [found.hours(one) * one.nodes for one in started]
    peak, wanted, utilisation, limited = _together(found, [one.nodes for one in jobs], since)
    gpus = _together(found, [one.gpus for one in jobs], since) if found.counts_gpus else None
    if gpus is not None:
        utilisation, limited = gpus[2:]
    waits = np.array([one.start - one.eligible for one in started]) / 3600  # type: ignore[operator]
    return JobsShown(
        begin=datetime.fromtimestamp(begin, UTC),
        end=datetime.fromtimestamp(last, UTC),
        states=dict(Counter(one.state for one in jobs).most_common()),
        node_hours=sum(used),
        completed_node_hours=sum(hours for one, hours in zip(started, used, strict=True) if one.state == "COMPLETED"),
        waits_h=(waits.mean(), *np.quantile(waits, [0.5, 0.95])) if waits.size else None,
        largest_nodes=max(one.nodes for one in jobs),
        peak_nodes=peak,
        peak_wanted=wanted,
        peak_gpus=gpus and gpus[0],
        peak_wanted_gpus=gpus and gpus[1],
        utilisation=utilisation,
        limited=limited,
        running=sum(one.end is None for one in started),
        steps=found.steps,
        repeated=found.repeated,
        twice=found.twice,
        resized=found.resized,
        gpu_hours=sum(found.hours(one) * one.gpus for one in started) if found.counts_gpus else None,
        projects=tuple(_projects(found, started)),
        ran_on=_ran_on(found, started),
        no_gpu=sum(not one.gpus for one in started) if found.counts_gpus else 0,
        weeks=weeks.count if weeks else 0,
        empty_weeks=weeks.empty if weeks else 0,
        first_day=weeks.first_day if weeks else None,
        early=sum(one.eligible < since for one in jobs),
        zone=zone,
    )


def _together(found: JobsFile, sizes: Sequence[int], since: float) -> tuple[int, int, float, float]:
    """(the most that ran at once, the most that ran or waited at once, mean use of the first, share of the time in
    which more than the first was needed), in the unit of sizes, one for each job. since:
    from when the file has every job."""
    times, changes = [], []  # a row: change of what runs, change of what jobs wait for
    for one, size in zip(found.jobs, sizes, strict=True):
        end = one.end if one.end is not None else found.last
        times += [one.eligible, one.start if one.start is not None else end]
        changes += [(0, size), (0, -size)]
        if one.start is not None:
            times += [one.start, end]
            changes += [(size, 0), (-size, 0)]
    moments, at = np.unique(np.maximum(times, since), return_inverse=True)
    steps = np.zeros((moments.size, 2), dtype=np.int64)
    np.add.at(steps, at, np.array(changes))
    busy, waiting = steps.cumsum(axis=0)[:-1].T
    spans = np.diff(moments)
    peak, whole = int(busy.max(initial=0)), spans.sum()
    return (
        peak,
        int((busy + waiting).max(initial=0)),
        float(busy @ spans / (peak * whole)) if peak else 0.0,
        float(spans[busy + waiting > peak].sum() / whole) if whole else 0.0,
    )


def _projects(found: JobsFile, started: Sequence[Job]) -> list[ProjectShown]:
    by_name: dict[str, list[Job]] = defaultdict(list)
    for one in started:
        by_name[one.project].append(one)
    projects = []
    for name, jobs in by_name.items():
        node_hours = sum(found.hours(one) * one.nodes for one in jobs)
        done = sum(found.hours(one) * one.nodes for one in jobs if one.state == "COMPLETED")
        gpu_hours = sum(found.hours(one) * one.gpus for one in jobs) if found.counts_gpus else None
        share = done / node_hours if node_hours else 0.0
        projects.append(
            ProjectShown(name=name, jobs=len(jobs), node_hours=node_hours, gpu_hours=gpu_hours, completed=share)
        )
    return sorted(projects, key=lambda one: (-(one.gpu_hours or one.node_hours), one.name))


def _ran_on(found: JobsFile, started: Sequence[Job]) -> dict[str, float]:
    hours: defaultdict[str, float] = defaultdict(float)
    for one in started:
        if name := one.gpu or one.partition:
            hours[name] += found.hours(one) * (one.gpus if found.counts_gpus else one.nodes)
    return {name: value for name, value in sorted(hours.items(), key=lambda item: -item[1]) if value}


def hours_shown(found: Demand) -> HoursShown:
    types = []
    for name, firm in found.firm.items():
        hours = firm + found.interruptible.get(name, 0.0)
        peak = float(hours.max())
        types.append(
            TypeHours(
                name=name,
                instance_hours=float(hours.sum()),
                peak=peak,
                utilisation=float(hours.mean() / peak) if peak else 0.0,
                at_peak=float((hours >= NEAR_PEAK * peak).mean()) if peak else 0.0,
            )
        )
    types.sort(key=lambda one: -one.instance_hours)
    return HoursShown(
        begin=found.first,
        hours=found.hours,
        types=tuple(types),
        assumed_utc=found.assumed_utc,
        regions=found.regions,
    )
