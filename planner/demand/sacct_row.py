"""One row of Slurm's accounting: its times, its nodes and GPUs, and whose it was.

sacct(1), https://slurm.schedmd.com/sacct.html (read 2026-11-28): `Unknown` or `None` stands for a time that has not
come; `Elapsed` and `Timelimit` are [days-]hours:minutes:seconds. AllocTRES has gres/gpu where the cluster counts it
(AccountingStorageTRES in slurm.conf), with the GPUs' names beside it where they have some.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

ASK = "sacct -a -X --parsable2 --starttime=... --format="
ASK += "JobID,Account,Partition,Submit,Eligible,Start,End,Elapsed,Timelimit,State,NNodes,AllocTRES,ReqTRES"
NO_PROJECT = "no-account"
NOT_YET = ("", "Unknown", "None")
_LAST = 4_102_444_800  # 2100-01-01
_TIME = "write the time as sacct does by default: 2026-01-31T13:05:00; unset SLURM_TIME_FORMAT"
NO_ZONE = (
    "name the cluster's time zone, such as Europe/Berlin: --zone, or demand.zone in a plan (`timedatectl` shows it)"
)
_SPAN = re.compile(r"(?:(\d+)-)?(?:(\d+):)?(\d+):(\d+)(?:\.\d+)?")
_ARRAY = re.compile(r"(?P<id>\d+)_\[(?P<tasks>[0-9,:-]*)(?:%(?P<most>\d+))?\]")
_TASKS = re.compile(r"(\d+)(?:-(\d+)(?::(\d+))?)?")
MOST_TASKS = 4_000_001  # Slurm's largest MaxArraySize
_UNUSUAL = re.compile("[^a-z0-9_.@+-]")  # in the name of a project
_NO_LIMIT_HOURS = 8_760.0  # Slurm takes a job without a limit to end in a year
_REPEATED_HOUR = 3_700  # seconds by which two local times may be wrong when daylight saving ends


@dataclass(frozen=True, kw_only=True, slots=True)
class Job:
    """A start of a job, or one that waits. Times: seconds since 1970 in UTC; None has not come.

    eligible: from when nothing but nodes kept it waiting; its submission where the file does not say. hours: that it
    held its nodes; None if it never did, or still does. limit_hours: that it asked for; None where unknown. state: its
    first word. gpus: in all, of one that never started those it asked for; 0 where the row names none. gpu: their name,
    "" without one.
    """

    line: int
    id: str
    project: str
    partition: str
    submit: float
    eligible: float
    start: float | None
    end: float | None
    hours: float | None
    limit_hours: float | None
    state: str
    nodes: int
    gpus: int
    gpu: str


def job_of(row: Mapping[str, str], line: int, zone: ZoneInfo | None) -> Job | tuple[str, str]:
    """The job of a row, by names of columns in lower case; or what is wrong and what to do. zone: of times that name
    no offset."""
    times: dict[str, float | None] = {}
    for name in ("submit", "eligible", "start", "end"):
        text = row.get(name, "")
        try:
            moment = None if text in NOT_YET else moment_of(text, zone)
        except (ValueError, OverflowError):
            return f"{name.capitalize()} {text!r} is no time", _TIME
        if moment is not None and moment.tzinfo is None:
            return f"{name.capitalize()} {text!r} names no time zone", NO_ZONE
        times[name] = None if moment is None else moment.timestamp()
        if not 0 <= (times[name] or 0) < _LAST:
            return f"{name.capitalize()} {text!r} is not between 1970 and 2100", _TIME
    submit, start, end = times["submit"], times["start"], times["end"]
    if submit is None:
        return "a job without Submit", _TIME
    if not row["nnodes"].isdecimal():
        return f"NNodes {row['nnodes']!r} is no number of nodes", f"ask for whole numbers: {ASK}"
    nodes, state = int(row["nnodes"]), row["state"].split()[0] if row["state"] else ""
    if not state:
        return "a job without State", f"ask for it: {ASK}"
    if start is not None and end != start and not nodes:
        return "a job that ran on 0 nodes", "leave it out"
    for before, after, what in ((start, end, "End is before Start"), (submit, start, "Start is before Submit")):
        if before is not None and after is not None and after < before:
            return (
                what,
                "give the cluster's time zone (--zone, or demand.zone in a plan); leave out a job of a wrong clock",
            )
    hours = None if start is None or end is None else (end - start) / 3600
    if start is not None and (text := row.get("elapsed", "")):
        elapsed = span_hours(text)
        if elapsed is None:
            return f"Elapsed {text!r} is no time of the form 1-02:03:04", f"ask for it: {ASK}"
        if hours is not None and (elapsed - hours) * 3600 > _REPEATED_HOUR:
            return f"Elapsed {text} is longer than from Start to End", "check both times, or leave Elapsed out"
        hours = elapsed
    try:
        gpus, gpu = gpus_of(row.get("alloctres", "") or (row.get("reqtres", "") if start is None else ""))
        limit = _limit_hours(row.get("timelimit", ""))
    except ValueError as error:
        return str(error), f"write what sacct prints: {ASK}"
    eligible, cancelled = times["eligible"], end
    if eligible is None and "eligible" in row:  # held, or waits for another job: not for nodes
        eligible = start if start is not None else end
        cancelled = end if eligible is not None else submit
    # an array's or a requeued job may become eligible after an early start: it did not wait then
    eligible = submit if eligible is None else eligible
    return Job(
        line=line,
        id=row["jobid"],
        project=_UNUSUAL.sub("_", row.get("account", "").lower())[:64] or NO_PROJECT,
        partition=row.get("partition", "").lower(),
        submit=submit,
        eligible=eligible if start is None else min(eligible, start),
        start=start,
        end=end if start is not None else cancelled,
        hours=hours,
        limit_hours=limit,
        state=state,
        nodes=nodes,
        gpus=gpus,
        gpu=gpu,
    )


def tasks_of(id: str) -> tuple[int, int] | None:
    """(jobs that a row stands for, the most of them that its user lets run at once): 32 and 4 of `7_[0-31%4]`, as sacct
    prints tasks of an array that wait. None where the list is cut short or is no list."""
    if "[" not in id:
        return 1, 1
    found = _ARRAY.fullmatch(id)
    parts = [_TASKS.fullmatch(part) for part in found["tasks"].split(",")] if found else []
    if found is None or None in parts:
        return None
    count = 0
    for first, last, step in (part.groups() for part in parts if part is not None):
        count += len(range(int(first), int(last or first) + 1, max(int(step or 1), 1)))
    return (count, min(int(found["most"] or count), count)) if 0 < count <= MOST_TASKS else None


def moment_of(text: str, zone: ZoneInfo | None) -> datetime:
    """A time of sacct: in ISO form, or in seconds since 1970 (SLURM_TIME_FORMAT=%s). Raises ValueError."""
    if text.isdecimal() and len(text) > 8:
        return datetime.fromtimestamp(int(text), ZoneInfo("UTC"))
    found = datetime.fromisoformat(text)
    return found if found.tzinfo is not None else found.replace(tzinfo=zone)


def span_hours(text: str) -> float | None:
    """Hours of `1-02:03:04`, `02:03:04` or `03:04`; None for anything else."""
    found = _SPAN.fullmatch(text)
    if not found:
        return None
    days, hours, minutes, seconds = (int(part or 0) for part in found.groups())
    return days * 24 + hours + minutes / 60 + seconds / 3600


def _limit_hours(text: str) -> float | None:
    """Raises ValueError."""
    if text.upper() == "UNLIMITED":
        return _NO_LIMIT_HOURS
    if not text or text == "Partition_Limit":
        return None
    hours = span_hours(text)
    if hours is None:
        raise ValueError(f"Timelimit {text!r} is no time of the form 1-02:03:04")
    return hours


def gpus_of(text: str) -> tuple[int, str]:
    """(GPUs, their name) of AllocTRES: `billing=96,cpu=96,gres/gpu=8,gres/gpu:h100=8,mem=1T,node=1`. The total stands
    beside the names, which some clusters leave out. Of several names the one with the most. Raises ValueError."""
    total, named = None, {}
    for part in text.split(","):
        name, _, count = part.partition("=")
        if name == "gres/gpu" or name.startswith("gres/gpu:"):
            if not count.isdecimal():
                raise ValueError(f"AllocTRES {part!r} is no number of GPUs")
            if name == "gres/gpu":
                total = int(count)
            else:
                named[name.removeprefix("gres/gpu:").lower()] = int(count)
    gpu = max(named, key=lambda name: (named[name], name), default="")
    return sum(named.values()) if total is None else total, gpu
