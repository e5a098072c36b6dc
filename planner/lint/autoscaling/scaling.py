"""What changes a group's size: schedules, scaling policies, instance refresh, warm pools."""

from __future__ import annotations

import re
from itertools import pairwise

from planner.lint.autoscaling.spot import is_spot
from planner.lint.read.graph import Graph, Resource
from planner.lint.read.topology import GROUP, has_efa, is_block, nodes_of, templates_of
from planner.lint.read.values import given, literal, one, texts, whole
from planner.lint.rule import WARNING, Hits, rule

SCHEDULE = "autoscaling:Schedule"
SIZES = ("minSize", "desiredCapacity", "maxSize")
CRON = re.compile(r"[\d*/,A-Za-z#L?-]+( [\d*/,A-Za-z#L?-]+){4}")
SECONDS = {"healthCheckGracePeriod": (0, 7200), "defaultCooldown": (0, 86_400), "defaultInstanceWarmup": (-1, 86_400)}
LIFETIME = (86_400, 31_536_000)  # seconds, of EC2 Auto Scaling's maximum instance lifetime; 0 for none


@rule(
    "SCHEDULE-SIZE",
    SCHEDULE,
    what="a scheduled action with invalid sizes or an invalid recurrence",
    why="AWS rejects the action, or it changes nothing while the nodes are billed or the Capacity Block runs "
    "out: min, desired and max must be in order, and a recurrence has five cron fields",
    remedy="Set minSize <= desiredCapacity <= maxSize (-1 leaves a size unchanged) and a recurrence of minute, "
    "hour, day, month and weekday",
    example="minSize: 20 with maxSize: 16, or recurrence: every night",
)
def invalid_schedule(graph: Graph) -> Hits:
    for action in graph.of(SCHEDULE):
        sizes = [(key, size) for key in SIZES if (size := whole(action.inputs.get(key))) is not None]
        for key, size in sizes:
            if size < -1:
                yield action, key, f"{size:,} nodes"
        for (low, a), (high, b) in pairwise([(key, size) for key, size in sizes if size >= 0]):
            if a > b:
                yield action, low, f"{low} {a:,} is greater than {high} {b:,}"
        if not any(given(action.inputs.get(key)) for key in SIZES):
            yield action, "desiredCapacity", "the action sets no size"
        cron = literal(action.inputs.get("recurrence"))
        if cron and not CRON.fullmatch(cron.strip()):
            yield action, "recurrence", f"{cron!r} does not have five cron fields"


@rule(
    "BLOCK-START",
    GROUP,
    what="a Capacity Block whose nodes never start",
    why="The prepaid block runs out unused: no scheduled action raises the group above 0 nodes",
    remedy="Add a scheduled action at the start of the block, or set the size on the group",
    example="desiredCapacity: 0 and no scheduled action that raises it",
)
def block_never_started(graph: Graph) -> Hits:
    for group in graph.of(GROUP):
        sizes = [whole(group.inputs.get(key)) for key in ("desiredCapacity", "minSize")]
        actions = [a for a in graph.of(SCHEDULE) if graph.target(a.inputs.get("autoscalingGroupName"), GROUP) is group]
        raised = any((whole(a.inputs.get(key)) or 0) > 0 for a in actions for key in ("desiredCapacity", "minSize"))
        block = any(map(is_block, templates_of(graph, group)))
        if block and 0 in sizes and not any(size for size in sizes if size) and not raised:
            yield group, "desiredCapacity", "0 nodes, and no scheduled action starts them"


@rule(
    "ASG-SCALED",
    GROUP,
    "autoscaling:Policy",
    SCHEDULE,
    severity=WARNING,
    what="a fixed-size group whose size changes during a job",
    why="The job stops when a node is removed; nodes that are added, and warm pool nodes, are billed without "
    "joining it",
    remedy="Remove scaling policies, recurring schedules, warm pools and instance refresh",
    example="a target tracking policy on the fleet's group",
)
def fixed_size_group_scaled(graph: Graph) -> Hits:
    for group in graph.of(GROUP):
        templates = templates_of(graph, group)
        if not any(map(has_efa, templates)) or nodes_of(group) < 2:
            continue
        pool = one(group.inputs.get("warmPool"))
        if given(group.inputs.get("warmPool")) and literal(pool.get("poolState")) in (None, "Running", "Hibernated"):
            yield group, "warmPool", "a warm pool with running or hibernated instances"
        if given(group.inputs.get("instanceRefresh")):
            yield group, "instanceRefresh", "a template change replaces nodes during a job"
        for policy in graph.of("autoscaling:Policy"):
            if graph.target(policy.inputs.get("autoscalingGroupName"), GROUP) is group:
                yield policy, "autoscalingGroupName", f"scales the fixed-size group {group.name}"
        for action in graph.of(SCHEDULE) if not any(map(is_block, templates)) and not is_spot(graph, group) else ():
            again = given(action.inputs.get("recurrence"))
            if again and graph.target(action.inputs.get("autoscalingGroupName"), GROUP) is group:
                yield action, "recurrence", f"changes the fixed-size group {group.name} again and again"


@rule(
    "ASG-TIMES",
    GROUP,
    what="an invalid time or health check on a group",
    why="AWS rejects the group, or replaces healthy nodes: a grace period or cooldown is not negative, an "
    "instance lifetime is at least a day, and an ELB health check needs a load balancer",
    remedy="Set healthCheckGracePeriod to 0 to 7,200 seconds, and healthCheckType to EC2 where there is no load "
    "balancer",
    example="healthCheckGracePeriod: -1, or healthCheckType: ELB without a target group",
)
def invalid_group_times(graph: Graph) -> Hits:
    for group in graph.of(GROUP):
        for key, (least, most) in SECONDS.items():
            seconds = whole(group.inputs.get(key))
            if seconds is not None and not least <= seconds <= most:
                yield group, key, f"{seconds:,} seconds"
        age = whole(group.inputs.get("maxInstanceLifetime"))
        if age and not LIFETIME[0] <= age <= LIFETIME[1]:
            yield group, "maxInstanceLifetime", f"{age:,} seconds; allowed: {LIFETIME[0]:,} to {LIFETIME[1]:,}"
        checks = texts(group.inputs.get("healthCheckType"))
        if "ELB" in checks and not _balanced(graph, group):
            yield group, "healthCheckType", "ELB health checks without a load balancer or target group"


def _balanced(graph: Graph, group: Resource) -> bool:
    own = any(given(group.inputs.get(key)) for key in ("targetGroupArns", "loadBalancers", "trafficSources"))
    apart = graph.of("autoscaling:Attachment", "autoscaling:TrafficSourceAttachment")
    return own or any(graph.target(a.inputs.get("autoscalingGroupName"), GROUP) in (group, None) for a in apart)
