"""The whole weeks of a file of jobs: which of its days count, and what of it is work on GPUs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import cached_property
from zoneinfo import ZoneInfo

from planner.demand.sacct_file import JobsFile
from planner.demand.sacct_row import Job
from planner.plan.textfile import refuse

DAY, WEEK_HOURS = 86_400.0, 168
QUIET_DAYS = 2  # at the end of a week, in which nobody submits a job


@dataclass(frozen=True, kw_only=True)
class Left:
    """Jobs that are no part of the demand. why: in words that follow their number."""

    why: str
    jobs: int
    node_hours: float


@dataclass(frozen=True, kw_only=True)
class Weeks:
    """What a file gives as demand. begin: midnight of first_day, seconds since 1970. count: weeks. jobs: that held
    nodes, by when they became eligible; found: the whole file. left: what is not among them. zone: of its clock."""

    begin: float
    zone: tzinfo
    first_day: date
    count: int
    jobs: tuple[Job, ...]
    found: JobsFile
    left: tuple[Left, ...]

    def size(self, one: Job) -> int:
        """GPUs of a job, or its nodes where the file names no GPUs."""
        return one.gpus if self.found.counts_gpus else one.nodes

    def hour(self, one: Job) -> float:
        """When a job became eligible, in hours since the begin by the cluster's clock, so that nine stays nine where
        daylight saving ends."""
        at = datetime.fromtimestamp(one.eligible, self.zone).replace(tzinfo=None)
        return (at - datetime.combine(self.first_day, time())).total_seconds() / 3600

    @cached_property
    def empty(self) -> int:
        """Weeks in which no job became eligible."""
        return self.count - len({self.hour(one) // WEEK_HOURS for one in self.jobs})

    def work(self, jobs: Iterable[Job]) -> float:
        """GPU-hours that jobs held, or node-hours where the file names no GPUs."""
        return sum(self.found.hours(one) * self.size(one) for one in jobs)


def weeks_in(found: JobsFile, where: str, zone: ZoneInfo | None, first: date | None, last: date | None) -> Weeks:
    """The whole weeks from the first day on; days after them are left out. first, last: days that count; None for those
    that the file shows. where: its name in messages. Raises PlanProblems for less than a week."""
    zone_or_utc: tzinfo = zone or UTC
    begin, days = _days(found, zone_or_utc, first, last)
    count = int(days // 7)
    if days < 1:
        raise refuse(where, f"no job from {first} to {last or 'its end'}", "check demand.from and demand.to", (1, 1))
    if count < 1:
        raise refuse(
            where,
            f"jobs of {days:.0f} days: less than a week, so no week can stand for others",
            "run sacct over some weeks (--starttime=...)",
            (1, 1),
        )
    first_day = datetime.fromtimestamp(begin, zone_or_utc).date()
    next_day = first_day + timedelta(days=7 * count)
    end = _of_day(next_day, zone_or_utc)
    kept: list[Job] = []
    left: dict[str, list[Job]] = {}
    for one in found.jobs:
        if one.eligible < begin:
            why = f"became eligible before {first_day}, from when on the file has every job"
        elif one.eligible >= end:
            why = f"became eligible after the last whole week, from {next_day} on"
        elif not found.hours(one):
            why = "never ran: they were cancelled or still wait, and nobody knows how long they would have taken"
        elif found.counts_gpus and not one.gpus:
            why = "used no GPU"
        else:
            kept.append(one)
            continue
        left.setdefault(why, []).append(one)
    if not kept:
        raise refuse(where, f"no job ran in the weeks from {first_day} on", "check demand.from and demand.to", (1, 1))
    return Weeks(
        begin=begin,
        zone=zone_or_utc,
        first_day=first_day,
        count=count,
        jobs=tuple(sorted(kept, key=lambda one: (one.eligible, one.line))),
        found=found,
        left=tuple(
            Left(why=why, jobs=len(jobs), node_hours=sum(found.hours(one) * one.nodes for one in jobs))
            for why, jobs in left.items()
        ),
    )


def _days(found: JobsFile, zone: tzinfo, first: date | None, last: date | None) -> tuple[float, float]:
    """(begin, days) of the time of which the file has every job.

    sacct also lists jobs that began before the time it is asked for and still ran in it: of the days before the first
    end only those are there. They show as days with far fewer arrivals, and do not count.
    """
    arrivals = sorted(one.eligible for one in found.jobs)
    begin, last_arrival = arrivals[0], arrivals[-1]
    ended = min((one.end for one in found.jobs if one.end is not None), default=begin)
    if ended - begin > DAY and last_arrival > ended:
        before = sum(one < ended for one in arrivals)
        expected = (len(arrivals) - before) * (ended - begin) / (last_arrival - ended)
        begin = ended if before < expected / 2 else begin
    start = _midnight(begin, zone, 0) if first is None else _of_day(first, zone)
    if last is not None:
        return start, round((_of_day(last + timedelta(days=1), zone) - start) / DAY)
    arrived = round((_midnight(last_arrival, zone, 1) - start) / DAY)
    reached = round((_midnight(found.last, zone, 1) - start) / DAY)
    return start, max(arrived, min(arrived + QUIET_DAYS, reached))


def _midnight(moment: float, zone: tzinfo, days: int) -> float:
    """The midnight that begins its day, or some days later."""
    return _of_day(datetime.fromtimestamp(moment, zone).date() + timedelta(days=days), zone)


def _of_day(day: date, zone: tzinfo) -> float:
    return datetime.combine(day, time(), zone).timestamp()
