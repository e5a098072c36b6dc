"""What a run's log says: when each attempt ran, on how many nodes, how it ended, how much of its work was kept.

CSV or JSON Lines, a line an attempt: begin, end (ISO 8601), nodes, ended, and kept_hours where it is known. `ended` has
the words of planner-launch (done, stopped, failed, hung, lost, short), and `interrupted` for spot nodes that AWS took.
"""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from planner.errors import UsageProblem

FAILURES, INTERRUPTED = ("failed", "hung", "lost"), "interrupted"
ENDS = ("done", "stopped", "short", *FAILURES, INTERRUPTED)
COLUMNS = ("begin", "end", "nodes", "ended")


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """One attempt. kept_hours: of it, those whose work a checkpoint kept; None if unknown."""

    begin: datetime
    end: datetime
    nodes: int
    ended: str
    kept_hours: float | None

    @property
    def hours(self) -> float:
        return (self.end - self.begin).total_seconds() / 3600


@dataclass(frozen=True, kw_only=True)
class JobRecord:
    """All attempts of a run, in order."""

    attempts: tuple[Attempt, ...]

    @property
    def node_days(self) -> float:
        return sum(attempt.nodes * attempt.hours for attempt in self.attempts) / 24

    @property
    def failures(self) -> int:
        return sum(attempt.ended in FAILURES for attempt in self.attempts)

    @property
    def interruptions(self) -> int:
        return sum(attempt.ended == INTERRUPTED for attempt in self.attempts)

    @property
    def kept_node_hours(self) -> float | None:
        """Node-hours of work that was kept; None unless every attempt says so."""
        kept = [(attempt.nodes, attempt.kept_hours) for attempt in self.attempts]
        known = [nodes * hours for nodes, hours in kept if hours is not None]
        return sum(known) if len(known) == len(kept) else None

    @property
    def restart_minutes(self) -> float | None:
        """Mean time from a failure to the next attempt; None without one."""
        gaps = [
            (after.begin - before.end).total_seconds() / 60
            for before, after in zip(self.attempts, self.attempts[1:], strict=False)
            if before.ended in FAILURES and after.begin >= before.end
        ]
        return sum(gaps) / len(gaps) if gaps else None


def read_job_logs(paths: Sequence[str]) -> JobRecord:
    """The attempts of some files. Raises UsageProblem with the line that is wrong."""
    attempts = [attempt for path in paths for attempt in _attempts(Path(path))]
    if twice := next((attempt for attempt, count in Counter(attempts).items() if count > 1), None):
        raise UsageProblem(
            f"--jobs {', '.join(paths)}: the attempt from {twice.begin:%Y-%m-%dT%H:%M:%SZ} to "
            f"{twice.end:%Y-%m-%dT%H:%M:%SZ} on {twice.nodes} nodes stands there twice, and would count twice"
        )
    if not attempts:
        raise UsageProblem(f"--jobs {', '.join(paths)}: no attempt in it")
    return JobRecord(attempts=tuple(sorted(attempts, key=lambda attempt: attempt.begin)))


def _attempts(path: Path) -> list[Attempt]:
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageProblem(f"cannot read --jobs {path}: {getattr(error, 'strerror', None) or 'not UTF-8'}") from None
    if any(line.lstrip().startswith("{") for line in lines[:1]):
        return [_attempt(path, n, _json(path, n, line)) for n, line in enumerate(lines, 1) if line.strip()]
    reader = csv.DictReader(lines)
    missing = [name for name in COLUMNS if name not in (reader.fieldnames or ())]
    if missing:
        needed = f"a log has the columns {', '.join(COLUMNS)}, and kept_hours where it is known"
        raise UsageProblem(f"{path}: no column {', '.join(missing)}; {needed}")
    return [_attempt(path, reader.line_num, row) for row in reader]


def _json(path: Path, number: int, line: str) -> Mapping[str, Any]:
    try:
        row = json.loads(line)
    except ValueError:
        row = None
    if not isinstance(row, dict):
        raise UsageProblem(f"{path}:{number}: not a JSON object; a log in JSON Lines has one in each line")
    return row


def _attempt(path: Path, number: int, row: Mapping[str, Any]) -> Attempt:
    begin, end = (_time(path, number, name, row.get(name)) for name in ("begin", "end"))
    nodes, kept = (_number(path, number, name, row.get(name)) for name in ("nodes", "kept_hours"))
    ended = str(row.get("ended") or "").strip().lower()
    if ended not in ENDS:
        raise UsageProblem(f"{path}:{number}: ended is {ended!r}; it is one of {', '.join(ENDS)}")
    if nodes is None or nodes < 1 or nodes != int(nodes):
        raise UsageProblem(f"{path}:{number}: nodes is {row.get('nodes')!r}; it is a whole number from 1 on")
    hours = (end - begin).total_seconds() / 3600
    if hours < 0:
        raise UsageProblem(f"{path}:{number}: the attempt ends before it begins")
    if kept is not None and not 0 <= kept <= hours + 1e-6:
        raise UsageProblem(f"{path}:{number}: kept_hours is {kept:g}, of an attempt of {hours:.3g} hours")
    return Attempt(begin=begin, end=end, nodes=int(nodes), ended=ended, kept_hours=kept)


def _time(path: Path, number: int, name: str, value: object) -> datetime:
    try:
        found = datetime.fromisoformat(str(value))
    except ValueError:
        raise UsageProblem(f"{path}:{number}: {name} is {value!r}; write a time like 2026-11-02T08:30:00Z") from None
    return found.astimezone(UTC).replace(tzinfo=None) if found.tzinfo else found


def _number(path: Path, number: int, name: str, value: object) -> float | None:
    if value in (None, ""):
        return None
    try:
        return float(str(value))
    except ValueError:
        raise UsageProblem(f"{path}:{number}: {name} is {value!r}, not a number") from None
