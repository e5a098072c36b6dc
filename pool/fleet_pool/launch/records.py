"""What nodes write into the bucket: runs, and the plan of each attempt. Keys and JSON. Pure.

launch/000007/run.json                       what to start; its number is free only once
launch/000007/0001/join-INSTANCE.INCARNATION a node offers itself for attempt 1
launch/000007/0001/plan.json                 which nodes, in the order of ranks: the first to write it decides
launch/000007/0001/exit-0002.json            how the command ended on rank 2
launch/000007/0001/result.json               how the attempt ended, and whether another follows
launch/000007/stop.json                      somebody wants it to end
launch/000007/ended.json                     it has ended
launch-logs/000007/0001/node-0002/...        output
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from fleet_pool.compat import frozen
from fleet_pool.launch.outcome import Exit, Result
from fleet_pool.launch.ranks import Member
from fleet_pool.problems import UsageProblem

PREFIX, LOGS = "launch/", "launch-logs/"
FORMAT = 1
_RUN = re.compile(r"launch/(\d{6})/")
_ATTEMPT = re.compile(r"(\d{4})/")


@frozen
class Run:
    """What to start. command: its words. nodes: how many. checkpoints: prefix of its steps. restarts: attempts in a
    row without a new COMMIT. limits in seconds; hang_s: 0 for none."""

    number: int
    command: tuple[str, ...]
    nodes: int
    folder: str
    environment: Mapping[str, str]
    checkpoints: str
    restarts: int
    wait_s: float
    node_s: float
    hang_s: float
    grace_s: float
    resume_s: float
    launched_on: str

    @property
    def name(self) -> str:
        return f"{self.number:06d}"


@frozen
class Plan:
    """The members of an attempt in the order of ranks. commit: newest committed step when it was made."""

    members: tuple[Member, ...]
    why: str
    commit: int | None


def run_prefix(number: int) -> str:
    return f"{PREFIX}{number:06d}/"


def attempt_prefix(number: int, attempt: int) -> str:
    return f"{run_prefix(number)}{attempt:04d}/"


def logs_prefix(number: int, attempt: int, rank: int) -> str:
    return f"{LOGS}{number:06d}/{attempt:04d}/node-{rank:04d}/"


def run_number(folder: str) -> int | None:
    match = _RUN.match(folder)
    return int(match[1]) if match else None


def attempt_in(number: int, key: str) -> int | None:
    """The attempt that a key of a run belongs to."""
    match = _ATTEMPT.match(key[len(run_prefix(number)) :])
    return int(match[1]) if match else None


def join_name(member: Member) -> str:
    return f"join-{member.instance}.{member.incarnation}"


def exit_name(rank: int) -> str:
    return f"exit-{rank:04d}.json"


def to_json(record: Any) -> dict[str, Any]:
    return {"format": FORMAT, **asdict(record)}


def run_of(data: Any) -> Run:
    body = _body(data, "run")
    return Run(**{**body, "command": tuple(body["command"]), "environment": dict(body["environment"])})


def plan_of(data: Any) -> Plan:
    body = _body(data, "plan")
    return Plan(**{**body, "members": tuple(_member(each) for each in body["members"])})


def member_of(data: Any) -> Member:
    return _member(_body(data, "join"))


def exit_of(data: Any) -> Exit:
    return Exit(**_body(data, "exit"))


def result_record(data: Any) -> Result:
    return Result(**_body(data, "result"))


def _member(body: Mapping[str, Any]) -> Member:
    return Member(**{**body, "layers": tuple(body["layers"])})


def _body(data: Any, what: str) -> dict[str, Any]:
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise UsageProblem(f"the {what} record in the bucket is of another version of planner-launch")
    return {name: value for name, value in data.items() if name != "format"}
