"""Jobs from Slurm's accounting: what `sacct -a -X --parsable2` prints, also with a bar at the end of each line
(`--parsable`). Every problem is reported with its line.

Times are those of the cluster's machine and mostly name no time zone, so the reader is told it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from planner.demand.sacct_row import ASK, NO_ZONE, NOT_YET, Job, job_of, moment_of, tasks_of
from planner.errors import PlanProblems, Problem, UsageProblem
from planner.plan.textfile import refuse

COLUMNS = ("jobid", "submit", "start", "end", "state", "nnodes")
MOST_PROBLEMS = 20
RESIZING = "RESIZING"
CUT_SHORT = "run sacct again with SLURM_BITSTR_LEN=0, which cuts no list short"
SUMMER_TIME = 3_600  # seconds by which offsets of one cluster differ


@dataclass(frozen=True, kw_only=True)
class JobsFile:
    """steps: rows of job steps, left out. repeated: times in the hour that the end of daylight saving repeats, which
    are taken as the first one. twice: rows that are in the file twice, as where two outputs were joined; counted once.
    resized: parts of jobs that changed their size, each a job that became eligible when its part began. counts_gpus:
    whether any job that ran names GPUs; without any, a job is of its nodes."""

    jobs: tuple[Job, ...]
    steps: int
    repeated: int
    twice: int
    resized: int

    @cached_property
    def counts_gpus(self) -> bool:
        return any(one.gpus for one in self.jobs if one.start is not None)

    @cached_property
    def last(self) -> float:
        """The last time of the file."""
        ends = (one.start + (one.hours or 0) * 3600 for one in self.jobs if one.start is not None)
        return max(*(one.end or one.eligible for one in self.jobs), *ends, 0.0)

    def hours(self, one: Job) -> float:
        """That a job held its nodes; one that still does, to the file's last time."""
        if one.start is None:
            return 0.0
        return (self.last - one.start) / 3600 if one.hours is None else one.hours


def zone_of(name: str) -> ZoneInfo:
    """A time zone by its IANA name. Raises UsageProblem."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise UsageProblem(f"--zone {name}: no such time zone; name it as Europe/Berlin or UTC") from None


def jobs_in(text: str, where: str, zone: ZoneInfo | None) -> JobsFile:
    """The jobs in the text of a file. where: its name in messages. zone: of times that name none; None refuses those.
    Raises PlanProblems with at most 20 problems."""
    lines = text.split("\n")
    header = [name.strip().lower() for name in lines[0].split("|")]
    if "jobid" not in header:
        header = ["jobid" if name == "jobidraw" else name for name in header]
    missing = [name for name in COLUMNS if name not in header]
    if missing:
        remedy = f"ask for it, and for the line of names: {ASK}"
        raise refuse(where, f"no column {', '.join(missing)}", remedy, (1, 1))
    jobs, problems, steps, repeated, twice = [], [], 0, 0, 0
    seen: dict[tuple[str, float, float | None], Job] = {}
    offsets: dict[float, int] = {}
    for line, row in enumerate(lines[1:], 2):
        if len(problems) >= MOST_PROBLEMS:
            break
        cells = [cell.strip() for cell in row.split("|")]
        if not row.strip() or row == lines[0]:  # outputs that were joined each begin with the names
            continue
        if len(cells) != len(header):
            last = line == len(lines) and len(cells) < len(header)
            message = f"{len(cells)} of {len(header)} columns" + (": the file is cut short" if last else "")
            remedy = "run sacct again" if last else "a field contains |: leave the names of jobs out"
            problems.append(_problem(where, line, message, f"{remedy}: {ASK}"))
            continue
        row_of = dict(zip(header, cells, strict=True))
        if "." in row_of["jobid"].rpartition("]")[2]:  # a step of a job, which has no nodes of its own
            steps += 1
            continue
        found = job_of(row_of, line, zone)
        if not isinstance(found, tuple):
            found = _of_one_cluster(row_of, line, found, offsets)
        if isinstance(found, tuple):
            problems.append(_problem(where, line, *found))
            if found[1] == NO_ZONE:  # and so it is in every line
                break
            continue
        before = seen.setdefault((found.id, found.submit, found.start), found)
        if before is found:
            if (tasks := tasks_of(found.id)) is None:
                problems.append(_problem(where, line, f"JobID {found.id!r} names no tasks of an array", CUT_SHORT))
                continue
            count, most = tasks
            # tasks beyond what the user lets run at once wait for the others, and not for nodes
            held = replace(found, end=found.submit) if found.start is None else found
            jobs += [found] * most + [held] * (count - most)
            repeated += _repeated(row_of, zone)
        elif replace(before, line=line) == found:
            twice += 1
        else:
            message = f"job {found.id} of line {before.line} again, with another end or size: its hours overlap"
            remedy = "run sacct once for all days, not twice for days that overlap"
            problems.append(_problem(where, line, message, remedy))
    if not problems and not text.endswith("\n"):  # sacct ends every line: 16 nodes cut to 1 look like a job
        message, remedy = (
            "the last line has no end: the file is cut short",
            "run sacct again; if the line is whole, end it",
        )
        problems.append(_problem(where, len(lines), message, f"{remedy}: {ASK}"))
    if not jobs and not problems:
        raise refuse(where, "no job after the header", f"ask for a time in which jobs ran: {ASK}", (1, 1))
    if problems:
        raise PlanProblems(tuple(problems))
    parts, resized = _parts(jobs)
    return JobsFile(jobs=parts, steps=steps, repeated=repeated, twice=twice, resized=resized)


def _of_one_cluster(row: Mapping[str, str], line: int, job: Job, offsets: dict[float, int]) -> Job | tuple[str, str]:
    """The job, or why its times are not of the same clock as those before. offsets: that times name, with their first
    line; filled in."""
    moment = None if row["submit"].isdecimal() else datetime.fromisoformat(row["submit"])
    offset = None if moment is None or moment.tzinfo is None else moment.utcoffset()
    if offset is None:
        return job
    mine = offset.total_seconds()
    other = next((at for at in offsets if abs(at - mine) > SUMMER_TIME), None)
    offsets.setdefault(mine, line)
    if other is None:
        return job
    apart = f"{abs(mine - other) / 3600:g} hours from the offset of line {offsets[other]}"
    return (
        f"Submit {row['submit']!r} is {apart}: jobs of two clusters",
        "plan each cluster by its own file; or print all times in one zone (TZ=UTC sacct ...)",
    )


def _parts(jobs: Iterable[Job]) -> tuple[tuple[Job, ...], int]:
    """(jobs, parts of those that changed their size): what follows a resize waited for nothing."""
    jobs = list(jobs)
    begun: dict[str, float] = {}  # of each job that changed its size, when its first part began
    for one in jobs:
        if one.state == RESIZING and one.start is not None:
            begun[one.id] = min(one.start, begun.get(one.id, one.start))
    parts = [
        replace(one, eligible=one.start) if one.start is not None and one.start > begun.get(one.id, one.start) else one
        for one in jobs
    ]
    return tuple(parts), sum(one.id in begun for one in jobs)


def _repeated(row: dict[str, str], zone: ZoneInfo | None) -> int:
    """Times of a row whose hour comes twice in local time."""
    moments = [moment_of(row[name], zone) for name in ("submit", "start", "end") if row[name] not in NOT_YET]
    return sum(one.utcoffset() > one.replace(fold=1).utcoffset() for one in moments)  # type: ignore[operator]


def _problem(where: str, line: int, message: str, remedy: str) -> Problem:
    return Problem(where=where, line=line, column=1, message=message, remedy=remedy)
