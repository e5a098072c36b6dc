"""What an input of each type names among other things, and what goes with what: as a table.

Where AWS would let go of something that others still name, and they break later, this cloud refuses: the order of a
deletion is to be proved, not to be lucky.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Names:
    """That an input names another thing: by its id, or by another of its inputs or outputs.

    holds: the other thing cannot go while this one stands.
    """

    path: str
    type: str
    by: str = "id"
    holds: bool = False


_VPC, _SUBNET, _GROUP = "ec2/vpc:Vpc", "ec2/subnet:Subnet", "ec2/securityGroup:SecurityGroup"
_TABLE, _ROLE, _BUCKET = "ec2/routeTable:RouteTable", "iam/role:Role", "s3/bucket:Bucket"
_TOPIC, _ASG = "sns/topic:Topic", "autoscaling/group:Group"

NAMES: dict[str, tuple[Names, ...]] = {
    "autoscaling/group:Group": (
        Names(path="launchTemplate.id", type="ec2/launchTemplate:LaunchTemplate", holds=True),
        Names(
            path="mixedInstancesPolicy.launchTemplate.launchTemplateSpecification.launchTemplateId",
            type="ec2/launchTemplate:LaunchTemplate",
            holds=True,
        ),
        Names(path="vpcZoneIdentifiers[]", type=_SUBNET, holds=True),
    ),
    "autoscaling/lifecycleHook:LifecycleHook": (Names(path="autoscalingGroupName", type=_ASG),),
    "autoscaling/schedule:Schedule": (Names(path="autoscalingGroupName", type=_ASG),),
    "batch/computeEnvironment:ComputeEnvironment": (
        Names(
            path="computeResources.launchTemplate.launchTemplateId",
            type="ec2/launchTemplate:LaunchTemplate",
            holds=True,
        ),
        Names(path="computeResources.instanceRole", type="iam/instanceProfile:InstanceProfile", by="arn", holds=True),
        Names(path="computeResources.subnets[]", type=_SUBNET, holds=True),
        Names(path="computeResources.securityGroupIds[]", type=_GROUP, holds=True),
    ),
    "batch/jobQueue:JobQueue": (
        Names(
            path="computeEnvironmentOrders[].computeEnvironment",
            type="batch/computeEnvironment:ComputeEnvironment",
            by="arn",
            holds=True,
        ),
    ),
    "budgets/budgetAction:BudgetAction": (
        Names(path="budgetName", type="budgets/budget:Budget", by="name", holds=True),
        Names(path="executionRoleArn", type=_ROLE, by="arn", holds=True),
        Names(path="definition.iamActionDefinition.policyArn", type="iam/policy:Policy", by="arn", holds=True),
        Names(path="definition.iamActionDefinition.groups[]", type="iam/group:Group", by="name", holds=True),
    ),
    "cloudwatch/metricAlarm:MetricAlarm": (
        Names(path="alarmActions[]", type=_TOPIC, by="arn"),
        Names(path="okActions[]", type=_TOPIC, by="arn"),
        Names(path="dimensions.AutoScalingGroupName", type=_ASG),
        Names(path="dimensions.NatGatewayId", type="ec2/natGateway:NatGateway"),
        Names(path="dimensions.InstanceId", type="ec2/instance:Instance"),
        Names(path="dimensions.FileSystemId", type="fsx/lustreFileSystem:LustreFileSystem"),
    ),
    "cloudwatch/eventTarget:EventTarget": (
        Names(path="rule", type="cloudwatch/eventRule:EventRule", by="name", holds=True),
        Names(path="arn", type=_TOPIC, by="arn"),
    ),
    "costexplorer/anomalySubscription:AnomalySubscription": (
        Names(path="monitorArnLists[]", type="costexplorer/anomalyMonitor:AnomalyMonitor", by="arn", holds=True),
        Names(path="subscribers[].address", type=_TOPIC, by="arn"),
    ),
    "ec2/defaultSecurityGroup:DefaultSecurityGroup": (Names(path="vpcId", type=_VPC),),
    "ec2/flowLog:FlowLog": (
        Names(path="vpcId", type=_VPC),
        Names(path="iamRoleArn", type=_ROLE, by="arn", holds=True),
        Names(path="logDestination", type="cloudwatch/logGroup:LogGroup", by="arn", holds=True),
    ),
    "ec2/instance:Instance": (
        Names(
            path="primaryNetworkInterface.networkInterfaceId", type="ec2/networkInterface:NetworkInterface", holds=True
        ),
        Names(path="iamInstanceProfile", type="iam/instanceProfile:InstanceProfile", by="name", holds=True),
    ),
    "ec2/internetGateway:InternetGateway": (Names(path="vpcId", type=_VPC, holds=True),),
    "ec2/launchTemplate:LaunchTemplate": (
        Names(path="iamInstanceProfile.arn", type="iam/instanceProfile:InstanceProfile", by="arn"),
        Names(path="placement.groupName", type="ec2/placementGroup:PlacementGroup"),
        Names(path="networkInterfaces[].securityGroups[]", type=_GROUP),
    ),
    "ec2/natGateway:NatGateway": (
        Names(path="allocationId", type="ec2/eip:Eip", holds=True),
        Names(path="subnetId", type=_SUBNET, holds=True),
    ),
    "ec2/networkInterface:NetworkInterface": (
        Names(path="subnetId", type=_SUBNET, holds=True),
        Names(path="securityGroups[]", type=_GROUP, holds=True),
    ),
    "ec2/route:Route": (
        Names(path="routeTableId", type=_TABLE),
        Names(path="gatewayId", type="ec2/internetGateway:InternetGateway"),
        Names(path="natGatewayId", type="ec2/natGateway:NatGateway"),
    ),
    "ec2/routeTable:RouteTable": (Names(path="vpcId", type=_VPC, holds=True),),
    "ec2/routeTableAssociation:RouteTableAssociation": (
        Names(path="routeTableId", type=_TABLE, holds=True),
        Names(path="subnetId", type=_SUBNET),
    ),
    "ec2/securityGroup:SecurityGroup": (Names(path="vpcId", type=_VPC, holds=True),),
    "ec2/subnet:Subnet": (Names(path="vpcId", type=_VPC, holds=True),),
    "ec2/vpcEndpoint:VpcEndpoint": (
        Names(path="vpcId", type=_VPC, holds=True),
        Names(path="subnetIds[]", type=_SUBNET, holds=True),
        Names(path="routeTableIds[]", type=_TABLE),
        Names(path="securityGroupIds[]", type=_GROUP, holds=True),
    ),
    "fsx/dataRepositoryAssociation:DataRepositoryAssociation": (
        Names(path="fileSystemId", type="fsx/lustreFileSystem:LustreFileSystem"),
    ),
    "fsx/lustreFileSystem:LustreFileSystem": (
        Names(path="subnetIds", type=_SUBNET, holds=True),
        Names(path="securityGroupIds[]", type=_GROUP, holds=True),
        Names(path="kmsKeyId", type="kms/key:Key", by="arn"),
    ),
    "iam/instanceProfile:InstanceProfile": (Names(path="role", type=_ROLE, by="name", holds=True),),
    "iam/rolePolicy:RolePolicy": (Names(path="role", type=_ROLE, holds=True),),
    "iam/rolePolicyAttachment:RolePolicyAttachment": (Names(path="role", type=_ROLE, by="name", holds=True),),
    "kms/alias:Alias": (Names(path="targetKeyId", type="kms/key:Key"),),
    "rds/instance:Instance": (
        Names(path="dbSubnetGroupName", type="rds/subnetGroup:SubnetGroup", by="name", holds=True),
        Names(path="parameterGroupName", type="rds/parameterGroup:ParameterGroup", by="name", holds=True),
        Names(path="vpcSecurityGroupIds[]", type=_GROUP, holds=True),
        Names(path="kmsKeyId", type="kms/key:Key", by="arn"),
    ),
    "rds/subnetGroup:SubnetGroup": (Names(path="subnetIds[]", type=_SUBNET, holds=True),),
    "s3/bucketObjectv2:BucketObjectv2": (Names(path="bucket", type=_BUCKET),),  # what lies in it is asked for apart
    **{
        f"s3/{part}": (Names(path="bucket", type=_BUCKET),)
        for part in (
            "bucketLifecycleConfiguration:BucketLifecycleConfiguration",
            "bucketOwnershipControls:BucketOwnershipControls",
            "bucketPolicy:BucketPolicy",
            "bucketPublicAccessBlock:BucketPublicAccessBlock",
            "bucketServerSideEncryptionConfiguration:BucketServerSideEncryptionConfiguration",
            "bucketVersioning:BucketVersioning",
        )
    },
    "sns/topicPolicy:TopicPolicy": (Names(path="arn", type=_TOPIC, by="arn"),),
    "sns/topicSubscription:TopicSubscription": (Names(path="topic", type=_TOPIC, by="arn"),),
    "vpc/securityGroupEgressRule:SecurityGroupEgressRule": (
        Names(path="securityGroupId", type=_GROUP),
        Names(path="referencedSecurityGroupId", type=_GROUP, holds=True),
    ),
    "vpc/securityGroupIngressRule:SecurityGroupIngressRule": (
        Names(path="securityGroupId", type=_GROUP),
        Names(path="referencedSecurityGroupId", type=_GROUP, holds=True),
    ),
}

# what goes with the thing that it belongs to, and is gone without a call of its own: type -> its reference
GOES_WITH: dict[str, str] = {
    "autoscaling/lifecycleHook:LifecycleHook": "autoscalingGroupName",
    "autoscaling/schedule:Schedule": "autoscalingGroupName",
    "ec2/route:Route": "routeTableId",
    "ec2/defaultSecurityGroup:DefaultSecurityGroup": "vpcId",
    "fsx/dataRepositoryAssociation:DataRepositoryAssociation": "fileSystemId",
    "vpc/securityGroupEgressRule:SecurityGroupEgressRule": "securityGroupId",
    "vpc/securityGroupIngressRule:SecurityGroupIngressRule": "securityGroupId",
}


def names_of(token: str) -> tuple[Names, ...]:
    return NAMES.get(token.removeprefix("aws:"), ())


def values_at(value: Any, path: str) -> list[Any]:
    """What stands at `a.b[].c`."""
    found = [value]
    for part in path.split("."):
        name, many = part.removesuffix("[]"), part.endswith("[]")
        found = [one[name] for one in found if isinstance(one, Mapping) and one.get(name) is not None]
        if many:
            found = [inner for one in found if isinstance(one, list) for inner in one]
    return found
