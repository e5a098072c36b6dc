"""What the deployer's identity may do: for every resource type of the program the actions that its life takes.

The policies beside this file are written from these tables (`python -m infra.deployer`). What is kept when a stack
is destroyed has no action that deletes it: that takes somebody else.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

LIMIT = 6144  # characters of a managed policy, white space not counted (IAM quotas)
FOLDER = Path(__file__).resolve().parent

_EC2_TAGS = "CreateTags DeleteTags DescribeTags"
_S3_READ = (
    "s3:ListBucket GetBucketLocation GetBucketAcl GetBucketCORS GetBucketWebsite GetBucketVersioning "
    "GetAccelerateConfiguration GetBucketRequestPayment GetBucketLogging GetLifecycleConfiguration "
    "GetReplicationConfiguration GetEncryptionConfiguration GetBucketObjectLockConfiguration GetBucketPolicy "
    "GetBucketTagging ListTagsForResource"
)

# type -> actions of creating, reading, updating, deleting and tagging it; a service stands before its first action
_OF_TYPE = {
    "aws:autoscaling/group:Group": (
        "autoscaling:CreateAutoScalingGroup DescribeAutoScalingGroups UpdateAutoScalingGroup DeleteAutoScalingGroup "
        "CreateOrUpdateTags DeleteTags DescribeTags SuspendProcesses ResumeProcesses EnableMetricsCollection "
        "DisableMetricsCollection DescribeScalingActivities SetInstanceProtection DescribeWarmPool "
        "ec2:RunInstances DescribeLaunchTemplateVersions CreateTags iam:PassRole CreateServiceLinkedRole"
    ),
    "aws:autoscaling/lifecycleHook:LifecycleHook": (
        "autoscaling:PutLifecycleHook DescribeLifecycleHooks DeleteLifecycleHook"
    ),
    "aws:autoscaling/schedule:Schedule": (
        "autoscaling:PutScheduledUpdateGroupAction DescribeScheduledActions DeleteScheduledAction"
    ),
    "aws:budgets/budget:Budget": "budgets:ViewBudget ModifyBudget TagResource UntagResource ListTagsForResource",
    "aws:budgets/budgetAction:BudgetAction": (
        "budgets:CreateBudgetAction DescribeBudgetAction UpdateBudgetAction DeleteBudgetAction TagResource "
        "UntagResource ListTagsForResource iam:PassRole"
    ),
    "aws:cloudwatch/logGroup:LogGroup": (
        "logs:CreateLogGroup DescribeLogGroups PutRetentionPolicy DeleteRetentionPolicy DeleteLogGroup TagResource "
        "UntagResource ListTagsForResource"
    ),
    "aws:cloudwatch/metricAlarm:MetricAlarm": (
        "cloudwatch:PutMetricAlarm DescribeAlarms DeleteAlarms TagResource UntagResource ListTagsForResource"
    ),
    "aws:costexplorer/anomalyMonitor:AnomalyMonitor": (
        "ce:CreateAnomalyMonitor GetAnomalyMonitors UpdateAnomalyMonitor DeleteAnomalyMonitor TagResource "
        "UntagResource ListTagsForResource"
    ),
    "aws:costexplorer/anomalySubscription:AnomalySubscription": (
        "ce:CreateAnomalySubscription GetAnomalySubscriptions UpdateAnomalySubscription DeleteAnomalySubscription "
        "TagResource UntagResource ListTagsForResource"
    ),
    "aws:ec2/defaultSecurityGroup:DefaultSecurityGroup": (
        "ec2:DescribeSecurityGroups RevokeSecurityGroupIngress RevokeSecurityGroupEgress " + _EC2_TAGS
    ),
    "aws:ec2/eip:Eip": (
        "ec2:AllocateAddress DescribeAddresses DescribeAddressesAttribute DisassociateAddress ReleaseAddress "
        + _EC2_TAGS
    ),
    "aws:ec2/flowLog:FlowLog": "ec2:CreateFlowLogs DescribeFlowLogs DeleteFlowLogs " + _EC2_TAGS + " iam:PassRole",
    "aws:ec2/instance:Instance": (
        "ec2:RunInstances DescribeInstances DescribeInstanceAttribute DescribeInstanceStatus DescribeInstanceTypes "
        "DescribeInstanceCreditSpecifications DescribeImages DescribeVolumes DescribeIamInstanceProfileAssociations "
        "AssociateIamInstanceProfile ReplaceIamInstanceProfileAssociation DisassociateIamInstanceProfile "
        "ModifyInstanceAttribute ModifyInstanceMetadataOptions ModifyVolume DescribeVolumesModifications "
        "MonitorInstances UnmonitorInstances StopInstances StartInstances TerminateInstances "
        + _EC2_TAGS
        + " iam:PassRole"
    ),
    "aws:ec2/internetGateway:InternetGateway": (
        "ec2:CreateInternetGateway AttachInternetGateway DescribeInternetGateways DetachInternetGateway "
        "DeleteInternetGateway " + _EC2_TAGS
    ),
    "aws:ec2/launchTemplate:LaunchTemplate": (
        "ec2:CreateLaunchTemplate CreateLaunchTemplateVersion DescribeLaunchTemplates DescribeLaunchTemplateVersions "
        "ModifyLaunchTemplate DeleteLaunchTemplateVersions DeleteLaunchTemplate " + _EC2_TAGS
    ),
    "aws:ec2/natGateway:NatGateway": "ec2:CreateNatGateway DescribeNatGateways DeleteNatGateway " + _EC2_TAGS,
    "aws:ec2/networkInterface:NetworkInterface": (
        "ec2:CreateNetworkInterface DescribeNetworkInterfaces ModifyNetworkInterfaceAttribute "
        "AssignPrivateIpAddresses UnassignPrivateIpAddresses AttachNetworkInterface DetachNetworkInterface "
        "DeleteNetworkInterface " + _EC2_TAGS
    ),
    "aws:ec2/placementGroup:PlacementGroup": (
        "ec2:CreatePlacementGroup DescribePlacementGroups DeletePlacementGroup " + _EC2_TAGS
    ),
    "aws:ec2/route:Route": "ec2:CreateRoute DescribeRouteTables ReplaceRoute DeleteRoute",
    "aws:ec2/routeTable:RouteTable": "ec2:CreateRouteTable DescribeRouteTables DeleteRouteTable " + _EC2_TAGS,
    "aws:ec2/routeTableAssociation:RouteTableAssociation": (
        "ec2:AssociateRouteTable DescribeRouteTables ReplaceRouteTableAssociation DisassociateRouteTable"
    ),
    "aws:ec2/securityGroup:SecurityGroup": (
        "ec2:CreateSecurityGroup DescribeSecurityGroups RevokeSecurityGroupEgress DescribeNetworkInterfaces "
        "DeleteSecurityGroup " + _EC2_TAGS
    ),
    "aws:ec2/subnet:Subnet": (
        "ec2:CreateSubnet DescribeSubnets ModifySubnetAttribute DescribeNetworkInterfaces DeleteSubnet " + _EC2_TAGS
    ),
    "aws:ec2/vpc:Vpc": (
        "ec2:CreateVpc DescribeVpcs DescribeVpcAttribute ModifyVpcAttribute DescribeNetworkAcls DescribeRouteTables "
        "DescribeSecurityGroups DeleteVpc " + _EC2_TAGS
    ),
    "aws:ec2/vpcEndpoint:VpcEndpoint": (
        "ec2:CreateVpcEndpoint DescribeVpcEndpoints DescribePrefixLists ModifyVpcEndpoint DeleteVpcEndpoints "
        + _EC2_TAGS
        + " route53:AssociateVPCWithHostedZone"  # of the private name, in the caller's name
    ),
    "aws:fsx/dataRepositoryAssociation:DataRepositoryAssociation": (
        "fsx:CreateDataRepositoryAssociation DescribeDataRepositoryAssociations UpdateDataRepositoryAssociation "
        "DeleteDataRepositoryAssociation TagResource UntagResource ListTagsForResource "
        "iam:CreateServiceLinkedRole AttachRolePolicy PutRolePolicy"
    ),
    "aws:fsx/lustreFileSystem:LustreFileSystem": (
        "fsx:CreateFileSystem DescribeFileSystems UpdateFileSystem DeleteFileSystem TagResource UntagResource "
        "ListTagsForResource kms:DescribeKey CreateGrant iam:CreateServiceLinkedRole "
        # FSx looks in the caller's name (AmazonFSxFullAccess has the same)
        "ec2:DescribeSecurityGroups GetSecurityGroupsForVpc DescribeSubnets DescribeVpcs DescribeRouteTables"
    ),
    "aws:iam/group:Group": "iam:CreateGroup GetGroup UpdateGroup DeleteGroup",
    "aws:iam/instanceProfile:InstanceProfile": (
        "iam:CreateInstanceProfile GetInstanceProfile AddRoleToInstanceProfile RemoveRoleFromInstanceProfile "
        "DeleteInstanceProfile TagInstanceProfile UntagInstanceProfile PassRole"
    ),
    "aws:iam/policy:Policy": (
        "iam:CreatePolicy GetPolicy GetPolicyVersion ListPolicyVersions CreatePolicyVersion DeletePolicyVersion "
        "DeletePolicy TagPolicy UntagPolicy"
    ),
    "aws:iam/role:Role": (
        "iam:CreateRole GetRole UpdateRole UpdateRoleDescription UpdateAssumeRolePolicy ListRolePolicies "
        "ListAttachedRolePolicies ListInstanceProfilesForRole DeleteRole TagRole UntagRole"
    ),
    "aws:iam/rolePolicy:RolePolicy": "iam:PutRolePolicy GetRolePolicy DeleteRolePolicy",
    "aws:iam/rolePolicyAttachment:RolePolicyAttachment": (
        "iam:AttachRolePolicy ListAttachedRolePolicies DetachRolePolicy"
    ),
    "aws:kms/alias:Alias": "kms:CreateAlias ListAliases UpdateAlias",  # kept
    "aws:kms/key:Key": (  # kept: no ScheduleKeyDeletion, no DisableKey
        "kms:CreateKey DescribeKey GetKeyPolicy PutKeyPolicy GetKeyRotationStatus EnableKeyRotation "
        "UpdateKeyDescription ListResourceTags TagResource UntagResource"
    ),
    "aws:s3/bucket:Bucket": (
        "s3:CreateBucket PutBucketTagging TagResource UntagResource DeleteBucket ListBucketVersions DeleteObject "
        "DeleteObjectVersion " + _S3_READ
    ),
    "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration": (
        "s3:PutLifecycleConfiguration GetLifecycleConfiguration"
    ),
    "aws:s3/bucketObjectv2:BucketObjectv2": (
        "s3:PutObject AbortMultipartUpload GetObject GetObjectTagging PutObjectTagging ListBucketVersions "
        "DeleteObject DeleteObjectVersion kms:GenerateDataKey Decrypt"
    ),
    "aws:s3/bucketOwnershipControls:BucketOwnershipControls": (
        "s3:PutBucketOwnershipControls GetBucketOwnershipControls"
    ),
    "aws:s3/bucketPolicy:BucketPolicy": "s3:PutBucketPolicy GetBucketPolicy DeleteBucketPolicy",
    "aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock": (
        "s3:PutBucketPublicAccessBlock GetBucketPublicAccessBlock"
    ),
    "aws:s3/bucketServerSideEncryptionConfiguration:BucketServerSideEncryptionConfiguration": (
        "s3:PutEncryptionConfiguration GetEncryptionConfiguration kms:DescribeKey"
    ),
    "aws:s3/bucketVersioning:BucketVersioning": "s3:PutBucketVersioning GetBucketVersioning",
    "aws:sns/topic:Topic": (
        "sns:CreateTopic GetTopicAttributes SetTopicAttributes DeleteTopic TagResource UntagResource "
        "ListTagsForResource"
    ),
    "aws:sns/topicPolicy:TopicPolicy": "sns:GetTopicAttributes SetTopicAttributes",
    "aws:sns/topicSubscription:TopicSubscription": (
        "sns:Subscribe GetSubscriptionAttributes SetSubscriptionAttributes ListSubscriptionsByTopic Unsubscribe"
    ),
    "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule": (
        "ec2:AuthorizeSecurityGroupEgress DescribeSecurityGroupRules ModifySecurityGroupRules "
        "RevokeSecurityGroupEgress " + _EC2_TAGS
    ),
    "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule": (
        "ec2:AuthorizeSecurityGroupIngress DescribeSecurityGroupRules ModifySecurityGroupRules "
        "RevokeSecurityGroupIngress " + _EC2_TAGS
    ),
}
# what `planner teardown-check` and the look-ups of `planner stack` ask
_LOOKING = (
    "tag:GetResources autoscaling:DescribeAutoScalingGroups ec2:DescribeInstances DescribeNatGateways "
    "DescribeVpcEndpoints DescribeCapacityReservations DescribeAvailabilityZones DescribeInstanceTypeOfferings "
    "cloudwatch:ListMetrics GetMetricStatistics kms:DescribeKey ssm:GetParameter sts:GetCallerIdentity "
    "budgets:ViewBudget DescribeBudgetActionsForBudget ListTagsForResource "
    "ce:GetAnomalyMonitors GetAnomalySubscriptions ListTagsForResource "
    "iam:ListRoles ListRoleTags ListInstanceProfiles ListInstanceProfileTags ListPolicies ListPolicyTags"
)
# what `planner reserve` does; a file of its own, for whoever may spend
_BUYING = (
    "ec2:DescribeAvailabilityZones DescribeCapacityBlockOfferings DescribeCapacityReservations PurchaseCapacityBlock "
    "CreateCapacityReservation ModifyCapacityReservation CancelCapacityReservation CreateTags"
)


def _expanded(text: str) -> tuple[str, ...]:
    """`s3:A B ec2:C` as s3:A, s3:B, ec2:C."""
    found, service = [], ""
    for word in text.split():
        head, colon, rest = word.partition(":")
        service = head if colon else service
        found.append(f"{service}:{rest if colon else word}")
    return tuple(found)


ACTIONS: dict[str, tuple[str, ...]] = {type_: _expanded(text) for type_, text in _OF_TYPE.items()}

_SERVICE_ROLES = (
    "autoscaling.amazonaws.com",
    "fsx.amazonaws.com",
    "s3.data-source.lustre.fsx.amazonaws.com",
    "spot.amazonaws.com",
)
_DATA_READ_AND_SET = "arn:aws:s3:::planner-*"
_BUNDLES = ("arn:aws:s3:::planner-*-artefacts-*", "arn:aws:s3:::planner-*-artefacts-*/*")
_ROLES = "arn:aws:iam::*:role/planner-*"
_LUSTRE_ROLES = "arn:aws:iam::*:role/aws-service-role/s3.data-source.lustre.fsx.amazonaws.com/*"
_SSM = "arn:aws:iam::aws:policy/AmazonSSMManagedInstanceCore"
# by service: what our names allow to say of where its actions may act; services without names of ours are not here
_WHERE: dict[str, tuple[str, ...]] = {
    "autoscaling": ("arn:aws:autoscaling:*:*:autoScalingGroup:*:autoScalingGroupName/planner-*",),
    "budgets": ("arn:aws:budgets::*:budget/planner-*",),
    "cloudwatch": ("arn:aws:cloudwatch:*:*:alarm:planner-*",),
    "logs": ("arn:aws:logs:*:*:log-group:/planner/*",),
    "s3": (_DATA_READ_AND_SET,),
    "sns": ("arn:aws:sns:*:*:planner-*",),
    "iam": (
        _ROLES,
        "arn:aws:iam::*:instance-profile/planner-*",
        "arn:aws:iam::*:policy/planner-*",
        "arn:aws:iam::*:group/planner/planner-*",
    ),
}
# lists of all identities, by which those of a stack are found
_IAM_LISTS = ("iam:ListInstanceProfiles", "iam:ListPolicies", "iam:ListRoles")
# actions that know no resource, or lists of all
_ANYWHERE = (
    "autoscaling:Describe",
    "cloudwatch:DescribeAlarms",
    "cloudwatch:GetMetricStatistics",
    "cloudwatch:ListMetrics",
    "logs:DescribeLogGroups",
    "sns:Unsubscribe",
    "sns:GetSubscriptionAttributes",
    "sns:SetSubscriptionAttributes",
)
_ON_BUNDLES = ("DeleteBucket", "DeleteBucketPolicy", "DeleteObject", "DeleteObjectVersion", "GetObject")
_ON_BUNDLES += ("AbortMultipartUpload", "GetObjectTagging", "PutObject", "PutObjectTagging")
FILES = {
    "network": ("ec2", "route53"),
    "services": ("autoscaling", "budgets", "ce", "cloudwatch", "fsx", "logs", "sns", "ssm", "sts", "tag"),
    "data": ("iam", "kms", "s3"),
}


def policies() -> dict[str, dict[str, Any]]:
    """File name -> policy: three that `pulumi up` and `destroy` need, and one for whoever may buy."""
    needed = {action for found in ACTIONS.values() for action in found} | set(_expanded(_LOOKING))
    found = {}
    for name, services in FILES.items():
        statements: dict[str, dict[str, Any]] = {}
        for action in sorted(needed):
            if action.split(":")[0] in services:
                sid, where, condition = _scope(action)
                entry = statements.setdefault(sid, {"Sid": sid, "Effect": "Allow", "Action": [], "Resource": where})
                entry["Action"].append(action)
                if condition:
                    entry["Condition"] = condition
                if action in ("iam:AttachRolePolicy", "iam:PutRolePolicy"):
                    _lustre_role(statements, action)
        found[f"deployer-policy-{name}.json"] = _policy(list(statements.values()))
    buying = {"Sid": "Reserve", "Effect": "Allow", "Action": sorted(_expanded(_BUYING)), "Resource": ["*"]}
    return {**found, "deployer-policy-reserve.json": _policy([buying])}


def _scope(action: str) -> tuple[str, list[str], dict[str, Any]]:
    """Name of the statement that an action belongs in, its resources, and its condition."""
    service, name = action.split(":")
    if action == "iam:PassRole":
        services = ["budgets.amazonaws.com", "ec2.amazonaws.com", "vpc-flow-logs.amazonaws.com"]
        return "PassRole", [_ROLES], {"StringEquals": {"iam:PassedToService": services}}
    if action in ("iam:AttachRolePolicy", "iam:DetachRolePolicy"):
        return "AttachSsmAlone", [_ROLES], {"ArnEquals": {"iam:PolicyARN": _SSM}}
    if action == "iam:CreateServiceLinkedRole":
        where = ["arn:aws:iam::*:role/aws-service-role/*"]
        return "ServiceRoles", where, {"StringEquals": {"iam:AWSServiceName": list(_SERVICE_ROLES)}}
    if action == "kms:CreateGrant":
        return "GrantToServices", ["*"], {"Bool": {"kms:GrantIsForAWSResource": "true"}}
    if action in ("kms:Decrypt", "kms:GenerateDataKey"):
        return "KeyThroughS3", ["*"], {"StringLike": {"kms:ViaService": "s3.*.amazonaws.com"}}
    if service == "s3" and name in _ON_BUNDLES:
        return "Bundles", list(_BUNDLES), {}
    if service in _WHERE and action not in _IAM_LISTS and not action.startswith(_ANYWHERE):
        return service.capitalize(), list(_WHERE[service]), {}
    return f"{service.capitalize()}Anywhere", ["*"], {}


def _lustre_role(statements: dict[str, dict[str, Any]], action: str) -> None:
    """FSx makes its role for a bucket in the caller's name."""
    sid = "LustreRole"
    statements.setdefault(sid, {"Sid": sid, "Effect": "Allow", "Action": [], "Resource": [_LUSTRE_ROLES]})
    statements[sid]["Action"].append(action)


def _policy(statements: list[dict[str, Any]]) -> dict[str, Any]:
    return {"Version": "2012-10-17", "Statement": statements}


def text_of(name: str) -> str:
    return json.dumps(policies()[name], indent=2) + "\n"


if __name__ == "__main__":
    for file in policies():
        (FOLDER / file).write_text(text_of(file), encoding="utf-8", newline="\n")
