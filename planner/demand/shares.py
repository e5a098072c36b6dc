"""Whose node-hours a cluster's were, in a time: from Slurm's accounting."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from datetime import UTC, datetime

from planner.demand.sacct_file import Job, JobsFile, jobs_in, zone_of
from planner.mix.demand_file import text_of
from planner.plan.textfile import label_of


def node_hours(path: str, zone: str | None, begin: datetime, end: datetime, gpus: int) -> dict[str, float]:
    """Node-hours of each account from begin to end (UTC without a zone), the largest first. zone: of times that name
    none. gpus: of a node; a job of fewer counts as a part of one. Raises PlanProblems and UsageProblem."""
    return held(jobs_of(path, zone), seconds(begin), seconds(end), gpus)


def seconds(when: datetime) -> float:
    """Since 1970, of UTC without a zone."""
    return when.replace(tzinfo=UTC).timestamp()


def jobs_of(path: str, zone: str | None) -> JobsFile:
    """What sacct printed. Raises PlanProblems and UsageProblem."""
    return jobs_in(text_of(path, "give what sacct printed"), label_of(path), None if zone is None else zone_of(zone))


def held(found: JobsFile, begin: float, end: float, gpus: int) -> dict[str, float]:
    """The same of jobs, from and to seconds since 1970."""
    hours = node_hours_by(found, begin, end, lambda job: "", {"": gpus})
    return {name: value for (name, _), value in sorted(hours.items(), key=lambda item: (-item[1], item[0]))}


def node_hours_by(
    found: JobsFile, begin: float, end: float, kind: Callable[[Job], str], gpus: Mapping[str, int]
) -> dict[tuple[str, str], float]:
    """Node-hours of each account and kind of node. gpus: of a node of each kind."""
    hours: defaultdict[tuple[str, str], float] = defaultdict(float)
    for one in found.jobs:
        if one.start is not None:
            last, of = min(one.start + found.hours(one) * 3600, end), kind(one)
            nodes = one.gpus / gpus[of] if found.counts_gpus and gpus[of] else one.nodes
            hours[one.project, of] += max(last - max(one.start, begin), 0.0) / 3600 * nodes
    return {key: value for key, value in hours.items() if value}
