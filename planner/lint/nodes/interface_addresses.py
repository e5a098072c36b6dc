"""Addresses, subnets and lifetime of network interfaces."""

from __future__ import annotations

from planner.lint.nodes.network_cards import LAUNCH_FAILS, interfaces
from planner.lint.read.earlier import earlier
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
    what="an IP address setting on an efa-only interface",
    why=f"{LAUNCH_FAILS}. An efa-only interface accepts no address setting, not even associatePublicIpAddress: false",
    remedy="Remove every address setting from efa-only interfaces",
    example='associatePublicIpAddress: "false" on an efa-only interface',
)
def address_on_efa_only(graph: Graph) -> Hits:
    for template, i, nic in interfaces(graph):
        for key in ADDRESSES if nic.get("interfaceType") == "efa-only" else ():
            if given(nic.get(key)) and whole(nic[key]) != 0:
                yield template, f"networkInterfaces[{i}].{key}", f"efa-only interface with {key} {nic[key]!r}"


@rule(
    "NIC-PUBLIC",
    TEMPLATE,
    what="a public address for a node with several interfaces",
    why=f"{LAUNCH_FAILS}. EC2 assigns no public address to an instance with more than one interface",
    remedy="Remove associatePublicIpAddress. Nodes run in private subnets and reach the internet through NAT and "
    "endpoints",
    example='associatePublicIpAddress: "true" next to 31 other interfaces',
)
def public_address_with_several_interfaces(graph: Graph) -> Hits:
    for template, i, nic in interfaces(graph):
        several = len(many(template.inputs.get("networkInterfaces"))) > 1
        if several and flag(nic.get("associatePublicIpAddress")) and nic.get("interfaceType") != "efa-only":
            yield (
                template,
                f"networkInterfaces[{i}].associatePublicIpAddress",
                "a public address on a node with several interfaces",
            )


@rule(
    "NIC-SUBNET",
    TEMPLATE,
    severity=WARNING,
    what="a subnet in the interfaces of a group's launch template",
    why="The subnet in the template is ignored, or contradicts the one in the group: the Auto Scaling group "
    "chooses the subnet",
    remedy="Remove subnetId from the interfaces and name the subnet in the group",
    example="subnetId in networkInterfaces[0] of a template that a group uses",
)
def subnet_in_template_and_group(graph: Graph) -> Hits:
    grouped = {
        t for group in graph.of(GROUP) if group.inputs.get("vpcZoneIdentifiers") for t in templates_of(graph, group)
    }
    for template, i, nic in interfaces(graph):
        if given(nic.get("subnetId")) and template in grouped:
            yield template, f"networkInterfaces[{i}].subnetId", "the Auto Scaling group already sets the subnet"


@rule(
    "NIC-KEPT",
    TEMPLATE,
    severity=WARNING,
    what="an interface that is kept when its node terminates",
    why="The subnet runs out of addresses: each replaced node leaves an interface behind",
    remedy='Set deleteOnTermination to "true", or remove it',
    example='deleteOnTermination: "false"',
)
def interface_outlives_node(graph: Graph) -> Hits:
    for template, i, nic in interfaces(graph):
        if flag(nic.get("deleteOnTermination")) is False:
            yield (
                template,
                f"networkInterfaces[{i}].deleteOnTermination",
                "the interface is kept when the node terminates",
            )


@rule(
    "NIC-ADDRESS",
    TEMPLATE,
    INSTANCE,
    SUBNET,
    "ec2:EipAssociation",
    "ec2:Eip",
    what="a public address on a node, or a subnet that assigns them",
    why="The node can be reached from the internet, and each public IPv4 address is billed by the hour",
    remedy="Use private subnets, NAT for outbound traffic and SSM for access",
    example="mapPublicIpOnLaunch: true on the subnet of the nodes",
)
def public_address_on_node(graph: Graph) -> Hits:
    for template, i, nic in interfaces(graph):
        if len(many(template.inputs.get("networkInterfaces"))) == 1 and flag(nic.get("associatePublicIpAddress")):
            yield template, f"networkInterfaces[{i}].associatePublicIpAddress", "nodes get a public address"
    for instance in graph.of(INSTANCE):
        if flag(instance.inputs.get("associatePublicIpAddress")):
            yield instance, "associatePublicIpAddress", "the instance gets a public address"
    nodes, balancers = node_subnets(graph), graph.of(*BALANCERS)
    for subnet in graph.of(SUBNET):
        # public addresses are intended in a subnet with load balancers and no nodes
        if subnet not in nodes and any(subnet in graph.targets(b.inputs.get("subnets"), SUBNET) for b in balancers):
            continue
        for key in ("mapPublicIpOnLaunch", "assignIpv6AddressOnCreation"):
            if flag(subnet.inputs.get(key)):
                yield subnet, key, "everything in this subnet gets a public address"
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
    why="AWS rejects the second instance, and a control node is missing: an interface belongs to one instance "
    "at a time",
    remedy="Create a NetworkInterface for each instance",
    example="two instances with one primaryNetworkInterface.networkInterfaceId",
)
def interface_in_two_instances(graph: Graph) -> Hits:
    taken: dict[object, Resource] = {}
    for holder in graph.of(INSTANCE, "ec2:NetworkInterfaceAttachment"):
        named = [("networkInterfaceId", holder.inputs.get("networkInterfaceId"))]
        for key in ("primaryNetworkInterface", "networkInterfaces"):
            named += [
                (f"{key}.networkInterfaceId", block.get("networkInterfaceId")) for block in many(holder.inputs.get(key))
            ]
        for where, value in named:
            for text in texts(value):
                first = earlier(taken, graph.target(text, CARD) or literal(text), holder)
                if first is not None:
                    yield holder, where, f"{first.name} already uses this interface"
