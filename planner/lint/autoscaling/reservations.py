"""Capacity Blocks that a deployment buys."""

from __future__ import annotations

from planner.lint.read.graph import Graph
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
