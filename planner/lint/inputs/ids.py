"""Ids and names in plain text: of the right form, and not one character off an id or name in the stack."""

from __future__ import annotations

import re
from collections.abc import Iterator

from planner.lint.read.graph import Graph, Resource
from planner.lint.read.topology import GROUP
from planner.lint.read.values import leaves, literal
from planner.lint.rule import Hits, rule

# argument -> prefix of its id
PREFIXES: dict[str, str] = {
    "vpcId": "vpc",
    "subnetId": "subnet",
    "subnetIds": "subnet",
    "vpcZoneIdentifiers": "subnet",
    "routeTableId": "rtb",
    "routeTableIds": "rtb",
    "natGatewayId": "nat",
    "internetGatewayId": "igw",
    "allocationId": "eipalloc",
    "securityGroupId": "sg",
    "securityGroupIds": "sg",
    "vpcSecurityGroupIds": "sg",
    "referencedSecurityGroupId": "sg",
    "networkInterfaceId": "eni",
    "vpcEndpointId": "vpce",
    "vpcPeeringConnectionId": "pcx",
    "transitGatewayId": "tgw",
    "egressOnlyGatewayId": "eigw",
    "prefixListId": "pl",
    "networkAclId": "acl",
    "snapshotId": "snap",
    "volumeId": "vol",
    "fileSystemId": "fs",
    "capacityReservationId": "cr",
    "launchTemplateId": "lt",
}
# argument -> type whose name it needs
NAMES: dict[str, str] = {
    "role": "iam:Role",
    "iamInstanceProfile": "iam:InstanceProfile",
    "autoscalingGroupName": GROUP,
    "AutoScalingGroupName": GROUP,
    "budgetName": "budgets:Budget",
    "placementGroup": "ec2:PlacementGroup",
    "groupName": "ec2:PlacementGroup",
    "bucket": "s3:Bucket",
}
INTERFACES = (
    "ec2:LaunchTemplate",
    "ec2:NetworkInterface",
)  # securityGroups are ids here; elsewhere they may be names


@rule(
    "REF-ID",
    what="an id or name that is invalid, or one character off one in the stack",
    why="AWS rejects it during the deployment, or the argument points at the wrong thing: an alarm on a group "
    "that does not exist stays silent",
    remedy="Use a reference to the resource, or its id as AWS shows it",
    example="subnetId: network-subnet-public",
)
def invalid_or_mistyped_id(graph: Graph) -> Hits:
    named = {kind: [r for r in graph.of(kind) if r.physical] for kind in NAMES.values()}
    ids = sorted({text for resource in graph.resources for text in resource.ids if "-" in text})
    logical = {resource.name: resource for resource in graph.resources}
    for resource in graph.resources:
        if not resource.type.startswith("aws:"):
            continue
        for where, key, text, prefix in _plain(resource):
            if prefix and graph.target(text) is None:
                begun = re.fullmatch(rf"{prefix}-[0-9a-zA-Z-]+", text)
                close = [known for known in ids if known.startswith(f"{prefix}-") and _one_off(text, known)]
                if not begun:
                    yield resource, where, f"{text[:80]!r} is not an AWS id ({prefix}-...){_program(logical.get(text))}"
                elif close:
                    yield resource, where, f"{text!r} is not in the stack; did you mean {close[0]!r}?"
            elif not prefix and graph.target(text, NAMES[key]) is None:
                found = logical.get(text)
                meant = found if found is not None and found.kind == NAMES[key] and found.physical else None
                close = [r.physical for r in named[NAMES[key]] if r.physical and _one_off(text, r.physical, names=True)]
                if meant is not None and meant is not resource:
                    yield resource, where, f"the AWS name of {text!r} is {meant.physical!r}{_program(meant)}"
                elif close:
                    yield resource, where, f"{text!r} is not in the stack; did you mean {close[0]!r}?"


def _plain(resource: Resource) -> Iterator[tuple[str, str, str, str]]:
    """Arguments with an id or a name in plain text: place, argument, text, id prefix ("" for a name)."""
    for where, leaf in leaves(resource.inputs):
        head, _, last = where.rpartition(".")
        key = last.split("[")[0]
        if head.endswith("iamInstanceProfile") and key == "name":
            key = "iamInstanceProfile"
        elif head.endswith(("launchTemplate", "launchTemplateSpecification")) and key == "id":
            key = "launchTemplateId"
        prefix = PREFIXES.get(key, "")
        if key == "securityGroups" and resource.kind in INTERFACES:
            prefix = "sg"
        wanted = prefix or key in NAMES
        # a bucket's own name, policies and tags are left out
        if not wanted or (key == "bucket" and resource.kind == "s3:Bucket") or "tags" in head or "Statement" in head:
            continue
        if isinstance(leaf, int | float) and not isinstance(leaf, bool) and prefix:
            yield where, key, str(leaf), prefix
        elif text := literal(leaf):
            yield where, key, text, prefix


def _program(resource: Resource | None) -> str:
    return f". {resource.name} is only its name in the program" if resource is not None else ""


def _one_off(text: str, known: str, *, names: bool = False) -> bool:
    """Whether two texts differ in one character. Names that differ in a digit count as different names."""
    if text == known or abs(len(text) - len(known)) > 1 or len(known) < 5:
        return False
    at = next((i for i, (a, b) in enumerate(zip(text, known, strict=False)) if a != b), min(len(text), len(known)))
    rests = (text[at + 1 :], known[at + 1 :]), (text[at:], known[at + 1 :]), (text[at + 1 :], known[at:])
    if names and (text[at : at + 1].isdigit() or known[at : at + 1].isdigit()):
        return False
    return any(a == b for a, b in rests)
