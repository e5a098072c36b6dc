"""Jobs from Slurm's accounting: what `sacct -a -X --parsable2` prints. Every problem is reported with its line.

Times are those of the cluster's machine and name no time zone, so the reader is told it. sacct(1),
https://slurm.schedmd.com/sacct.html (read 2026-11-28): `Unknown` or `None` stands for a time that has not come.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from planner.errors import PlanProblems, Problem, UsageProblem
from planner.plan.textfile import refuse

COLUMNS = ("jobid", "submit", "start", "end", "state", "nnodes")
ASK = "sacct -a -X --parsable2 --starttime=... --format=JobID,Submit,Eligible,Start,End,State,NNodes"
MOST_PROBLEMS = 20
_NOT_YET = ("", "Unknown", "None")
_LAST = 4_102_444_800  # 2100-01-01
_TIME = "write the time as sacct does by default: 2026-01-31T13:05:00; unset SLURM_TIME_FORMAT"


@dataclass(frozen=True, kw_only=True)
class Job:
    """A start of a job, or one that waits. Times: seconds since 1970 in UTC; None has not come. eligible: from when
    nothing but nodes kept it waiting; that of its submission where the file does not say. state: its first word."""

    eligible: float
    start: float | None
    end: float | None
    state: str
    nodes: int


@dataclass(frozen=True, kw_only=True)
class JobsFile:
    """steps: rows of job steps, left out. repeated: times in the hour that the end of daylight saving repeats, which
    are taken as the first one."""

    jobs: tuple[Job, ...]
    steps: int
    repeated: int


def zone_of(name: str) -> ZoneInfo:
    """A time zone by its IANA name. Raises UsageProblem."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise UsageProblem(f"--zone {name}: no such time zone; name it as Europe/Berlin or UTC") from None


def jobs_in(text: str, where: str, zone: ZoneInfo) -> JobsFile:
    """The jobs in the text of a file. where: its name in messages. Raises PlanProblems with at most 20 problems."""
    lines = text.splitlines()
    header = [name.strip().lower() for name in lines[0].split("|")]
    missing = [name for name in COLUMNS if name not in header]
    if missing:
        raise refuse(where, f"no column {', '.join(missing)}", f"ask for it: {ASK}", (1, 1))
    jobs, problems, steps, repeated = [], [], 0, 0
    for line, row in enumerate(lines[1:], 2):
        if len(problems) >= MOST_PROBLEMS:
            break
        cells = [cell.strip() for cell in row.split("|")]
        if not row.strip():
            continue
        if len(cells) != len(header):
            last = line == len(lines) and len(cells) < len(header)
            message = f"{len(cells)} of {len(header)} columns" + (": the file is cut short" if last else "")
            remedy = "run sacct again" if last else "a field contains |: leave the names of jobs out"
            problems.append(_problem(where, line, message, f"{remedy}: {ASK}"))
            continue
        row_of = dict(zip(header, cells, strict=True))
        if "." in row_of["jobid"]:  # a step of a job, which has no nodes of its own
            steps += 1
            continue
        found = _job(row_of, zone)
        if isinstance(found, tuple):
            problems.append(_problem(where, line, *found))
        else:
            jobs.append(found)
            repeated += _repeated(row_of, zone)
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
    return JobsFile(jobs=tuple(jobs), steps=steps, repeated=repeated)


def _job(row: dict[str, str], zone: ZoneInfo) -> Job | tuple[str, str]:
    """The job of a row, or what is wrong and what to do."""
    times: dict[str, float | None] = {}
    for name in ("submit", "eligible", "start", "end"):
        text = row.get(name, "")
        try:
            times[name] = None if text in _NOT_YET else _local(text, zone).timestamp()
        except (ValueError, OverflowError):
            return f"{name.capitalize()} {text!r} is no time", _TIME
        if not 0 <= (times[name] or 0) < _LAST:
            return f"{name.capitalize()} {text!r} is not between 1970 and 2100", _TIME
    submit, start, end = times["submit"], times["start"], times["end"]
    if submit is None:
        return "a job without Submit", _TIME
    if not row["nnodes"].isdecimal():
        return f"NNodes {row['nnodes']!r} is no number of nodes", f"ask for whole numbers: {ASK}"
    nodes = int(row["nnodes"])
    state = row["state"].split()[0] if row["state"] else ""
    if not state:
        return "a job without State", f"ask for it: {ASK}"
    if start is not None and end != start and not nodes:
        return "a job that ran on 0 nodes", "leave it out"
    for before, after, what in ((start, end, "End is before Start"), (submit, start, "Start is before Submit")):
        if before is not None and after is not None and after < before:
            return what, "give the time zone of the cluster with --zone; leave the job out if its clock was wrong"
    eligible = times["eligible"]
    if eligible is None and "eligible" in row:  # held, or waits for another job: not for nodes
        eligible = start if start is not None else end
        if eligible is None:
            return Job(eligible=submit, start=None, end=submit, state=state, nodes=nodes)
    # an array's or a requeued job may become eligible after an early start: it did not wait then
    eligible = submit if eligible is None else eligible
    return Job(
        eligible=eligible if start is None else min(eligible, start), start=start, end=end, state=state, nodes=nodes
    )


def _local(text: str, zone: ZoneInfo) -> datetime:
    found = datetime.fromisoformat(text)
    return found if found.tzinfo is not None else found.replace(tzinfo=zone)


def _repeated(row: dict[str, str], zone: ZoneInfo) -> int:
    """Times of a row whose hour comes twice in local time."""
    moments = [_local(row[name], zone) for name in ("submit", "start", "end") if row[name] not in _NOT_YET]
    return sum(one.utcoffset() > one.replace(fold=1).utcoffset() for one in moments)  # type: ignore[operator]


def _problem(where: str, line: int, message: str, remedy: str) -> Problem:
    return Problem(where=where, line=line, column=1, message=message, remedy=remedy)
