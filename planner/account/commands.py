"""Commands on the nodes of a stack, as root, by Systems Manager: the door for operators, which needs no open port."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from planner.account.aws_client import MakeClient, RefusedRequest, aws_errors
from planner.account.patience import Patience
from planner.errors import AwsProblem
from planner.stack.deployed_resources import NAME_TAG, STACK_TAG

DOCUMENT = "AWS-RunShellScript"
POLICY = "infra/operator-policy.json"
AT_ONCE = 50  # ids of one SendCommand at most (Systems Manager API Reference, SendCommand, InstanceIds)
RUNNING = ("Pending", "InProgress", "Delayed")
NOT_YET = "InvocationDoesNotExist"  # a command that was just sent
NODE = "fleet-node"  # tag of what the fleet's launch template starts (infra/launch.py, launch_tags)
LATE_S = 120.0  # beyond a command's own limit, for Systems Manager
PREFIX = "boot-logs/"  # of records that nodes write about their starts: fleet_pool.node.starts


@dataclass(frozen=True, kw_only=True)
class Said:
    """What a command said on a node. well: exit code 0."""

    well: bool
    out: str
    err: str


@dataclass(frozen=True, kw_only=True)
class Member:
    """host: its private address. launched: by EC2."""

    id: str
    host: str
    launched: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class Fleet:
    """The GPU nodes of one stack. groups: one, or one for each Capacity Block; none where AWS PCS starts the nodes,
    which have tags of the `stack`. sleep: replaced in tests."""

    groups: tuple[str, ...]
    stack: str = ""
    region: str
    make: MakeClient
    pace_s: float = 5.0
    sleep: Callable[[float], None] = field(default=time.sleep)

    def members(self) -> tuple[Member, ...]:
        """In service, by id; of AWS PCS those that run. Raises AwsProblem, CredentialsProblem."""
        if not self.groups:
            return self._running()
        with aws_errors(f"groups {', '.join(self.groups)}", POLICY):
            found = self.make("autoscaling", self.region).describe_auto_scaling_groups(
                AutoScalingGroupNames=list(self.groups)
            )["AutoScalingGroups"]
        ids = sorted(
            one["InstanceId"]
            for group in found
            for one in group.get("Instances", ())
            if one["LifecycleState"] == "InService"
        )
        members: dict[str, Member] = {}
        for first in range(0, len(ids), AT_ONCE):
            with aws_errors("the nodes of the group", POLICY):
                answer = self.make("ec2", self.region).describe_instances(InstanceIds=ids[first : first + AT_ONCE])
            members |= {one.id: one for one in _instances(answer)}
        return tuple(members.get(id, Member(id=id, host="")) for id in ids)

    def _running(self) -> tuple[Member, ...]:
        wanted = {f"tag:{STACK_TAG}": self.stack, f"tag:{NAME_TAG}": NODE, "instance-state-name": "running"}
        filters = [{"Name": name, "Values": [value]} for name, value in wanted.items()]
        with aws_errors(f"the nodes of stack {self.stack}", POLICY):
            pages = list(self.make("ec2", self.region).get_paginator("describe_instances").paginate(Filters=filters))
        return tuple(sorted((one for page in pages for one in _instances(page)), key=lambda one: one.id))

    def run(self, ids: Sequence[str], command: str, limit_s: float) -> dict[str, Said]:
        """One command on these nodes at the same moment, by node. Raises AwsProblem, CredentialsProblem."""
        systems = self.make("ssm", self.region)
        sent: dict[str, str] = {}
        for first in range(0, len(ids), AT_ONCE):
            some = list(ids[first : first + AT_ONCE])
            with aws_errors("a command on nodes", POLICY):
                answer = Patience().call(
                    "SendCommand",
                    systems.send_command,
                    InstanceIds=some,
                    DocumentName=DOCUMENT,
                    MaxConcurrency="100%",
                    Parameters={"commands": [command], "executionTimeout": [str(int(limit_s))]},
                )
            sent.update({each: str(answer["Command"]["CommandId"]) for each in some})
        found: dict[str, Said] = {}
        until = time.monotonic() + limit_s + LATE_S
        while len(found) < len(sent):
            for id in sorted(set(sent) - set(found)):
                said = self._answer(systems, sent[id], id)
                if said is not None:
                    found[id] = said
            if len(found) < len(sent):
                if time.monotonic() > until:
                    raise AwsProblem(f"Systems Manager has no answer of {', '.join(sorted(set(sent) - set(found)))}")
                self.sleep(self.pace_s)
        return found

    def _answer(self, systems: Any, command: str, id: str) -> Said | None:
        try:
            with aws_errors(f"the command on {id}", POLICY):
                answer = Patience().call(
                    "GetCommandInvocation", systems.get_command_invocation, CommandId=command, InstanceId=id
                )
        except RefusedRequest as problem:
            if problem.code == NOT_YET:
                return None
            raise
        if answer["Status"] in RUNNING:
            return None
        return Said(
            well=answer["Status"] == "Success",
            out=answer.get("StandardOutputContent", ""),
            err=answer.get("StandardErrorContent", "") or answer.get("StatusDetails", ""),
        )

    def start_hours(self, bucket: str, members: Sequence[Member]) -> dict[str, float]:
        """Node -> hours from its launch until it was ready, by the record that it wrote into the data bucket."""
        storage = self.make("s3", self.region)
        ready: dict[str, datetime] = {}
        with aws_errors("the records of starts", POLICY):
            list_all = storage.get_paginator("list_objects_v2").paginate
            for page in (page for name in self.groups for page in list_all(Bucket=bucket, Prefix=f"{PREFIX}{name}/")):
                for entry in page.get("Contents", ()):
                    stamp, _, what = str(entry["Key"]).rpartition("/")[2].partition(".")
                    kind, _, id = what.partition(".")
                    if kind == "ready":
                        ready.setdefault(id, datetime.fromisoformat(stamp))
        return {
            one.id: (ready[one.id] - one.launched).total_seconds() / 3600
            for one in members
            if one.launched and one.id in ready
        }

    def keep(self, bucket: str, key: str, text: str) -> None:
        """Raises AwsProblem, CredentialsProblem."""
        with aws_errors(f"s3://{bucket}/{key}", POLICY):
            self.make("s3", self.region).put_object(Bucket=bucket, Key=key, Body=text.encode())


def _instances(answer: Mapping[str, Any]) -> list[Member]:
    return [
        Member(id=one["InstanceId"], host=one.get("PrivateIpAddress", ""), launched=one.get("LaunchTime"))
        for entry in answer["Reservations"]
        for one in entry["Instances"]
    ]
