"""A run that leaves spot or its Capacity Blocks: its nodes are bought On-Demand from the next `pulumi up` on."""

from __future__ import annotations

from dataclasses import replace

from planner.stack.reservations import bought
from planner.stack.spec import Buying, ClusterSpec
from planner.stack.switching import switched

NODES = "fleet.compute"  # the line of the GPU nodes on the bill


def has_left(spec: ClusterSpec) -> bool:
    """Whether the run began on spot with a rule or in a Capacity Block, and is On-Demand by now."""
    began_elsewhere = spec.may_leave_spot or bool(spec.buying.left_blocks)
    return began_elsewhere and spec.buying.kind in ("on-demand", "reservation")


def off_spot(spec: ClusterSpec) -> ClusterSpec:
    """The spec after its rule has moved it: the market differs, and the plan has priced both markets."""
    return switched(spec, replace(spec, buying=replace(spec.buying, kind="on-demand")))


def off_blocks(spec: ClusterSpec, on_demand_usd_per_hour: float | None) -> ClusterSpec:
    """The spec after its Capacity Blocks: one group of On-Demand nodes, and nothing that aims at a reservation.

    on_demand_usd_per_hour: of all nodes; None if unknown. The plan has paid the blocks, not what follows them.
    """
    left = tuple(block.reservation_id for block in bought(spec))
    moved = replace(spec, buying=Buying(kind="on-demand", left_blocks=left))
    return priced_on_demand(switched(spec, moved), on_demand_usd_per_hour)


def priced_on_demand(spec: ClusterSpec, usd_per_hour: float | None) -> ClusterSpec:
    """The spec with that price of its GPU nodes, or without any."""
    others = {line: usd for line, usd in spec.usd_per_hour.items() if line != NODES}
    unpriced = tuple(line for line in spec.unpriced if line != NODES)
    if usd_per_hour is None:
        return replace(spec, usd_per_hour=others, unpriced=(*unpriced, NODES))
    # in the place where it was, so that the file changes in one line
    usd = {line: usd_per_hour if line == NODES else old for line, old in spec.usd_per_hour.items()}
    return replace(spec, usd_per_hour={**usd, NODES: usd_per_hour}, unpriced=unpriced)
