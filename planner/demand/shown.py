"""What past demand says: its span and size, its peak, and whether the old fleet limited it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np

from planner.demand.sacct_file import JobsFile
from planner.mix.demand_file import Demand

CENSORED = 0.01  # share of the time from which on demand counts as limited by the fleet; the share itself is shown
NEAR_PEAK = 0.99  # of the peak: an hour at the ceiling


@dataclass(frozen=True, kw_only=True)
class JobsShown:
    """states: jobs by state. node_hours: that jobs used. waits_h: mean, median and 95th percentile of the jobs that
    started, in hours; None if none did. peak_nodes: the most that ran at once. peak_wanted: the most that ran or
    waited at once. utilisation: mean of the nodes in use over peak_nodes. limited: share of the time in which jobs
    that ran and waited needed more than peak_nodes. running: started and not over; they count to the file's end."""

    begin: datetime
    end: datetime
    states: dict[str, int]
    node_hours: float
    completed_node_hours: float
    waits_h: tuple[float, float, float] | None
    largest_nodes: int
    peak_nodes: int
    peak_wanted: int
    utilisation: float
    limited: float
    running: int
    steps: int
    repeated: int

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

    @property
    def days(self) -> float:
        return self.hours / 24


def jobs_shown(found: JobsFile) -> JobsShown:
    """Of at least one job."""
    jobs = found.jobs
    known = [time for one in jobs for time in (one.eligible, one.start, one.end) if time is not None]
    begin, last = min(known), max(known)
    started = [one for one in jobs if one.start is not None]
    used = [((one.end if one.end is not None else last) - one.start) * one.nodes / 3600 for one in started]  # type: ignore[operator]
    times, changes = [], []  # a row: change of the nodes in use, change of the nodes that jobs wait for
    for one in jobs:
        end = one.end if one.end is not None else last
        times += [one.eligible, one.start if one.start is not None else end]
        changes += [(0, one.nodes), (0, -one.nodes)]
        if one.start is not None:
            times += [one.start, end]
            changes += [(one.nodes, 0), (-one.nodes, 0)]
    moments, at = np.unique(times, return_inverse=True)
    steps = np.zeros((moments.size, 2), dtype=np.int64)
    np.add.at(steps, at, np.array(changes))
    busy, waiting = steps.cumsum(axis=0)[:-1].T
    spans = np.diff(moments)
    peak, whole = int(busy.max(initial=0)), spans.sum()
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
        peak_wanted=int((busy + waiting).max(initial=0)),
        utilisation=float(busy @ spans / (peak * whole)) if peak else 0.0,
        limited=float(spans[busy + waiting > peak].sum() / whole) if whole else 0.0,
        running=sum(one.end is None for one in started),
        steps=found.steps,
        repeated=found.repeated,
    )


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
    return HoursShown(begin=found.first, hours=found.hours, types=tuple(types), assumed_utc=found.assumed_utc)
