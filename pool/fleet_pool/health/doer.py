"""How a node is taken out, restarted, replaced and brought back: with Slurm, in an Auto Scaling group, or alone."""

from __future__ import annotations

import json
import re
from typing import Protocol

from fleet_pool.health.decide import Group
from fleet_pool.health.limits import Action
from fleet_pool.health.records import Records, open_in
from fleet_pool.node import ready
from fleet_pool.node.facts import Node
from fleet_pool.node.machine import Machine, NotReady

OURS = "planner-health: "  # reasons in Slurm begin with it: no other drain is touched
STATES_OUT = ("drain", "down", "fail", "maint", "boot", "*")
LIMIT_S = 20.0


class Doer(Protocol):
    """tries_again: whether a restart that had to wait is tried again. group: this node's, without itself among those
    out. ranks: when this node and others went out, by an order that all nodes see alike. is_out: False if somebody has
    brought the node back. busy: whether a process computes on its GPUs. was: what took it out. Every method raises
    NotReady."""

    name: str
    tries_again: bool

    def group(self, records: Records, now_s: float) -> Group: ...
    def ranks(self, records: Records, now_s: float) -> tuple[tuple[float, str], list[tuple[float, str]]]: ...
    def is_out(self) -> bool: ...
    def drain(self, reason: str) -> None: ...
    def restart(self, busy: bool) -> str: ...
    def replace(self) -> str: ...
    def back(self, was: Action) -> None: ...


class Slurm:
    """With scontrol. A node's group is all nodes that share a partition with it."""

    tries_again = False

    def __init__(self, name: str, machine: Machine) -> None:
        self.name, self._machine = name, machine

    def group(self, records: Records, now_s: float) -> Group:
        rows = self._rows()
        return Group(nodes=len(rows), out=sum(out for node, (out, _) in rows.items() if node != self.name))

    def ranks(self, records: Records, now_s: float) -> tuple[tuple[float, str], list[tuple[float, str]]]:
        """By the controller's clock."""
        rows = self._rows()
        times = {node: (since, node) for node, (out, since) in rows.items() if out}
        mine = times.pop(self.name, (float("inf"), self.name))
        return mine, list(times.values())

    def _rows(self) -> dict[str, tuple[bool, float]]:
        """Node -> whether it takes no jobs, and since when (Unix time, 0 if unknown). Fields of sinfo: %N node, %R
        partition, %T state, %H time of the reason."""
        said = self._run("env", "SLURM_TIME_FORMAT=%s", "sinfo", "--noheader", "--Node", "--format=%N|%R|%T|%H")
        found = [line.strip().split("|") for line in said.splitlines() if line.count("|") == 3]
        ours = {partition for node, partition, *_ in found if node == self.name}
        return {
            node: (any(word in state.lower() for word in STATES_OUT), float(at) if at.isdigit() else 0.0)
            for node, partition, state, at in found
            if partition in ours
        }

    def is_out(self) -> bool:
        return self._rows().get(self.name, (True, 0.0))[0]

    def drain(self, reason: str) -> None:
        self._update("State=DRAIN", f"Reason={OURS}{reason}")

    def restart(self, busy: bool) -> str:
        """After the jobs that run; it needs RebootProgram in slurm.conf. The reason stays that of the drain: setting it
        anew would set its time anew, by which the nodes that are out are ordered."""
        self._run("scontrol", "reboot", "ASAP", "nextstate=RESUME", self.name)
        return "Slurm restarts it when its jobs have ended"

    def replace(self) -> str:
        """A cloud node is powered down when its jobs have ended, and its next instance is another one."""
        self._update("State=POWER_DOWN_ASAP")
        return "Slurm ends its instance when its jobs have ended"

    def back(self, was: Action) -> None:
        """Only from a drain of ours."""
        shown = self._run("scontrol", "--oneliner", "show", "node", self.name)
        if re.search(rf"Reason={re.escape(OURS)}", shown):
            self._update("State=RESUME")

    def _update(self, *words: str) -> None:
        self._run("scontrol", "update", f"NodeName={self.name}", *words)

    def _run(self, *words: str) -> str:
        code, said = self._machine.answer(*words, limit_s=LIMIT_S)
        if code:
            raise NotReady(f"`{' '.join(words)}` failed: {said.strip()[-200:]}")
        return said


class AutoScaling:
    """Without Slurm: the record on the node is the drain, which planner-ready and planner-launch read; the group
    replaces what is unhealthy, or, where it replaces nothing on its own (a gang), counts it for its alarm."""

    tries_again = True

    def __init__(self, node: Node, machine: Machine) -> None:
        self.name, self._node, self._machine = node.instance, node, machine

    def group(self, records: Records, now_s: float) -> Group:
        members = self._members()
        taken = open_in(records.past(now_s))
        out = [name for name, well in members.items() if name != self.name and (not well or name in taken)]
        return Group(nodes=len(members), out=len(out))

    def ranks(self, records: Records, now_s: float) -> tuple[tuple[float, str], list[tuple[float, str]]]:
        """By the nodes' clocks, which Amazon Time Sync keeps together; members lost otherwise come first."""
        members, taken = self._members(), open_in(records.past(now_s))
        times = {name: (taken[name].at_s, name) for name in members if name in taken}
        lost = [(0.0, name) for name, well in members.items() if not well and name not in taken and name != self.name]
        mine = times.pop(self.name, (float("inf"), self.name))
        return mine, [*times.values(), *lost]

    def _members(self) -> dict[str, bool]:
        """Instance -> whether the group counts it well. One that is only starting is not out."""
        words = ("--auto-scaling-group-names", self._node.group, "--region", self._node.region, "--output", "json")
        said = self._machine.run("aws", "autoscaling", "describe-auto-scaling-groups", *words)
        try:
            [group] = json.loads(said)["AutoScalingGroups"]
            return {
                one["InstanceId"]: one["HealthStatus"] == "Healthy"
                and (one["LifecycleState"] == "InService" or one["LifecycleState"].startswith("Pending"))
                for one in group["Instances"]
            }
        except (ValueError, KeyError, TypeError):
            raise NotReady(f"AWS did not describe the group {self._node.group}") from None

    def is_out(self) -> bool:
        return True

    def drain(self, reason: str) -> None:
        """The record on the node is written by the caller."""

    def restart(self, busy: bool) -> str:
        if busy:
            return "not restarted while a process computes on its GPUs"
        self._machine.run("systemctl", "reboot")
        return "restarting"

    def replace(self) -> str:
        if not ready.in_service(self._node):
            return "its launch is abandoned by planner-ready, and the group launches another"
        words = ("--instance-id", self.name, "--health-status", "Unhealthy", "--no-should-respect-grace-period")
        self._machine.run("aws", "autoscaling", "set-instance-health", *words, "--region", self._node.region)
        return f"{self._node.group} counts it unhealthy"

    def back(self, was: Action) -> None:
        if was is not Action.REPLACE or not ready.in_service(self._node):
            return
        words = ("--instance-id", self.name, "--health-status", "Healthy", "--region", self._node.region)
        self._machine.run("aws", "autoscaling", "set-instance-health", *words)


class Alone(AutoScaling):
    """Neither Slurm nor a group: the record on the node, and a line for a person."""

    def __init__(self, name: str) -> None:
        self.name = name

    def group(self, records: Records, now_s: float) -> Group:
        return Group(nodes=1, out=0)

    def ranks(self, records: Records, now_s: float) -> tuple[tuple[float, str], list[tuple[float, str]]]:
        return (now_s, self.name), []

    def restart(self, busy: bool) -> str:
        return "restart it by hand: nobody else manages this node"

    def replace(self) -> str:
        return "replace it by hand: nobody else manages this node"

    def back(self, was: Action) -> None:
        """The record on the node is removed by the caller."""


def slurm_name(environment: dict[str, str], host: str, machine: Machine) -> str:
    """This node's name in Slurm; "" where it has none. Slurm sets SLURMD_NODENAME for its programs."""
    named = environment.get("SLURMD_NODENAME", "")
    if named:
        return named
    try:
        code, said = machine.answer("scontrol", "--oneliner", "show", "node", host, limit_s=LIMIT_S)
    except NotReady:
        return ""
    return host if not code and f"NodeName={host} " in said else ""
