"""Placement of training nodes: one zone, one cluster placement group, with everything that serves them."""

from __future__ import annotations

from planner.lint.read.graph import Graph, Resource
from planner.lint.read.topology import (
    CARD,
    GROUP,
    INSTANCE,
    SUBNET,
    TEMPLATE,
    has_efa,
    is_block,
    is_clustered,
    is_reserved,
    placement_of,
    subnets_of,
    templates_of,
)
from planner.lint.read.values import at, given, literal, stated, texts, whole
from planner.lint.rule import WARNING, Hits, rule


@rule(
    "ASG-ZONE",
    GROUP,
    INSTANCE,
    what="training nodes spread over several zones",
    why="The job slows down or fails to start: cluster placement groups, EFA and Capacity Blocks are limited "
    "to one zone, and traffic between zones is billed in both directions",
    remedy="Use subnets in one zone",
    example="vpcZoneIdentifiers with subnets in two zones",
)
def nodes_across_zones(graph: Graph) -> Hits:
    for group in graph.of(GROUP):
        templates = templates_of(graph, group)
        gang = is_clustered(graph, group) or any(has_efa(t) or is_block(t) for t in templates)
        subnets = subnets_of(graph, group)
        zones: set[str] = set()
        for key in ("availabilityZone", "availabilityZoneId"):
            found = {zone for subnet in subnets if (zone := stated(subnet.inputs.get(key)))}
            zones |= found if len(found) > 1 else set()
        unplaced = [subnet for subnet in subnets if not _placed(subnet)]
        named = texts(group.inputs.get("availabilityZones"))
        unknown = [t for t in texts(group.inputs.get("vpcZoneIdentifiers")) if graph.target(t, SUBNET) is None]
        if gang and zones:
            yield group, "vpcZoneIdentifiers", f"subnets in several zones: {', '.join(sorted(zones))}"
        elif gang and unplaced and len(subnets) > 1:
            yield group, "vpcZoneIdentifiers", f"AWS picks the zone of {unplaced[0].name}, which may be another one"
        elif gang and len(named) > 1:
            yield group, "availabilityZones", f"several zones: {', '.join(named)}"
        elif gang and len(unknown) > 1:
            yield (
                group,
                "vpcZoneIdentifiers",
                f"{len(unknown)} subnets from outside the graph; one zone needs only one",
            )


def _placed(subnet: Resource) -> bool:
    """Whether a subnet says its zone, also by a reference."""
    return given(subnet.inputs.get("availabilityZone")) or given(subnet.inputs.get("availabilityZoneId"))


@rule(
    "PG-NONE",
    GROUP,
    severity=WARNING,
    what="training nodes without a placement group",
    why="Latency between nodes is several times higher, at the same price",
    remedy="Add a cluster placement group to the launch template. A Capacity Block needs none, and a reservation "
    "only the group in which it was created",
    example="nodes with EFA and no placement.groupName",
)
def no_placement_group(graph: Graph) -> Hits:
    for group in graph.of(GROUP):
        templates = templates_of(graph, group)
        gang = any(map(has_efa, templates)) and (whole(group.inputs.get("maxSize")) or 0) > 1
        # a reservation works only with the placement group it was created in, which the graph does not say
        if not gang or any(is_block(template) or is_reserved(template) for template in templates):
            continue
        named = list(placement_of(graph, group))
        if not named:
            yield group, "placement", "no placement group"
        for resource, where, value in named:
            known = graph.of("ec2:PlacementGroup")
            if known and literal(value) and graph.target(value, "ec2:PlacementGroup") is None:
                yield resource, where, f"{value!r} is not a placement group of this stack"


@rule(
    "ZONE-APART",
    SUBNET,
    severity=WARNING,
    what="parts of one stack in several zones",
    why="Traffic between zones costs $0.01 per GB in each direction, including traffic to NAT, endpoints and "
    "control nodes",
    remedy="Put the nodes and everything that serves them in one zone",
    example="the NAT gateway in another zone than the nodes",
)
def stack_across_zones(graph: Graph) -> Hits:
    homes = [subnet for group in graph.of(GROUP) for subnet in subnets_of(graph, group)]
    serving = graph.of(INSTANCE, "ec2:NatGateway", CARD, "fsx:LustreFileSystem", "ec2:VpcEndpoint")
    for key in ("availabilityZone", "availabilityZoneId"):
        zones = {zone for subnet in homes if (zone := stated(subnet.inputs.get(key)))}
        served: dict[str, list[Resource]] = {}
        for resource in serving:
            for subnet in subnets_of(graph, resource):
                served.setdefault(resource.kind, []).append(subnet)
        for subnets in served.values():
            # a NAT gateway or endpoint in every zone is fine
            if zones & {str(subnet.inputs.get(key)) for subnet in subnets}:
                continue
            for subnet in dict.fromkeys(subnets):
                zone = stated(subnet.inputs.get(key))
                if zones and zone:
                    yield subnet, key, f"in {zone}, but the nodes are in {', '.join(sorted(zones))}"
                elif zones and not _placed(subnet):
                    yield subnet, key, f"AWS picks its zone; the nodes are in {', '.join(sorted(zones))}"


@rule(
    "PG-CLUSTER",
    "ec2:PlacementGroup",
    what="a placement group with the wrong strategy or with partitions",
    why="AWS rejects partitions in a cluster group, and with another strategy the nodes are not placed close together",
    remedy="Set strategy: cluster and remove partitionCount and spreadLevel",
    example="strategy: spread for nodes with EFA",
)
def placement_not_cluster(graph: Graph) -> Hits:
    for placement in graph.of("ec2:PlacementGroup"):
        strategy = placement.inputs.get("strategy")
        for key in ("partitionCount", "spreadLevel"):
            if strategy == "cluster" and given(placement.inputs.get(key)):
                yield placement, key, f"{key} does not work with strategy cluster"
        if strategy in ("spread", "partition"):
            for group in graph.of(GROUP):
                gang = any(has_efa(template) for template in templates_of(graph, group))
                if gang and any(graph.target(v, placement.kind) is placement for _, _, v in placement_of(graph, group)):
                    yield placement, "strategy", f"strategy {strategy} for {group.name}, whose nodes use EFA"


@rule(
    "ZONE-TWICE",
    SUBNET,
    GROUP,
    TEMPLATE,
    INSTANCE,
    what="a zone that is given twice",
    why="AWS rejects the resource, or uses another zone than you meant: a zone name such as us-east-1a means "
    "a different zone in each account",
    remedy="Set only availabilityZoneId on a subnet, and only subnets on a group or an instance",
    example="availabilityZone and availabilityZoneId on one subnet",
)
def zone_given_twice(graph: Graph) -> Hits:
    for resource in graph.of(SUBNET):
        if given(resource.inputs.get("availabilityZone")) and given(resource.inputs.get("availabilityZoneId")):
            yield resource, "availabilityZone", "both availabilityZone and availabilityZoneId are given"
    for group in graph.of(GROUP):
        if given(group.inputs.get("availabilityZones")) and given(group.inputs.get("vpcZoneIdentifiers")):
            yield group, "availabilityZones", "vpcZoneIdentifiers already determine the zone"
        for template in templates_of(graph, group):
            zone = at(template.inputs, "placement.availabilityZone")
            if given(zone) and given(group.inputs.get("vpcZoneIdentifiers")):
                yield template, "placement.availabilityZone", f"the subnets of {group.name} already determine the zone"
    for instance in graph.of(INSTANCE):
        said = literal(instance.inputs.get("availabilityZone"))
        for subnet in subnets_of(graph, instance) if said else ():
            zone = literal(subnet.inputs.get("availabilityZone")) or literal(subnet.inputs.get("availabilityZoneId"))
            if zone and zone != said:
                yield (
                    instance,
                    "availabilityZone",
                    f"the instance is in {said}, but its subnet {subnet.name} is in {zone}",
                )
