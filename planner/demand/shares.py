"""Whose node-hours a cluster's were, in a time: from Slurm's accounting."""

from __future__ import annotations

from collections import defaultdict
from datetime import UTC, datetime

from planner.demand.sacct_file import JobsFile, jobs_in, zone_of
from planner.mix.demand_file import text_of
from planner.plan.textfile import label_of


def node_hours(path: str, zone: str | None, begin: datetime, end: datetime, gpus: int) -> dict[str, float]:
    """Node-hours of each account from begin to end (UTC without a zone), the largest first. zone: of times that name
    none. gpus: of a node; a job of fewer counts as a part of one. Raises PlanProblems and UsageProblem."""
    found = jobs_in(text_of(path, "give what sacct printed"), label_of(path), None if zone is None else zone_of(zone))
    return held(found, begin.replace(tzinfo=UTC).timestamp(), end.replace(tzinfo=UTC).timestamp(), gpus)


def held(found: JobsFile, begin: float, end: float, gpus: int) -> dict[str, float]:
    """The same of jobs, from and to seconds since 1970."""
    hours: defaultdict[str, float] = defaultdict(float)
    for one in found.jobs:
        if one.start is not None:
            last = min(one.start + found.hours(one) * 3600, end)
            nodes = one.gpus / gpus if found.counts_gpus and gpus else one.nodes
            hours[one.project] += max(last - max(one.start, begin), 0.0) / 3600 * nodes
    return {name: value for name, value in sorted(hours.items(), key=lambda item: (-item[1], item[0])) if value}
