"""When a group of nodes should not go on: too many failed starts in a row, or capacity that never becomes complete.

Auto Scaling replaces a node that is not ready without end, and keeps the others waiting for one that AWS does not have:
both are billed. Nodes write their starts into the bucket, and the one that finds enough stops the group's launches.
What stands is then ended by the group's own hook, or powers itself off. A node whose bundle does not run at all writes
nothing: of that the mail about failed starts tells.

A canary is a node that its group starts alone, by a desired capacity of one. Its failures are counted against that
one, and the time that it waits for the others begins again once they are asked for.

boot-logs/GROUP/CREATED/TIME.ready.INSTANCE    a start that the group counted
boot-logs/GROUP/CREATED/TIME.canary.INSTANCE   the same, while only the canary is asked for
boot-logs/GROUP/CREATED/TIME.failed.INSTANCE   a start that it gives up
boot-logs/GROUP/CREATED/TIME.stopped.INSTANCE  launches were stopped: the next image has tries of its own
boot-logs/GROUP/CREATED/full                   all nodes were in service once
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta, timezone
from pathlib import Path

from fleet_pool.compat import frozen
from fleet_pool.launch.bucket import Bucket
from fleet_pool.launch.here import bucket_of
from fleet_pool.node.facts import Node
from fleet_pool.problems import PoolProblem

PREFIX = "boot-logs/"
GIVE_UP = "PLANNER_GIVE_UP_H"  # hours; nothing where the group waits for ever
READY, CANARY, FAILED, STOPPED, FULL = "ready", "canary", "failed", "stopped", "full"
LEAST_FAILED = 3  # of a small fleet, or a canary: one broken instance, or two, are no broken image
LIMIT_S = 30.0
NOTED = Path("/run/planner/start")  # what this start has written
WAS_FULL = Path("/run/planner/was-full")
STAMP = "%Y-%m-%dT%H:%M:%SZ"


@frozen
class Group:
    """folder: of its records; another one for each time that a group of this name is made. size: its nodes. desired:
    how many of them are asked for now."""

    folder: str
    size: int
    desired: int
    in_service: int

    @property
    def ready(self) -> str:
        """What a start that succeeds is recorded as."""
        return CANARY if self.desired < self.size else READY


def group_of(node: Node) -> Group:
    """As Auto Scaling has it. Raises OSError, SubprocessError, ValueError, KeyError, IndexError."""
    words = ("--auto-scaling-group-names", node.group, "--region", node.region, "--output", "json")
    said = subprocess.run(
        ("aws", "autoscaling", "describe-auto-scaling-groups", *words),
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=True,
    ).stdout
    found = json.loads(said)["AutoScalingGroups"][0]
    members = [one for one in found["Instances"] if one["LifecycleState"] == "InService"]
    return Group(
        folder=f"{PREFIX}{node.group}/{found['CreatedTime']}/",
        size=int(found["MaxSize"]),
        desired=int(found["DesiredCapacity"]),
        in_service=len(members),
    )


def failed_in_a_row(names: Sequence[str]) -> int:
    """Instances whose start failed since one succeeded, or since launches were stopped. names: of the records."""
    failed: set[str] = set()
    for name in sorted(names):
        _, _, what = name.partition(".")
        kind, _, instance = what.partition(".")
        failed = set() if kind in (READY, CANARY, STOPPED) else failed | {instance} if kind == FAILED else failed
    return len(failed)


def spent(names: Sequence[str], desired: int) -> bool:
    """Whether the budget of failed starts is used up: as many as nodes are asked for, and at least LEAST_FAILED."""
    return failed_in_a_row(names) >= max(desired, LEAST_FAILED)


def waits_since(names: Sequence[str], kind: str) -> datetime | None:
    """When the first node was ready and its wait for the others began. kind: CANARY for one that was asked for
    alone."""
    stamps = [name.partition(".")[0] for name in names if name.partition(".")[2].startswith(kind)]
    return datetime.strptime(min(stamps), STAMP).replace(tzinfo=timezone.utc) if stamps else None


def note(node: Node, environment: Mapping[str, str], kind: str) -> None:
    """Records this start once; the launches of the group stop where it is one failure too many. What goes wrong here
    is said and changes nothing: the group's own hook decides about this node."""
    if not node.group or (NOTED.is_file() and NOTED.read_text(encoding="utf-8") == kind):
        return
    try:
        group, bucket = group_of(node), bucket_of(environment, node, patience_s=LIMIT_S)
        _record(bucket, group, group.ready if kind == READY else kind, node)
        NOTED.parent.mkdir(parents=True, exist_ok=True)
        NOTED.write_text(kind, encoding="utf-8")
        names = _names(bucket, group)
        if kind == FAILED and spent(names, group.desired):
            stop_launches(node, f"{failed_in_a_row(names)} starts failed in a row, and none succeeded")
            _record(bucket, group, STOPPED, node)
    except (PoolProblem, OSError, subprocess.SubprocessError, ValueError, LookupError) as problem:
        print(f"planner-ready: this start is not recorded: {problem}", flush=True)


def gives_up(node: Node, environment: Mapping[str, str]) -> bool:
    """Whether this node should wait no longer for the rest of its group, which was never complete. Launches are stopped
    then. Raises PoolProblem, OSError, SubprocessError, ValueError, LookupError."""
    hours = environment.get(GIVE_UP, "")
    if not (hours and node.group) or WAS_FULL.is_file():
        return False
    group, bucket = group_of(node), bucket_of(environment, node, patience_s=LIMIT_S)
    names = _names(bucket, group)
    if group.in_service >= group.size and FULL not in names:
        bucket.write_once(f"{group.folder}{FULL}", {})
        names = (*names, FULL)
    if FULL in names:
        WAS_FULL.parent.mkdir(parents=True, exist_ok=True)
        WAS_FULL.touch()
        return False
    since = waits_since(names, group.ready)
    if since is None:  # the others were asked for after this node was ready
        _record(bucket, group, group.ready, node)
        return False
    if datetime.now(timezone.utc) - since < timedelta(hours=float(hours)):
        return False
    stop_launches(node, f"{group.in_service} of {group.size} nodes after {hours} hours, and never all")
    return True


def stop_launches(node: Node, why: str) -> None:
    """Raises OSError, SubprocessError."""
    named = ("--auto-scaling-group-name", node.group, "--region", node.region)
    command = ("aws", "autoscaling", "suspend-processes", *named, "--scaling-processes", "Launch")
    print(f"planner: {why}: {node.group} launches no more nodes", flush=True)
    print("+", *command, flush=True)
    subprocess.run(command, timeout=LIMIT_S, check=True)


def _record(bucket: Bucket, group: Group, kind: str, node: Node) -> None:
    stamp = datetime.now(timezone.utc).strftime(STAMP)
    bucket.write_once(f"{group.folder}{stamp}.{kind}.{node.instance}", {})


def _names(bucket: Bucket, group: Group) -> tuple[str, ...]:
    return tuple(key[len(group.folder) :] for key in bucket.list(group.folder).keys)
