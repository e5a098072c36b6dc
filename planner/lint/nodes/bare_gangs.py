"""Nodes of one job that no launch template gives a network for it: EKS node groups, and instances of their own."""

from __future__ import annotations

from planner.lint.known.instance_types import machines
from planner.lint.read.graph import Graph
from planner.lint.read.topology import INSTANCE, NODE_GROUP
from planner.lint.read.values import at, literal, one, texts, whole
from planner.lint.rule import Hits

OF_AN_INSTANCE = ("networkInterfaces", "primaryNetworkInterface", "secondaryNetworkInterfaces", "launchTemplate")


def gangs_without_template(graph: Graph) -> Hits:
    """Node groups and instances that no template gives EFA. An instance's own interfaces may come from elsewhere."""
    for group in graph.of(NODE_GROUP):
        size = max((whole(at(group.inputs, f"scalingConfig.{key}")) or 0 for key in ("maxSize", "minSize")), default=0)
        if size > 1 and not one(group.inputs.get("launchTemplate")):
            for name in texts(group.inputs.get("instanceTypes")):
                if _has_cards(name):
                    yield group, "launchTemplate", f"no template, and without one {name} has no EFA interface"
    alone = [
        (instance, name)
        for instance in graph.of(INSTANCE)
        if (name := literal(instance.inputs.get("instanceType"))) and _has_cards(name)
        if not any(one(instance.inputs.get(key)) for key in OF_AN_INSTANCE)
    ]
    for instance, name in alone if len(alone) > 1 else ():
        yield instance, "networkInterfaces", f"0 EFA interfaces on {name}, one of {len(alone)} such instances"


def _has_cards(name: str) -> bool:
    """Whether a type is made for gangs: several cards, and EFA on them."""
    machine = machines().get(name)
    return bool(machine and machine.efa and (machine.cards or 0) > 1)
