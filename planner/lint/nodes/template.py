"""Launch templates and instances: security groups, market, image, type, tenancy."""

from __future__ import annotations

import re

from planner.lint.known.instance_types import machines, nearest
from planner.lint.read.graph import Graph, Resource
from planner.lint.read.topology import (
    GROUP,
    INSTANCE,
    NODE_GROUP,
    TEMPLATE,
    VPC,
    completed_by_service,
    from_template,
    named_template,
    needs_image,
    node_configs,
    specifications,
    types_of,
    users_of,
)
from planner.lint.read.values import at, given, literal, one, texts, whole
from planner.lint.rule import WARNING, Hits, rule


@rule(
    "LT-GROUPS",
    TEMPLATE,
    what="security groups next to network interfaces",
    why="Every launch fails: when a template has interfaces, security groups belong inside them",
    remedy="Set securityGroups on each interface and remove vpcSecurityGroupIds",
    example="vpcSecurityGroupIds and networkInterfaces in one template",
)
def groups_beside_interfaces(graph: Graph) -> Hits:
    for template in graph.of(TEMPLATE):
        for key in ("vpcSecurityGroupIds", "securityGroupNames"):
            if given(template.inputs.get("networkInterfaces")) and given(template.inputs.get(key)):
                yield template, key, f"{key} and networkInterfaces are both given"


@rule(
    "BLOCK-TARGET",
    TEMPLATE,
    what="a Capacity Block market without a Capacity Block",
    why="Every launch fails while the prepaid block runs out: the template does not say which block to use",
    remedy="Set capacityReservationSpecification.capacityReservationTarget.capacityReservationId to the block's id",
    example="marketType: capacity-block without a reservation id",
)
def block_without_reservation_id(graph: Graph) -> Hits:
    for template in graph.of(TEMPLATE):
        target = one(at(template.inputs, "capacityReservationSpecification.capacityReservationTarget"))
        block = at(template.inputs, "instanceMarketOptions.marketType") == "capacity-block"
        elsewhere = any(given(u.inputs.get("capacityReservationSpecification")) for u in users_of(graph, template))
        named = given(target.get("capacityReservationId")) or given(target.get("capacityReservationResourceGroupArn"))
        held = literal(target.get("capacityReservationId"))
        if held and not re.fullmatch(r"cr-[0-9a-f]{8,17}", held):
            place = "capacityReservationSpecification.capacityReservationTarget.capacityReservationId"
            yield template, place, f"{held!r} is not a reservation id"
        if block and not named and not elsewhere:
            place = "capacityReservationSpecification.capacityReservationTarget"
            yield template, place, "marketType capacity-block without a reservation id"


@rule(
    "SPOT-MIX",
    TEMPLATE,
    GROUP,
    what="Spot combined with a reservation or a Capacity Block",
    why="The launch fails, or the reservation is billed unused: Spot Instances do not run in reserved capacity",
    remedy="Choose one purchase option per template: Spot, or the reservation",
    example="spotOptions with marketType capacity-block",
)
def spot_with_reservation(graph: Graph) -> Hits:
    for template in graph.of(TEMPLATE):
        options = one(template.inputs.get("instanceMarketOptions"))
        spot = options.get("marketType") == "spot"
        reserved = given(at(template.inputs, "capacityReservationSpecification.capacityReservationTarget"))
        if given(options.get("spotOptions")) and options.get("marketType") == "capacity-block":
            yield template, "instanceMarketOptions.spotOptions", "spotOptions with marketType capacity-block"
        elif spot and reserved:
            yield template, "instanceMarketOptions.marketType", "Spot with a capacity reservation"
    for group in graph.of(GROUP):
        share = whole(
            at(group.inputs, "mixedInstancesPolicy.instancesDistribution.onDemandPercentageAboveBaseCapacity")
        )
        for where, block, _ in specifications(group):
            template = named_template(graph, block)
            if template is None or not where.startswith("mixed"):
                continue
            if given(template.inputs.get("instanceMarketOptions")):
                message = f"the mixed instances policy of {group.name} already sets the purchase option"
                yield template, "instanceMarketOptions", message
            reserved = given(at(template.inputs, "capacityReservationSpecification.capacityReservationTarget"))
            if reserved and share is not None and share < 100:
                yield (
                    template,
                    "capacityReservationSpecification",
                    f"{group.name} starts Spot Instances from this template",
                )


@rule(
    "TYPE-UNKNOWN",
    TEMPLATE,
    INSTANCE,
    what="an instance type that AWS does not have",
    why="Every launch fails: the provider passes on any instance type",
    remedy="Correct the spelling. If the type is newer than this list, add it to planner/lint/known/instance_types.csv",
    example="instanceType: p5.48xlage",
)
def unknown_instance_type(graph: Graph) -> Hits:
    for template in graph.of(TEMPLATE):
        for name, who in types_of(graph, template):
            if name not in machines():
                place = "instanceType" if who == "instanceType" else who
                yield template, place, f"there is no instance type {name!r}{nearest(name)}"
    for instance in graph.of(INSTANCE):
        name = literal(instance.inputs.get("instanceType"))
        if name and name not in machines():
            yield instance, "instanceType", f"there is no instance type {name!r}{nearest(name)}"


@rule(
    "TYPE-MARKET",
    TEMPLATE,
    what="an instance type that is not offered in this market",
    why="Every launch fails: not every type is offered as Spot or in Capacity Blocks",
    remedy="Use another instance type or another purchase option",
    example="marketType: capacity-block with g6e.48xlarge",
)
def type_not_offered_in_market(graph: Graph) -> Hits:
    for template in graph.of(TEMPLATE):
        market = at(template.inputs, "instanceMarketOptions.marketType")
        for name, _ in types_of(graph, template):
            machine = machines().get(name)
            if machine and machine.buys and market in ("spot", "capacity-block") and market not in machine.buys:
                yield template, "instanceMarketOptions.marketType", f"{name} is not offered as {market}"


ARM = re.compile(r"(a1|[a-z]+\d+g[a-z]*|im4gn|is4gen|p6e-gb\d+)\.", re.ASCII)  # families with Graviton or Grace


@rule(
    "IMAGE-ARCHITECTURE",
    TEMPLATE,
    INSTANCE,
    NODE_GROUP,
    what="one image for ARM and x86 nodes, or one of the other architecture",
    why="Every launch of one of them fails: an image has one architecture, and EC2 refuses an instance type of another",
    remedy="Give the ARM nodes an arm64 image and the others an x86_64 one",
    example="c7g.xlarge with the image of p5.48xlarge",
)
def image_of_other_architecture(graph: Graph) -> Hits:
    users: dict[str, dict[bool, tuple[Resource, str, str]]] = {}
    for resource in node_configs(graph):
        key = "imageId" if resource.kind == TEMPLATE else "ami"
        image = literal(resource.inputs.get(key))
        named = [name for name, _ in types_of(graph, resource)] if resource.kind == TEMPLATE else []
        for name in named or [literal(resource.inputs.get("instanceType"))]:
            if not (image and name):
                continue
            arm = bool(ARM.match(name))
            if re.search(r"x86_64|amd64" if arm else r"arm64|aarch64", image):
                yield resource, key, f"{image!r} is not for {name}"
            users.setdefault(image, {}).setdefault(arm, (resource, key, name))
    for group in graph.of(NODE_GROUP):
        family = literal(group.inputs.get("amiType")) or ""
        for name in texts(group.inputs.get("instanceTypes")):
            if re.search(r"_x86_64" if ARM.match(name) else r"_ARM_64", family):
                yield group, "amiType", f"{family!r} is not for {name}"
    for image, by_arm in users.items():
        if len(by_arm) == 2:
            resource, key, name = by_arm[True]
            yield resource, key, f"{image!r} starts {name}, which is ARM, and {by_arm[False][2]}, which is x86"


@rule(
    "IMAGE-ID",
    TEMPLATE,
    INSTANCE,
    what="a missing or invalid image id",
    why="The launch fails, or nodes of one fleet start from different images when the image is looked up at "
    "each launch",
    remedy="Pin one ami- id per release",
    example="imageId: ubuntu-22.04",
)
def image_not_pinned(graph: Graph) -> Hits:
    for resource in node_configs(graph):
        key = "imageId" if resource.kind == TEMPLATE else "ami"
        value = resource.inputs.get(key)
        if not given(value):
            left_out = from_template(resource) or completed_by_service(graph, resource)
            if not left_out or needs_image(graph, resource):
                yield resource, key, "no image id"
            continue
        text = literal(value)
        if text is not None and not re.fullmatch(r"ami-([0-9a-f]{8}|[0-9a-f]{17})|resolve:ssm:.+", text):
            yield resource, key, f"{text!r} is not an image id (ami- and 8 or 17 hexadecimal digits)"


@rule(
    "LT-NAME",
    TEMPLATE,
    what="an invalid launch template name",
    why="AWS rejects the template: a name has 3 to 128 letters, digits and ( ) . / _ -",
    remedy="Use a valid name",
    example="name: lt",
)
def invalid_template_name(graph: Graph) -> Hits:
    for template in graph.of(TEMPLATE):
        name = literal(template.inputs.get("name"))
        if name is not None and not re.fullmatch(r"[A-Za-z0-9()./_-]{3,128}", name):
            yield template, "name", f"{name!r} is not a valid launch template name"


@rule(
    "TENANCY",
    VPC,
    TEMPLATE,
    INSTANCE,
    severity=WARNING,
    what="dedicated tenancy",
    why="Dedicated instances cost an extra hourly fee and cannot use Spot or Capacity Blocks. The largest GPU "
    "instances use the whole host anyway",
    remedy="Use the default tenancy",
    example="instanceTenancy: dedicated on the VPC",
)
def dedicated_tenancy(graph: Graph) -> Hits:
    places = [(vpc, "instanceTenancy") for vpc in graph.of(VPC)]
    places += [(template, "placement.tenancy") for template in graph.of(TEMPLATE)]
    places += [(instance, "tenancy") for instance in graph.of(INSTANCE)]
    for resource, where in places:
        if at(resource.inputs, where) in ("dedicated", "host"):
            yield resource, where, f"tenancy {at(resource.inputs, where)}"


@rule(
    "SPOT-FIXED",
    INSTANCE,
    what="an instance with a fixed address on Spot",
    why="A Spot interruption takes away one of the few control nodes that hold the pool's cluster map. Other "
    "nodes find it by its fixed address",
    remedy="Run control nodes On-Demand",
    example="instanceMarketOptions with marketType spot on an instance with a primaryNetworkInterface",
)
def fixed_address_on_spot(graph: Graph) -> Hits:
    for instance in graph.of(INSTANCE):
        spot = at(instance.inputs, "instanceMarketOptions.marketType") == "spot"
        fixed = any(
            given(instance.inputs.get(k)) for k in ("primaryNetworkInterface", "networkInterfaces", "privateIp")
        )
        if spot and fixed:
            yield instance, "instanceMarketOptions.marketType", "a Spot Instance with a fixed address"
