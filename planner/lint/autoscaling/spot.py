"""Spot in Auto Scaling groups: allocation strategy, On-Demand share, maximum price, rebalancing."""

from __future__ import annotations

from planner.lint.read.graph import Graph, Resource
from planner.lint.read.topology import (
    GROUP,
    TEMPLATE,
    nodes_of,
    templates_of,
)
from planner.lint.read.values import at, flag, given, literal, many, number, one, whole
from planner.lint.rule import WARNING, Hits, rule

SPOT = ("lowest-price", "capacity-optimized", "capacity-optimized-prioritized", "price-capacity-optimized")


@rule(
    "SPOT-STRATEGY",
    GROUP,
    what="an allocation strategy that AWS does not have",
    why="AWS rejects the group while the rest of the stack is billed: the provider passes on any word",
    remedy="Use price-capacity-optimized",
    example="spotAllocationStrategy: price-capacity-optimised",
)
def unknown_allocation_strategy(graph: Graph) -> Hits:
    for group in graph.of(GROUP):
        block = one(at(group.inputs, "mixedInstancesPolicy.instancesDistribution"))
        for key, known in (("spotAllocationStrategy", SPOT), ("onDemandAllocationStrategy", ("prioritized", SPOT[0]))):
            value = block.get(key)
            if given(value) and (not isinstance(value, str) or literal(value)) and value not in known:
                where = f"mixedInstancesPolicy.instancesDistribution.{key}"
                yield group, where, f"{value!r} is not one of {', '.join(known)}"


@rule(
    "SPOT-LOWEST",
    GROUP,
    severity=WARNING,
    what="Spot capacity from the cheapest pool",
    why="Nodes are interrupted more often: lowest-price, also the default, uses the pools with the least "
    "spare capacity",
    remedy="Set spotAllocationStrategy to price-capacity-optimized",
    example="a Spot group without spotAllocationStrategy",
)
def lowest_price_strategy(graph: Graph) -> Hits:
    for group in graph.of(GROUP):
        where = "mixedInstancesPolicy.instancesDistribution.spotAllocationStrategy"
        share = number(at(group.inputs, where.replace("spotAllocationStrategy", "onDemandPercentageAboveBaseCapacity")))
        if share is not None and share < 100 and at(group.inputs, where) in (None, "", "lowest-price"):
            yield group, where, f"{at(group.inputs, where) or 'not given; the default is lowest-price'}"


@rule(
    "SPOT-SHARE",
    GROUP,
    what="an On-Demand share that is not a percentage",
    why="AWS rejects the group, or starts On-Demand nodes where Spot was planned",
    remedy="Set onDemandPercentageAboveBaseCapacity to 0 to 100",
    example="onDemandPercentageAboveBaseCapacity: 150",
)
def invalid_on_demand_percentage(graph: Graph) -> Hits:
    for group in graph.of(GROUP):
        where = "mixedInstancesPolicy.instancesDistribution.onDemandPercentageAboveBaseCapacity"
        share = number(at(group.inputs, where))
        if share is not None and not 0 <= share <= 100:
            yield group, where, f"{share:g} % is not between 0 and 100"


@rule(
    "SPOT-ONDEMAND",
    GROUP,
    what="a Spot group that starts On-Demand nodes",
    why="The fleet costs several times the plan, with no warning: without a percentage AWS starts 100 % "
    "On-Demand, and the base capacity always is",
    remedy="Set onDemandPercentageAboveBaseCapacity and onDemandBaseCapacity to 0",
    example="a Spot group without onDemandPercentageAboveBaseCapacity",
)
def on_demand_in_spot_group(graph: Graph) -> Hits:
    for group in graph.of(GROUP):
        here = "mixedInstancesPolicy.instancesDistribution"
        block = one(at(group.inputs, here))
        planned = str(graph.stack.get("scenario")).endswith("/spot") and "fleet.compute" in group.bill_lines
        meant = planned or any(given(block.get(key)) for key in ("spotAllocationStrategy", "spotMaxPrice"))
        markets = [at(t.inputs, "instanceMarketOptions.marketType") for t in templates_of(graph, group)]
        meant = meant or (flag(group.inputs.get("capacityRebalance")) is True and "spot" not in markets)
        if not meant or "spot" in markets:
            continue
        value = block.get("onDemandPercentageAboveBaseCapacity")
        share = 100.0 if value is None else number(value)
        base, nodes = whole(block.get("onDemandBaseCapacity")) or 0, nodes_of(group)
        if share is not None and (share == 100 or (planned and 0 < share < 100)):
            said = "not given, so 100" if value is None else f"{share:g}"
            yield group, f"{here}.onDemandPercentageAboveBaseCapacity", f"{said} % of the nodes are On-Demand"
        elif nodes and (base >= nodes or (planned and base > 0)):
            yield group, f"{here}.onDemandBaseCapacity", f"the first {base:,} of {nodes:,} nodes are On-Demand"


@rule(
    "SPOT-PRICE",
    GROUP,
    TEMPLATE,
    severity=WARNING,
    what="a maximum price for Spot",
    why="Nodes are interrupted whenever the market price passes the maximum, and nothing is saved: you pay "
    "the market price either way",
    remedy="Remove the maximum price; the On-Demand price is already the limit",
    example='spotMaxPrice: "12.00"',
)
def spot_maximum_price(graph: Graph) -> Hits:
    for group in graph.of(GROUP):
        where = "mixedInstancesPolicy.instancesDistribution.spotMaxPrice"
        if given(at(group.inputs, where)):
            yield group, where, "a maximum Spot price is set"
    for template in graph.of(TEMPLATE):
        if given(at(template.inputs, "instanceMarketOptions.spotOptions.maxPrice")):
            yield template, "instanceMarketOptions.spotOptions.maxPrice", "a maximum Spot price is set"


def is_spot(graph: Graph, group: Resource) -> bool:
    distribution = one(at(group.inputs, "mixedInstancesPolicy.instancesDistribution"))
    share = number(distribution.get("onDemandPercentageAboveBaseCapacity"))
    markets = [at(t.inputs, "instanceMarketOptions.marketType") for t in templates_of(graph, group)]
    return (bool(distribution) and share is not None and share < 100) or "spot" in markets


@rule(
    "SPOT-REBALANCE",
    GROUP,
    severity=WARNING,
    what="Spot nodes of one job with capacity rebalancing",
    why="A healthy node is ended on a recommendation, often hours before an interruption or without one, and the "
    "whole job restarts; the two-minute notice comes in any case",
    remedy="Remove capacityRebalance",
    example="capacityRebalance: true in a Spot group whose nodes are in a cluster placement group",
)
def rebalancing_of_a_gang(graph: Graph) -> Hits:
    """Nodes that are placed close together run one job. Others may well be replaced one by one."""
    for group in graph.of(GROUP):
        together = any(at(t.inputs, "placement.groupName") for t in templates_of(graph, group))
        if together and is_spot(graph, group) and flag(group.inputs.get("capacityRebalance")) is True:
            yield group, "capacityRebalance", "capacityRebalance is true"


@rule(
    "SPOT-OVERRIDES",
    GROUP,
    what="invalid overrides in a mixed instances policy",
    why="AWS rejects the group after the resources before it exist: a type appears once, its weight is 1 to "
    "999, and spotInstancePools works with lowest-price only",
    remedy="List each type once, use whole weights, and remove spotInstancePools",
    example="one instanceType in two overrides, or weightedCapacity: 0",
)
def invalid_spot_overrides(graph: Graph) -> Hits:
    for group in graph.of(GROUP):
        mixed = one(group.inputs.get("mixedInstancesPolicy"))
        seen: set[str] = set()
        for i, override in enumerate(many(at(mixed, "launchTemplate.overrides"))):
            here = f"mixedInstancesPolicy.launchTemplate.overrides[{i}]"
            kind, weight = literal(override.get("instanceType")), whole(override.get("weightedCapacity"))
            if kind and kind in seen:
                yield group, f"{here}.instanceType", f"{kind} is listed twice"
            seen |= {kind} if kind else set()
            if weight is not None and not 1 <= weight <= 999:
                yield group, f"{here}.weightedCapacity", f"weight {weight:,}; allowed: 1 to 999"
        spread = one(mixed.get("instancesDistribution"))
        strategy = literal(spread.get("spotAllocationStrategy"))
        if (whole(spread.get("spotInstancePools")) or 0) > 0 and strategy not in (None, "lowest-price"):
            where = "mixedInstancesPolicy.instancesDistribution.spotInstancePools"
            yield group, where, f"spotInstancePools does not work with {strategy}"
