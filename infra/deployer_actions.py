"""IAM actions of the deployer: those that each resource type of the program needs. Data for deployer.py."""

from __future__ import annotations

_EC2_TAGS = "CreateTags DeleteTags DescribeTags"
_S3_READ = (
    "s3:ListBucket GetBucketLocation GetBucketAcl GetBucketCORS GetBucketWebsite GetBucketVersioning "
    "GetAccelerateConfiguration GetBucketRequestPayment GetBucketLogging GetLifecycleConfiguration "
    "GetReplicationConfiguration GetEncryptionConfiguration GetBucketObjectLockConfiguration GetBucketPolicy "
    "GetBucketTagging ListTagsForResource"
)

# type -> actions that create, read, update, delete and tag it; the service is written before its first action
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
    "aws:batch/computeEnvironment:ComputeEnvironment": (
        "batch:CreateComputeEnvironment DescribeComputeEnvironments UpdateComputeEnvironment DeleteComputeEnvironment "
        "TagResource UntagResource ListTagsForResource iam:PassRole CreateServiceLinkedRole "
        "ec2:DescribeLaunchTemplateVersions"
    ),
    "aws:batch/jobDefinition:JobDefinition": (
        "batch:RegisterJobDefinition DescribeJobDefinitions DeregisterJobDefinition TagResource UntagResource "
        "ListTagsForResource iam:PassRole"
    ),
    "aws:batch/jobQueue:JobQueue": (
        "batch:CreateJobQueue DescribeJobQueues UpdateJobQueue DeleteJobQueue TagResource UntagResource "
        "ListTagsForResource"
    ),
    "aws:budgets/budget:Budget": "budgets:ViewBudget ModifyBudget TagResource UntagResource ListTagsForResource",
    "aws:budgets/budgetAction:BudgetAction": (
        "budgets:CreateBudgetAction DescribeBudgetAction UpdateBudgetAction DeleteBudgetAction TagResource "
        "UntagResource ListTagsForResource iam:PassRole"
    ),
    "aws:cloudwatch/dashboard:Dashboard": "cloudwatch:PutDashboard GetDashboard DeleteDashboards",
    "aws:cloudwatch/eventRule:EventRule": (
        "events:PutRule DescribeRule DeleteRule TagResource UntagResource ListTagsForResource"
    ),
    "aws:cloudwatch/eventTarget:EventTarget": "events:PutTargets ListTargetsByRule RemoveTargets",
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
        "iam:CreateRole GetRole UpdateRole UpdateRoleDescription UpdateAssumeRolePolicy PutRolePermissionsBoundary "
        "ListRolePolicies ListAttachedRolePolicies ListInstanceProfilesForRole DeleteRole TagRole UntagRole"
    ),
    "aws:iam/rolePolicy:RolePolicy": "iam:PutRolePolicy GetRolePolicy DeleteRolePolicy",
    "aws:kms/alias:Alias": "kms:CreateAlias ListAliases UpdateAlias",  # kept
    "aws:kms/key:Key": (  # kept: no ScheduleKeyDeletion, no DisableKey
        "kms:CreateKey DescribeKey GetKeyPolicy PutKeyPolicy GetKeyRotationStatus EnableKeyRotation "
        "UpdateKeyDescription ListResourceTags TagResource UntagResource"
    ),
    "aws:rds/instance:Instance": (
        "rds:CreateDBInstance DescribeDBInstances ModifyDBInstance RebootDBInstance DeleteDBInstance "
        "CreateDBSnapshot DescribeDBSnapshots RestoreDBInstanceToPointInTime AddTagsToResource RemoveTagsFromResource "
        "ListTagsForResource "
        # RDS acts in the caller's name (RDS User Guide, "Permissions required for Secrets Manager integration",
        # "Authorizing use of a customer managed key")
        "kms:CreateGrant DescribeKey Decrypt GenerateDataKey secretsmanager:CreateSecret TagResource "
        "ec2:DescribeSecurityGroups DescribeSubnets DescribeVpcs iam:CreateServiceLinkedRole"
    ),
    "aws:rds/parameterGroup:ParameterGroup": (
        "rds:CreateDBParameterGroup DescribeDBParameterGroups DescribeDBParameters ModifyDBParameterGroup "
        "ResetDBParameterGroup DeleteDBParameterGroup AddTagsToResource RemoveTagsFromResource ListTagsForResource"
    ),
    "aws:rds/subnetGroup:SubnetGroup": (
        "rds:CreateDBSubnetGroup DescribeDBSubnetGroups ModifyDBSubnetGroup DeleteDBSubnetGroup AddTagsToResource "
        "RemoveTagsFromResource ListTagsForResource"
    ),
    "aws:secretsmanager/secretRotation:SecretRotation": (
        "secretsmanager:RotateSecret DescribeSecret CancelRotateSecret"
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
# calls of `planner teardown-check`, and of the look-ups that `planner stack` prints
_LOOKING = (
    "tag:GetResources autoscaling:DescribeAutoScalingGroups ec2:DescribeInstances DescribeNatGateways "
    "DescribeVpcEndpoints DescribeCapacityReservations DescribeAvailabilityZones DescribeInstanceTypeOfferings "
    "cloudwatch:ListMetrics GetMetricStatistics kms:DescribeKey ssm:GetParameter GetParametersByPath "
    "sts:GetCallerIdentity "
    "budgets:ViewBudget DescribeBudgetActionsForBudget ListTagsForResource "
    "ce:GetAnomalyMonitors GetAnomalySubscriptions ListTagsForResource "
    "iam:ListRoles ListRoleTags ListInstanceProfiles ListInstanceProfileTags ListPolicies ListPolicyTags"
)
# calls of `planner reserve`, in a policy of their own for people who may spend money
_BUYING = (
    "ec2:DescribeAvailabilityZones DescribeCapacityBlockOfferings DescribeCapacityReservations PurchaseCapacityBlock "
    "DescribeCapacityBlockExtensionHistory DescribeCapacityBlockExtensionOfferings PurchaseCapacityBlockExtension "
    "CreateCapacityReservation ModifyCapacityReservation CancelCapacityReservation CreateTags"
)
# of a Slurm cluster by AWS PCS, which Cloud Control makes with the deployer's own rights: the handlers of AWS's schemas
# of AWS::PCS::Cluster, ComputeNodeGroup and Queue
_SCHEDULING = (
    "cloudformation:CreateResource GetResource UpdateResource DeleteResource GetResourceRequestStatus "
    "pcs:CreateCluster GetCluster UpdateCluster DeleteCluster ListClusters "
    "CreateComputeNodeGroup GetComputeNodeGroup UpdateComputeNodeGroup DeleteComputeNodeGroup ListComputeNodeGroups "
    "CreateQueue GetQueue UpdateQueue DeleteQueue ListQueues TagResource UntagResource ListTagsForResource "
    "ec2:CreateFleet CreateNetworkInterface CreateTags DescribeImages DescribeInstanceTypeOfferings "
    "DescribeInstanceTypes DescribeKeyPairs DescribeLaunchTemplates DescribeLaunchTemplateVersions "
    "DescribeSecurityGroups DescribeSubnets DescribeVpcs GetSecurityGroupsForVpc RunInstances TerminateInstances "
    "iam:CreateServiceLinkedRole PassRole secretsmanager:CreateSecret TagResource"
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
# of files over the pool, whose rights are in a policy of their own
FILES_TYPES = tuple(type_ for type_ in ACTIONS if type_.startswith(("aws:rds/", "aws:secretsmanager/")))
LOOK_UP_ACTIONS = _expanded(_LOOKING)
PURCHASE_ACTIONS = _expanded(_BUYING)
# and the roles and profiles of its nodes, whose names have a path
SCHEDULER_ACTIONS = tuple(
    dict.fromkeys(
        (
            *_expanded(_SCHEDULING),
            *ACTIONS["aws:iam/role:Role"],
            *ACTIONS["aws:iam/rolePolicy:RolePolicy"],
            *ACTIONS["aws:iam/instanceProfile:InstanceProfile"],
        )
    )
)
