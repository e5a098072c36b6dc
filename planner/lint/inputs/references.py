"""References and dependencies: existing, of the right kind, in one VPC, in an order that works."""

from __future__ import annotations

from planner.lint.read.graph import REFERENCE, Graph, Resource
from planner.lint.read.topology import (
    GROUP,
    INSTANCE,
    SECURITY,
    SUBNET,
    TABLES,
    VPC,
    groups_of,
    role_of,
    subnets_of,
    templates_of,
)
from planner.lint.read.values import given, leaves
from planner.lint.rule import WARNING, Hits, rule

KEYS = ("kms:Key", "kms:Alias", "kms:ReplicaKey", "kms:ExternalKey", "kms:ReplicaExternalKey")
# argument -> types that it may refer to
WANTED: dict[str, tuple[str, ...]] = {
    "vpcId": (VPC, "ec2:DefaultVpc"),
    "subnetId": (SUBNET, "ec2:DefaultSubnet"),
    "subnetIds": (SUBNET, "ec2:DefaultSubnet"),
    "vpcZoneIdentifiers": (SUBNET, "ec2:DefaultSubnet"),
    "routeTableId": TABLES,
    "routeTableIds": TABLES,
    "natGatewayId": ("ec2:NatGateway",),
    "internetGatewayId": ("ec2:InternetGateway",),
    "allocationId": ("ec2:Eip",),
    "securityGroupId": (SECURITY, "ec2:DefaultSecurityGroup"),
    "securityGroupIds": (SECURITY, "ec2:DefaultSecurityGroup"),
    "vpcSecurityGroupIds": (SECURITY, "ec2:DefaultSecurityGroup"),
    "referencedSecurityGroupId": (SECURITY, "ec2:DefaultSecurityGroup"),
    "fileSystemId": ("fsx:LustreFileSystem",),
    "autoscalingGroupName": (GROUP,),
    "networkInterfaceId": ("ec2:NetworkInterface",),
    "AutoScalingGroupName": (GROUP,),
    "FileSystemId": ("fsx:LustreFileSystem", "efs:FileSystem"),
    "NatGatewayId": ("ec2:NatGateway",),
    "InstanceId": (INSTANCE, "ec2:SpotInstanceRequest"),
    "role": ("iam:Role",),
    "iamRoleArn": ("iam:Role",),
    "executionRoleArn": ("iam:Role",),
    "policyArn": ("iam:Policy",),
    "kmsKeyId": KEYS,
    "kmsMasterKeyId": KEYS,
    "targetKeyId": KEYS,
    "budgetName": ("budgets:Budget",),
    "topic": ("sns:Topic", "sns:TopicPolicy"),
    "monitorArnLists": ("costexplorer:AnomalyMonitor",),
    "logDestination": ("cloudwatch:LogGroup", "s3:Bucket", "kinesis:FirehoseDeliveryStream"),
    "bucket": ("s3:Bucket", "s3:DirectoryBucket"),
}
# (type, argument) -> types that it may refer to, for arguments that mean something else elsewhere
WANTED_AT: dict[tuple[str, str], tuple[str, ...]] = {
    ("ec2:LaunchTemplate", "securityGroups"): (SECURITY, "ec2:DefaultSecurityGroup"),
    ("ec2:NetworkInterface", "securityGroups"): (SECURITY, "ec2:DefaultSecurityGroup"),
    ("ec2:LaunchTemplate", "groupName"): ("ec2:PlacementGroup",),
    ("ec2:LaunchTemplate", "arn"): ("iam:InstanceProfile",),
    ("ec2:LaunchTemplate", "name"): ("iam:InstanceProfile",),
    (INSTANCE, "iamInstanceProfile"): ("iam:InstanceProfile",),
    (GROUP, "version"): ("ec2:LaunchTemplate",),
    ("budgets:BudgetAction", "groups"): ("iam:Group",),
    ("sns:TopicPolicy", "arn"): ("sns:Topic",),
    ("costexplorer:AnomalySubscription", "address"): ("sns:Topic", "sns:TopicPolicy"),
}
POLICIES = ("iam:RolePolicy", "iam:RolePolicyAttachment")


@rule(
    "REF-DANGLING",
    what="a reference to a resource that does not exist",
    why="The deployment stops halfway, or the argument is empty",
    remedy="Refer to a resource of this stack",
    example='vpcId: "${urn:...::gone.id}"',
)
def dangling_reference(graph: Graph) -> Hits:
    for resource in graph.resources:
        for where, leaf in leaves(resource.inputs):
            for body in REFERENCE.findall(leaf) if isinstance(leaf, str) and "${urn:" in leaf else ():
                if body.startswith("urn:") and graph.split(body) is None:
                    yield resource, where, f"{body.rpartition('::')[2] or body} does not exist in the graph"


@rule(
    "REF-DEPENDS",
    what="a dependency on a resource that does not exist",
    why="Resources may be created in the wrong order",
    remedy="Refer to a resource of this stack",
    example="depends_on with the URN of a deleted resource",
)
def dangling_dependency(graph: Graph) -> Hits:
    for resource in graph.resources:
        for urn in resource.depends_on:
            if urn not in graph.by_urn and not any(other.name == urn for other in graph.resources):
                yield resource, "depends_on", f"{urn.rpartition('::')[2]} does not exist in the graph"


@rule(
    "REF-CYCLE",
    what="resources that depend on each other",
    why="The deployment fails or never finishes: none of them can be created first",
    remedy="Break the cycle. Two security groups that refer to each other need separate rule resources",
    example="a group whose inline rule refers to a group that refers back",
)
def dependency_cycle(graph: Graph) -> Hits:
    for resource in graph.resources:
        if resource.urn in resource.depends_on:
            yield resource, "depends_on", "depends on itself"
        for where, leaf in leaves(resource.inputs):
            if isinstance(leaf, str) and any(other is resource for other in graph.referred(leaf)):
                yield resource, where, "refers to itself"
    befores = {urn: found & graph.by_urn.keys() for urn, found in graph.befores.items()}
    rest = {urn: set(found) for urn, found in befores.items()}
    waiting = [urn for urn, found in rest.items() if not found]
    after: dict[str, list[str]] = {}
    for urn, found in befores.items():
        for other in found:
            after.setdefault(other, []).append(urn)
    while waiting:
        done = waiting.pop()
        rest.pop(done, None)
        for urn in after.get(done, ()):
            if urn in rest:
                rest[urn].discard(done)
                if not rest[urn]:
                    waiting.append(urn)
    for urn in sorted(rest):
        if urn in graph.all_before(graph.by_urn[urn]):
            others = sorted(graph.by_urn[other].name for other in rest[urn] if other in rest)
            yield graph.by_urn[urn], "depends_on", f"depends on itself through {', '.join(others[:3])}"


@rule(
    "REF-KIND",
    what="a reference to the wrong kind of resource",
    why="AWS rejects the id after the earlier resources exist",
    remedy="Refer to a resource of the kind that the argument needs",
    example="subnetId that refers to a VPC",
)
def reference_to_wrong_kind(graph: Graph) -> Hits:
    for resource in graph.resources:
        for where, leaf in leaves(resource.inputs):
            key = where.rsplit(".", 1)[-1].split("[")[0]
            wanted = WANTED_AT.get((resource.kind, key)) or WANTED.get(key)
            # policies and free text may refer to anything
            if wanted is None or not isinstance(leaf, str) or "Statement" in where or "tags" in where:
                continue
            found = [graph.split(body) for body in REFERENCE.findall(leaf)] if leaf.startswith("${") else []
            other, output = next((one for one in found if one and one[0].type.startswith("aws:")), (None, ""))
            # a subnet's vpcId is a VPC's id, and a VPC's mainRouteTableId a route table's
            passed_on = output.lower().endswith(key.lower().removesuffix("s")) and key != "arn"
            # the id of a bucket setting is the bucket's name
            a_part = key == "bucket" and other is not None and other.kind.startswith("s3:Bucket")
            if other and other.kind not in wanted and not passed_on and not a_part:
                yield resource, where, f"{other.name} is a {other.kind}, not a {wanted[0]}"


@rule(
    "REF-VPC",
    what="a resource with parts in two VPCs",
    why="AWS rejects it: a security group, route table or endpoint works only within its own VPC",
    remedy="Use a subnet, security group and route table of the same VPC",
    example="a security group of another VPC on the nodes' interfaces",
)
def reference_across_vpcs(graph: Graph) -> Hits:
    for resource in graph.resources:
        parts = [*subnets_of(graph, resource), *groups_of(graph, resource)]
        if resource.kind == "ec2:RouteTableAssociation":
            parts += graph.targets(resource.inputs.get("routeTableId"), *TABLES)
        homes = {vpc: part for part in parts if (vpc := graph.target(part.inputs.get("vpcId"), VPC)) is not None}
        own = graph.target(resource.inputs.get("vpcId"), VPC)
        homes |= {own: resource} if own is not None and parts else {}
        for part in parts if homes else ():
            if part.kind == SECURITY and not given(part.inputs.get("vpcId")):
                yield part, "vpcId", f"not given, so the default VPC, but {resource.name} is in another VPC"
        if len(homes) > 1:
            named = sorted(f"{part.name} is in {vpc.name}" for vpc, part in homes.items())
            yield resource, "", f"{', '.join(named)}"


@rule(
    "ORDER-POLICY",
    GROUP,
    INSTANCE,
    what="nodes that may start before their role has its policies",
    why="The first nodes boot without permissions and stay that way: a profile depends on its role, not on "
    "the role's policies",
    remedy="Add the role's policies and attachments to dependsOn",
    example="a group without dependsOn",
)
def nodes_before_their_policies(graph: Graph) -> Hits:
    attached: dict[Resource, list[Resource]] = {}
    for kind in POLICIES:
        for policy in graph.of(kind):
            role = graph.target(policy.inputs.get("role"), "iam:Role")
            if role is not None:
                attached.setdefault(role, []).append(policy)
    for maker in graph.of(GROUP, INSTANCE):
        node_configs = [maker, *templates_of(graph, maker)]
        roles = {role for resource in node_configs if (role := role_of(graph, resource)) is not None}
        before = graph.all_before(maker) if roles else set()
        # a policy that refers to the group can only be created after it
        wanted = [p for role in roles for p in attached.get(role, ()) if maker.urn not in graph.all_before(p)]
        missing = sorted(policy.name for policy in wanted if policy.urn not in before)
        if missing:
            yield maker, "depends_on", f"does not depend on {', '.join(missing)}"


@rule(
    "ORDER-LIFECYCLE",
    "s3:BucketLifecycleConfiguration",
    severity=WARNING,
    what="a lifecycle that does not wait for versioning",
    why="Rules for old versions may be applied before the bucket has versioning",
    remedy="Add the BucketVersioning to dependsOn",
    example="a BucketLifecycleConfiguration without dependsOn",
)
def lifecycle_before_versioning(graph: Graph) -> Hits:
    for lifecycle in graph.of("s3:BucketLifecycleConfiguration"):
        bucket = graph.target(lifecycle.inputs.get("bucket"), "s3:Bucket")
        versions = graph.pointing(bucket, "s3:BucketVersioning", "bucket") if bucket else []
        if versions and not any(v.urn in graph.all_before(lifecycle) for v in versions):
            yield lifecycle, "depends_on", f"does not depend on {versions[0].name}"
