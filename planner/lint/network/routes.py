"""Routing: private subnets for nodes, a route to NAT, a route table for every subnet."""

from __future__ import annotations

from planner.lint.read.earlier import earlier
from planner.lint.read.graph import Graph, Resource
from planner.lint.read.topology import (
    ALL_ADDRESSES,
    ENDPOINT,
    GROUP,
    INSTANCE,
    NAT,
    SUBNET,
    TABLES,
    VPC,
    is_public,
    node_runners,
    node_subnets,
    routes_of,
    subnets_of,
    table_of,
)
from planner.lint.read.values import Json, given, leaves, literal, many, texts
from planner.lint.rule import WARNING, Hits, rule

# a graph with one of these also defines the VPC's routes
WAYS = ("ec2:RouteTable", "ec2:InternetGateway", ENDPOINT)
MAIN = ("mainRouteTableId", "defaultRouteTableId")


@rule(
    "SUBNET-PUBLIC",
    GROUP,
    INSTANCE,
    what="nodes in a subnet that is open to the internet",
    why="A node that gets a public address, even by mistake, can be reached from the internet",
    remedy="Use a private subnet whose default route leads to a NAT gateway",
    example="the route 0.0.0.0/0 of the nodes' subnet leads to the internet gateway",
)
def nodes_in_public_subnet(graph: Graph) -> Hits:
    for maker in [*node_runners(graph), *graph.of("fsx:LustreFileSystem")]:
        for subnet in subnets_of(graph, maker):
            if is_public(graph, subnet):
                yield maker, "subnet", f"in {subnet.name}, which has a route to the internet gateway"


@rule(
    "NAT-ROUTE",
    NAT,
    "ec2:Route",
    *TABLES,
    what="a NAT gateway without a route to the internet, or a private subnet without a route to it",
    why="The nodes cannot download packages or images or reach AWS: a NAT gateway needs a public subnet, and "
    "private subnets need a route to it",
    remedy="Put the NAT gateway in a subnet with a route to the internet gateway, and route 0.0.0.0/0 of the "
    "other subnets to it",
    example="the NAT gateway in the nodes' own subnet",
)
def nat_without_route(graph: Graph) -> Hits:
    for nat in graph.of(NAT):
        subnet = graph.target(nat.inputs.get("subnetId"), SUBNET)
        private = nat.inputs.get("connectivityType") == "private"
        if subnet is not None and not private and table_of(graph, subnet) is not None and not is_public(graph, subnet):
            yield nat, "subnetId", f"{subnet.name} has no route to an internet gateway"
        if not private and not given(nat.inputs.get("allocationId")):
            yield nat, "allocationId", "a NAT gateway without an Elastic IP"
    for table in graph.of(*TABLES):
        defaults = [
            (holder, where, route)
            for holder, where, route in routes_of(graph, table)
            if any(route.get(key) in ALL_ADDRESSES[:1] for key in ("cidrBlock", "destinationCidrBlock"))
        ]
        for holder, where, _ in defaults[1:]:
            yield holder, where or "destinationCidrBlock", f"a second default route in {table.name}"
        for holder, where, route in defaults:
            gateway = graph.target(route.get("gatewayId"), NAT)
            if gateway is not None:
                yield holder, f"{where}.gatewayId".lstrip("."), "a NAT gateway belongs in natGatewayId"
            inner = graph.target(route.get("natGatewayId"), NAT)
            if inner is not None and inner.inputs.get("connectivityType") == "private":
                yield inner, "connectivityType", f"a private NAT gateway, but {table.name} sends internet traffic to it"
    if graph.of(NAT):
        for subnet in node_subnets(graph):
            table = table_of(graph, subnet)
            routes = routes_of(graph, table) if table else []
            if table and not any(
                r.get(k) in ALL_ADDRESSES for _, _, r in routes for k in ("cidrBlock", "destinationCidrBlock")
            ):
                yield table, "routes", f"{subnet.name} has no default route, although there is a NAT gateway"


@rule(
    "SUBNET-TABLE",
    "ec2:RouteTableAssociation",
    what="a subnet with two route tables",
    why="AWS rejects the second association, or the last one written replaces the first: a subnet has one route table",
    remedy="Keep one RouteTableAssociation per subnet",
    example="two associations of one subnet",
)
def subnet_with_two_route_tables(graph: Graph) -> Hits:
    taken: dict[Resource, Resource] = {}
    for association in graph.of("ec2:RouteTableAssociation"):
        subnet = graph.target(association.inputs.get("subnetId"), SUBNET)
        first = earlier(taken, subnet, association)
        if subnet is not None and first is not None:
            yield association, "subnetId", f"{subnet.name} already has a route table from {first.name}"


@rule(
    "SUBNET-UNROUTED",
    SUBNET,
    what="a subnet of nodes or of a NAT gateway without a route table",
    why="The nodes boot and reach nothing: the VPC's main route table applies, with no route to NAT or S3",
    remedy="Add a RouteTableAssociation for the subnet",
    example="no RouteTableAssociation for the nodes' subnet",
)
def subnet_without_route_table(graph: Graph) -> Hits:
    associations = graph.of("ec2:RouteTableAssociation")
    # an association with an unknown subnet may be for any subnet
    named = [a.inputs["subnetId"] for a in associations if given(a.inputs.get("subnetId"))]
    if any(graph.target(subnet, SUBNET) is None for subnet in named):
        return
    serving = [subnet for nat in graph.of(NAT) for subnet in subnets_of(graph, nat)]
    for subnet in dict.fromkeys([*node_subnets(graph), *serving]):
        vpc = graph.target(subnet.inputs.get("vpcId"), VPC)
        taken = any(graph.target(a.inputs.get("subnetId"), SUBNET) is subnet for a in associations)
        if vpc is None or taken or _main_table_is_used(graph, vpc):
            continue
        built = any(graph.target(t.inputs.get("vpcId"), VPC) is vpc for t in graph.of(*WAYS))
        if built:
            yield subnet, "", "no route table is associated with this subnet"


def _main_table_is_used(graph: Graph, vpc: Resource) -> bool:
    """Whether the graph sets or replaces the VPC's main route table."""
    if graph.of("ec2:DefaultRouteTable") or any(
        graph.target(a.inputs.get("vpcId"), VPC) in (vpc, None) for a in graph.of("ec2:MainRouteTableAssociation")
    ):
        return True
    for route in graph.of("ec2:Route", ENDPOINT, "ec2:VpcEndpointRouteTableAssociation"):
        for _, leaf in leaves(route.inputs):
            if isinstance(leaf, str) and any(f"{vpc.urn}.{key}" in leaf for key in MAIN):
                return True
    return False


@rule(
    "NAT-SHARED",
    NAT,
    "ec2:EipAssociation",
    what="one Elastic IP used twice",
    why="AWS rejects the second use, or takes the address away from the first",
    remedy="Create an Elastic IP for each NAT gateway",
    example="two NAT gateways with one allocationId",
)
def elastic_ip_used_twice(graph: Graph) -> Hits:
    seen: dict[object, Resource] = {}
    for holder in graph.of(NAT, "ec2:EipAssociation"):
        for value in [*texts(holder.inputs.get("allocationId")), *texts(holder.inputs.get("secondaryAllocationIds"))]:
            first = earlier(seen, graph.target(value, "ec2:Eip") or literal(value), holder)
            if first is not None:
                yield holder, "allocationId", f"{first.name} already uses this address"


TARGETS = (
    *("carrierGatewayId", "coreNetworkArn", "egressOnlyGatewayId", "gatewayId", "localGatewayId", "natGatewayId"),
    *("networkInterfaceId", "transitGatewayId", "vpcEndpointId", "vpcPeeringConnectionId", "odbNetworkArn"),
)


@rule(
    "ROUTE-TARGET",
    "ec2:Route",
    *TABLES,
    "ec2:InternetGateway",
    what="a route without exactly one target",
    why="AWS rejects a route without exactly one target. An internet gateway without a VPC carries no traffic",
    remedy="Give each route one target, and the internet gateway a vpcId",
    example="a Route without natGatewayId",
)
def route_without_one_target(graph: Graph) -> Hits:
    for table in graph.of(*TABLES):
        for i, route in enumerate(many(table.inputs.get("routes"))):
            yield from _targets(table, f"routes[{i}]", route)
    for route in graph.of("ec2:Route"):
        yield from _targets(route, "", route.inputs)
    attached = graph.of("ec2:InternetGatewayAttachment")
    for gateway in graph.of("ec2:InternetGateway"):
        apart = any(graph.target(a.inputs.get("internetGatewayId"), gateway.kind) in (gateway, None) for a in attached)
        if not given(gateway.inputs.get("vpcId")) and not apart:
            yield gateway, "vpcId", "not attached to a VPC"


def _targets(holder: Resource, where: str, route: Json) -> Hits:
    named = [key for key in TARGETS if given(route.get(key))]
    if len(named) != 1:
        place = f"{where}.{named[1] if named else 'gatewayId'}".lstrip(".")
        yield holder, place, f"several targets: {' and '.join(named)}" if named else "the route has no target"


@rule(
    "ZONE-NONE",
    SUBNET,
    severity=WARNING,
    what="a subnet of nodes without a zone",
    why="Launches may find no capacity: AWS picks the zone, but not every zone has the GPUs, and a "
    "reservation is in one zone",
    remedy="Set availabilityZoneId to a zone that has the instance type",
    example="the nodes' subnet without availabilityZoneId",
)
def subnet_without_zone(graph: Graph) -> Hits:
    for subnet in node_subnets(graph):
        if not any(given(subnet.inputs.get(key)) for key in ("availabilityZone", "availabilityZoneId")):
            yield subnet, "availabilityZoneId", "no availability zone is set"
