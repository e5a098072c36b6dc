"""Security groups of interfaces: at least one, not too many, and one shared by all EFA interfaces."""

from __future__ import annotations

from collections import Counter

from planner.lint.inputs.names import is_ours
from planner.lint.nodes.network_cards import LAUNCH_FAILS, interfaces
from planner.lint.read.graph import Graph, Resource
from planner.lint.read.topology import CARD, EFA, INSTANCE, SECURITY, TEMPLATE, completed_by_service
from planner.lint.read.values import given, literal, many, texts
from planner.lint.rule import WARNING, Hits, rule

MOST = 5  # default quota per interface; source: Amazon VPC user guide, "Amazon VPC quotas"


@rule(
    "NIC-GROUP",
    TEMPLATE,
    INSTANCE,
    CARD,
    what="an interface without a security group",
    why="EFA traffic may be dropped without an error: the interface gets the VPC's default group, and EFA "
    "does not pass between different groups",
    remedy="Set securityGroups on every interface, with the same group on all EFA interfaces",
    example="networkInterfaces[7] without securityGroups",
)
def interface_without_security_group(graph: Graph) -> Hits:
    for template, i, nic in interfaces(graph):
        if not given(nic.get("securityGroups")) and not given(nic.get("networkInterfaceId")):
            yield template, f"networkInterfaces[{i}].securityGroups", "no security group"
        elif "" in texts(nic.get("securityGroups")):
            yield template, f"networkInterfaces[{i}].securityGroups", "an empty security group id"
    # without EFA the default group is a choice that others may have made
    for resource in graph.of(TEMPLATE, INSTANCE, CARD) if is_ours(graph) else graph.of(CARD):
        inner = ("networkInterfaces", "primaryNetworkInterface", "launchTemplate")
        groups = ("vpcSecurityGroupIds", "securityGroups", "securityGroupNames", *inner)
        if resource.kind == CARD:
            groups = ("securityGroups",)
        if not any(given(resource.inputs.get(key)) for key in groups) and not completed_by_service(graph, resource):
            apart = graph.of("ec2:NetworkInterfaceSecurityGroupAttachment")
            if not any(graph.target(a.inputs.get("networkInterfaceId")) in (resource, None) for a in apart):
                yield resource, groups[0], "no security group, so it gets the VPC's default one"


@rule(
    "NIC-GROUPS-MANY",
    TEMPLATE,
    INSTANCE,
    CARD,
    severity=WARNING,
    what="more security groups on an interface than the default quota",
    why=f"{LAUNCH_FAILS}. The default quota is 5 groups per interface, and AWS raises it to 16 at most",
    remedy="Use fewer groups with more rules each, or raise the quota before you deploy",
    example="six groups in networkInterfaces[0].securityGroups",
)
def security_groups_beyond_quota(graph: Graph) -> Hits:
    for template, i, nic in interfaces(graph):
        count = len(set(texts(nic.get("securityGroups"))))
        if count > MOST:
            yield template, f"networkInterfaces[{i}].securityGroups", f"{count} security groups"
    for resource in graph.of(TEMPLATE, INSTANCE, CARD):
        for key in ("vpcSecurityGroupIds", "securityGroups"):
            count = len(set(texts(resource.inputs.get(key))))
            if count > MOST:
                yield resource, key, f"{count} security groups"


@rule(
    "EFA-GROUP",
    TEMPLATE,
    what="EFA interfaces of one node in different security groups",
    why="The job hangs at its first collective: EFA passes only between members of one group, so the card in "
    "another group drops all traffic without an error",
    remedy="Use the same security group on every EFA interface",
    example="networkInterfaces[3].securityGroups differs from the other interfaces",
)
def efa_in_different_groups(graph: Graph) -> Hits:
    for template in graph.of(TEMPLATE):
        held: dict[int, frozenset[object]] = {}
        for i, nic in enumerate(many(template.inputs.get("networkInterfaces"))):
            named = texts(nic.get("securityGroups")) if nic.get("interfaceType") in EFA else []
            marks = [graph.target(text, SECURITY) or text for text in named if text]
            if marks and all(isinstance(mark, Resource) or literal(mark) for mark in marks):
                held[i] = frozenset(marks)
        counts = Counter(group for groups in held.values() for group in groups)
        if not counts or max(counts.values()) == len(held):
            continue
        most = min(counts, key=lambda group: (-counts[group], _called(group)))
        for i, groups in held.items():
            if most not in groups:
                place = f"networkInterfaces[{i}].securityGroups"
                yield template, place, f"not in {_called(most)}, unlike the other EFA interfaces"


def _called(group: object) -> str:
    return group.name if isinstance(group, Resource) else str(group)
