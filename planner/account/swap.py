"""One node of a gang replaced: marked unhealthy, so that its Auto Scaling group ends it and launches another."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from planner.account.aws_client import MakeClient, aws_errors
from planner.errors import AwsProblem

POLICY = "infra/operator-policy.json"
REPLACES = "ReplaceUnhealthy"  # suspended in groups of a gang that is not on spot: docs/operations.md
IN_SERVICE = "InService"


@dataclass(frozen=True, kw_only=True)
class Swap:
    """groups: of the stack, one of which has the node. sleep: replaced in tests. say: what happens."""

    groups: tuple[str, ...]
    region: str
    make: MakeClient
    say: Callable[[str], None]
    limit_s: float = 3600.0
    pace_s: float = 15.0
    sleep: Callable[[float], None] = field(default=time.sleep)

    def of(self, node: str) -> str:
        """The node that came for it, in service. The group then replaces nothing on its own, if it did not before.

        Raises AwsProblem: for a node that the group has not, before anything is changed; and where no other comes in
        time, with what stands as it is.
        """
        scaling = self.make("autoscaling", self.region)
        seen = {name: self._look(scaling, name) for name in self.groups}
        group = next((name for name, (members, _) in seen.items() if node in members), None)
        if group is None:
            all_nodes = ", ".join(sorted(one for members, _ in seen.values() for one in members))
            raise AwsProblem(f"{node} is not in {', '.join(self.groups)}: nodes are {all_nodes or 'not there'}")
        members, suspended = seen[group]
        named = {"AutoScalingGroupName": group, "ScalingProcesses": [REPLACES]}
        with aws_errors(f"the swap of {node}", POLICY):
            if REPLACES in suspended:
                scaling.resume_processes(**named)
            try:
                self._end(node)
                self.say(f"{node} ends; {group} launches another")
                return self._awaited(scaling, group, node, members)
            finally:
                if REPLACES in suspended:
                    scaling.suspend_processes(**named)

    def _end(self, node: str) -> None:
        """The operator's policy ends nodes of this stack alone, by their tag; the group sees one that is gone."""
        self.make("ec2", self.region).terminate_instances(InstanceIds=[node])

    def _awaited(self, scaling: object, group: str, node: str, before: dict[str, str]) -> str:
        until, shown = time.monotonic() + self.limit_s, ""
        while True:
            now, _ = self._look(scaling, group)
            came = sorted(id for id, state in now.items() if id not in before and state == IN_SERVICE)
            if came and node not in now:
                return came[0]
            said = ", ".join(f"{id} {state}" for id, state in sorted(now.items()) if id not in before or id == node)
            if said != shown:
                self.say(said or "no other node yet")
                shown = said
            if time.monotonic() > until:
                raise AwsProblem(f"no node came for {node} within {self.limit_s / 60:.0f} minutes: {said or 'none'}")
            self.sleep(self.pace_s)

    def _look(self, scaling: object, group: str) -> tuple[dict[str, str], set[str]]:
        """(node -> lifecycle state, suspended processes). Raises AwsProblem for a group that is not there."""
        with aws_errors(f"group {group}", POLICY):
            found = scaling.describe_auto_scaling_groups(AutoScalingGroupNames=[group])["AutoScalingGroups"]  # type: ignore[attr-defined]
        if not found:
            raise AwsProblem(f"there is no group {group} in {self.region}")
        members = {one["InstanceId"]: one["LifecycleState"] for one in found[0].get("Instances", ())}
        return members, {one["ProcessName"] for one in found[0].get("SuspendedProcesses", ())}
