"""What `planner leave` says: the consequences of the move, and the commands that follow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planner.report.wording.figures import many, money
from planner.report.wording.wrapping import wrap
from planner.stack.leaving import NODES
from planner.stack.names import physical
from planner.stack.spec import BEFORE_END, is_known
from planner.stack.timestamps import parse_timestamp

if TYPE_CHECKING:
    from planner.stack.spec import ClusterSpec, Workers


def next_steps(before: ClusterSpec, after: ClusterSpec, width: int) -> str:
    """The consequences of the move, then the commands in their order."""
    if after.workers is not None:
        said, steps = _of_workers(after, after.workers)
    else:
        said, steps = _from_blocks(before, after) if after.buying.left_blocks else _from_spot(after)
    lines = [line for part in said for line in wrap(part, width, "  ")]
    return "\n".join([*lines, "", "Next:", *(f"  {step}" for step in steps), ""])


def _from_spot(after: ClusterSpec) -> tuple[list[str], list[str]]:
    group = physical(after.stack, "fleet-group")
    refresh = f"aws autoscaling start-instance-refresh --auto-scaling-group-name {group} --region {after.region}"
    return (
        ["The stack buys On-Demand nodes from the next `pulumi up` on. Nodes that run stay on spot until they end."],
        [
            "save a checkpoint and stop the job",
            f"pulumi up --stack {after.stack}",
            f"{refresh} --preferences MinHealthyPercentage=0",
            "start the job again when all nodes are in service",
        ],
    )


def _of_workers(after: ClusterSpec, workers: Workers) -> tuple[list[str], list[str]]:
    return (
        [
            f"The pool makes On-Demand nodes of {workers.tail_type} from the next `pulumi up` on. Jobs that run on "
            "spot have 6 hours to end there; one that has not goes on from its newest checkpoint."
        ],
        [f"pulumi up --stack {after.stack}"],
    )


def _from_blocks(before: ClusterSpec, after: ClusterSpec) -> tuple[list[str], list[str]]:
    usd, count = after.usd_per_hour.get(NODES), many(after.fleet.nodes, "node")
    price = f"${money(usd)} an hour, ${money(usd * 24)} a day" if usd is not None else "no price is known"
    ends = [parse_timestamp(block.ends) - BEFORE_END for block in before.blocks if is_known(block.ends)]
    first = f" before {min(ends):%Y-%m-%d %H:%M} UTC, when the fleet scales to zero" if ends else ""
    last = f" after {max(ends):%Y-%m-%d %H:%M} UTC:" if ends else " after the fleet has scaled to zero:"
    budget = f"${money(after.guard.budget_usd)}"
    said = [
        f"The stack buys On-Demand nodes from the next `pulumi up` on: {count} of {after.fleet.instance_type}, "
        f"{price}, in addition to the fee of the block.",
        "AWS may have none: the group asks until it gets them. `planner reserve "
        f"--stack {after.stack} --capacity-reservation --zone-id {after.zone_id}` holds them, billed from then on.",
        f"The budget is now {budget}."
        if after.guard.budget_usd != before.guard.budget_usd
        else f"The budget stays {budget}. Once it is spent, its action stops members of the stack's operator group "
        f"from buying nodes: `planner leave --stack {after.stack} --budget USD` sets another.",
    ]
    return said, [
        f"save the last checkpoint{first}",
        # the schedule has set the sizes of the group, which only a refresh sees
        f"pulumi up --refresh --stack {after.stack}  #{last} an earlier one removes that schedule",
        "start the job again when all nodes are in service",
    ]
