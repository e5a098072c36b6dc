"""What AWS and its provider do with each type that the stack uses, as a table.

Sources: `ForceNew` and `RequiresReplace` of the Terraform AWS provider's resources (which Pulumi's provider runs),
its import ids; EC2, IAM, S3, SNS, FSx and Budgets API references for what a second call of the same name does.
Where AWS would let go of something that others still name, and they break later, this cloud refuses: the order of a
deletion is to be proved, not to be lucky.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


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


@dataclass(frozen=True, kw_only=True)
class Names:
    """That an input names another thing: by its id, or by another of its inputs or outputs.

    holds: the other thing cannot go while this one stands.
    """

    path: str
    type: str
    by: str = "id"
    holds: bool = False


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
    "autoscaling/group:Group": Kind(
        id="{name}",
        arn="arn:aws:autoscaling:{region}:{account}:autoScalingGroup:{uuid}:autoScalingGroupName/{name}",
        unique=("name",),
        named="name",
        replace=("name", "namePrefix"),
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
        arn=_IAM + "instance-profile/{name}",
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
        arn=_IAM + "role/{name}",
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


def kind_of(token: str) -> Kind:
    """Raises LookupError for a type that the stack did not use when this was written."""
    found = KINDS.get(token.removeprefix("aws:"))
    if found is None:
        raise LookupError(f"the stand-in cloud does not know {token}: say in tests/engine/cloud/kinds.py what it is")
    return found


def names_of(token: str) -> tuple[Names, ...]:
    return NAMES.get(token.removeprefix("aws:"), ())


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
    if token.endswith(":Instance") and "userData" in changed and new.get("userDataReplaceOnChange"):
        found.append("userData")
    if token.endswith(":Instance") and "rootBlockDevice" in changed:
        was, will = old.get("rootBlockDevice") or {}, new.get("rootBlockDevice") or {}
        if any(was.get(name) != will.get(name) for name in ("encrypted", "kmsKeyId")):
            found.append("rootBlockDevice")
    return found


def values_at(value: Any, path: str) -> list[Any]:
    """What stands at `a.b[].c`."""
    found = [value]
    for part in path.split("."):
        name, many = part.removesuffix("[]"), part.endswith("[]")
        found = [one[name] for one in found if isinstance(one, Mapping) and one.get(name) is not None]
        if many:
            found = [inner for one in found if isinstance(one, list) for inner in one]
    return found
