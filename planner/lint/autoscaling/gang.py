"""What a group does to its nodes by itself: start, end, replace and drain them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from planner.lint.autoscaling.spot import is_spot
from planner.lint.read.graph import Graph, Resource
from planner.lint.read.policies import IDENTITY, allows, matches, policies
from planner.lint.read.topology import GROUP, has_efa, is_block, nodes_of, role_of, templates_of
from planner.lint.read.values import Json, flag, given, literal, many, texts, whole
from planner.lint.rule import WARNING, Hits, rule

HOOK = "autoscaling:LifecycleHook"
LAUNCHING, TERMINATING = "autoscaling:EC2_INSTANCE_LAUNCHING", "autoscaling:EC2_INSTANCE_TERMINATING"
ENDS = re.compile(r"drain|terminat|shutdown|evict", re.IGNORECASE)
BEGINS = re.compile(r"launch|boot|start|warm", re.IGNORECASE)


@rule(
    "ASG-GANG",
    GROUP,
    severity=WARNING,
    what="a gang whose nodes may be replaced under it",
    why="AZRebalance and ReplaceUnhealthy take nodes out of a running job that needs all of them",
    remedy="suspendedProcesses with AZRebalance and ReplaceUnhealthy",
    example="a fixed group with EFA without suspendedProcesses",
)
def gang_is_left_alone(graph: Graph) -> Hits:
    for group in graph.of(GROUP):
        low, high = whole(group.inputs.get("minSize")), whole(group.inputs.get("maxSize"))
        gang = any(has_efa(template) for template in templates_of(graph, group))
        missing = {"AZRebalance", "ReplaceUnhealthy"} - set(texts(group.inputs.get("suspendedProcesses")))
        if gang and low == high and (low or 0) > 1 and not is_spot(graph, group) and missing:
            yield group, "suspendedProcesses", f"{' and '.join(sorted(missing))} not suspended"


@rule(
    "ASG-SUSPENDED",
    GROUP,
    what="a group that may not start or end nodes",
    why="with Launch suspended no node ever comes, and a lost one stays lost; with Terminate suspended none goes, and "
    "all go on billing",
    remedy="suspendedProcesses without Launch and Terminate: AZRebalance and ReplaceUnhealthy for a gang",
    example="suspendedProcesses: [AZRebalance, ReplaceUnhealthy, Launch]",
)
def group_may_work(graph: Graph) -> Hits:
    for group in graph.of(GROUP):
        stopped = {"Launch", "Terminate"} & set(texts(group.inputs.get("suspendedProcesses")))
        if stopped and nodes_of(group):
            yield group, "suspendedProcesses", f"{' and '.join(sorted(stopped))} suspended"


@rule(
    "ASG-LIFETIME",
    GROUP,
    severity=WARNING,
    what="a gang whose nodes are ended by age, or with the group while they work",
    why="a node that is replaced by age takes the whole job down; forceDelete ends nodes without their drain",
    remedy="no maxInstanceLifetime for a gang, no forceDelete",
    example="maxInstanceLifetime: 86400 on a fixed group with EFA",
)
def gang_does_not_age(graph: Graph) -> Hits:
    for group in graph.of(GROUP):
        gang = any(has_efa(template) for template in templates_of(graph, group))
        age = whole(group.inputs.get("maxInstanceLifetime"))
        if gang and age:
            yield group, "maxInstanceLifetime", f"nodes are replaced after {age:,} seconds"
        if flag(group.inputs.get("forceDelete")):
            yield group, "forceDelete", "nodes end without their lifecycle hooks"


@rule(
    "ASG-PROTECT",
    GROUP,
    severity=WARNING,
    what="a gang of fixed size that may be scaled in under a running job",
    why="a mistyped desired capacity, or a scaling policy, takes nodes out of a job that needs all of them",
    remedy="protectFromScaleIn true, except on spot and in a Capacity Block, whose end must get the nodes away",
    example="an on-demand gang without protectFromScaleIn",
)
def gang_is_protected(graph: Graph) -> Hits:
    for group in graph.of(GROUP):
        templates = templates_of(graph, group)
        scaled = graph.pointing(group, "autoscaling:Schedule", "autoscalingGroupName")
        # only a group that once said so is known to want it
        said = flag(group.inputs.get("protectFromScaleIn")) is False
        gang = any(map(has_efa, templates)) and nodes_of(group) > 1
        ends = any(map(is_block, templates)) or is_spot(graph, group)
        if said and gang and not ends and not scaled:
            yield group, "protectFromScaleIn", "false on a gang that nothing scales"


def _hooks(graph: Graph) -> Iterator[tuple[Resource, str, Json]]:
    """Every lifecycle hook: the resource that holds it, where, what it says."""
    for hook in graph.of(HOOK):
        yield hook, "", hook.inputs
    for group in graph.of(GROUP):
        for i, block in enumerate(many(group.inputs.get("initialLifecycleHooks"))):
            yield group, f"initialLifecycleHooks[{i}].", block


@rule(
    "ASG-HOOK",
    "autoscaling:LifecycleHook",
    what="a lifecycle hook with a time that AWS refuses",
    why="a hook waits 30 to 7,200 seconds",
    remedy="heartbeatTimeout within 30 and 7,200",
    example="heartbeatTimeout: 10",
)
def hook_waits(graph: Graph) -> Hits:
    for resource, where, block in _hooks(graph):
        seconds = whole(block.get("heartbeatTimeout"))
        if seconds is not None and not 30 <= seconds <= 7200:
            yield resource, f"{where}heartbeatTimeout", f"{seconds:,} seconds"
        if given(block.get("notificationTargetArn")) and not given(block.get("roleArn")):
            yield resource, f"{where}roleArn", "a target of notices without the role that writes to it"


@rule(
    "ASG-HOOK-WAY",
    HOOK,
    GROUP,
    what="a hook at the wrong end of a node's life, or a drain without one",
    why="a drain that runs at the launch holds every new node back, and the ending node goes without being drained: "
    "checkpoints and cached data go with it",
    remedy="lifecycleTransition autoscaling:EC2_INSTANCE_TERMINATING for a drain",
    example="the hook `drain` with EC2_INSTANCE_LAUNCHING",
)
def hooks_are_at_the_right_end(graph: Graph) -> Hits:
    hooked: set[Resource | None] = set()
    for resource, where, block in _hooks(graph):
        name = literal(block.get("name")) or resource.name
        way = block.get("lifecycleTransition")
        if way == LAUNCHING and ENDS.search(name):
            yield resource, f"{where}lifecycleTransition", f"{name!r} runs when a node starts"
        elif way == TERMINATING and BEGINS.search(name) and not ENDS.search(name):
            yield resource, f"{where}lifecycleTransition", f"{name!r} runs when a node ends"
        if resource.kind == GROUP:
            hooked.add(resource)
        else:
            hooked.add(graph.target(block.get("autoscalingGroupName"), GROUP))
    if None in hooked:  # a hook of a group that the graph does not tell
        return
    drains = _drain_roles(graph)
    for group in graph.of(GROUP):
        roles = {role_of(graph, template) for template in templates_of(graph, group)}
        if group not in hooked and roles & drains:
            yield group, "lifecycleHooks", "its nodes may complete a lifecycle action, and it has no hook"


def _drain_roles(graph: Graph) -> set[Resource]:
    """Roles that may say that a node is done with its lifecycle hook."""
    found: set[Resource] = set()
    for policy in policies(graph):
        role = graph.target(policy.holder.inputs.get("role"), "iam:Role")
        if policy.kind != IDENTITY or role is None:
            continue
        for _, statement in policy.statements():
            actions = texts(statement.get("Action")) if allows(statement) else []
            if any(matches(action, "autoscaling:CompleteLifecycleAction") and action != "*" for action in actions):
                found.add(role)
    return found
