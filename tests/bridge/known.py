"""What a moto server, or a provider one major behind, cannot do: by name, with the reason, in this one place.

Tests try each alone and fail when it starts to work: then it goes from here, and the layouts prove more.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import boto3

from tests.bridge.moto_server import REGION, credentials


@dataclass(frozen=True, kw_only=True)
class Lack:
    """Why a type cannot be made at the server, and what the provider says then."""

    why: str
    says: str


# the real code checks and plans these; they are not made, but written down (stand_in.py)
LACKING = {
    "aws:batch/computeEnvironment:ComputeEnvironment": Lack(
        why="no service-linked role: one has to be named, with which AWS would not update in place",
        says="ServiceRole is required",
    ),
    "aws:batch/jobQueue:JobQueue": Lack(
        why="it takes no compute environment that it has not made",
        says="computeEnvironmentOrder is malformed",
    ),
    "aws:budgets/budget:Budget": Lack(
        why="a notification's subscribers cannot be asked for: the read after the create fails",
        says="DescribeSubscribersForNotification",
    ),
    "aws:budgets/budgetAction:BudgetAction": Lack(why="no actions", says="CreateBudgetAction"),
    "aws:costexplorer/anomalyMonitor:AnomalyMonitor": Lack(why="no anomaly detection", says="CreateAnomalyMonitor"),
    "aws:costexplorer/anomalySubscription:AnomalySubscription": Lack(
        why="no anomaly detection", says="CreateAnomalySubscription"
    ),
    "aws:ec2/placementGroup:PlacementGroup": Lack(why="no placement groups", says="CreatePlacementGroup"),
    "aws:fsx/dataRepositoryAssociation:DataRepositoryAssociation": Lack(
        why="no associations", says="CreateDataRepositoryAssociation"
    ),
    "aws:fsx/lustreFileSystem:LustreFileSystem": Lack(
        why="file systems have no life cycle: the wait for AVAILABLE fails", says="unexpected state ''"
    ),
    "aws:s3/bucketObjectv2:BucketObjectv2": Lack(
        why="conditions of a bucket policy are not looked at: TLS-only refuses every object, over TLS too",
        says="StatusCode: 403",
    ),
}

# type -> properties that differ from themselves right after they were made. Nobody's change: not handed on as one
ENDLESS = {
    # the hook answers with a queue and a role of moto's own making
    "aws:autoscaling/lifecycleHook:LifecycleHook": {"notificationTargetArn", "roleArn"},
    # moto answers with the template's own tags among those of what is launched. Of interfaces the provider keeps no
    # addresses (null) and plans none (empty): Terraform reads before it plans, the bridge does not. A change would be
    # a new version, and moto cannot launch from one with user data
    "aws:ec2/launchTemplate:LaunchTemplate": {
        "tagSpecifications",
        "networkInterfaces",
        "defaultVersion",
        "latestVersion",
    },
}

# type -> properties that moto tells otherwise when it is asked again. Nobody's change: not handed on as one
UNREAD = {
    # once attached, an interface stays attached to an instance that is gone, and cannot be taken off it
    "aws:ec2/networkInterface:NetworkInterface": {"attachments"},
    # of a rule between two groups it keeps no description
    "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule": {"description"},
    "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule": {"description"},
}


def client(address: str, service: str) -> Any:
    given: Mapping[str, str] = credentials(address)
    return boto3.client(
        service,
        endpoint_url=address,
        region_name=REGION,
        aws_access_key_id=given["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=given["AWS_SECRET_ACCESS_KEY"],
    )


def let_go(address: str, stack: str) -> None:
    """Takes the nodes' scale-in protection off, for moto.

    The provider sets a group's size to zero, takes the protection off and waits; AWS then ends the nodes. moto ends
    nodes only while the size changes, so that the wait would never be over.
    """
    scaling = client(address, "autoscaling")
    for group in scaling.describe_auto_scaling_groups()["AutoScalingGroups"]:
        nodes = [node["InstanceId"] for node in group["Instances"]]
        if nodes and group["AutoScalingGroupName"].startswith(f"planner-{stack}-"):
            scaling.set_instance_protection(
                AutoScalingGroupName=group["AutoScalingGroupName"], InstanceIds=nodes, ProtectedFromScaleIn=False
            )
