"""Reserved capacity: Capacity Blocks that a deployment buys, and Capacity Reservations that others can use."""

from __future__ import annotations

from planner.lint.read.graph import Graph
from planner.lint.read.values import number, one, texts
from planner.lint.rule import Hits, rule

BLOCK = "ec2:CapacityBlockReservation"


@rule(
    "BLOCK-BOUGHT",
    BLOCK,
    what="a Capacity Block that a deployment buys",
    why="The block is charged in full as soon as the resource is created, with no refund: destroying it only "
    "forgets it, and replacing it buys another",
    remedy="Buy it outside the stack and pass its id. If it must be part of the stack, set protect and retainOnDelete",
    example="a CapacityBlockReservation without protect",
)
def block_bought_by_update(graph: Graph) -> Hits:
    for block in graph.of(BLOCK):
        if not (block.protect and block.retain):
            yield block, "protect", "a deployment buys this block, and nothing prevents it from buying another"


@rule(
    "RESERVED-OPEN",
    "ec2:CapacityReservation",
    what="a Capacity Reservation that other instances can use, or that nothing uses",
    why="The reservation is billed from the day it is created, whether the fleet runs in it or not. Any "
    "instance of its type can use an open reservation",
    remedy="Set instanceMatchCriteria to targeted, put its id in the fleet's launch template, and give it an end date",
    example="instanceMatchCriteria: open",
)
def reservation_open_or_unused(graph: Graph) -> Hits:
    named = [text for template in graph.of("ec2:LaunchTemplate") for text in texts(_target(template.inputs))]
    for held in graph.of("ec2:CapacityReservation"):
        if held.inputs.get("instanceMatchCriteria") in (None, "open"):
            yield held, "instanceMatchCriteria", "open: any instance of its type can use it"
        elif not any(graph.target(text) is held for text in named):
            yield held, "", "no launch template uses it"
        count = number(held.inputs.get("instanceCount"))
        if count is not None and count < 1:
            yield held, "instanceCount", f"{count:g} instances"


def _target(inputs: dict[str, object]) -> object:
    target = one(one(inputs.get("capacityReservationSpecification")).get("capacityReservationTarget"))
    return target.get("capacityReservationId")
