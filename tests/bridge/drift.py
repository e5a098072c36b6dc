"""What somebody does to a stack behind its state's back, through AWS's own calls: what a refresh must see of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tests.bridge.known import client
from tests.bridge.moto_server import REGION

ACCOUNT = "123456789012"  # moto's
OPEN = {"Effect": "Allow", "Principal": "*", "Action": "s3:GetObject", "Resource": "*"}
EVERYTHING = {"Effect": "Allow", "Action": "*", "Resource": "*"}


@dataclass(frozen=True, kw_only=True)
class Drift:
    """What a change is to the engine. seen: `update`, or `delete` of what is gone. back: what puts it right differs in
    these inputs; empty: it is made again."""

    seen: str
    back: tuple[str, ...] = ()


# logical name -> what the change below does to it; the same in every layout
DRIFTS = {
    "artefacts-bucket-policy": Drift(seen="delete"),
    "firewall-out-fleet-to-anywhere-443": Drift(seen="delete"),
    "fleet-group": Drift(seen="update", back=("maxSize",)),
    "fleet-role-data": Drift(seen="update", back=("policy",)),
    "guard-alarm-fleet-idle": Drift(seen="delete"),
    "network-route-nat": Drift(seen="delete"),
    "network-vpc": Drift(seen="update", back=("tags",)),
    "tier-bucket-policy": Drift(seen="update", back=("policy",)),
    "tier-bucket-private": Drift(seen="update", back=("blockPublicAcls", "blockPublicPolicy")),
    "tier-bucket-versions": Drift(seen="update", back=("versioningConfiguration",)),
}


def drift(address: str, stack: str) -> None:
    """Changes everything that DRIFTS names."""
    ec2, s3 = client(address, "ec2"), client(address, "s3")
    data, artefacts = (f"planner-{stack}-{part}-{ACCOUNT}-{REGION}" for part in ("data", "artefacts"))
    s3.delete_bucket_policy(Bucket=artefacts)
    s3.put_bucket_policy(Bucket=data, Policy=_document(OPEN))
    s3.put_public_access_block(Bucket=data, PublicAccessBlockConfiguration={"IgnorePublicAcls": True} | _RESTRICTED)
    s3.put_bucket_versioning(Bucket=data, VersioningConfiguration={"Status": "Suspended"})
    rule = ec2.describe_security_group_rules(Filters=_of(stack, "firewall-out-fleet-to-anywhere-443"))
    (rule,) = rule["SecurityGroupRules"]
    ec2.revoke_security_group_egress(GroupId=rule["GroupId"], SecurityGroupRuleIds=[rule["SecurityGroupRuleId"]])
    (vpc,) = ec2.describe_vpcs(Filters=_of(stack, "network-vpc"))["Vpcs"]
    ec2.create_tags(Resources=[vpc["VpcId"]], Tags=[{"Key": "planner:component", "Value": "somebody's"}])
    (routes,) = ec2.describe_route_tables(Filters=_of(stack, "network-routes-private"))["RouteTables"]
    ec2.delete_route(RouteTableId=routes["RouteTableId"], DestinationCidrBlock="0.0.0.0/0")
    group = f"planner-{stack}-fleet-group"
    client(address, "autoscaling").update_auto_scaling_group(AutoScalingGroupName=group, MaxSize=9)
    role = f"planner-{stack}-fleet-role"
    client(address, "iam").put_role_policy(RoleName=role, PolicyName="data", PolicyDocument=_document(EVERYTHING))
    client(address, "cloudwatch").delete_alarms(AlarmNames=[f"planner-{stack}-guard-alarm-fleet-idle"])


_RESTRICTED = {"RestrictPublicBuckets": True, "BlockPublicAcls": False, "BlockPublicPolicy": False}


def _document(statement: Mapping[str, Any]) -> str:
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]})


def _of(stack: str, name: str) -> list[dict[str, Any]]:
    tags = {"planner:stack": stack, "planner:name": name}
    return [{"Name": f"tag:{key}", "Values": [value]} for key, value in tags.items()]
