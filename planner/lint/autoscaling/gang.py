"""What a group does to its nodes by itself: launch, terminate, replace and drain them."""

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
DESTRUCTIVE = re.compile(r"drain|terminat|shutdown|evict", re.IGNORECASE)
BEGINS = re.compile(r"launch|boot|start|warm", re.IGNORECASE)


@rule(
    "ASG-GANG",
    GROUP,
    severity=WARNING,
    what="a fixed-size group that may replace nodes during a job",
    why="AZRebalance and ReplaceUnhealthy can terminate nodes of a running job that needs all of them",
    remedy="Set suspendedProcesses to AZRebalance and ReplaceUnhealthy",
    example="a fixed-size group with EFA and no suspendedProcesses",
)
def nodes_replaced_during_job(graph: Graph) -> Hits:
    for group in graph.of(GROUP):
        low, high = whole(group.inputs.get("minSize")), whole(group.inputs.get("maxSize"))
        gang = any(has_efa(template) for template in templates_of(graph, group))
        missing = {"AZRebalance", "ReplaceUnhealthy"} - set(texts(group.inputs.get("suspendedProcesses")))
        if gang and low == high and (low or 0) > 1 and not is_spot(graph, group) and missing:
            yield group, "suspendedProcesses", f"{' and '.join(sorted(missing))} not suspended"


@rule(
    "ASG-SUSPENDED",
    GROUP,
    what="a group that may not launch or terminate nodes",
    why="With Launch suspended, no node starts and none is replaced. With Terminate suspended, none stops, "
    "and all are billed",
    remedy="Remove Launch and Terminate from suspendedProcesses; keep AZRebalance and ReplaceUnhealthy",
    example="suspendedProcesses: [AZRebalance, ReplaceUnhealthy, Launch]",
)
def launch_or_terminate_suspended(graph: Graph) -> Hits:
    for group in graph.of(GROUP):
        stopped = {"Launch", "Terminate"} & set(texts(group.inputs.get("suspendedProcesses")))
        if stopped and nodes_of(group):
            yield group, "suspendedProcesses", f"{' and '.join(sorted(stopped))} suspended"


@rule(
    "ASG-LIFETIME",
    GROUP,
    severity=WARNING,
    what="a fixed-size group that terminates nodes by age or without draining",
    why="The whole job stops when one node is replaced by age, and forceDelete skips the drain",
    remedy="Remove maxInstanceLifetime and forceDelete",
    example="maxInstanceLifetime: 86400 on a fixed-size group with EFA",
)
def nodes_terminated_by_age(graph: Graph) -> Hits:
    for group in graph.of(GROUP):
        gang = any(has_efa(template) for template in templates_of(graph, group))
        age = whole(group.inputs.get("maxInstanceLifetime"))
        if gang and age:
            yield group, "maxInstanceLifetime", f"nodes are replaced after {age:,} seconds"
        if flag(group.inputs.get("forceDelete")):
            yield group, "forceDelete", "nodes terminate without their lifecycle hooks"


@rule(
    "ASG-PROTECT",
    GROUP,
    severity=WARNING,
    what="a fixed-size group that can be scaled in during a job",
    why="A mistyped desired capacity or a scaling policy can terminate nodes of a job that needs all of them",
    remedy="Set protectFromScaleIn: true, except on Spot and in a Capacity Block, where the nodes must be able "
    "to leave",
    example="an On-Demand group of fixed size without protectFromScaleIn",
)
def scale_in_not_blocked(graph: Graph) -> Hits:
    for group in graph.of(GROUP):
        templates = templates_of(graph, group)
        scaled = graph.pointing(group, "autoscaling:Schedule", "autoscalingGroupName")
        # without the setting in the graph, the intention is unknown
        said = flag(group.inputs.get("protectFromScaleIn")) is False
        gang = any(map(has_efa, templates)) and nodes_of(group) > 1
        ends = any(map(is_block, templates)) or is_spot(graph, group)
        if said and gang and not ends and not scaled:
            yield group, "protectFromScaleIn", "a fixed-size group without scale-in protection"


def _hooks(graph: Graph) -> Iterator[tuple[Resource, str, Json]]:
    """Every lifecycle hook: the resource that contains it, the property prefix, the hook's inputs."""
    for hook in graph.of(HOOK):
        yield hook, "", hook.inputs
    for group in graph.of(GROUP):
        for i, block in enumerate(many(group.inputs.get("initialLifecycleHooks"))):
            yield group, f"initialLifecycleHooks[{i}].", block


@rule(
    "ASG-HOOK",
    "autoscaling:LifecycleHook",
    what="an invalid lifecycle hook",
    why="AWS rejects the hook: its timeout must be 30 to 7,200 seconds, and a notification target needs a "
    "role that may write to it",
    remedy="Set heartbeatTimeout to 30 to 7,200 seconds, and roleArn with notificationTargetArn",
    example="heartbeatTimeout: 10",
)
def invalid_hook_timeout(graph: Graph) -> Hits:
    for resource, where, block in _hooks(graph):
        seconds = whole(block.get("heartbeatTimeout"))
        if seconds is not None and not 30 <= seconds <= 7200:
            yield resource, f"{where}heartbeatTimeout", f"{seconds:,} seconds"
        if given(block.get("notificationTargetArn")) and not given(block.get("roleArn")):
            yield resource, f"{where}roleArn", "a notification target without a role that may write to it"


@rule(
    "ASG-HOOK-RESULT",
    HOOK,
    GROUP,
    severity=WARNING,
    what="a launch hook that lets a node in when it says nothing",
    why="A node that never becomes ready is counted in service after the timeout, is billed and gets work: the hook's "
    "default result is CONTINUE",
    remedy="Set defaultResult: ABANDON on the launch hook, so that the group ends and replaces such a node",
    example="defaultResult: CONTINUE with EC2_INSTANCE_LAUNCHING",
)
def launch_hook_continues(graph: Graph) -> Hits:
    for resource, where, block in _hooks(graph):
        if block.get("lifecycleTransition") == LAUNCHING and block.get("defaultResult") == "CONTINUE":
            yield resource, f"{where}defaultResult", "a node that says nothing is counted in service"


@rule(
    "ASG-HOOK-WAY",
    HOOK,
    GROUP,
    what="a drain hook on the wrong transition, or a drain without a hook",
    why="Nodes terminate without draining, and checkpoints and cached data are lost. On the launch "
    "transition, the hook holds up every new node instead",
    remedy="Set lifecycleTransition to autoscaling:EC2_INSTANCE_TERMINATING",
    example="the hook `drain` with EC2_INSTANCE_LAUNCHING",
)
def drain_hook_at_launch(graph: Graph) -> Hits:
    hooked: set[Resource | None] = set()
    for resource, where, block in _hooks(graph):
        name = literal(block.get("name")) or resource.name
        way = block.get("lifecycleTransition")
        if way == LAUNCHING and DESTRUCTIVE.search(name):
            yield (
                resource,
                f"{where}lifecycleTransition",
                f"hook {name!r} runs when a node starts, not when it terminates",
            )
        elif way == TERMINATING and BEGINS.search(name) and not DESTRUCTIVE.search(name):
            yield (
                resource,
                f"{where}lifecycleTransition",
                f"hook {name!r} runs when a node terminates, not when it starts",
            )
        if resource.kind == GROUP:
            hooked.add(resource)
        else:
            hooked.add(graph.target(block.get("autoscalingGroupName"), GROUP))
    if None in hooked:  # the hook may belong to a group outside the graph
        return
    drains = _drain_roles(graph)
    for group in graph.of(GROUP):
        roles = {role_of(graph, template) for template in templates_of(graph, group)}
        if group not in hooked and roles & drains:
            yield group, "lifecycleHooks", "nodes may complete a lifecycle action, but the group has no hook"


def _drain_roles(graph: Graph) -> set[Resource]:
    """Roles that may complete a lifecycle hook."""
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
