"""A fleet of several Capacity Blocks, in sentences: that they are one cluster, and what to do where AWS has not all."""

from __future__ import annotations

from planner.decide.comparison import Comparison
from planner.decide.leaders import leaders_of, rank_of
from planner.estimate.result import Scenario
from planner.models.block_sizes import block_sizes
from planner.report.wording.alternatives import figures_of, named


def sentences(comparison: Comparison, best: Scenario) -> tuple[str, ...]:
    """`The 2 blocks (16 + 4 nodes) are one cluster for one job: the same zone and days ...` `Look at the offers of
    all before you buy the first ...`; none where one block is enough."""
    if best.blocks < 2:
        return ()
    sizes = block_sizes(best.nodes)
    others = " and ".join(f"--nodes {size}" for size in dict.fromkeys(sizes[1:]) if size != sizes[0])
    look = f"planner reserve --dry-run{f', again with {others}' if others else ''}"
    shown, both = " + ".join(map(str, sizes)), "both" if best.blocks == 2 else "all"
    return (
        f"The {best.blocks} blocks ({shown} nodes) are one cluster for one job: the same zone and days, perhaps "
        "with a slower network between them.",
        f"Look at the offers of {both} before you buy the first ({look}). If AWS does not offer {both}, buy none: ask "
        f"again another day, or take {_fewer(comparison, best, sizes[0])}.",
    )


def _fewer(comparison: Comparison, best: Scenario, nodes: int) -> str:
    """The same choice on the nodes of the largest block: its figures where it was compared, else how to plan it."""
    same = [one for one in comparison.complete if one.way == best.way and one.instance_type == best.instance_type]
    found = next((one for one in same if one.nodes == nodes and one.eligible), None)
    if found is None:
        return f"what one block has, planned again (--set fleet.nodes={nodes})"
    if found in leaders_of(comparison):  # the page has its figures
        return f"one block: #{rank_of(comparison, found)} on {nodes} nodes"
    return f"one block: {named(comparison, found)}, {figures_of(comparison, found)}"
