"""Address ranges: valid, inside each other, not overlapping, and large enough for every node's interfaces."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator

from planner.lint.read.graph import Graph, Resource
from planner.lint.read.topology import (
    CARD,
    ENDPOINT,
    GROUP,
    INSTANCE,
    NAT,
    SUBNET,
    VPC,
    address_bearing,
    network,
    node_runners,
    nodes_of,
    subnets_of,
    templates_of,
)
from planner.lint.read.values import leaves, literal, texts
from planner.lint.rule import Hits, rule

RESERVED = 5  # addresses that AWS reserves in each subnet


def _cidrs(graph: Graph) -> Iterator[tuple[Resource, str, str]]:
    for resource in graph.resources:
        for where, leaf in leaves(resource.inputs):
            key = where.rsplit(".", 1)[-1].split("[")[0].lower()
            text = literal(leaf)
            if text and "cidr" in key and "/" not in key and not key.endswith("id"):
                yield resource, where, text


@rule(
    "CIDR-SYNTAX",
    what="an invalid address range",
    why="AWS rejects the range, or uses another one than you meant",
    remedy="Write the first address of the range and its prefix length, such as 10.0.0.0/16",
    example="cidrBlock: 10.0.0.7/24, or 10.0.0.0/33",
)
def invalid_cidr(graph: Graph) -> Hits:
    for resource, where, text in _cidrs(graph):
        try:
            ipaddress.ip_network(text)
            wrong = "" if "/" in text else "has no prefix length"
        except ValueError as error:
            wrong = str(error).removeprefix(repr(text)).strip()
        if wrong:
            yield resource, where, f"{text!r} {wrong}"


@rule(
    "CIDR-SIZE",
    VPC,
    SUBNET,
    what="a VPC or subnet size that AWS does not allow",
    why="AWS rejects it: a VPC or subnet is /16 to /28",
    remedy="Use a prefix length of 16 to 28",
    example="cidrBlock: 10.0.0.0/8 on a VPC",
)
def cidr_size_not_allowed(graph: Graph) -> Hits:
    for resource in graph.of(VPC, SUBNET):
        found = network(resource.inputs.get("cidrBlock"))
        if found is not None and not 16 <= found.prefixlen <= 28:
            yield resource, "cidrBlock", f"/{found.prefixlen}"


def _ranges_of(graph: Graph, vpc: Resource) -> list[ipaddress.IPv4Network]:
    more = graph.pointing(vpc, "ec2:VpcIpv4CidrBlockAssociation", "vpcId")
    found = [network(resource.inputs.get("cidrBlock")) for resource in [vpc, *more]]
    return [one for one in found if one is not None]


@rule(
    "SUBNET-OUTSIDE",
    SUBNET,
    what="a subnet outside its VPC's address range",
    why="AWS rejects the subnet, and no preview checks it",
    remedy="Choose a range within the VPC's",
    example="10.1.0.0/20 in a VPC of 10.0.0.0/16",
)
def subnet_outside_vpc(graph: Graph) -> Hits:
    for subnet in graph.of(SUBNET):
        vpc, here = graph.target(subnet.inputs.get("vpcId"), VPC), network(subnet.inputs.get("cidrBlock"))
        ranges = _ranges_of(graph, vpc) if vpc else []
        if here and ranges and not any(here.subnet_of(one) for one in ranges):
            yield subnet, "cidrBlock", f"{here} is outside {', '.join(map(str, ranges))}"


@rule(
    "SUBNET-OVERLAP",
    SUBNET,
    what="two subnets of one VPC that overlap",
    why="AWS rejects the second subnet",
    remedy="Choose ranges that do not overlap",
    example="10.0.0.0/20 and 10.0.8.0/24",
)
def overlapping_subnets(graph: Graph) -> Hits:
    placed: list[tuple[Resource, Resource | None, ipaddress.IPv4Network]] = []
    for subnet in graph.of(SUBNET):
        vpc, here = graph.target(subnet.inputs.get("vpcId"), VPC), network(subnet.inputs.get("cidrBlock"))
        if here is None or vpc is None:
            continue
        for other, where, taken in placed:
            if where is vpc and here.overlaps(taken):
                yield subnet, "cidrBlock", f"{here} overlaps {taken} of {other.name}"
        placed.append((subnet, vpc, here))


def _addresses(graph: Graph, maker: Resource) -> int:
    """How many addresses a group, an instance or another resource uses in its subnets."""
    if maker.kind == GROUP:
        return nodes_of(maker) * max(map(address_bearing, templates_of(graph, maker)), default=1)
    return 1


@rule(
    "SUBNET-SMALL",
    SUBNET,
    what="a subnet with too few addresses for the nodes",
    why="The last nodes do not start, and the job waits for them while the others are billed",
    remedy="Use a larger subnet (AWS reserves five addresses), or efa-only interfaces, which need no address",
    example="/24 for 16 p5 nodes with 32 address-bearing interfaces each",
)
def subnet_too_small(graph: Graph) -> Hits:
    needed: dict[Resource, int] = {}
    standing = [*node_runners(graph), *graph.of("fsx:LustreFileSystem", NAT)]
    standing += [one for one in graph.of(ENDPOINT) if one.inputs.get("vpcEndpointType") == "Interface"]
    for maker in standing:
        subnets = subnets_of(graph, maker)
        for subnet in subnets:
            share = _addresses(graph, maker)
            needed[subnet] = needed.get(subnet, 0) + (-(-share // len(subnets)) if maker.kind == GROUP else share)
    for subnet, count in needed.items():
        here = network(subnet.inputs.get("cidrBlock"))
        if here is not None and count > here.num_addresses - RESERVED:
            yield (
                subnet,
                "cidrBlock",
                f"{here} has {here.num_addresses - RESERVED:,} addresses, but the nodes need {count:,}",
            )


@rule(
    "ADDRESS-OUTSIDE",
    CARD,
    INSTANCE,
    what="a fixed address that is outside its subnet, reserved by AWS, or used twice",
    why="A control node does not start, and the others wait for it: AWS rejects the interface",
    remedy="Choose a free address of the subnet, but not one of its first four nor its last",
    example="privateIps: [10.1.0.10] in a subnet of 10.0.0.0/24",
)
def invalid_fixed_address(graph: Graph) -> Hits:
    taken: dict[str, Resource] = {}
    for resource in graph.of(CARD, INSTANCE):
        subnet = graph.target(resource.inputs.get("subnetId"), SUBNET)
        here = network(subnet.inputs.get("cidrBlock")) if subnet else None
        for key in ("privateIp", "privateIps", "privateIpLists"):
            for text in texts(resource.inputs.get(key)):
                if literal(text) is None or here is None:
                    continue
                try:
                    address = ipaddress.IPv4Address(text)
                except ValueError:
                    yield resource, key, f"{text!r} is not an IP address"
                    continue
                kept = {here[i] for i in range(min(4, here.num_addresses))} | {here[-1]}
                if address not in here or address in kept:
                    yield resource, key, f"{text} is {'reserved by AWS in' if address in here else 'outside'} {here}"
                elif text in taken and taken[text] is not resource:
                    yield resource, key, f"{text} is already used by {taken[text].name}"
                taken.setdefault(text, resource)
