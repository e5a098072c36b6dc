"""Relations between resources: launch templates, instance types, subnets, security groups, routes, roles."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator

from planner.lint.read.graph import Graph, Resource
from planner.lint.read.values import Json, at, literal, many, one, texts, whole

TEMPLATE, GROUP, INSTANCE = "ec2:LaunchTemplate", "autoscaling:Group", "ec2:Instance"
CARD = "ec2:NetworkInterface"
ENVIRONMENT, NODE_GROUP = "batch:ComputeEnvironment", "eks:NodeGroup"
SUBNET, VPC, SECURITY = "ec2:Subnet", "ec2:Vpc", "ec2:SecurityGroup"
TABLES = ("ec2:RouteTable", "ec2:DefaultRouteTable")
ENDPOINT, NAT = "ec2:VpcEndpoint", "ec2:NatGateway"
EFA = ("efa", "efa-only")
BALANCERS = ("lb:LoadBalancer", "alb:LoadBalancer", "elb:LoadBalancer")
ALL_ADDRESSES = ("0.0.0.0/0", "::/0")
Network = ipaddress.IPv4Network


def specifications(group: Resource) -> Iterator[tuple[str, Json, tuple[str, ...]]]:
    """Each launch template of a group: the property, the block, its instance types (() means the template's)."""
    plain = one(group.inputs.get("launchTemplate"))
    if plain:
        yield "launchTemplate", plain, ()
    mixed = one(at(group.inputs, "mixedInstancesPolicy.launchTemplate"))
    base = one(mixed.get("launchTemplateSpecification"))
    here = "mixedInstancesPolicy.launchTemplate"
    shared = []
    for i, override in enumerate(many(mixed.get("overrides"))):
        kind = literal(override.get("instanceType"))
        own = one(override.get("launchTemplateSpecification"))
        if own:
            place = f"{here}.overrides[{i}].launchTemplateSpecification"
            yield place, own, (kind,) if kind else ()
        elif kind:
            shared.append(kind)
    if base:
        yield f"{here}.launchTemplateSpecification", base, tuple(dict.fromkeys(shared))


def named_template(graph: Graph, block: Json) -> Resource | None:
    """The launch template that a block refers to by id or name."""
    keys = ("id", "launchTemplateId", "name", "launchTemplateName")
    return next((found for key in keys if (found := graph.target(block.get(key), TEMPLATE))), None)


def templates_of(graph: Graph, group: Resource) -> list[Resource]:
    """The launch templates of a group or an instance."""
    blocks = [block for _, block, _ in specifications(group)]
    found = (named_template(graph, block) for block in blocks)
    return list(dict.fromkeys(template for template in found if template is not None))


def users_of(graph: Graph, template: Resource) -> list[Resource]:
    """The groups and instances that start from a template."""
    return [r for r in graph.of(GROUP, INSTANCE, "ec2:Fleet") if template in templates_of(graph, r)]


def completed_by_service(graph: Graph, template: Resource) -> bool:
    """Whether AWS Batch or Amazon EKS launches from a template: what it leaves out is the compute environment's or the
    node group's. EKS takes no profile from it, and an image only for the type CUSTOM (EKS User Guide, "Customize
    managed nodes with launch templates")."""
    blocks = [one(at(each.inputs, "computeResources.launchTemplate")) for each in graph.of(ENVIRONMENT)]
    blocks += [one(each.inputs.get("launchTemplate")) for each in graph.of(NODE_GROUP)]
    return any(named_template(graph, block) is template for block in blocks)


def needs_image(graph: Graph, template: Resource) -> bool:
    """Whether an EKS node group of the type CUSTOM starts from a template."""
    custom = [each for each in graph.of(NODE_GROUP) if literal(each.inputs.get("amiType")) == "CUSTOM"]
    return any(named_template(graph, one(each.inputs.get("launchTemplate"))) is template for each in custom)


def types_of(graph: Graph, template: Resource) -> list[tuple[str, str]]:
    """Instance types of a template, and for each what sets it: the template or a group's override."""
    own = literal(template.inputs.get("instanceType"))
    found = {own: "instanceType"} if own else {}
    for group in graph.of(GROUP):
        for _, block, types in specifications(group):
            if types and named_template(graph, block) is template:
                found |= {name: f"{group.name} overrides" for name in types if name not in found}
    return list(found.items())


def nodes_of(group: Resource) -> int:
    """The largest number of nodes that a group can have."""
    sizes = (whole(group.inputs.get(key)) for key in ("maxSize", "desiredCapacity", "minSize"))
    return max(next((size for size in sizes if size is not None), 0), 0)


def subnets_of(graph: Graph, resource: Resource) -> list[Resource]:
    """The subnets of a group, an instance, a file system or an endpoint."""
    found: list[Resource] = []
    for key in ("vpcZoneIdentifiers", "subnetIds", "subnetId"):
        found += graph.targets(resource.inputs.get(key), SUBNET)
    if resource.kind == TEMPLATE:
        for nic in many(resource.inputs.get("networkInterfaces")):
            found += graph.targets(nic.get("subnetId"), SUBNET)
    if resource.kind == GROUP and not found:
        for template in templates_of(graph, resource):
            found += subnets_of(graph, template)
    if resource.kind == INSTANCE:
        for card in _cards(graph, resource):
            found += subnets_of(graph, card)
    return list(dict.fromkeys(found))


def _cards(graph: Graph, instance: Resource) -> list[Resource]:
    """NetworkInterface resources that an instance uses."""
    blocks = many(instance.inputs.get("networkInterfaces")) + many(instance.inputs.get("primaryNetworkInterface"))
    return [found for b in blocks if (found := graph.target(b.get("networkInterfaceId"), CARD))]


def groups_of(graph: Graph, resource: Resource) -> list[Resource]:
    """The security groups of a template, an instance, a group, a file system or an endpoint."""
    found: list[Resource] = []
    for key in ("vpcSecurityGroupIds", "securityGroupIds", "securityGroups"):
        found += graph.targets(resource.inputs.get(key), SECURITY)
    if resource.kind == TEMPLATE:
        for nic in many(resource.inputs.get("networkInterfaces")):
            found += graph.targets(nic.get("securityGroups"), SECURITY)
    if resource.kind == INSTANCE:
        for card in _cards(graph, resource):
            found += groups_of(graph, card)
        for template in templates_of(graph, resource):
            found += groups_of(graph, template)
    if resource.kind == GROUP:
        for template in templates_of(graph, resource):
            found += groups_of(graph, template)
    return list(dict.fromkeys(found))


def node_runners(graph: Graph) -> list[Resource]:
    """Resources that run nodes: Auto Scaling groups and instances."""
    return graph.of(GROUP, INSTANCE)


def node_configs(graph: Graph) -> list[Resource]:
    """Resources that configure nodes: launch templates and instances."""
    return graph.of(TEMPLATE, INSTANCE)


def from_template(resource: Resource) -> bool:
    """Whether an instance inherits settings from a launch template."""
    return resource.kind == INSTANCE and bool(one(resource.inputs.get("launchTemplate")))


def node_subnets(graph: Graph) -> list[Resource]:
    """The subnets of all nodes."""
    return list(dict.fromkeys(s for maker in node_runners(graph) for s in subnets_of(graph, maker)))


def table_of(graph: Graph, subnet: Resource) -> Resource | None:
    """The route table of a subnet: its own, else the VPC's main one if the graph has it."""
    for association in graph.of("ec2:RouteTableAssociation"):
        if graph.target(association.inputs.get("subnetId"), SUBNET) is subnet:
            return graph.target(association.inputs.get("routeTableId"), *TABLES)
    vpc = graph.target(subnet.inputs.get("vpcId"), VPC)
    for association in graph.of("ec2:MainRouteTableAssociation"):
        if vpc is not None and graph.target(association.inputs.get("vpcId"), VPC) is vpc:
            return graph.target(association.inputs.get("routeTableId"), *TABLES)
    return None


def routes_of(graph: Graph, table: Resource) -> list[tuple[Resource, str, Json]]:
    """Every route of a table: the resource that contains it, the property, the route."""
    inline = [(table, f"routes[{i}]", route) for i, route in enumerate(many(table.inputs.get("routes")))]
    apart = [r for r in graph.of("ec2:Route") if graph.target(r.inputs.get("routeTableId"), *TABLES) is table]
    return inline + [(route, "", route.inputs) for route in apart]


def routes_to_internet(graph: Graph, route: Json) -> bool:
    """Whether a route sends all traffic to an internet gateway."""
    everywhere = any(route.get(key) in ALL_ADDRESSES for key in ("cidrBlock", "destinationCidrBlock", "ipv6CidrBlock"))
    gateway = route.get("gatewayId")
    named = isinstance(gateway, str) and gateway.startswith("igw-")
    return everywhere and (named or graph.target(gateway, "ec2:InternetGateway") is not None)


def is_public(graph: Graph, subnet: Resource) -> bool:
    table = table_of(graph, subnet)
    return table is not None and any(routes_to_internet(graph, route) for _, _, route in routes_of(graph, table))


def network(value: object) -> Network | None:
    """An IPv4 network; None if it is unknown or invalid."""
    text = literal(value)
    try:
        return ipaddress.IPv4Network(text) if text and "/" in text else None
    except ValueError:
        return None


def address_bearing(template: Resource) -> int:
    """How many addresses one node of a template uses in its subnet."""
    nics = many(template.inputs.get("networkInterfaces"))
    return sum(nic.get("interfaceType") != "efa-only" for nic in nics) if nics else 1


def has_efa(template: Resource) -> bool:
    return any(nic.get("interfaceType") in EFA for nic in many(template.inputs.get("networkInterfaces")))


def is_block(template: Resource) -> bool:
    """Whether a template launches into a Capacity Block."""
    return at(template.inputs, "instanceMarketOptions.marketType") == "capacity-block"


def is_reserved(template: Resource) -> bool:
    """Whether a template launches into a given reservation."""
    return bool(one(at(template.inputs, "capacityReservationSpecification.capacityReservationTarget")))


def placement_of(graph: Graph, group: Resource) -> Iterator[tuple[Resource, str, object]]:
    """The placement groups of a group and its templates: the resource, the property, the value."""
    value = group.inputs.get("placementGroup")
    if value:
        yield group, "placementGroup", value
    for template in [group] if group.kind == TEMPLATE else templates_of(graph, group):
        block = one(template.inputs.get("placement"))
        for key in ("groupName", "groupId"):
            if block.get(key):
                yield template, f"placement.{key}", block[key]


def is_clustered(graph: Graph, group: Resource) -> bool:
    """Whether the nodes of a group are in a cluster placement group."""
    for _, _, value in placement_of(graph, group):
        found = graph.target(value, "ec2:PlacementGroup")
        if found is None or found.inputs.get("strategy") == "cluster":
            return True
    return False


def role_of(graph: Graph, resource: Resource) -> Resource | None:
    """The role of a template's or an instance's profile."""
    named = resource.inputs.get("iamInstanceProfile")
    values = texts(named) + [v for key in ("arn", "name") for v in texts(one(named).get(key))]
    for value in values:
        profile = graph.target(value, "iam:InstanceProfile")
        if profile is not None:
            return graph.target(profile.inputs.get("role"), "iam:Role")
    return None
