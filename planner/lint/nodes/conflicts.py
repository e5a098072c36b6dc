"""Settings of a template or an instance that EC2 does not accept together, and first boots that fail."""

from __future__ import annotations

import re
from collections.abc import Iterator

from planner.lint.nodes.user_data import user_data
from planner.lint.read.graph import Graph, Resource
from planner.lint.read.topology import (
    GROUP,
    INSTANCE,
    TEMPLATE,
    from_template,
    node_configs,
    nodes_of,
    types_of,
    users_of,
)
from planner.lint.read.values import at, flag, given, literal, many, one, texts, whole
from planner.lint.rule import WARNING, Hits, rule
from planner.lint.storage.buckets import MADE

ACCELERATED = ("p", "trn", "inf", "dl", "vt")  # instance families without hibernation
PIPED = re.compile(rb"(curl|wget)[^\n|]*http://(?!169\.254\.|127\.|localhost|\$)[^\n|]*\|\s*(sudo\s+)?(ba|z|da)?sh\b")


@rule(
    "LT-TOGETHER",
    TEMPLATE,
    INSTANCE,
    what="two settings that EC2 does not accept together",
    why="The template is created, and every launch from it fails: no provider checks this combination",
    remedy="Keep one of the two settings that the message names",
    example="capacityReservationPreference and capacityReservationTarget in one template",
)
def conflicting_template_settings(graph: Graph) -> Hits:
    for resource in node_configs(graph):
        for where, message in _refused(graph, resource):
            yield resource, where, message


def _refused(graph: Graph, resource: Resource) -> Iterator[tuple[str, str]]:
    inputs = resource.inputs
    reserved = one(inputs.get("capacityReservationSpecification"))
    target = one(reserved.get("capacityReservationTarget"))
    here = "capacityReservationSpecification"
    if target and literal(reserved.get("capacityReservationPreference")) in ("open", "none"):
        yield f"{here}.capacityReservationPreference", "a preference and a target are both given"
    if given(target.get("capacityReservationId")) and given(target.get("capacityReservationResourceGroupArn")):
        yield f"{here}.capacityReservationTarget", "a reservation and a reservation group are both given"
    if given(inputs.get("instanceRequirements")) and given(inputs.get("instanceType")):
        yield "instanceRequirements", "instanceRequirements and instanceType are both given"
    profile = one(inputs.get("iamInstanceProfile"))
    if given(profile.get("arn")) and given(profile.get("name")):
        yield "iamInstanceProfile", "the profile's ARN and its name are both given"
    arn = literal(profile.get("arn"))
    if arn and arn.startswith("arn:") and ":instance-profile/" not in arn:
        yield "iamInstanceProfile.arn", f"{arn!r} is not an instance profile"
    placed = graph.target(at(inputs, "placement.groupName"), "ec2:PlacementGroup")
    if given(at(inputs, "placement.partitionNumber")) and placed and placed.inputs.get("strategy") != "partition":
        yield "placement.partitionNumber", f"{placed.name} has no partitions"
    kinds = [name for name, _ in types_of(graph, resource)] if resource.kind == TEMPLATE else []
    kinds += texts(inputs.get("instanceType")) if resource.kind == INSTANCE else []
    families = {kind: re.match(r"[a-z]+", kind) for kind in kinds if literal(kind)}
    if flag(at(inputs, "hibernationOptions.configured")) or flag(inputs.get("hibernation")):
        for kind, family in families.items():
            if family and family[0] in ACCELERATED:
                yield "hibernationOptions", f"{kind} does not support hibernation"
    if given(at(inputs, "creditSpecification.cpuCredits")):
        for kind, family in families.items():
            if family and family[0] != "t":
                yield "creditSpecification", f"{kind} has no CPU credits"
    threads = whole(at(inputs, "cpuOptions.threadsPerCore"))
    if threads is not None and threads not in (1, 2):
        yield "cpuOptions.threadsPerCore", f"{threads} threads per core; allowed: 1 or 2"
    if resource.kind == INSTANCE and given(inputs.get("primaryNetworkInterface")):
        for key in ("subnetId", "vpcSecurityGroupIds", "securityGroups", "privateIp", "associatePublicIpAddress"):
            if given(inputs.get(key)) and inputs[key] is not False:
                yield key, f"{key} belongs on the separate network interface"


@rule(
    "LT-ONE-NODE",
    TEMPLATE,
    what="a launch template that can start only one node",
    why="The second node fails to launch, and the job never starts: an interface or a fixed address belongs "
    "to one node",
    remedy="Remove networkInterfaceId and fixed addresses from the group's template",
    example="privateIpAddress in networkInterfaces[0] of a template of 16 nodes",
)
def template_for_one_node(graph: Graph) -> Hits:
    for template in graph.of(TEMPLATE):
        nodes = sum(nodes_of(user) for user in users_of(graph, template) if user.kind == GROUP)
        for i, nic in enumerate(many(template.inputs.get("networkInterfaces")) if nodes > 1 else ()):
            for key in ("networkInterfaceId", "privateIpAddress", "ipv4Addresses", "ipv6Addresses"):
                if given(nic.get(key)):
                    yield template, f"networkInterfaces[{i}].{key}", f"one {key} for {nodes:,} nodes"


@rule(
    "USERDATA-RUNS",
    TEMPLATE,
    INSTANCE,
    severity=WARNING,
    what="a first boot that fails, does nothing, or runs an unverified script",
    why="The node starts without its software, or runs someone else's script as root. Linux reads a Windows "
    "line ending as part of the interpreter's name; without user data a node does not fetch the stack's "
    "bundle; a script over plain http can be changed in transit",
    remedy="Use Unix line endings, user data that fetches the stack's bundle, and https with a checksum",
    example="#!/bin/bash with a carriage return, or curl http://... | bash",
)
def first_boot_fails_or_unsafe(graph: Graph) -> Hits:
    for resource, key, data in user_data(graph):
        if data and data.startswith(b"#!") and data.split(b"\n")[0].endswith(b"\r"):
            yield resource, key, "Windows line endings, so the interpreter is not found"
        if data and PIPED.search(data):
            yield resource, key, "runs a script downloaded over plain http"
    bundled = [made for kind in MADE for made in graph.of(kind)]
    for resource in node_configs(graph) if bundled else ():
        used = resource.kind == INSTANCE or users_of(graph, resource)
        own = any(given(resource.inputs.get(key)) for key in ("userData", "userDataBase64"))
        if used and not own and not from_template(resource):
            yield resource, "userData", f"no user data, but the stack has {bundled[0].name} for its nodes"
