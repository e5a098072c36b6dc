"""What this node finds wrong after it was ready, as numbers for CloudWatch: what the alarms on nodes and pool watch.

Every five minutes a node does the checks of `planner-ready` once. It publishes how many fail, and nothing when all are
right: AWS bills a metric for the hours in which it is published. Control nodes publish for the pool, under the name of
the stack: its errors with what is wrong on themselves, its active targets, the used share of its drives. A copy that
was found damaged counts as one for a while, longer than the alarm takes to notice. A target that is gone is counted by
its own node, whose check of the pool fails, and by the others of its group.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from fleet_pool.api import Client, endpoints, tls_context
from fleet_pool.compat import frozen
from fleet_pool.launch.here import BUNDLE_FOLDER, settings_of
from fleet_pool.node import ready, starts
from fleet_pool.node.facts import BadFacts, Node, Stack, node_of, read_stack
from fleet_pool.node.gpu_use import LIMIT_S, NAMESPACE, dimension_of
from fleet_pool.problems import PoolProblem
from fleet_pool.tokens import operator_token

EVERY_MIN = 5
NODE_PROBLEMS = "NodeProblems"  # of a group
POOL_PROBLEMS, POOL_TARGETS, POOL_USED = "PoolProblems", "PoolTargets", "PoolUsedPercent"
STACK = "Stack"  # the dimension of the pool's metrics
STATUS_LIMIT_S, EACH_LIMIT_S = 30.0, 5.0
DAMAGED_S = 1800.0  # for how long a damaged copy is a problem


@frozen
class Value:
    """One value of a metric, with its only dimension."""

    metric: str
    dimension: str
    of: str
    unit: str
    value: float


def lost_members(node: Node) -> tuple[str, ...]:
    """Instances that the group counts in service and knows to be gone: where it replaces nothing (a gang that is not on
    spot), it says so nowhere else. None where the group cannot be asked."""
    named = ("--auto-scaling-group-names", node.group, "--region", node.region, "--output", "json")
    words = ("aws", "autoscaling", "describe-auto-scaling-groups", *named)
    try:
        said = subprocess.run(words, capture_output=True, text=True, timeout=LIMIT_S, check=True).stdout
        members = [each for group in json.loads(said)["AutoScalingGroups"] for each in group["Instances"]]
        wrong = [one for one in members if (one["LifecycleState"], one["HealthStatus"]) == ("InService", "Unhealthy")]
        return tuple(sorted(str(one["InstanceId"]) for one in wrong))
    except (OSError, subprocess.SubprocessError, ValueError, KeyError, TypeError) as problem:
        print(f"planner-watch: the group cannot be asked for its members: {problem}", flush=True)
        return ()


def of_node(node: Node, found: Sequence[ready.Found], lost: Sequence[str] = ()) -> tuple[Value, ...]:
    """Nothing while all is right, and for a node without a group, whose problems count as the pool's."""
    wrong = sum(not each.ready for each in found) + len(lost)
    return (problems_of(node, wrong),) if wrong and node.counted else ()


def problems_of(node: Node, count: int) -> Value:
    """So many problems of a node that CloudWatch counts."""
    return Value(metric=NODE_PROBLEMS, dimension=dimension_of(node), of=node.counted, unit="Count", value=count)


def of_pool(stack: Stack, found: Sequence[ready.Found], environment: Mapping[str, str]) -> tuple[Value, ...]:
    """As a control node sees it. A pool that does not answer is one more problem; its numbers are unknown then."""
    from fleet_pool.operate.members import NON_ELECTABLE  # neither is in planner-launch.pyz
    from fleet_pool.operate.status import Expected, status

    wrong = sum(not each.ready for each in found)
    try:
        client = Client(
            endpoints(environment.get("PLANNER_POOL", "")),
            tls=tls_context(environment),
            token=operator_token(environment),
            attempt_s=5,
        )
        seen = status(client, Expected(drives=stack.drives or None), limit_s=STATUS_LIMIT_S, each_s=EACH_LIMIT_S)
    except (PoolProblem, ValueError) as problem:
        print(f"planner-watch: the pool does not answer: {problem}", flush=True)
        return (_of_stack(stack, POOL_PROBLEMS, "Count", wrong + 1),)
    for finding in seen.findings:
        print(f"planner-watch: {finding.severity} {finding.where}: {finding.what}", flush=True)
    wrong += sum(finding.severity == "error" for finding in seen.findings)
    missing = len(stack.proxies) - sum(not proxy.flags & NON_ELECTABLE for proxy in seen.map.proxies)
    if missing > 0:
        print(f"planner-watch: {missing} of {len(stack.proxies)} control nodes are not in the map", flush=True)
    damaged = sum(at > time.time() - DAMAGED_S for at, _ in seen.damaged)
    if damaged:
        print(f"planner-watch: {damaged} cached objects found damaged in {DAMAGED_S / 60:.0f} minutes", flush=True)
    spaces = [each.space for each in seen.nodes if each.space]
    total = sum(space.total for space in spaces)
    values = [
        _of_stack(stack, POOL_PROBLEMS, "Count", wrong + max(missing, 0) + damaged),
        _of_stack(stack, POOL_TARGETS, "Count", sum(not target.leaving for target in seen.map.targets)),
    ]
    if total:
        used = 100 * sum(space.used for space in spaces) / total
        values.append(_of_stack(stack, POOL_USED, "Percent", round(used, 2)))
    return tuple(values)


def publish(values: Sequence[Value], region: str) -> None:
    """Raises OSError, SubprocessError."""
    data = [
        {
            "MetricName": each.metric,
            "Dimensions": [{"Name": each.dimension, "Value": each.of}],
            "Unit": each.unit,
            "Value": each.value,
        }
        for each in values
    ]
    words = ("--namespace", NAMESPACE, "--metric-data", json.dumps(data), "--region", region)
    subprocess.run(
        ("aws", "cloudwatch", "put-metric-data", *words), capture_output=True, text=True, timeout=LIMIT_S, check=True
    )


def main() -> int:
    """Looks once. Exit code: 0, 1 with the reason on standard error."""
    try:
        stack = read_stack(Path(BUNDLE_FOLDER, "stack.json"))
        environment = settings_of(os.environ)
        node = node_of(environment)
        if not ready.in_service(node):
            print("planner-watch: not ready yet: planner-ready tells the group and the bucket why", flush=True)
            return 0
        found = ready.looked(stack, node, environment, wait_s=0)
        lines = ready.told(found)
        ready.keep(lines)
        ready.ship(node, environment, lines)
        lost = lost_members(node) if node.group else ()
        if lost:
            print(f"planner-watch: the group has lost {' '.join(lost)}", flush=True)
        if node.role == "gpu" and starts.gives_up(node, environment):
            subprocess.run(("systemctl", "poweroff"), check=True)
            return 0
        values = of_node(node, found, lost) + (of_pool(stack, found, environment) if node.role == "control" else ())
        for line in (lines[0], *(f"{each.metric} {each.value:g} ({each.of})" for each in values)):
            print(f"planner-watch: {line}", flush=True)
        if values:
            publish(values, node.region)
    except (BadFacts, PoolProblem, OSError, subprocess.SubprocessError, ValueError, LookupError) as problem:
        said = (getattr(problem, "stderr", "") or "").strip()
        print(f"planner-watch: {problem} {said}".rstrip(), file=sys.stderr)
        return 1
    return 0


def _of_stack(stack: Stack, metric: str, unit: str, value: float) -> Value:
    return Value(metric=metric, dimension=STACK, of=stack.name, unit=unit, value=value)


if __name__ == "__main__":
    sys.exit(main())
