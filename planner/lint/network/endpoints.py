"""VPC endpoints: S3 without NAT, and other services, with the right type, Region, DNS and security group."""

from __future__ import annotations

from planner.lint.read.graph import Graph, Resource
from planner.lint.read.topology import (
    ENDPOINT,
    SECURITY,
    SUBNET,
    TABLES,
    VPC,
    groups_of,
    is_public,
    node_subnets,
    table_of,
)
from planner.lint.read.traffic import traffic
from planner.lint.read.values import flag, given, literal
from planner.lint.rule import Hits, rule


def _is_s3(endpoint: Resource) -> bool:
    name = endpoint.inputs.get("serviceName")
    return isinstance(name, str) and name.endswith(".s3")


def _tables(graph: Graph, endpoint: Resource) -> list[Resource]:
    apart = graph.of("ec2:VpcEndpointRouteTableAssociation")
    mine = [a for a in apart if graph.target(a.inputs.get("vpcEndpointId"), ENDPOINT) is endpoint]
    found = graph.targets(endpoint.inputs.get("routeTableIds"), *TABLES)
    return found + [table for a in mine for table in graph.targets(a.inputs.get("routeTableId"), *TABLES)]


def _gateways(graph: Graph) -> list[Resource]:
    return [e for e in graph.of(ENDPOINT) if _is_s3(e) and e.inputs.get("vpcEndpointType") in (None, "", "Gateway")]


@rule(
    "S3-GATEWAY",
    VPC,
    what="a VPC with nodes and without an S3 gateway endpoint",
    why="Every GB that the nodes read from S3 goes through NAT at $0.045. The gateway endpoint is free",
    remedy="Add a gateway endpoint for S3 to the nodes' route table",
    example="no VpcEndpoint, or one of type Interface",
)
def no_s3_gateway_endpoint(graph: Graph) -> Hits:
    served = {vpc for endpoint in _gateways(graph) for vpc in graph.targets(endpoint.inputs.get("vpcId"), VPC)}
    # nodes in a public subnet do not use NAT
    inside = [subnet for subnet in node_subnets(graph) if not is_public(graph, subnet)]
    vpcs = [vpc for subnet in inside for vpc in graph.targets(subnet.inputs.get("vpcId"), VPC)]
    for vpc in dict.fromkeys(vpcs):
        if vpc not in served:
            yield vpc, "", "the VPC has nodes but no gateway endpoint for S3"


@rule(
    "S3-GATEWAY-ROUTE",
    ENDPOINT,
    what="an S3 gateway endpoint that is missing from the nodes' route table",
    why="The endpoint has no effect: the nodes read S3 through NAT at $0.045 per GB",
    remedy="List the route table of every subnet with nodes in routeTableIds",
    example="routeTableIds with only the public route table",
)
def s3_gateway_not_in_route_table(graph: Graph) -> Hits:
    for endpoint in _gateways(graph):
        vpc = graph.target(endpoint.inputs.get("vpcId"), VPC)
        tables = _tables(graph, endpoint)
        for subnet in node_subnets(graph):
            table = table_of(graph, subnet)
            same = vpc is None or graph.target(subnet.inputs.get("vpcId"), VPC) is vpc
            if table is not None and same and table not in tables:
                yield endpoint, "routeTableIds", f"{table.name}, the route table of {subnet.name}, is not listed"
                break


@rule(
    "ENDPOINT-TYPE",
    ENDPOINT,
    what="an endpoint of the wrong type for its service",
    why="AWS rejects the endpoint: S3 and DynamoDB have gateway endpoints with route tables; all other "
    "services have interface endpoints with subnets and security groups",
    remedy="Set vpcEndpointType to Interface with subnetIds and securityGroupIds, or to Gateway with routeTableIds",
    example="serviceName ...ssm without vpcEndpointType",
)
def wrong_endpoint_type(graph: Graph) -> Hits:
    for endpoint in graph.of(ENDPOINT):
        kind, name = endpoint.inputs.get("vpcEndpointType"), literal(endpoint.inputs.get("serviceName"))
        gateway = kind in (None, "", "Gateway")
        if gateway and name and not name.endswith((".s3", ".dynamodb", ".s3express")):
            yield endpoint, "vpcEndpointType", f"{name} has no gateway endpoint"
        for key in ("subnetIds", "securityGroupIds", "privateDnsEnabled") if gateway else ("routeTableIds",):
            if given(endpoint.inputs.get(key)) and flag(endpoint.inputs[key]) is not False:
                yield endpoint, key, f"{key} does not belong on {'a gateway' if gateway else 'an interface'} endpoint"
        if kind == "Interface" and not given(endpoint.inputs.get("subnetIds")):
            apart = graph.of("ec2:VpcEndpointSubnetAssociation")
            if not any(graph.target(a.inputs.get("vpcEndpointId"), ENDPOINT) is endpoint for a in apart):
                yield endpoint, "subnetIds", "an interface endpoint without a subnet"


@rule(
    "ENDPOINT-REGION",
    ENDPOINT,
    what="an endpoint for another Region",
    why="AWS rejects the service name: an endpoint leads to its own Region only",
    remedy="Use com.amazonaws.<the stack's Region>.<service>",
    example="com.amazonaws.us-west-2.s3 in a stack in us-east-1",
)
def endpoint_of_other_region(graph: Graph) -> Hits:
    regions: dict[str, list[Resource]] = {}
    for endpoint in graph.of(ENDPOINT):
        parts = (literal(endpoint.inputs.get("serviceName")) or "").split(".")
        if len(parts) >= 4 and parts[:2] == ["com", "amazonaws"]:
            regions.setdefault(parts[2], []).append(endpoint)
    zones = [literal(s.inputs.get("availabilityZone")) or "" for s in graph.of(SUBNET)]
    home = {zone[:-1] for zone in zones if zone[-1:].isalpha() and zone[-2:-1].isdigit()}
    if not home and len(regions) > 1:
        home = {max(regions, key=lambda region: (len(regions[region]), region))}
    for region, endpoints in regions.items():
        for endpoint in endpoints if home and region not in home else ():
            yield (
                endpoint,
                "serviceName",
                f"the endpoint is for {region}, but the stack is in {', '.join(sorted(home))}",
            )


@rule(
    "ENDPOINT-DNS",
    ENDPOINT,
    VPC,
    what="an interface endpoint without private DNS",
    why="The endpoint is billed and not used: without private DNS, and DNS names in the VPC, the nodes use "
    "the public address through NAT",
    remedy="Set privateDnsEnabled on the endpoint, and enableDnsSupport and enableDnsHostnames on the VPC",
    example="enableDnsHostnames: false",
)
def endpoint_without_private_dns(graph: Graph) -> Hits:
    seen: set[Resource] = set()
    for endpoint in graph.of(ENDPOINT):
        vpc = graph.target(endpoint.inputs.get("vpcId"), VPC)
        if endpoint.inputs.get("vpcEndpointType") != "Interface":
            continue
        if not _is_s3(endpoint) and flag(endpoint.inputs.get("privateDnsEnabled")) is not True:
            yield endpoint, "privateDnsEnabled", "private DNS is not enabled"
        elif vpc is not None and vpc not in seen:
            seen.add(vpc)
            for key, default in (("enableDnsSupport", True), ("enableDnsHostnames", False)):
                value = flag(vpc.inputs.get(key))
                if not (default if value is None else value):
                    yield vpc, key, f"disabled, but {endpoint.name} uses private DNS"


@rule(
    "SG-ENDPOINT",
    SECURITY,
    what="an interface endpoint that does not accept port 443",
    why="SSM and other services cannot be reached, although the endpoint exists and is billed",
    remedy="Add an ingress rule for tcp 443 from the nodes' group or from the VPC",
    example="the endpoint's group without ingress",
)
def endpoint_blocks_https(graph: Graph) -> Hits:
    into = {rule_.group for rule_ in traffic(graph) if rule_.inwards and rule_.covers(443)}
    seen: set[Resource] = set()
    for endpoint in graph.of("ec2:VpcEndpoint"):
        groups = groups_of(graph, endpoint)
        if groups and not any(group in into for group in groups) and groups[0] not in seen:
            seen.add(groups[0])
            yield groups[0], "ingress", f"no rule for tcp 443, which {endpoint.name} needs"


@rule(
    "ENDPOINT-GROUP",
    ENDPOINT,
    what="an interface endpoint without a security group",
    why="SSM cannot be reached, although the endpoint exists and is billed: the VPC's default group accepts "
    "traffic only from its own members",
    remedy="Set securityGroupIds to a group that accepts tcp 443 from the nodes",
    example="an Interface endpoint without securityGroupIds",
)
def endpoint_without_security_group(graph: Graph) -> Hits:
    apart = graph.of("ec2:VpcEndpointSecurityGroupAssociation", "ec2:SecurityGroupAssociation")
    for endpoint in graph.of(ENDPOINT):
        if endpoint.inputs.get("vpcEndpointType") != "Interface" or given(endpoint.inputs.get("securityGroupIds")):
            continue
        if not any(graph.target(a.inputs.get("vpcEndpointId"), ENDPOINT) is endpoint for a in apart):
            yield endpoint, "securityGroupIds", "no security group, so it gets the VPC's default one"


@rule(
    "ENDPOINT-TWICE",
    ENDPOINT,
    what="two endpoints for one service in one VPC",
    why="AWS rejects the second endpoint because its DNS name or route is taken, or both are billed",
    remedy="Keep one endpoint per service, with all subnets or route tables that need it",
    example="two Interface endpoints of com.amazonaws.us-east-1.ssm",
)
def duplicate_endpoint(graph: Graph) -> Hits:
    seen: dict[tuple[object, ...], list[Resource]] = {}
    for endpoint in graph.of(ENDPOINT):
        name = literal(endpoint.inputs.get("serviceName"))
        vpc = graph.target(endpoint.inputs.get("vpcId"), VPC)
        where = vpc or literal(endpoint.inputs.get("vpcId"))
        if not name or not where:
            continue
        interface = endpoint.inputs.get("vpcEndpointType") == "Interface"
        held = seen.setdefault((name, where, interface), [])
        for other in held:
            both_named = all(flag(e.inputs.get("privateDnsEnabled")) for e in (endpoint, other))
            shared = set(_tables(graph, endpoint)) & set(_tables(graph, other))
            if both_named if interface else shared:
                yield endpoint, "serviceName", f"{other.name} is already an endpoint for {name}"
                break
        held.append(endpoint)
