"""Spot in groups: strategies, shares, prices, rebalancing."""

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
    what="an allocation strategy that AWS does not know",
    why="the provider passes any word on: the group is refused while the rest of the stack bills",
    remedy="price-capacity-optimized",
    example="spotAllocationStrategy: price-capacity-optimised",
)
def strategy_is_known(graph: Graph) -> Hits:
    for group in graph.of(GROUP):
        block = one(at(group.inputs, "mixedInstancesPolicy.instancesDistribution"))
        for key, known in (("spotAllocationStrategy", SPOT), ("onDemandAllocationStrategy", ("prioritized", SPOT[0]))):
            value = block.get(key)
            if given(value) and (not isinstance(value, str) or literal(value)) and value not in known:
                where = f"mixedInstancesPolicy.instancesDistribution.{key}"
                yield group, where, f"{value!r} is none of {', '.join(known)}"


@rule(
    "SPOT-LOWEST",
    GROUP,
    severity=WARNING,
    what="spot from the cheapest pool",
    why="the cheapest pool is the one that is reclaimed first; it is also what AWS takes where nothing is said",
    remedy="spotAllocationStrategy price-capacity-optimized",
    example="a spot group without spotAllocationStrategy",
)
def not_the_cheapest(graph: Graph) -> Hits:
    for group in graph.of(GROUP):
        where = "mixedInstancesPolicy.instancesDistribution.spotAllocationStrategy"
        share = number(at(group.inputs, where.replace("spotAllocationStrategy", "onDemandPercentageAboveBaseCapacity")))
        if share is not None and share < 100 and at(group.inputs, where) in (None, "", "lowest-price"):
            yield group, where, f"{at(group.inputs, where) or 'none given, which is lowest-price'}"


@rule(
    "SPOT-SHARE",
    GROUP,
    what="a share of on-demand nodes that is no percentage",
    why="AWS refuses the group, or buys on-demand where spot was planned",
    remedy="0 to 100",
    example="onDemandPercentageAboveBaseCapacity: 150",
)
def share_is_a_percentage(graph: Graph) -> Hits:
    for group in graph.of(GROUP):
        where = "mixedInstancesPolicy.instancesDistribution.onDemandPercentageAboveBaseCapacity"
        share = number(at(group.inputs, where))
        if share is not None and not 0 <= share <= 100:
            yield group, where, f"{share:g} %"


@rule(
    "SPOT-ONDEMAND",
    GROUP,
    what="a spot group that buys on-demand",
    why="AWS takes 100 % on-demand where no percentage is given, and the base first: the fleet costs several times "
    "what was planned, and nobody is told",
    remedy="onDemandPercentageAboveBaseCapacity 0 and onDemandBaseCapacity 0",
    example="a spot group without onDemandPercentageAboveBaseCapacity",
)
def spot_is_bought(graph: Graph) -> Hits:
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
            said = "not given, which is 100" if value is None else f"{share:g}"
            yield group, f"{here}.onDemandPercentageAboveBaseCapacity", f"{said} % of the nodes are on-demand"
        elif nodes and (base >= nodes or (planned and base > 0)):
            yield group, f"{here}.onDemandBaseCapacity", f"{base:,} of {nodes:,} nodes are on-demand before any spot"


@rule(
    "SPOT-PRICE",
    GROUP,
    TEMPLATE,
    severity=WARNING,
    what="a maximum price for spot",
    why="it saves nothing, since the market price is what is paid, and takes nodes away when it is passed",
    remedy="no maximum price: the on-demand price is the limit already",
    example='spotMaxPrice: "12.00"',
)
def no_maximum_price(graph: Graph) -> Hits:
    for group in graph.of(GROUP):
        where = "mixedInstancesPolicy.instancesDistribution.spotMaxPrice"
        if given(at(group.inputs, where)):
            yield group, where, "a maximum price"
    for template in graph.of(TEMPLATE):
        if given(at(template.inputs, "instanceMarketOptions.spotOptions.maxPrice")):
            yield template, "instanceMarketOptions.spotOptions.maxPrice", "a maximum price"


def is_spot(graph: Graph, group: Resource) -> bool:
    distribution = one(at(group.inputs, "mixedInstancesPolicy.instancesDistribution"))
    share = number(distribution.get("onDemandPercentageAboveBaseCapacity"))
    markets = [at(t.inputs, "instanceMarketOptions.marketType") for t in templates_of(graph, group)]
    return (bool(distribution) and share is not None and share < 100) or "spot" in markets


@rule(
    "SPOT-REBALANCE",
    GROUP,
    severity=WARNING,
    what="spot without capacity rebalancing",
    why="without it a replacement starts only after the node is gone, not at the warning before",
    remedy="capacityRebalance true",
    example="a spot group without capacityRebalance",
)
def spot_rebalances(graph: Graph) -> Hits:
    for group in graph.of(GROUP):
        if is_spot(graph, group) and flag(group.inputs.get("capacityRebalance")) is not True:
            yield group, "capacityRebalance", "capacityRebalance is not set"


@rule(
    "SPOT-OVERRIDES",
    GROUP,
    what="overrides of a mix that AWS refuses",
    why="a type stands once in a mix, its weight is 1 to 999, and pools go with lowest-price only: the group is "
    "refused after everything before it was made",
    remedy="each type once, whole weights, spotInstancePools left out",
    example="one instanceType in two overrides, or weightedCapacity: 0",
)
def overrides_are_taken(graph: Graph) -> Hits:
    for group in graph.of(GROUP):
        mixed = one(group.inputs.get("mixedInstancesPolicy"))
        seen: set[str] = set()
        for i, override in enumerate(many(at(mixed, "launchTemplate.overrides"))):
            here = f"mixedInstancesPolicy.launchTemplate.overrides[{i}]"
            kind, weight = literal(override.get("instanceType")), whole(override.get("weightedCapacity"))
            if kind and kind in seen:
                yield group, f"{here}.instanceType", f"{kind} a second time"
            seen |= {kind} if kind else set()
            if weight is not None and not 1 <= weight <= 999:
                yield group, f"{here}.weightedCapacity", f"{weight:,}; 1 to 999"
        spread = one(mixed.get("instancesDistribution"))
        strategy = literal(spread.get("spotAllocationStrategy"))
        if (whole(spread.get("spotInstancePools")) or 0) > 0 and strategy not in (None, "lowest-price"):
            where = "mixedInstancesPolicy.instancesDistribution.spotInstancePools"
            yield group, where, f"pools with {strategy}"
