"""What health checks have done: on this node, and in its group, where every node of it can read.

Local: why this node is out, which outlives a restart but not the instance. Of the group: an object for each action in
the data bucket, or a file in a folder, which may be a shared one.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Protocol

from fleet_pool import settings
from fleet_pool.compat import frozen
from fleet_pool.health.decide import RESTART_COUNTS_S, Past
from fleet_pool.health.limits import Action
from fleet_pool.launch.bucket import Bucket

FOLDER = Path(settings.STATE_FOLDER, "health")
PREFIX = "health/"  # in the data bucket
OUT = "out.json"
PRICE = "PLANNER_HOURLY"  # USD of one node, in node.env
BOOT = Path("/proc/sys/kernel/random/boot_id")


@frozen
class Out:
    """Why this node takes no jobs. boot: id of the boot in which that was decided."""

    instance: str
    boot: str
    at_s: float
    action: Action
    check: str
    reason: str


def out_of(instance: str, folder: Path = FOLDER) -> Out | None:
    """None where it is not out. An image that was made of another node has that one's record."""
    data = read(folder / OUT)
    try:
        found = Out(**{**data, "action": Action(data["action"])})
    except (KeyError, TypeError, ValueError):
        return None
    return found if found.instance == instance else None


def read(path: Path) -> dict[str, Any]:
    """A file's JSON object; empty if there is none."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def write(path: Path, data: Mapping[str, object]) -> None:
    """In one step."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f".{path.name}.new")
    new.write_text(json.dumps(data, sort_keys=True) + "\n", encoding="utf-8")
    new.replace(path)


def boot_id() -> str:
    return BOOT.read_text(encoding="ascii").strip() if BOOT.exists() else ""


class Records(Protocol):
    """What was done in the group within the last day. Raises PoolProblem, OSError."""

    def past(self, now_s: float) -> tuple[Past, ...]: ...
    def add(self, past: Past) -> None: ...


class InFolder:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def past(self, now_s: float) -> tuple[Past, ...]:
        return _parsed((read(path) for path in sorted(self._folder.glob("*.json"))), now_s)

    def add(self, past: Past) -> None:
        write(self._folder / _name(past), vars(past))


class InBucket:
    """prefix: of the group."""

    def __init__(self, bucket: Bucket, group: str) -> None:
        self._bucket, self._prefix = bucket, f"{PREFIX}{group}/"

    def past(self, now_s: float) -> tuple[Past, ...]:
        first = f"{self._prefix}{max(now_s - RESTART_COUNTS_S, 0):014.3f}"  # names sort by time
        return _parsed(
            (self._bucket.read_json(key) for key in self._bucket.list(self._prefix, after=first).keys), now_s
        )

    def add(self, past: Past) -> None:
        self._bucket.write(f"{self._prefix}{_name(past)}", json.dumps(vars(past), sort_keys=True).encode())


def _name(past: Past) -> str:
    return f"{past.at_s:014.3f}-{past.instance}-{past.action.name.lower()}.json"


def _parsed(objects: Iterable[Any], now_s: float) -> tuple[Past, ...]:
    found = []
    for data in objects:
        try:
            one = Past(**{**data, "action": Action(data["action"]), "at_s": float(data["at_s"])})
        except (KeyError, TypeError, ValueError):
            continue  # of another version
        if now_s - one.at_s < RESTART_COUNTS_S:
            found.append(one)
    return tuple(sorted(found, key=lambda one: one.at_s))


def open_in(past: Iterable[Past]) -> dict[str, Past]:
    """By instance: the action that took it out and was not taken back. past: in order of time."""
    last: dict[str, Past] = {}
    for one in past:
        if one.action >= Action.DRAIN:
            # when it went out is when it first did
            last.setdefault(one.instance, one)
        else:
            last.pop(one.instance, None)
    return last
