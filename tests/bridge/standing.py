"""Everything of ours that stands at a moto server, whatever made it: asked of each service by its own list."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from typing import Any

from tests.bridge.known import client

# service -> (call, key of its list, name of one)
LISTS = {
    "autoscaling": (("describe_auto_scaling_groups", "AutoScalingGroups", "AutoScalingGroupName"),),
    "cloudwatch": (("describe_alarms", "MetricAlarms", "AlarmName"),),
    "ec2": (
        ("describe_addresses", "Addresses", "AllocationId"),
        ("describe_flow_logs", "FlowLogs", "FlowLogId"),
        ("describe_internet_gateways", "InternetGateways", "InternetGatewayId"),
        ("describe_launch_templates", "LaunchTemplates", "LaunchTemplateId"),
        ("describe_nat_gateways", "NatGateways", "NatGatewayId"),
        ("describe_route_tables", "RouteTables", "RouteTableId"),
        ("describe_security_groups", "SecurityGroups", "GroupId"),
        ("describe_subnets", "Subnets", "SubnetId"),
        ("describe_vpc_endpoints", "VpcEndpoints", "VpcEndpointId"),
        ("describe_vpcs", "Vpcs", "VpcId"),
    ),
    "iam": (
        ("list_groups", "Groups", "GroupName"),
        ("list_instance_profiles", "InstanceProfiles", "InstanceProfileName"),
        ("list_roles", "Roles", "RoleName"),
    ),
    "kms": (("list_aliases", "Aliases", "AliasName"), ("list_keys", "Keys", "KeyId")),
    "logs": (("describe_log_groups", "logGroups", "logGroupName"),),
    "s3": (("list_buckets", "Buckets", "Name"),),
    "sns": (("list_subscriptions", "Subscriptions", "SubscriptionArn"), ("list_topics", "Topics", "TopicArn")),
}
GONE = ("deleted", "terminated")  # what still shows for a while


def standing(address: str) -> set[str]:
    """`service: name` of each."""
    return set(_standing(address))


def _standing(address: str) -> Iterator[str]:
    theirs = [alias for alias in client(address, "kms").list_aliases()["Aliases"] if "/aws/" in alias["AliasName"]]
    keys = {alias.get("TargetKeyId") for alias in theirs}  # of AWS: one for volumes without a key of ours
    for service, lists in LISTS.items():
        asked = client(address, service)
        for call, key, name in lists:
            for page in asked.get_paginator(call).paginate() if asked.can_paginate(call) else [getattr(asked, call)()]:
                yield from (f"{service}: {entry[name]}" for entry in page[key] if _ours(entry, keys))
    for page in client(address, "iam").get_paginator("list_policies").paginate(Scope="Local"):
        yield from (f"iam: {policy['PolicyName']}" for policy in page["Policies"])
    # those of endpoints, NAT gateways and nodes are AWS's own and go with them; moto keeps some
    for interface in client(address, "ec2").describe_network_interfaces()["NetworkInterfaces"]:
        if interface["TagSet"]:
            yield f"ec2: {interface['NetworkInterfaceId']}"
    for instance in _instances(address):
        if instance["State"]["Name"] not in GONE:
            yield f"ec2: {instance['InstanceId']}"


def _ours(entry: Mapping[str, Any], keys_of_aws: Set[str | None]) -> bool:
    return entry.get("State") not in GONE and entry.get("KeyId") not in keys_of_aws


def _instances(address: str) -> list[dict[str, Any]]:
    found = client(address, "ec2").get_paginator("describe_instances").paginate()
    return [instance for page in found for held in page["Reservations"] for instance in held["Instances"]]
