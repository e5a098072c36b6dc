"""Missing and unknown arguments.

The provider drops a mistyped key without a warning. arguments.csv lists the valid keys; `make docs` writes it from the
types of pulumi_aws, so that lint does not import Pulumi.
"""

from __future__ import annotations

import csv
from collections.abc import Container, Iterator
from functools import cache
from pathlib import Path

from planner.lint.read.graph import Graph, Resource
from planner.lint.read.suggestions import suggestion
from planner.lint.read.topology import (
    GROUP,
    INSTANCE,
    SUBNET,
    TEMPLATE,
    VPC,
    completed_by_service,
    specifications,
    users_of,
)
from planner.lint.read.values import Json, given, many
from planner.lint.rule import Hits, rule

# type -> required arguments; of alternatives separated by |, one is enough
REQUIRED: dict[str, tuple[str, ...]] = {
    VPC: ("cidrBlock|ipv4IpamPoolId",),
    SUBNET: ("vpcId", "cidrBlock|ipv6CidrBlock|ipv4IpamPoolId"),
    GROUP: ("minSize", "maxSize", "vpcZoneIdentifiers|availabilityZones|availabilityZone"),
    "autoscaling:LifecycleHook": ("autoscalingGroupName", "lifecycleTransition"),
    "autoscaling:Schedule": ("autoscalingGroupName",),
    "budgets:Budget": ("budgetType", "timeUnit"),
    "cloudwatch:MetricAlarm": ("evaluationPeriods",),
    "ec2:Instance": ("instanceType|launchTemplate",),  # without a subnet it starts in the default VPC
    "ec2:InternetGatewayAttachment": ("vpcId", "internetGatewayId"),
    "ec2:NatGateway": ("subnetId",),
    "ec2:NetworkInterface": ("subnetId",),
    "ec2:PlacementGroup": ("strategy",),
    "ec2:Route": ("routeTableId", "destinationCidrBlock|destinationIpv6CidrBlock|destinationPrefixListId"),
    "ec2:RouteTable": ("vpcId",),
    "ec2:RouteTableAssociation": ("routeTableId", "subnetId|gatewayId"),
    "ec2:VpcEndpoint": ("vpcId", "serviceName|resourceConfigurationArn|serviceNetworkArn"),
    "fsx:DataRepositoryAssociation": ("fileSystemId", "fileSystemPath", "dataRepositoryPath"),
    "iam:InstanceProfile": ("role",),
    "iam:Role": ("assumeRolePolicy",),
    "iam:RolePolicy": ("role", "policy"),
    "iam:RolePolicyAttachment": ("role", "policyArn"),
    "s3:BucketLifecycleConfiguration": ("bucket", "rules|rule"),
    "s3:BucketObjectv2": ("bucket", "key", "source|content|contentBase64"),
    "s3:BucketPolicy": ("bucket", "policy"),
    "s3:BucketPublicAccessBlock": ("bucket",),
    "s3:BucketServerSideEncryptionConfiguration": ("bucket", "rules|rule"),
    "s3:BucketVersioning": ("bucket", "versioningConfiguration"),
    "sns:TopicSubscription": ("topic", "protocol", "endpoint"),
    "vpc:SecurityGroupEgressRule": ("securityGroupId",),
    "vpc:SecurityGroupIngressRule": ("securityGroupId",),
}


@rule(
    "INPUT-MISSING",
    *sorted(REQUIRED),
    what="a missing required argument",
    why="AWS rejects the resource. A key that is mistyped in a mapping is dropped without a warning",
    remedy="Set the argument that the message names",
    example="a Subnet without vpcId",
)
def missing_argument(graph: Graph) -> Hits:
    for kind, wanted in REQUIRED.items():
        for resource in graph.of(kind):
            for keys in wanted:
                if not any(given(resource.inputs.get(key)) for key in keys.split("|")):
                    # the subnet may be in the interfaces of the launch template
                    if kind == GROUP and "vpcZoneIdentifiers" in keys and _placed(graph, resource):
                        continue
                    # without one AWS takes the default VPC, which is meant where the graph has no network
                    if kind == INSTANCE and "subnetId" in keys and not graph.of(SUBNET):
                        continue
                    yield resource, keys.split("|")[0], f"{keys.replace('|', ' or ')} is missing"
    for resource in graph.resources:
        known = known_inputs().get(resource.kind)
        said = {key for keys in REQUIRED.get(resource.kind, ()) for key in keys.split("|")}
        for place, path, block in blocks(resource.inputs, known) if known else ():
            # SG-PORTS checks ports: all traffic has none
            if path in ("ingress", "egress"):
                continue
            for key in sorted(known[path][0] - (said if not path else set())) if known else ():
                # an empty list may be intended, an empty string never is
                if block.get(key) in (None, ""):
                    where = f"{place}.{key}".lstrip(".")
                    yield resource, where, f"{path or 'the resource'} has no {key}"
    for template in graph.of(TEMPLATE):
        chosen = any(types for user in users_of(graph, template) for _, _, types in specifications(user))
        wide = given(template.inputs.get("instanceRequirements"))
        if not (given(template.inputs.get("instanceType")) or chosen or wide or completed_by_service(graph, template)):
            yield template, "instanceType", "no instanceType here or in any group"


def _placed(graph: Graph, group: Resource) -> bool:
    templates = [template for template in graph.of(TEMPLATE) if group in users_of(graph, template)]
    return any(given(nic.get("subnetId")) for t in templates for nic in many(t.inputs.get("networkInterfaces")))


# arguments of older provider versions
OLDER: dict[str, tuple[str, ...]] = {
    "ec2:Eip": ("vpc",),
    "ec2:FlowLog": ("logGroupName",),
    "ec2:Instance": ("cpuCoreCount", "cpuThreadsPerCore"),
    TEMPLATE: ("elasticGpuSpecifications", "elasticInferenceAccelerator"),
    "s3:Bucket": ("loggings", "lifecycleRules", "serverSideEncryptionConfiguration"),
}


@cache
def known_inputs() -> dict[str, dict[str, tuple[frozenset[str], frozenset[str]]]]:
    """Type -> block ("" for the resource itself) -> required arguments, all arguments."""
    found: dict[str, dict[str, tuple[frozenset[str], frozenset[str]]]] = {}
    for row in _rows():
        needed, rest = (frozenset(word.partition(":")[0] for word in row[k].split()) for k in ("required", "optional"))
        found.setdefault(row["type"], {})[row["block"]] = (needed, needed | rest)
    for kind, keys in OLDER.items():
        needed, known = found[kind][""]
        found[kind][""] = (needed, known | set(keys))
    return found


@cache
def sorts() -> dict[str, dict[str, dict[str, str]]]:
    """Type -> block -> argument -> its type as in arguments.csv; "" is a string."""
    found: dict[str, dict[str, dict[str, str]]] = {}
    for row in _rows():
        words = (word.partition(":") for key in ("required", "optional") for word in row[key].split())
        found.setdefault(row["type"], {})[row["block"]] = {name: sort for name, _, sort in words}
    return found


def _rows() -> list[dict[str, str]]:
    text = Path(__file__).with_name("arguments.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


def blocks(value: object, known: Container[str]) -> Iterator[tuple[str, str, Json]]:
    """Every block with known arguments: its place with indices, its path without, the block."""
    waiting: list[tuple[str, str, object]] = [("", "", value)]
    while waiting:
        where, path, found = waiting.pop()
        for i, block in enumerate(many(found)):
            place = f"{where}[{i}]" if isinstance(found, list) else where
            yield place, path, block
            for key, below in block.items():
                inner = f"{path}.{key}" if path else key
                if inner in known:
                    waiting.append((f"{place}.{key}" if place else key, inner, below))


@rule(
    "INPUT-UNKNOWN",
    what="an argument that the resource type does not have",
    why="The setting has no effect: the provider drops unknown arguments without a warning",
    remedy="Write the argument as the provider does, in camelCase",
    example="instanceTyp: p5.48xlarge",
)
def unknown_argument(graph: Graph) -> Hits:
    for resource in graph.resources:
        known = known_inputs().get(resource.kind)
        if known is None or not resource.type.startswith("aws:"):
            continue
        for place, path, block in blocks(resource.inputs, known):
            for key in block:
                # Pulumi adds entries such as __defaults
                if key in known[path][1] or key.startswith("__"):
                    continue
                message = f"{resource.kind}{f', {path}' if path else ''} has no argument {key!r}"
                message += suggestion(key, sorted(known[path][1]))
                yield resource, f"{place}.{key}".lstrip("."), message
