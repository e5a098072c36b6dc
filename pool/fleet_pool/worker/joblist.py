"""The list of jobs: what a person writes, checked, and where everything about it is in the bucket. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from fleet_pool.compat import frozen
from fleet_pool.problems import UsageProblem

PREFIX = "workers/"
MOST_JOBS = 10_000  # of one array job (AWS Batch User Guide, "Array jobs")
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# published defaults of a pool of this kind (Kelpie, SaladTechnologies/kelpie-api 4343390): 3 failures of a job, 5 jobs
# of a machine. A machine that spoils every job in seconds is found sooner with 3, and costs less.
_DEFAULTS = {"every_steps": 100, "failures": 3, "machine_failures": 3, "stall_min": 30, "keep": 2}
_LOWEST = {"every_steps": 1, "failures": 1, "machine_failures": 1, "stall_min": 0, "keep": 1}


@frozen
class Job:
    """One job. args follow the list's command; environment is added to it."""

    index: int
    name: str
    args: tuple[str, ...]
    environment: Mapping[str, str]


@frozen
class JobList:
    """Jobs with one command. every_steps: between two saves of a job. failures: of a job, until it is a dead letter.
    machine_failures: different jobs that fail on one machine, until it gets no more. stall_min: without progress until
    a job counts as stalled, 0 for never. keep: how many checkpoints of a job."""

    name: str
    command: tuple[str, ...]
    jobs: tuple[Job, ...]
    every_steps: int
    failures: int
    machine_failures: int
    stall_min: float
    keep: int

    @property
    def prefix(self) -> str:
        return prefix_of(self.name)


def prefix_of(name: str) -> str:
    return f"{PREFIX}{name}/"


def list_key(name: str) -> str:
    return f"{prefix_of(name)}list.json"


def parsed(text: str, where: str) -> JobList:
    """The list in a file. where: its name, for messages. Raises UsageProblem with everything that is wrong in it."""
    try:
        found = json.loads(text)
    except ValueError as error:
        raise UsageProblem(f"{where} is not JSON: {error}") from None
    if not isinstance(found, dict):
        raise UsageProblem(f"{where} must hold an object with name, command and jobs")
    wrong = list(_wrong(found))
    if wrong:
        raise UsageProblem(f"{where}: " + "; ".join(wrong[:8]) + (f"; {len(wrong) - 8} more" if wrong[8:] else ""))
    jobs = found["jobs"] if isinstance(found["jobs"], list) else [{}] * found["jobs"]
    return JobList(
        name=found["name"],
        command=tuple(found["command"]),
        jobs=tuple(
            Job(
                index=index,
                name=str(each.get("name", index)),
                args=tuple(each.get("args", ())),
                environment=each.get("env", {}),
            )
            for index, each in enumerate(jobs)
        ),
        **{key: found.get(key, default) for key, default in _DEFAULTS.items()},
    )


def _wrong(found: Mapping[str, Any]) -> Any:
    known = {"name", "command", "jobs", *_DEFAULTS}
    yield from (f"{key!r} is unknown; known are {', '.join(sorted(known))}" for key in found if key not in known)
    if not isinstance(found.get("name"), str) or not NAME.fullmatch(found["name"]):
        yield f"name {found.get('name')!r}: letters, digits, dot, dash and underscore, 63 at most"
    if not _texts(found.get("command")) or not found["command"]:
        yield 'command must be a list of texts, such as ["python3", "train.py"]'
    for key, lowest in _LOWEST.items():
        value = found.get(key, lowest)
        whole = isinstance(value, int) or (key == "stall_min" and isinstance(value, float))
        if isinstance(value, bool) or not whole or not lowest <= value < 10**9:
            yield f"{key} must be a number from {lowest} up, not {value!r}"
    jobs = found.get("jobs")
    count = len(jobs) if isinstance(jobs, list) else jobs
    if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= MOST_JOBS:
        yield f"jobs must be a list, or a count, of 1 to {MOST_JOBS} jobs: one array job holds no more"
    elif isinstance(jobs, list):
        for index, each in enumerate(jobs):
            yield from (f"jobs[{index}]: {why}" for why in _wrong_job(each))


def _wrong_job(each: Any) -> Any:
    if not isinstance(each, dict):
        yield "must be an object with name, args or env"
        return
    yield from (f"{key!r} is unknown; known are name, args, env" for key in each if key not in ("name", "args", "env"))
    if not isinstance(each.get("name", ""), str):
        yield f"name must be a text, not {each['name']!r}"
    if not _texts(each.get("args", [])):
        yield "args must be a list of texts"
    values = each.get("env", {})
    if not isinstance(values, dict) or not all(
        _VARIABLE.fullmatch(name) and isinstance(value, str) and "\0" not in value for name, value in values.items()
    ):
        yield "env must give texts by the names of variables"


def _texts(found: Any) -> bool:
    return isinstance(found, list) and all(isinstance(each, str) and "\0" not in each for each in found)
