"""Two resources that manage the same thing, and addresses or policies that nothing uses."""

from __future__ import annotations

from planner.lint.read.earlier import earlier
from planner.lint.read.graph import Graph, Resource
from planner.lint.read.values import given, leaves, literal
from planner.lint.rule import WARNING, Hits, rule
from planner.lint.storage.buckets import ENCRYPTION, VERSIONING

# type -> the arguments that identify the thing it manages
ONE: dict[str, tuple[str, ...]] = {
    "autoscaling:LifecycleHook": ("autoscalingGroupName", "name"),
    "autoscaling:Schedule": ("autoscalingGroupName", "scheduledActionName"),
    "ec2:DefaultSecurityGroup": ("vpcId",),
    "ec2:FlowLog": ("vpcId", "subnetId", "eniId", "transitGatewayId", "logDestination", "trafficType"),
    "ec2:InternetGateway": ("vpcId",),
    "iam:RolePolicy": ("role", "name"),
    "iam:RolePolicyAttachment": ("role", "policyArn"),
    "kms:KeyPolicy": ("keyId",),
    "s3:BucketObjectv2": ("bucket", "key"),
    "s3:BucketOwnershipControls": ("bucket",),
    "s3:BucketPolicy": ("bucket",),
    "s3:BucketPublicAccessBlock": ("bucket",),
    ENCRYPTION: ("bucket",),
    VERSIONING: ("bucket",),
    "sns:TopicPolicy": ("arn",),
    "sns:TopicSubscription": ("topic", "protocol", "endpoint"),
}
OPTIONAL = ("subnetId", "eniId", "transitGatewayId", "trafficType")


@rule(
    "MADE-TWICE",
    *sorted(ONE),
    what="two resources that manage the same thing in AWS",
    why="AWS rejects the second, or each deployment undoes the other's changes, and deleting one deletes both",
    remedy="Merge the two into one resource",
    example="two BucketPolicies of one bucket, or two internet gateways in one VPC",
)
def resource_managed_twice(graph: Graph) -> Hits:
    for kind, keys in ONE.items():
        seen: dict[tuple[object, ...], Resource] = {}
        for resource in graph.of(kind):
            mark = tuple(_meant(graph, resource.inputs.get(key)) for key in keys)
            if any(part is None and key not in OPTIONAL for part, key in zip(mark, keys, strict=True)):
                continue
            first = earlier(seen, mark, resource)
            if first is not None and first.urn != resource.urn:
                yield resource, keys[0], f"{first.name} already manages this"


def _meant(graph: Graph, value: object) -> object:
    """The URN or text that an argument stands for; None if it is not known."""
    if not isinstance(value, str) or not value:
        return None
    found = graph.target(value)
    return found.urn if found is not None else literal(value)


@rule(
    "MADE-FOR-NOTHING",
    "ec2:Eip",
    "iam:Policy",
    severity=WARNING,
    what="an address or policy that nothing uses",
    why="An unused public IPv4 address is billed by the hour, and a policy that is attached to nothing has no effect",
    remedy="Add the NAT gateway that uses the address, or the attachment or budget action of the policy; "
    "otherwise remove it",
    example="an Eip that no NatGateway uses",
)
def unused_address_or_policy(graph: Graph) -> Hits:
    used: set[str] = set()
    for resource in graph.resources:
        # mentioning a policy in another policy does not attach it
        mentions = {key: value for key, value in resource.inputs.items() if not key.lower().endswith("policy")}
        for _, leaf in leaves(mentions):
            used |= {other.urn for other in _others(graph, leaf, resource)} if isinstance(leaf, str) else set()
    for address in graph.of("ec2:Eip"):
        own = any(given(address.inputs.get(key)) for key in ("instance", "networkInterface"))
        if address.urn not in used and not own and _all_in_graph(graph, "ec2:NatGateway", "allocationId"):
            yield address, "", "no NAT gateway or instance uses this address"
    for policy in graph.of("iam:Policy"):
        if policy.urn not in used:
            yield policy, "", "attached to nothing"


def _others(graph: Graph, leaf: str, own: Resource) -> list[Resource]:
    found = [*graph.referred(leaf)]
    named = graph.target(leaf)
    return [other for other in (*found, named) if other is not None and other is not own]


def _all_in_graph(graph: Graph, kind: str, key: str) -> bool:
    """Whether every argument `key` of a kind refers to an Eip of the graph."""
    return all(
        graph.target(r.inputs.get(key), "ec2:Eip") is not None for r in graph.of(kind) if given(r.inputs.get(key))
    )
