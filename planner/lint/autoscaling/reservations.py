"""Capacity that is bought and not only made: blocks that an update pays for, reservations that anybody eats."""

from __future__ import annotations

from planner.lint.read.graph import Graph
from planner.lint.read.values import number, one, texts
from planner.lint.rule import Hits, rule

BLOCK = "ec2:CapacityBlockReservation"


@rule(
    "BLOCK-BOUGHT",
    BLOCK,
    what="a Capacity Block that an update buys",
    why="the block is paid in full as soon as the resource is made, and nothing gives it back: to destroy it only "
    "forgets it, to replace it buys another",
    remedy="buy it outside of the stack and give its id; where it must stand here, protect and retainOnDelete",
    example="a CapacityBlockReservation without protect",
)
def blocks_are_bought_by_people(graph: Graph) -> Hits:
    for block in graph.of(BLOCK):
        if not (block.protect and block.retain):
            yield block, "protect", "bought by an update, and not protected from being bought again"


@rule(
    "RESERVED-OPEN",
    "ec2:CapacityReservation",
    what="a reservation that any machine of the account eats, or that nothing uses",
    why="an open reservation is taken by whatever starts with its type, and it bills from the day it is made whether "
    "the fleet is in it or not",
    remedy="instanceMatchCriteria targeted, and its id in the template of the fleet; an end",
    example="instanceMatchCriteria: open",
)
def reservations_are_ours(graph: Graph) -> Hits:
    named = [text for template in graph.of("ec2:LaunchTemplate") for text in texts(_target(template.inputs))]
    for held in graph.of("ec2:CapacityReservation"):
        if held.inputs.get("instanceMatchCriteria") in (None, "open"):
            yield held, "instanceMatchCriteria", "open: any machine of its type takes it"
        elif not any(graph.target(text) is held for text in named):
            yield held, "", "no template starts in it"
        count = number(held.inputs.get("instanceCount"))
        if count is not None and count < 1:
            yield held, "instanceCount", f"{count:g} machines"


def _target(inputs: dict[str, object]) -> object:
    target = one(one(inputs.get("capacityReservationSpecification")).get("capacityReservationTarget"))
    return target.get("capacityReservationId")
