"""Hourly demand from a CSV file: what ran in each hour, by instance type. Every problem is reported with its line.

Columns: `hour` (ISO 8601, the hour's begin, in UTC), `instance_type`, `instances`, and, where part of them may be
interrupted, `interruptible` (of these instances). A type without a row in an hour did not run; an hour without any row
is a gap, since nobody can tell it from a missing export.
"""

from __future__ import annotations

import csv
import io
import itertools
import math
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np

from planner.errors import PlanProblems, Problem
from planner.mix.model import Array
from planner.plan.textfile import label_of, read_bytes, refuse

COLUMNS = ("hour", "instance_type", "instances")
INTERRUPTIBLE = "interruptible"
MAX_BYTES = 200_000_000  # three years of a hundred types
MOST_PROBLEMS = 20
_HOUR = timedelta(hours=1)
_NAME = re.compile(r"[a-z][a-z0-9-]*\.[a-z0-9-]+")


@dataclass(frozen=True, kw_only=True)
class Demand:
    """first: begin of the first hour, in UTC. firm, interruptible: instances by type and hour; interruptible has only
    types that have some. assumed_utc: the file names no time zone. left_out: what else the file has, in words, with its
    instance-hours. regions: of an export, those whose instances are added up. covered:
    share of its instance-hours that commitments covered."""

    first: datetime
    firm: dict[str, Array]
    interruptible: dict[str, Array]
    assumed_utc: bool
    left_out: tuple[tuple[str, float], ...] = ()
    regions: tuple[str, ...] = ()
    covered: float = 0.0

    @property
    def hours(self) -> int:
        return next(iter(self.firm.values())).size


@dataclass(frozen=True)
class _Row:
    line: int
    hour: datetime
    name: str
    instances: float
    interruptible: float


def text_of(path: str | Path, wanted: str) -> str:
    """The text of a file of demand. wanted: what to give where there is no file. Raises PlanProblems."""
    where = label_of(path)
    if where != "<stdin>" and (not Path(path).exists() or Path(path).is_dir()):
        what = "this is a folder" if Path(path).is_dir() else "no such file"
        raise refuse(where, what, wanted)
    raw = read_bytes(path, MAX_BYTES)
    if len(raw) > MAX_BYTES:
        raise refuse(where, f"larger than {MAX_BYTES / 1e6:.0f} MB", "give a shorter time, or fewer types")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise refuse(where, f"byte {error.start} is not UTF-8", "save the file in UTF-8") from None


def demand_in(text: str, where: str) -> Demand:
    """The demand in the text of a file. where: its name in messages. Raises PlanProblems with at most 20 problems."""
    reader = csv.reader(io.StringIO(text))
    try:
        header = [name.strip().lower() for name in next(reader, [])]
        missing = [name for name in COLUMNS if name not in header]
        if missing:
            wanted = f"the first line names the columns: {','.join(COLUMNS)} and, if any, {INTERRUPTIBLE}"
            raise refuse(where, f"no column {', '.join(missing)}", wanted, (1, 1))
        rows, problems, zones = _rows(where, header, reader)
    except csv.Error as error:
        raise refuse(where, f"not CSV: {error}", "save the file as CSV") from None
    if len(zones) > 1:
        message = "some hours name a time zone and some do not"
        problems.append(_problem(where, zones[False], message, "write every hour in UTC, such as 2026-01-31T13:00Z"))
    if not rows and not problems:
        raise refuse(where, "no row after the header", "one row for each hour and instance type")
    problems += _overlaps(where, rows)
    if not problems:
        problems += _gaps(where, rows)
    if problems:
        raise PlanProblems(tuple(problems[:MOST_PROBLEMS]))
    return _demand(rows, assumed_utc=False in zones)


def _rows(where: str, header: list[str], reader) -> tuple[list[_Row], list[Problem], dict[bool, int]]:
    """Rows, problems, and the first line of hours with a time zone (True) and without one (False)."""
    at = {name: header.index(name) for name in (*COLUMNS, *([INTERRUPTIBLE] if INTERRUPTIBLE in header else ()))}
    rows: list[_Row] = []
    problems: list[Problem] = []
    zones: dict[bool, int] = {}
    known: dict[str, tuple[datetime, bool] | str] = {}
    for cells in reader:
        line = reader.line_num
        if not any(cell.strip() for cell in cells):
            continue
        if len(problems) >= MOST_PROBLEMS:
            break
        if len(cells) <= max(at.values()):
            problems.append(_problem(where, line, f"{len(cells)} of {len(header)} columns", "fill every column"))
            continue
        text, name = cells[at["hour"]].strip(), cells[at["instance_type"]].strip()
        if text not in known:
            known[text] = _hour(text)
        hour = known[text]
        if isinstance(hour, str):
            problems.append(_problem(where, line, hour, "write the hour's begin in UTC, such as 2026-01-31T13:00Z"))
            continue
        zones.setdefault(hour[1], line)
        if not _NAME.fullmatch(name):
            problems.append(_problem(where, line, f"{name!r} is no instance type", "such as p4d.24xlarge"))
            continue
        counts = [_count(cells[at[column]]) for column in at if column in ("instances", INTERRUPTIBLE)]
        if None in counts or (len(counts) > 1 and (counts[1] or 0) > (counts[0] or 0)):
            said = ", ".join(cells[at[column]] for column in at if column in ("instances", INTERRUPTIBLE))
            remedy = "instances is a number from 0 on, and interruptible at most instances"
            problems.append(_problem(where, line, f"{said}: no number of instances", remedy))
            continue
        rows.append(_Row(line, hour[0], name, counts[0] or 0.0, (counts[1] or 0.0) if len(counts) > 1 else 0.0))
    return rows, problems, zones


def _hour(text: str) -> tuple[datetime, bool] | str:
    """The hour in UTC and whether it names its zone, or what is wrong."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return f"{text!r} is no time of the form 2026-01-31T13:00Z; names of time zones are not read"
    zoned = found.tzinfo is not None
    utc = found.astimezone(UTC) if zoned else found.replace(tzinfo=UTC)
    if utc.minute or utc.second or utc.microsecond:
        return f"{text!r} is not the begin of an hour in UTC"
    return utc, zoned


def _count(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) and value >= 0 else None


def _overlaps(where: str, rows: list[_Row]) -> list[Problem]:
    seen: dict[tuple[datetime, str], int] = {}
    found = []
    for row in rows:
        line = seen.setdefault((row.hour, row.name), row.line)
        if line != row.line:
            remedy = "add the rows up, or write UTC: local time repeats an hour when daylight saving ends"
            found.append(_problem(where, row.line, f"{row.name} at {_said(row.hour)} is in line {line} too", remedy))
    return found


def _gaps(where: str, rows: list[_Row]) -> list[Problem]:
    """An hour inside the file without any row."""
    lines: dict[datetime, int] = {}
    for row in rows:
        lines.setdefault(row.hour, row.line)
    hours, found = sorted(lines), []
    for before, after in itertools.pairwise(hours):
        lost = int((after - before) / _HOUR) - 1
        if lost:
            many = "an hour is" if lost == 1 else f"{lost} hours are"
            remedy = "write a row with 0 if nothing ran, or UTC: local time skips an hour when daylight saving begins"
            found.append(_problem(where, lines[after], f"{many} missing after {_said(before)}", remedy))
    return found


def _demand(rows: list[_Row], *, assumed_utc: bool) -> Demand:
    first, last = min(row.hour for row in rows), max(row.hour for row in rows)
    size = int((last - first) / _HOUR) + 1
    firm = {name: np.zeros(size) for name in sorted({row.name for row in rows})}
    may_wait = {name: np.zeros(size) for name in firm}
    for row in rows:
        at = int((row.hour - first) / _HOUR)
        firm[row.name][at] = row.instances - row.interruptible
        may_wait[row.name][at] = row.interruptible
    some = {name: hours for name, hours in may_wait.items() if hours.any()}
    return Demand(first=first, firm=firm, interruptible=some, assumed_utc=assumed_utc)


def _problem(where: str, line: int, message: str, remedy: str) -> Problem:
    return Problem(where=where, line=line, column=1, message=message, remedy=remedy)


def _said(hour: datetime) -> str:
    return hour.strftime("%Y-%m-%d %H:%M UTC")
