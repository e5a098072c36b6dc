"""IPv6 settings on subnets and interfaces without an IPv6 range."""

from __future__ import annotations

from planner.lint.read.graph import Graph, Resource
from planner.lint.read.topology import CARD, GROUP, INSTANCE, SUBNET, TEMPLATE, VPC, subnets_of, templates_of
from planner.lint.read.values import flag, given, many, whole
from planner.lint.rule import Hits, rule

VPC_SIX = "ec2:VpcIpv6CidrBlockAssociation"
SIX_OF_VPC = ("assignGeneratedIpv6CidrBlock", "ipv6CidrBlock", "ipv6IpamPoolId", "ipv6NetmaskLength")
SIX_OF_SUBNET = ("ipv6CidrBlock", "ipv6IpamPoolId", "ipv6NetmaskLength", "ipv6Native", "assignIpv6AddressOnCreation")
SIX_OF_CARD = ("ipv6AddressCount", "ipv6Addresses", "ipv6PrefixCount", "ipv6Prefixes")


@rule(
    "IPV6-NONE",
    SUBNET,
    TEMPLATE,
    INSTANCE,
    CARD,
    what="IPv6 in a network without IPv6",
    why="AWS rejects the subnet, or every launch fails: a subnet takes its IPv6 range from the VPC, and an "
    "interface takes its address from the subnet",
    remedy="Set assignGeneratedIpv6CidrBlock on the VPC and an IPv6 range on the subnet, or remove IPv6",
    example="assignIpv6AddressOnCreation: true in an IPv4-only VPC",
)
def ipv6_without_range(graph: Graph) -> Hits:
    for subnet in graph.of(SUBNET):
        home = graph.target(subnet.inputs.get("vpcId"), VPC)
        if home is not None and not _six(home, SIX_OF_VPC) and not graph.pointing(home, VPC_SIX, "vpcId"):
            for key in SIX_OF_SUBNET:
                if _asks(subnet.inputs.get(key)):
                    yield subnet, key, f"{home.name} has no IPv6 range"
        elif flag(subnet.inputs.get("assignIpv6AddressOnCreation")) and not _six(subnet, SIX_OF_SUBNET[:-1]):
            yield subnet, "assignIpv6AddressOnCreation", "the subnet has no IPv6 range"
    for holder in graph.of(TEMPLATE, INSTANCE, CARD):
        homes = subnets_of(graph, holder)
        if holder.kind == TEMPLATE:
            homes += [s for g in graph.of(GROUP) if holder in templates_of(graph, g) for s in subnets_of(graph, g)]
        blocks = [("", holder.inputs)]
        blocks += [
            (f"networkInterfaces[{i}].", nic) for i, nic in enumerate(many(holder.inputs.get("networkInterfaces")))
        ]
        if homes and not any(_six(home, SIX_OF_SUBNET) for home in homes):
            for prefix, block in blocks:
                for key in SIX_OF_CARD:
                    if _asks(block.get(key)):
                        yield holder, prefix + key, f"{homes[0].name} has no IPv6 range"


def _six(resource: Resource, keys: tuple[str, ...]) -> bool:
    return any(_asks(resource.inputs.get(key)) for key in keys)


def _asks(value: object) -> bool:
    """Whether an IPv6 argument is set to anything but false or 0."""
    return given(value) and flag(value) is not False and whole(value) != 0
