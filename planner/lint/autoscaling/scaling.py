"""What changes a group's size by itself: schedules, policies, refreshes, pools of warm machines."""

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
    what="a scheduled action with sizes or a time that AWS refuses, or that do nothing",
    why="min, desired and max must be in this order, and a recurrence is five fields of cron: it is refused, or "
    "runs and changes nothing while the nodes bill or the block runs out",
    remedy="minSize <= desiredCapacity <= maxSize, -1 for what stays as it is; minute hour day month weekday",
    example="minSize: 20 with maxSize: 16, or recurrence: every night",
)
def schedules_can_be(graph: Graph) -> Hits:
    for action in graph.of(SCHEDULE):
        sizes = [(key, size) for key in SIZES if (size := whole(action.inputs.get(key))) is not None]
        for key, size in sizes:
            if size < -1:
                yield action, key, f"{size:,} nodes"
        for (low, a), (high, b) in pairwise([(key, size) for key, size in sizes if size >= 0]):
            if a > b:
                yield action, low, f"{low} {a:,} is above {high} {b:,}"
        if not any(given(action.inputs.get(key)) for key in SIZES):
            yield action, "desiredCapacity", "no size to change to"
        cron = literal(action.inputs.get("recurrence"))
        if cron and not CRON.fullmatch(cron.strip()):
            yield action, "recurrence", f"{cron!r} is no cron of five fields"


@rule(
    "BLOCK-START",
    GROUP,
    what="a group of a Capacity Block that nothing ever starts",
    why="the block is paid up front and runs from its start, whether nodes are in it or not",
    remedy="a scheduled action at the start of the block with the nodes of the plan, or the size in the group itself",
    example="desiredCapacity: 0 and no scheduled action that raises it",
)
def blocks_are_used(graph: Graph) -> Hits:
    for group in graph.of(GROUP):
        sizes = [whole(group.inputs.get(key)) for key in ("desiredCapacity", "minSize")]
        actions = [a for a in graph.of(SCHEDULE) if graph.target(a.inputs.get("autoscalingGroupName"), GROUP) is group]
        raised = any((whole(a.inputs.get(key)) or 0) > 0 for a in actions for key in ("desiredCapacity", "minSize"))
        block = any(map(is_block, templates_of(graph, group)))
        if block and 0 in sizes and not any(size for size in sizes if size) and not raised:
            yield group, "desiredCapacity", "no nodes, and no scheduled action that starts them"


@rule(
    "ASG-SCALED",
    GROUP,
    "autoscaling:Policy",
    SCHEDULE,
    severity=WARNING,
    what="a gang whose size something changes while it works",
    why="a job that needs every node ends when one is taken; nodes that are added bill and join nothing, and warm ones "
    "bill and wait",
    remedy="no scaling policy, nightly schedule, warm pool or instance refresh for a gang",
    example="a target tracking policy on the group of the fleet",
)
def gangs_keep_their_size(graph: Graph) -> Hits:
    for group in graph.of(GROUP):
        templates = templates_of(graph, group)
        if not any(map(has_efa, templates)) or nodes_of(group) < 2:
            continue
        pool = one(group.inputs.get("warmPool"))
        if given(group.inputs.get("warmPool")) and literal(pool.get("poolState")) in (None, "Running", "Hibernated"):
            yield group, "warmPool", "machines that run and wait"
        if given(group.inputs.get("instanceRefresh")):
            yield group, "instanceRefresh", "a change of the template replaces nodes under a running job"
        for policy in graph.of("autoscaling:Policy"):
            if graph.target(policy.inputs.get("autoscalingGroupName"), GROUP) is group:
                yield policy, "autoscalingGroupName", f"scales {group.name}, a gang"
        for action in graph.of(SCHEDULE) if not any(map(is_block, templates)) and not is_spot(graph, group) else ():
            again = given(action.inputs.get("recurrence"))
            if again and graph.target(action.inputs.get("autoscalingGroupName"), GROUP) is group:
                yield action, "recurrence", f"changes {group.name}, a gang, again and again"


@rule(
    "ASG-TIMES",
    GROUP,
    what="a time of a group that AWS refuses, or a check that cannot be",
    why="a grace period or cooldown is not below zero, a lifetime a day at least; a check by a load balancer needs one",
    remedy="healthCheckGracePeriod 0 to 7,200 seconds; healthCheckType EC2 where no load balancer stands",
    example="healthCheckGracePeriod: -1, or healthCheckType: ELB without a target group",
)
def times_are_some(graph: Graph) -> Hits:
    for group in graph.of(GROUP):
        for key, (least, most) in SECONDS.items():
            seconds = whole(group.inputs.get(key))
            if seconds is not None and not least <= seconds <= most:
                yield group, key, f"{seconds:,} seconds"
        age = whole(group.inputs.get("maxInstanceLifetime"))
        if age and not LIFETIME[0] <= age <= LIFETIME[1]:
            yield group, "maxInstanceLifetime", f"{age:,} seconds; {LIFETIME[0]:,} to {LIFETIME[1]:,}"
        checks = texts(group.inputs.get("healthCheckType"))
        if "ELB" in checks and not _balanced(graph, group):
            yield group, "healthCheckType", "ELB, and no load balancer or target group"


def _balanced(graph: Graph, group: Resource) -> bool:
    own = any(given(group.inputs.get(key)) for key in ("targetGroupArns", "loadBalancers", "trafficSources"))
    apart = graph.of("autoscaling:Attachment", "autoscaling:TrafficSourceAttachment")
    return own or any(graph.target(a.inputs.get("autoscalingGroupName"), GROUP) in (group, None) for a in apart)
