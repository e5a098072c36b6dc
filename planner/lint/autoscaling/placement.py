"""Where the nodes of a gang stand: one zone, one cluster placement group, and what serves them beside them."""

from __future__ import annotations

from planner.lint.read.graph import Graph, Resource
from planner.lint.read.topology import (
    CARD,
    GROUP,
    INSTANCE,
    SUBNET,
    TEMPLATE,
    clustered,
    has_efa,
    is_block,
    is_reserved,
    placement_of,
    subnets_of,
    templates_of,
)
from planner.lint.read.values import at, given, literal, texts, whole
from planner.lint.rule import WARNING, Hits, rule


@rule(
    "ASG-ZONE",
    GROUP,
    INSTANCE,
    what="a gang that is spread over zones",
    why="a cluster placement group and EFA end at the zone, a block is in one, and traffic between zones bills twice",
    remedy="subnets of one zone",
    example="vpcZoneIdentifiers with subnets of two zones",
)
def one_zone(graph: Graph) -> Hits:
    for group in graph.of(GROUP):
        templates = templates_of(graph, group)
        gang = clustered(graph, group) or any(has_efa(t) or is_block(t) for t in templates)
        subnets = subnets_of(graph, group)
        zones: set[str] = set()
        for key in ("availabilityZone", "availabilityZoneId"):
            found = {zone for subnet in subnets if (zone := literal(subnet.inputs.get(key)))}
            zones |= found if len(found) > 1 else set()
        named = texts(group.inputs.get("availabilityZones"))
        unknown = [t for t in texts(group.inputs.get("vpcZoneIdentifiers")) if graph.target(t, SUBNET) is None]
        if gang and zones:
            yield group, "vpcZoneIdentifiers", f"subnets in {', '.join(sorted(zones))}"
        elif gang and len(named) > 1:
            yield group, "availabilityZones", f"zones {', '.join(named)}"
        elif gang and len(unknown) > 1:
            yield (
                group,
                "vpcZoneIdentifiers",
                f"{len(unknown)} subnets that the graph does not hold: one zone is one subnet",
            )


@rule(
    "PG-NONE",
    GROUP,
    severity=WARNING,
    what="a gang without a placement group",
    why="nodes that stand apart have several times the latency between them, at the same price",
    remedy="a placement group of strategy cluster in the launch template, except with a Capacity Block, and with a "
    "reservation only the one that it was made in",
    example="nodes with EFA and no placement.groupName",
)
def gang_stands_together(graph: Graph) -> Hits:
    for group in graph.of(GROUP):
        templates = templates_of(graph, group)
        gang = any(map(has_efa, templates)) and (whole(group.inputs.get("maxSize")) or 0) > 1
        # a reservation is used from the group that it was made in, if any: which one that is no graph says
        if not gang or any(is_block(template) or is_reserved(template) for template in templates):
            continue
        named = list(placement_of(graph, group))
        if not named:
            yield group, "placement", "no placement group"
        for resource, where, value in named:
            known = graph.of("ec2:PlacementGroup")
            if known and literal(value) and graph.target(value, "ec2:PlacementGroup") is None:
                yield resource, where, f"{value!r} is not the placement group of this stack"


@rule(
    "ZONE-APART",
    SUBNET,
    severity=WARNING,
    what="parts of one stack in several zones",
    why="every byte between zones bills at $0.01 a GB each way, also on the way to NAT, endpoints and control nodes",
    remedy="one zone for the nodes and all that serves them",
    example="the NAT gateway in another zone than the nodes",
)
def one_zone_for_all(graph: Graph) -> Hits:
    homes = [subnet for group in graph.of(GROUP) for subnet in subnets_of(graph, group)]
    serving = graph.of(INSTANCE, "ec2:NatGateway", CARD, "fsx:LustreFileSystem", "ec2:VpcEndpoint")
    for key in ("availabilityZone", "availabilityZoneId"):
        zones = {zone for subnet in homes if (zone := literal(subnet.inputs.get(key)))}
        served: dict[str, list[Resource]] = {}
        for resource in serving:
            for subnet in subnets_of(graph, resource):
                served.setdefault(resource.kind, []).append(subnet)
        for subnets in served.values():
            # a NAT gateway or endpoint in each zone is no mistake
            if zones & {str(subnet.inputs.get(key)) for subnet in subnets}:
                continue
            for subnet in dict.fromkeys(subnets):
                zone = literal(subnet.inputs.get(key))
                if zones and zone:
                    yield subnet, key, f"{zone}, and the nodes are in {', '.join(sorted(zones))}"


@rule(
    "PG-CLUSTER",
    "ec2:PlacementGroup",
    what="a cluster placement group with partitions, or for a gang one that is no cluster",
    why="partitions belong to another strategy, and only a cluster puts the nodes of a gang close together",
    remedy="strategy cluster, without partitionCount and spreadLevel",
    example="strategy: spread for nodes with EFA",
)
def placement_is_a_cluster(graph: Graph) -> Hits:
    for placement in graph.of("ec2:PlacementGroup"):
        strategy = placement.inputs.get("strategy")
        for key in ("partitionCount", "spreadLevel"):
            if strategy == "cluster" and given(placement.inputs.get(key)):
                yield placement, key, f"{key} with strategy cluster"
        if strategy in ("spread", "partition"):
            for group in graph.of(GROUP):
                gang = any(has_efa(template) for template in templates_of(graph, group))
                if gang and any(graph.target(v, placement.kind) is placement for _, _, v in placement_of(graph, group)):
                    yield placement, "strategy", f"{strategy} for {group.name}, whose nodes have EFA"


@rule(
    "ZONE-TWICE",
    SUBNET,
    GROUP,
    TEMPLATE,
    INSTANCE,
    what="a zone said twice",
    why="AWS takes one of the two and refuses both; a name means another zone in every account",
    remedy="availabilityZoneId alone on a subnet; subnets alone on a group or a machine",
    example="availabilityZone beside availabilityZoneId",
)
def zone_is_said_once(graph: Graph) -> Hits:
    for resource in graph.of(SUBNET):
        if given(resource.inputs.get("availabilityZone")) and given(resource.inputs.get("availabilityZoneId")):
            yield resource, "availabilityZone", "beside availabilityZoneId"
    for group in graph.of(GROUP):
        if given(group.inputs.get("availabilityZones")) and given(group.inputs.get("vpcZoneIdentifiers")):
            yield group, "availabilityZones", "beside vpcZoneIdentifiers, which say the zone"
        for template in templates_of(graph, group):
            zone = at(template.inputs, "placement.availabilityZone")
            if given(zone) and given(group.inputs.get("vpcZoneIdentifiers")):
                yield template, "placement.availabilityZone", f"beside the subnets of {group.name}, which say the zone"
    for instance in graph.of(INSTANCE):
        said = literal(instance.inputs.get("availabilityZone"))
        for subnet in subnets_of(graph, instance) if said else ():
            zone = literal(subnet.inputs.get("availabilityZone")) or literal(subnet.inputs.get("availabilityZoneId"))
            if zone and zone != said:
                yield instance, "availabilityZone", f"{said}, and {subnet.name}, where it stands, is in {zone}"
