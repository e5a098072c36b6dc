"""Node counts at which a run fills the Capacity Block that is bought for it, estimated from one scenario."""

from __future__ import annotations

from collections.abc import Iterator

from planner.estimate.choice import in_few_blocks
from planner.estimate.request import Request
from planner.estimate.result import Scenario
from planner.estimate.work import work_on
from planner.models.compute import BLOCK_MAX_DAYS, BLOCK_MAX_NODES, block_days, usable_hours

NEAR = 0.05  # costs hardly more
BEST = 3  # counts, each with the next higher one, since the estimate may be off by one


def fitting_counts(request: Request, block: Scenario, most_usd: float) -> Iterator[int]:
    """The counts, from half to twice those of a scenario, with the lowest estimated fee: a few of all, and a few that
    are one Capacity Block or two: those with the lowest fee, and the shortest runs at nearly that fee.

    The estimate scales the scenario's hours with the work at full speed, and its planned cost with the fee. Only counts
    whose estimate is at most most_usd, and which keep the deadline, are given.
    """
    if block.days is None or block.cost_usd is None:
        return
    central = request.central(recording=False)
    instance, spares = request.book.instance(block.instance_type), request.plan.fleet.spares
    hours = block.days.plan * 24 * max(block.block_stretch or 1.0, 1.0)
    limit_hours = (block.limit_days or BLOCK_MAX_DAYS) * 24

    def at_full_speed(nodes: int) -> float:
        return float(work_on(request.plan, instance, (nodes - spares) * instance.gpu_count, central).hours)

    full, here = at_full_speed(block.nodes), block.nodes * max(block.block_days or 0.0, hours / 24)
    found = []
    for nodes in range(max(-(-block.nodes // 2), spares + 1), min(2 * block.nodes, BLOCK_MAX_NODES) + 1):
        expected = hours * at_full_speed(nodes) / full
        if nodes == block.nodes or expected > min(limit_hours, usable_hours(BLOCK_MAX_DAYS)):
            continue
        fee = nodes * float(block_days(run_hours=expected))
        if block.cost_usd.plan * fee / here <= most_usd:
            found.append((fee, nodes))
    counts = [nodes for _, nodes in sorted(found)[:BEST]]
    whole = sorted((fee, nodes) for fee, nodes in found if in_few_blocks(nodes))
    large = [nodes for fee, nodes in whole if fee <= whole[0][0] * (1 + NEAR)]
    near = [more for nodes in counts for more in (nodes, nodes + 1) if more != block.nodes]
    yield from dict.fromkeys((*near, *(nodes for _, nodes in whole[:BEST]), *sorted(large)[-BEST:]))
