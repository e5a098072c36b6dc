"""ARNs, ids and names where AWS needs them, in plain text and in references to outputs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from planner.lint.iam.roles import ARN
from planner.lint.read.graph import REFERENCE, Graph, Resource
from planner.lint.read.values import leaves, literal
from planner.lint.rule import Hits, rule

ARN_KEYS = re.compile(r"arn|permissionsBoundary|managedPolicyArns|monitorArnLists|[A-Za-z]+Arns?")
ACTIONS = ("alarmActions", "okActions", "insufficientDataActions")  # these accept ARNs without an account
KMS_NAME = re.compile(r"alias/.+|(mrk-)?[0-9a-f-]{32,36}")
NAME_KEYS = ("role", "iamInstanceProfile", "autoscalingGroupName", "groupName", "launchTemplateName", "bucket")
# argument -> outputs that it may refer to
OUTPUTS: dict[str, tuple[str, ...]] = {
    "vpcId": ("id",),
    "subnetId": ("id",),
    "subnetIds": ("id",),
    "vpcZoneIdentifiers": ("id",),
    "routeTableId": ("id",),
    "routeTableIds": ("id",),
    "natGatewayId": ("id",),
    "internetGatewayId": ("id",),
    "gatewayId": ("id",),
    "allocationId": ("id", "allocationId"),
    "securityGroupId": ("id",),
    "securityGroupIds": ("id",),
    "vpcSecurityGroupIds": ("id",),
    "referencedSecurityGroupId": ("id",),
    "fileSystemId": ("id",),
    "networkInterfaceId": ("id",),
    "autoscalingGroupName": ("name", "id"),
    "launchTemplateId": ("id",),
    "launchTemplateName": ("name",),
    "role": ("name", "id"),
    "iamInstanceProfile": ("name", "id"),
    "bucket": ("id", "bucket"),
    "groupName": ("name", "id"),
    "AutoScalingGroupName": ("name", "id"),
    "InstanceId": ("id",),
    "NatGatewayId": ("id",),
    "FileSystemId": ("id",),
    "budgetName": ("name",),
    "topic": ("arn", "id"),
    "groups": ("name", "id"),
    "targetKeyId": ("keyId", "arn", "id"),
    "kmsKeyId": ("arn", "keyId", "id"),
    "logDestination": ("arn",),
}
# types whose id is not an ARN
PLAIN_IDS = ("iam:Role", "iam:InstanceProfile", "s3:Bucket", "cloudwatch:LogGroup", "kms:Key")


def _arguments(resource: Resource) -> Iterator[tuple[str, str, str]]:
    """Text arguments: place, key, value. Policies and tags are left out."""
    for where, leaf in leaves(resource.inputs):
        if isinstance(leaf, str) and not any(part in where for part in ("Statement", "tags.", "Condition")):
            yield where, where.rsplit(".", 1)[-1].split("[")[0], leaf


@rule(
    "ARN-SYNTAX",
    what="an invalid ARN, or an ARN where AWS needs a name",
    why="AWS rejects it; an instance profile fails only at launch",
    remedy="Use arn:aws:service:region:account:name or a reference to the resource's arn. Where AWS needs a "
    "name, use the name",
    example="iamInstanceProfile.arn: planner-dev-fleet-profile",
)
def invalid_arn(graph: Graph) -> Hits:
    for resource in graph.resources:
        for where, key, leaf in _arguments(resource) if resource.type.startswith("aws:") else ():
            text = literal(leaf)
            if not text:
                continue
            if _no_arn(key, text):
                yield resource, where, f"{text!r} is not an ARN"
            named = (key in NAME_KEYS and _by_name(resource, key)) or where.endswith("iamInstanceProfile.name")
            if named and text.startswith("arn:"):
                yield resource, where, f"{text!r} is an ARN, but {key} needs a name"


def _by_name(resource: Resource, key: str) -> bool:
    """Whether an argument is a name here: `role` is a name in IAM and an ARN elsewhere."""
    return key != "role" or resource.kind.startswith("iam:")


def _no_arn(key: str, text: str) -> bool:
    """Whether an argument needs an ARN and is not one."""
    if key in ACTIONS:
        return not text.startswith("arn:")
    # a KMS key may also be given by alias or id
    wanted = ARN_KEYS.fullmatch(key) or (key in ("kmsMasterKeyId", "kmsKeyId") and not KMS_NAME.fullmatch(text))
    return bool(wanted) and not ARN.fullmatch(text)


@rule(
    "REF-PROPERTY",
    what="a reference to the wrong output of a resource",
    why="The deployment stops halfway: Pulumi passes on an ARN for an id or a name for an ARN, and AWS rejects it",
    remedy="Refer to the output that the message names",
    example='roleArn: "${...role.name}"',
)
def reference_to_wrong_output(graph: Graph) -> Hits:
    for resource in graph.resources:
        for where, key, leaf in _arguments(resource) if resource.type.startswith("aws:") else ():
            body = REFERENCE.fullmatch(leaf)
            found = graph.split(body[1]) if body else None
            if found is None or not found[1] or not found[0].type.startswith("aws:"):
                continue
            other, output = found
            wanted = _wanted(where, key, other.kind) if _by_name(resource, key) else ()
            if wanted and output not in wanted and not output.lower().endswith(key.lower().removesuffix("s")):
                yield resource, where, f"refers to {output} of {other.name} instead of {' or '.join(wanted)}"


def _wanted(where: str, key: str, kind: str) -> tuple[str, ...]:
    if where.endswith("iamInstanceProfile.name"):
        return ("name", "id")
    if where.endswith("launchTemplate.id"):
        return ("id",)
    if ARN_KEYS.fullmatch(key) or key in ACTIONS:
        return ("arn",) if kind in PLAIN_IDS else ("arn", "id")
    return OUTPUTS.get(key, ())
