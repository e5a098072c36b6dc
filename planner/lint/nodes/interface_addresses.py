"""What an interface is given: addresses, a subnet, a life of its own."""

from __future__ import annotations

from planner.lint.nodes.network_cards import LAUNCH_FAILS, interfaces
from planner.lint.read.graph import Graph, Resource
from planner.lint.read.topology import BALANCERS, CARD, GROUP, INSTANCE, SUBNET, TEMPLATE, node_subnets, templates_of
from planner.lint.read.values import flag, given, literal, many, texts, whole
from planner.lint.rule import WARNING, Hits, rule

ADDRESSES = (
    "associatePublicIpAddress",
    "associateCarrierIpAddress",
    "ipv4AddressCount",
    "ipv4Addresses",
    "ipv4PrefixCount",
    "ipv4Prefixes",
    "ipv6AddressCount",
    "ipv6Addresses",
    "ipv6PrefixCount",
    "ipv6Prefixes",
    "privateIpAddress",
)


@rule(
    "EFA-ADDRESS",
    TEMPLATE,
    what="an address on an efa-only interface",
    why=f"efa-only takes no address of any kind, and not even associatePublicIpAddress false; {LAUNCH_FAILS}",
    remedy="leave every argument about addresses out of efa-only interfaces",
    example='associatePublicIpAddress: "false" on an efa-only interface',
)
def efa_only_takes_no_address(graph: Graph) -> Hits:
    for template, i, nic in interfaces(graph):
        for key in ADDRESSES if nic.get("interfaceType") == "efa-only" else ():
            if given(nic.get(key)) and whole(nic[key]) != 0:
                yield template, f"networkInterfaces[{i}].{key}", f"efa-only with {key} {nic[key]!r}"


@rule(
    "NIC-PUBLIC",
    TEMPLATE,
    what="a public address for a node with several interfaces",
    why=f"EC2 gives no public address to an instance with more than one interface; {LAUNCH_FAILS}",
    remedy="leave associatePublicIpAddress out: nodes stand in private subnets and go out through NAT and endpoints",
    example='associatePublicIpAddress: "true" beside 31 other interfaces',
)
def public_address_beside_others(graph: Graph) -> Hits:
    for template, i, nic in interfaces(graph):
        several = len(many(template.inputs.get("networkInterfaces"))) > 1
        if several and flag(nic.get("associatePublicIpAddress")) and nic.get("interfaceType") != "efa-only":
            yield template, f"networkInterfaces[{i}].associatePublicIpAddress", "a public address beside others"


@rule(
    "NIC-SUBNET",
    TEMPLATE,
    severity=WARNING,
    what="a subnet in the interfaces of a group's template",
    why="the group chooses the subnet; a second word about it is ignored at best, and contradicts it at worst",
    remedy="leave subnetId out of the interfaces and name the subnet in the group",
    example="subnetId in networkInterfaces[0] of a template that a group uses",
)
def subnet_said_twice(graph: Graph) -> Hits:
    grouped = {
        t for group in graph.of(GROUP) if group.inputs.get("vpcZoneIdentifiers") for t in templates_of(graph, group)
    }
    for template, i, nic in interfaces(graph):
        if given(nic.get("subnetId")) and template in grouped:
            yield template, f"networkInterfaces[{i}].subnetId", "the group that uses this template names the subnet"


@rule(
    "NIC-KEPT",
    TEMPLATE,
    severity=WARNING,
    what="an interface that outlives its node",
    why="each replaced node leaves an interface behind, and with it an address of the subnet, until none is left",
    remedy='deleteOnTermination "true", or leave it out',
    example='deleteOnTermination: "false"',
)
def interface_outlives_its_node(graph: Graph) -> Hits:
    for template, i, nic in interfaces(graph):
        if flag(nic.get("deleteOnTermination")) is False:
            yield template, f"networkInterfaces[{i}].deleteOnTermination", "the interface stays when the node goes"


@rule(
    "NIC-ADDRESS",
    TEMPLATE,
    INSTANCE,
    SUBNET,
    "ec2:EipAssociation",
    "ec2:Eip",
    what="a public address on a node, or a subnet that gives them",
    why="the node can be reached from the internet, and each public IPv4 address bills by the hour",
    remedy="private subnets, NAT for the way out, SSM for the way in",
    example="mapPublicIpOnLaunch: true on the subnet of the nodes",
)
def public_address(graph: Graph) -> Hits:
    for template, i, nic in interfaces(graph):
        if len(many(template.inputs.get("networkInterfaces"))) == 1 and flag(nic.get("associatePublicIpAddress")):
            yield template, f"networkInterfaces[{i}].associatePublicIpAddress", "nodes get a public address"
    for instance in graph.of(INSTANCE):
        if flag(instance.inputs.get("associatePublicIpAddress")):
            yield instance, "associatePublicIpAddress", "the instance gets a public address"
    nodes, balancers = node_subnets(graph), graph.of(*BALANCERS)
    for subnet in graph.of(SUBNET):
        # where load balancers stand and no nodes, public addresses are meant
        if subnet not in nodes and any(subnet in graph.targets(b.inputs.get("subnets"), SUBNET) for b in balancers):
            continue
        for key in ("mapPublicIpOnLaunch", "assignIpv6AddressOnCreation"):
            if flag(subnet.inputs.get(key)):
                yield subnet, key, "whatever starts in this subnet gets a public address"
    for address in graph.of("ec2:EipAssociation", "ec2:Eip"):
        for key, what in (("instanceId", "instance"), ("instance", "instance"), ("networkInterfaceId", "interface")):
            if given(address.inputs.get(key)):
                yield address, key, f"a public address for an {what}"
        if address.kind == "ec2:Eip" and given(address.inputs.get("networkInterface")):
            yield address, "networkInterface", "a public address for an interface"


@rule(
    "NIC-SHARED",
    INSTANCE,
    "ec2:NetworkInterfaceAttachment",
    what="one network interface in two instances",
    why="an interface is in one instance at a time: AWS refuses the second, and a control node is missing",
    remedy="a NetworkInterface for each instance",
    example="two instances with one primaryNetworkInterface.networkInterfaceId",
)
def interfaces_are_not_shared(graph: Graph) -> Hits:
    taken: dict[object, Resource] = {}
    for holder in graph.of(INSTANCE, "ec2:NetworkInterfaceAttachment"):
        named = [("networkInterfaceId", holder.inputs.get("networkInterfaceId"))]
        for key in ("primaryNetworkInterface", "networkInterfaces"):
            named += [
                (f"{key}.networkInterfaceId", block.get("networkInterfaceId")) for block in many(holder.inputs.get(key))
            ]
        for where, value in named:
            for text in texts(value):
                mark = graph.target(text, CARD) or literal(text)
                if mark and mark in taken:
                    yield holder, where, f"{taken[mark].name} has this interface"
                if mark:
                    taken.setdefault(mark, holder)
