"""What AWS and its provider do with each type that the stack uses, as a table.

Sources: `ForceNew` and `RequiresReplace` of the Terraform AWS provider's resources (which Pulumi's provider runs),
its import ids; EC2, IAM, S3, SNS, FSx and Budgets API references for what a second call of the same name does."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.infra.aws_schemas import schema


@dataclass(frozen=True, kw_only=True)
class Kind:
    """One type. id, arn: of inputs by name, {hex}, {uuid}, {account}, {region}, and the arn of {id}.

    unique: inputs of which AWS takes no second set; none: it makes another without a word. again: what a second call
    does: `refused` with the code, `adopted`: it is the first one, or `stray`: something is made and then refused.
    named: the input that the provider fills where the program does not. replace: inputs whose change is a new thing.
    outputs: what AWS adds. listed: whether the tagging service lists it with its tags, in its own Region or, where it
    has none, in us-east-1. Where AWS's pages leave that open (cost anomalies, budget actions, IAM) it does not here.
    """

    id: str
    arn: str = ""
    unique: tuple[str, ...] = ()
    again: str = "refused"
    code: str = "AlreadyExists"
    named: str = ""
    replace: tuple[str, ...] = ()
    outputs: Mapping[str, str] = field(default_factory=dict)
    listed: bool = True


_EC2 = "arn:aws:ec2:{region}:{account}:"
_IAM = "arn:aws:iam::{account}:"


def _bucket_part(*more: str) -> Kind:
    return Kind(id="{bucket}", unique=("bucket",), again="adopted", replace=("bucket", *more), listed=False)


def _rule() -> Kind:
    return Kind(
        id="sgr-{hex}",
        arn=_EC2 + "security-group-rule/{id}",
        unique=(
            "securityGroupId",
            "ipProtocol",
            "fromPort",
            "toPort",
            "cidrIpv4",
            "referencedSecurityGroupId",
        ),
        code="InvalidPermission.Duplicate",
        replace=("securityGroupId",),
        outputs={"securityGroupRuleId": "{id}"},
    )


KINDS: dict[str, Kind] = {
    "batch/computeEnvironment:ComputeEnvironment": Kind(
        id="{name}",
        arn="arn:aws:batch:{region}:{account}:compute-environment/{name}",
        unique=("name",),
        code="ClientException",
        named="name",
        replace=("name", "namePrefix", "type"),
        outputs={
            "ecsClusterArn": "arn:aws:ecs:{region}:{account}:cluster/AWSBatch-{name}-{uuid}",
            "status": "VALID",
        },
    ),
    "batch/jobDefinition:JobDefinition": Kind(
        id="arn:aws:batch:{region}:{account}:job-definition/{name}:1",
        arn="arn:aws:batch:{region}:{account}:job-definition/{name}:1",
        again="adopted",  # as the next revision
        named="name",
        replace=("name",),
        outputs={"revision": "1", "arnPrefix": "arn:aws:batch:{region}:{account}:job-definition/{name}"},
    ),
    "batch/jobQueue:JobQueue": Kind(
        id="arn:aws:batch:{region}:{account}:job-queue/{name}",
        arn="arn:aws:batch:{region}:{account}:job-queue/{name}",
        unique=("name",),
        code="ClientException",
        named="name",
        replace=("name",),
    ),
    "autoscaling/group:Group": Kind(
        id="{name}",
        arn="arn:aws:autoscaling:{region}:{account}:autoScalingGroup:{uuid}:autoScalingGroupName/{name}",
        unique=("name",),
        named="name",
        replace=("name", "namePrefix", "initialLifecycleHooks"),
        listed=False,  # by their own service alone
    ),
    "autoscaling/lifecycleHook:LifecycleHook": Kind(
        id="{autoscalingGroupName}/{name}",  # as it is imported: the provider looks the name alone up in its group
        unique=("autoscalingGroupName", "name"),
        again="adopted",
        named="name",
        replace=("name",),
    ),
    "autoscaling/schedule:Schedule": Kind(
        id="{autoscalingGroupName}/{scheduledActionName}",
        arn="arn:aws:autoscaling:{region}:{account}:scheduledUpdateGroupAction:{uuid}:autoScalingGroupName/"
        "{autoscalingGroupName}:scheduledActionName/{scheduledActionName}",
        unique=("autoscalingGroupName", "scheduledActionName"),
        again="adopted",
        replace=("scheduledActionName", "autoscalingGroupName"),
        listed=False,
    ),
    "budgets/budget:Budget": Kind(
        id="{account}:{name}",
        arn="arn:aws:budgets::{account}:budget/{name}",
        unique=("name",),
        code="DuplicateRecordException",
        named="name",
        replace=("name", "namePrefix", "accountId"),
    ),
    "budgets/budgetAction:BudgetAction": Kind(
        id="{account}:{uuid}:{budgetName}",
        arn="arn:aws:budgets::{account}:budget/{budgetName}/action/{uuid}",
        replace=("accountId", "actionType", "budgetName"),
        outputs={"actionId": "{uuid}", "status": "STANDBY"},
        listed=False,
    ),
    # AWS PCS by Cloud Control: named by its ARN; what may not change is in AWS's schemas (`replaces`)
    "cloudcontrol/resource:Resource": Kind(
        id="arn:aws:pcs:{region}:{account}:{typeName}/pcs_{hex}",
        arn="{id}",
        unique=("typeName", "desiredState"),
        code="AlreadyExists",
        replace=("typeName",),
        listed=False,  # whether the tagging service lists AWS PCS is not known
    ),
    "cloudwatch/logGroup:LogGroup": Kind(
        id="{name}",
        arn="arn:aws:logs:{region}:{account}:log-group:{name}",
        unique=("name",),
        code="ResourceAlreadyExistsException",
        named="name",
        replace=("name", "namePrefix", "logGroupClass"),
    ),
    "cloudwatch/metricAlarm:MetricAlarm": Kind(
        id="{name}",
        arn="arn:aws:cloudwatch:{region}:{account}:alarm:{name}",
        unique=("name",),
        again="adopted",
        named="name",
        replace=("name",),
    ),
    "cloudwatch/dashboard:Dashboard": Kind(
        id="{dashboardName}",
        unique=("dashboardName",),
        again="adopted",
        named="dashboardName",
        replace=("dashboardName",),
        outputs={"dashboardArn": "arn:aws:cloudwatch::{account}:dashboard/{dashboardName}"},
    ),
    "cloudwatch/eventRule:EventRule": Kind(
        id="{name}",
        arn="arn:aws:events:{region}:{account}:rule/{name}",
        unique=("name",),
        again="adopted",
        named="name",
        replace=("name", "eventBusName"),
    ),
    "cloudwatch/eventTarget:EventTarget": Kind(
        id="{rule}-{targetId}",
        unique=("rule", "targetId"),
        again="adopted",
        named="targetId",
        replace=("rule", "targetId", "eventBusName"),
    ),
    "costexplorer/anomalyMonitor:AnomalyMonitor": Kind(
        id="arn:aws:ce::{account}:anomalymonitor/{uuid}",
        arn="{id}",
        named="name",
        replace=("monitorType", "monitorDimension", "monitorSpecification"),
        listed=False,
    ),
    "costexplorer/anomalySubscription:AnomalySubscription": Kind(
        id="arn:aws:ce::{account}:anomalysubscription/{uuid}",
        arn="{id}",
        named="name",
        replace=("name", "accountId"),
        listed=False,
    ),
    "ec2/defaultSecurityGroup:DefaultSecurityGroup": Kind(
        id="sg-{hex}",
        arn=_EC2 + "security-group/{id}",
        unique=("vpcId",),
        again="adopted",
        replace=("vpcId",),
    ),
    "ec2/eip:Eip": Kind(
        id="eipalloc-{hex}",
        arn=_EC2 + "elastic-ip/{id}",
        replace=("domain", "networkBorderGroup", "publicIpv4Pool"),
        outputs={"allocationId": "{id}", "publicIp": "192.0.2.1"},
    ),
    "ec2/flowLog:FlowLog": Kind(
        id="fl-{hex}",
        arn=_EC2 + "vpc-flow-log/{id}",
        unique=("vpcId", "trafficType", "logDestination"),
        code="FlowLogAlreadyExists",
        replace=(
            "iamRoleArn",
            "logDestination",
            "logDestinationType",
            "logFormat",
            "maxAggregationInterval",
            "trafficType",
            "vpcId",
        ),
    ),
    "ec2/instance:Instance": Kind(
        id="i-{hex}",
        arn=_EC2 + "instance/{id}",
        unique=("primaryNetworkInterface",),
        code="InvalidNetworkInterface.InUse",
        replace=(
            "ami",
            "ebsOptimized",
            "primaryNetworkInterface",
            "subnetId",
            "privateIp",
            "keyName",
            "placementGroup",
        ),
        outputs={"instanceState": "running"},
    ),
    "ec2/internetGateway:InternetGateway": Kind(
        id="igw-{hex}",
        arn=_EC2 + "internet-gateway/{id}",
        unique=("vpcId",),  # made first, attached then: the second of a VPC is refused only there
        again="stray",
        code="Resource.AlreadyAssociated",
    ),
    "ec2/launchTemplate:LaunchTemplate": Kind(
        id="lt-{hex}",
        arn=_EC2 + "launch-template/{id}",
        unique=("name",),
        code="InvalidLaunchTemplateName.AlreadyExistsException",
        named="name",
        replace=("name", "namePrefix"),
    ),
    "ec2/natGateway:NatGateway": Kind(
        id="nat-{hex}",
        arn=_EC2 + "natgateway/{id}",
        unique=("allocationId",),
        code="Resource.AlreadyAssociated",
        replace=("allocationId", "connectivityType", "subnetId", "privateIp"),
    ),
    "ec2/networkInterface:NetworkInterface": Kind(
        id="eni-{hex}",
        arn=_EC2 + "network-interface/{id}",
        unique=("subnetId", "privateIps"),
        code="InvalidIPAddress.InUse",
        replace=("subnetId", "interfaceType", "privateIps"),  # its first address cannot be taken from it
    ),
    "ec2/placementGroup:PlacementGroup": Kind(
        id="{name}",
        arn=_EC2 + "placement-group/{name}",
        unique=("name",),
        code="InvalidPlacementGroup.Duplicate",
        named="name",
        replace=("name", "strategy", "partitionCount", "spreadLevel"),
        outputs={"placementGroupId": "pg-{hex}"},
    ),
    "ec2/route:Route": Kind(
        id="r-{routeTableId}{hex8}",
        unique=("routeTableId", "destinationCidrBlock"),
        code="RouteAlreadyExists",
        replace=("routeTableId", "destinationCidrBlock", "destinationIpv6CidrBlock", "destinationPrefixListId"),
    ),
    "ec2/routeTable:RouteTable": Kind(id="rtb-{hex}", arn=_EC2 + "route-table/{id}", replace=("vpcId",)),
    "ec2/routeTableAssociation:RouteTableAssociation": Kind(
        id="rtbassoc-{hex}",
        unique=("subnetId",),
        code="Resource.AlreadyAssociated",
        replace=("subnetId", "gatewayId"),
    ),
    "ec2/securityGroup:SecurityGroup": Kind(
        id="sg-{hex}",
        arn=_EC2 + "security-group/{id}",
        unique=("vpcId", "name"),
        code="InvalidGroup.Duplicate",
        named="name",
        replace=("name", "namePrefix", "description", "vpcId"),
    ),
    "ec2/subnet:Subnet": Kind(
        id="subnet-{hex}",
        arn=_EC2 + "subnet/{id}",
        unique=("vpcId", "cidrBlock"),
        code="InvalidSubnet.Conflict",
        replace=("vpcId", "cidrBlock", "availabilityZone", "availabilityZoneId"),
    ),
    "ec2/vpc:Vpc": Kind(id="vpc-{hex}", arn=_EC2 + "vpc/{id}", replace=("cidrBlock", "ipv4IpamPoolId")),
    "ec2/vpcEndpoint:VpcEndpoint": Kind(
        id="vpce-{hex}",
        arn=_EC2 + "vpc-endpoint/{id}",
        # a second gateway meets its route, a second interface its private name
        unique=("vpcId", "serviceName"),
        code="RouteAlreadyExists, or a conflicting DNS domain",
        replace=("vpcId", "serviceName", "vpcEndpointType"),
    ),
    "fsx/dataRepositoryAssociation:DataRepositoryAssociation": Kind(
        id="dra-{hex}",
        arn="arn:aws:fsx:{region}:{account}:association/{fileSystemId}/{id}",
        unique=("fileSystemId", "fileSystemPath"),
        code="BadRequest: overlapping path",
        replace=("fileSystemId", "fileSystemPath", "dataRepositoryPath"),
        outputs={"associationId": "{id}"},
    ),
    "fsx/lustreFileSystem:LustreFileSystem": Kind(
        id="fs-{hex}",
        arn="arn:aws:fsx:{region}:{account}:file-system/{id}",
        replace=(
            "backupId",
            "copyTagsToBackups",
            "deploymentType",
            "driveCacheType",
            "efaEnabled",
            "exportPath",
            "fileSystemTypeVersion",
            "importPath",
            "importedFileChunkSize",
            "kmsKeyId",
            "securityGroupIds",
            "storageType",
            "subnetIds",
        ),
        outputs={"dnsName": "{id}.fsx.{region}.amazonaws.com", "mountName": "fsx"},
    ),
    "iam/group:Group": Kind(
        id="{name}", arn=_IAM + "group{path}{name}", unique=("name",), code="EntityAlreadyExists", named="name"
    ),
    "iam/instanceProfile:InstanceProfile": Kind(
        id="{name}",
        arn=_IAM + "instance-profile{path}{name}",
        unique=("name",),
        code="EntityAlreadyExists",
        named="name",
        replace=("name", "namePrefix", "path"),
        listed=False,
    ),
    "iam/policy:Policy": Kind(
        id=_IAM + "policy/{name}",
        arn=_IAM + "policy/{name}",
        unique=("name",),
        code="EntityAlreadyExists",
        named="name",
        replace=("name", "namePrefix", "path", "description"),
        listed=False,
    ),
    "iam/role:Role": Kind(
        id="{name}",
        arn=_IAM + "role{path}{name}",
        unique=("name",),
        code="EntityAlreadyExists",
        named="name",
        replace=("name", "namePrefix", "path"),
        outputs={"uniqueId": "AROA{hex}"},
        listed=False,
    ),
    "iam/rolePolicy:RolePolicy": Kind(
        id="{role}:{name}", unique=("role", "name"), again="adopted", named="name", replace=("role", "name")
    ),
    "iam/rolePolicyAttachment:RolePolicyAttachment": Kind(
        id="{role}/{policyArn}", unique=("role", "policyArn"), again="adopted", replace=("role", "policyArn")
    ),
    "kms/alias:Alias": Kind(
        id="{name}",
        arn="arn:aws:kms:{region}:{account}:{name}",
        unique=("name",),
        code="AlreadyExistsException",
        named="name",
        replace=("name", "namePrefix"),
    ),
    "kms/key:Key": Kind(
        id="{uuid}",
        arn="arn:aws:kms:{region}:{account}:key/{id}",
        replace=("customerMasterKeySpec", "keyUsage", "multiRegion"),
        outputs={"keyId": "{id}"},
    ),
    "rds/instance:Instance": Kind(
        id="db-{hex}",
        arn="arn:aws:rds:{region}:{account}:db:{identifier}",
        unique=("identifier",),
        code="DBInstanceAlreadyExists",
        named="identifier",
        replace=(
            "availabilityZone",
            "characterSetName",
            "dbName",
            "engine",
            "identifierPrefix",
            "kmsKeyId",
            "storageEncrypted",
            "username",
        ),
        outputs={"address": "{identifier}.example.{region}.rds.amazonaws.com"},
    ),
    "rds/parameterGroup:ParameterGroup": Kind(
        id="{name}",
        arn="arn:aws:rds:{region}:{account}:pg:{name}",
        unique=("name",),
        code="DBParameterGroupAlreadyExists",
        named="name",
        replace=("name", "namePrefix", "family", "description"),
    ),
    "rds/subnetGroup:SubnetGroup": Kind(
        id="{name}",
        arn="arn:aws:rds:{region}:{account}:subgrp:{name}",
        unique=("name",),
        code="DBSubnetGroupAlreadyExists",
        named="name",
        replace=("name", "namePrefix"),
    ),
    "secretsmanager/secretRotation:SecretRotation": Kind(
        id="{secretId}", unique=("secretId",), again="adopted", replace=("secretId",)
    ),
    "s3/bucket:Bucket": Kind(
        id="{bucket}",
        arn="arn:aws:s3:::{bucket}",
        unique=("bucket",),
        code="BucketAlreadyOwnedByYou",  # the provider looks first, also where S3 itself would say yes
        named="bucket",
        replace=("bucket", "bucketPrefix", "objectLockEnabled"),
    ),
    "s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration": _bucket_part(),
    "s3/bucketObjectv2:BucketObjectv2": Kind(
        id="{bucket}/{key}",
        arn="arn:aws:s3:::{bucket}/{key}",
        unique=("bucket", "key"),
        again="adopted",
        replace=("bucket", "key"),
        listed=False,
    ),
    "s3/bucketOwnershipControls:BucketOwnershipControls": _bucket_part(),
    "s3/bucketPolicy:BucketPolicy": _bucket_part(),
    "s3/bucketPublicAccessBlock:BucketPublicAccessBlock": _bucket_part(),
    "s3/bucketServerSideEncryptionConfiguration:BucketServerSideEncryptionConfiguration": _bucket_part(),
    "s3/bucketVersioning:BucketVersioning": _bucket_part(),
    "sns/topic:Topic": Kind(
        id="arn:aws:sns:{region}:{account}:{name}",
        arn="arn:aws:sns:{region}:{account}:{name}",
        unique=("name",),
        again="adopted",
        named="name",
        replace=("name", "namePrefix", "fifoTopic"),
    ),
    "sns/topicPolicy:TopicPolicy": Kind(id="{arn}", unique=("arn",), again="adopted", replace=("arn",)),
    "sns/topicSubscription:TopicSubscription": Kind(
        id="{topic}:{uuid}",
        arn="{id}",
        unique=("topic", "protocol", "endpoint"),
        again="adopted",
        replace=("topic", "protocol", "endpoint"),
        listed=False,
    ),
    "vpc/securityGroupEgressRule:SecurityGroupEgressRule": _rule(),
    "vpc/securityGroupIngressRule:SecurityGroupIngressRule": _rule(),
}


def kind_of(token: str) -> Kind:
    """Raises LookupError for a type that the stack did not use when this was written."""
    found = KINDS.get(token.removeprefix("aws:"))
    if found is None:
        raise LookupError(f"the stand-in cloud does not know {token}: say in tests/engine/cloud/kinds.py what it is")
    return found


def replaces(token: str, old: Mapping[str, Any], new: Mapping[str, Any], changed: list[str]) -> list[str]:
    """Which of the changed inputs make it a new thing."""
    found = [name for name in changed if name in kind_of(token).replace]
    # more capacity is added in place, less is another file system (the provider's own rule)
    if token.endswith(":LustreFileSystem") and "storageCapacity" in changed:
        was, will = old.get("storageCapacity"), new.get("storageCapacity")
        if isinstance(was, int | float) and isinstance(will, int | float) and will < was:
            found.append("storageCapacity")
    if token.endswith(":LustreFileSystem") and "metadataConfiguration" in changed:
        was, will = old.get("metadataConfiguration") or {}, new.get("metadataConfiguration") or {}
        if will.get("mode") == "USER_PROVISIONED" and will.get("iops", 0) < was.get("iops", 0):
            found.append("metadataConfiguration")
    if token.endswith("cloudcontrol/resource:Resource") and "desiredState" in changed:
        was, will = (json.loads(one["desiredState"]) for one in (old, new))
        fixed = [path.rpartition("/")[2] for path in schema(str(new["typeName"]))["createOnlyProperties"]]
        if any(was.get(name) != will.get(name) for name in fixed):
            found.append("desiredState")
    if token.endswith(":Instance") and "userData" in changed and new.get("userDataReplaceOnChange"):
        found.append("userData")
    if token.endswith(":Instance") and "rootBlockDevice" in changed:
        was, will = old.get("rootBlockDevice") or {}, new.get("rootBlockDevice") or {}
        if any(was.get(name) != will.get(name) for name in ("encrypted", "kmsKeyId")):
            found.append("rootBlockDevice")
    return found
