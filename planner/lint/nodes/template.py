"""Launch templates and single instances: groups, market, image, type, tenancy."""

from __future__ import annotations

import re

from planner.lint.known.instance_types import machines, nearest
from planner.lint.read.graph import Graph
from planner.lint.read.topology import (
    GROUP,
    INSTANCE,
    TEMPLATE,
    VPC,
    from_template,
    makers,
    named_template,
    specifications,
    types_of,
    users_of,
)
from planner.lint.read.values import at, given, literal, one, whole
from planner.lint.rule import WARNING, Hits, rule


@rule(
    "LT-GROUPS",
    TEMPLATE,
    what="security groups beside network interfaces",
    why="with interfaces, the groups must be part of them: EC2 refuses the launch",
    remedy="securityGroups in each interface, none at vpcSecurityGroupIds",
    example="vpcSecurityGroupIds and networkInterfaces in one template",
)
def groups_beside_interfaces(graph: Graph) -> Hits:
    for template in graph.of(TEMPLATE):
        for key in ("vpcSecurityGroupIds", "securityGroupNames"):
            if given(template.inputs.get("networkInterfaces")) and given(template.inputs.get(key)):
                yield template, key, f"{key} beside networkInterfaces"


@rule(
    "BLOCK-TARGET",
    TEMPLATE,
    what="a Capacity Block market without the block",
    why="the launch is refused, while the block is paid for and runs out",
    remedy="capacityReservationSpecification.capacityReservationTarget.capacityReservationId with the block's id",
    example="marketType: capacity-block alone",
)
def block_is_named(graph: Graph) -> Hits:
    for template in graph.of(TEMPLATE):
        target = one(at(template.inputs, "capacityReservationSpecification.capacityReservationTarget"))
        block = at(template.inputs, "instanceMarketOptions.marketType") == "capacity-block"
        elsewhere = any(given(u.inputs.get("capacityReservationSpecification")) for u in users_of(graph, template))
        named = given(target.get("capacityReservationId")) or given(target.get("capacityReservationResourceGroupArn"))
        held = literal(target.get("capacityReservationId"))
        if held and not re.fullmatch(r"cr-[0-9a-f]{8,17}", held):
            place = "capacityReservationSpecification.capacityReservationTarget.capacityReservationId"
            yield template, place, f"{held!r} is no reservation"
        if block and not named and not elsewhere:
            place = "capacityReservationSpecification.capacityReservationTarget"
            yield template, place, "marketType capacity-block and no reservation"


@rule(
    "SPOT-MIX",
    TEMPLATE,
    GROUP,
    what="spot mixed with a reservation or a block",
    why="spot takes no reserved capacity: the launch is refused, or the reservation bills beside it unused",
    remedy="one way to buy a template: spot, or the reservation",
    example="spotOptions with marketType capacity-block",
)
def spot_beside_a_reservation(graph: Graph) -> Hits:
    for template in graph.of(TEMPLATE):
        options = one(template.inputs.get("instanceMarketOptions"))
        spot = options.get("marketType") == "spot"
        reserved = given(at(template.inputs, "capacityReservationSpecification.capacityReservationTarget"))
        if given(options.get("spotOptions")) and options.get("marketType") == "capacity-block":
            yield template, "instanceMarketOptions.spotOptions", "spotOptions with marketType capacity-block"
        elif spot and reserved:
            yield template, "instanceMarketOptions.marketType", "spot with a capacity reservation"
    for group in graph.of(GROUP):
        share = whole(
            at(group.inputs, "mixedInstancesPolicy.instancesDistribution.onDemandPercentageAboveBaseCapacity")
        )
        for where, block, _ in specifications(group):
            template = named_template(graph, block)
            if template is None or not where.startswith("mixed"):
                continue
            if given(template.inputs.get("instanceMarketOptions")):
                message = f"{group.name} has a mixed instances policy, which says how to buy"
                yield template, "instanceMarketOptions", message
            reserved = given(at(template.inputs, "capacityReservationSpecification.capacityReservationTarget"))
            if reserved and share is not None and share < 100:
                yield template, "capacityReservationSpecification", f"{group.name} buys spot with it"


@rule(
    "TYPE-UNKNOWN",
    TEMPLATE,
    INSTANCE,
    what="an instance type that AWS does not name",
    why="the provider passes any type on; the launch is refused",
    remedy="write the type as AWS does; a newer type goes into planner/lint/known/instance_types.csv",
    example="instanceType: p5.48xlage",
)
def type_is_known(graph: Graph) -> Hits:
    for template in graph.of(TEMPLATE):
        for name, who in types_of(graph, template):
            if name not in machines():
                place = "instanceType" if who == "instanceType" else who
                yield template, place, f"no instance type is called {name!r}{nearest(name)}"
    for instance in graph.of(INSTANCE):
        name = literal(instance.inputs.get("instanceType"))
        if name and name not in machines():
            yield instance, "instanceType", f"no instance type is called {name!r}{nearest(name)}"


@rule(
    "TYPE-MARKET",
    TEMPLATE,
    what="a type that is not sold in this way",
    why="not every type is sold as spot or in Capacity Blocks: the launch is refused",
    remedy="another type or another way to buy",
    example="marketType: capacity-block with g6e.48xlarge",
)
def type_is_sold_so(graph: Graph) -> Hits:
    for template in graph.of(TEMPLATE):
        market = at(template.inputs, "instanceMarketOptions.marketType")
        for name, _ in types_of(graph, template):
            machine = machines().get(name)
            if machine and machine.buys and market in ("spot", "capacity-block") and market not in machine.buys:
                yield template, "instanceMarketOptions.marketType", f"{name} is not sold as {market}"


@rule(
    "IMAGE-ID",
    TEMPLATE,
    INSTANCE,
    what="no image, or something that is no image id",
    why="the launch is refused; an image that is looked up anew at each launch changes under a running fleet",
    remedy="pin an ami- id a release",
    example="imageId: ubuntu-22.04",
)
def image_is_pinned(graph: Graph) -> Hits:
    for resource in makers(graph):
        key = "imageId" if resource.kind == TEMPLATE else "ami"
        value = resource.inputs.get(key)
        if not given(value):
            if not from_template(resource):
                yield resource, key, "no image"
            continue
        text = literal(value)
        if text is not None and not re.fullmatch(r"ami-([0-9a-f]{8}|[0-9a-f]{17})", text):
            yield resource, key, f"{text!r} is no image id: ami- and 8 or 17 hexadecimal digits"


@rule(
    "LT-NAME",
    TEMPLATE,
    what="a template name that EC2 refuses",
    why="3 to 128 characters: letters, digits and ( ) . / _ -",
    remedy="a longer or plainer name",
    example="name: lt",
)
def template_name(graph: Graph) -> Hits:
    for template in graph.of(TEMPLATE):
        name = literal(template.inputs.get("name"))
        if name is not None and not re.fullmatch(r"[A-Za-z0-9()./_-]{3,128}", name):
            yield template, "name", f"{name!r} is no name of a launch template"


@rule(
    "TENANCY",
    VPC,
    TEMPLATE,
    INSTANCE,
    severity=WARNING,
    what="hardware of one's own",
    why="dedicated instances bill a fee by the hour and region beside each node, spot and blocks take none, and a "
    "machine of GPUs is shared with nobody anyway",
    remedy="tenancy default",
    example="instanceTenancy: dedicated on the VPC",
)
def tenancy_is_shared(graph: Graph) -> Hits:
    places = [(vpc, "instanceTenancy") for vpc in graph.of(VPC)]
    places += [(template, "placement.tenancy") for template in graph.of(TEMPLATE)]
    places += [(instance, "tenancy") for instance in graph.of(INSTANCE)]
    for resource, where in places:
        if at(resource.inputs, where) in ("dedicated", "host"):
            yield resource, where, f"{at(resource.inputs, where)}"


@rule(
    "SPOT-FIXED",
    INSTANCE,
    what="a machine with a fixed address on spot",
    why="others know it by its address: when it is reclaimed, the pool loses one of the few that keep its map",
    remedy="control nodes on-demand",
    example="instanceMarketOptions with marketType spot on an instance with a primaryNetworkInterface",
)
def fixed_machines_stay(graph: Graph) -> Hits:
    for instance in graph.of(INSTANCE):
        spot = at(instance.inputs, "instanceMarketOptions.marketType") == "spot"
        fixed = any(
            given(instance.inputs.get(k)) for k in ("primaryNetworkInterface", "networkInterfaces", "privateIp")
        )
        if spot and fixed:
            yield instance, "instanceMarketOptions.marketType", "spot, and its address is fixed"
