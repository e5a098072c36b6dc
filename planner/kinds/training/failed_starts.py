"""What `planner stack` says of a fleet that never becomes ready, or never complete, and of a canary before it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planner.report.wording.figures import dollars, many
from planner.stack.canary import STARTS, why_none
from planner.stack.leaving import NODES

if TYPE_CHECKING:
    from planner.stack.spec import ClusterSpec


def giving_up(spec: ClusterSpec) -> list[str]:
    """What a fleet costs that never becomes ready, or never complete, until its nodes stop; and a canary."""
    usd, nodes, hours = spec.usd_per_hour.get(NODES), spec.fleet.nodes, spec.guard.give_up_hours
    of_one, starts = usd / nodes if usd is not None else None, max(nodes, STARTS)
    if spec.scheduler:
        return _of_slurm(spec, of_one)
    tries = STARTS if spec.canary else starts
    failed = f"An image with which no node becomes ready is given up after {tries} failed starts in a row, an hour each"
    if of_one is not None:
        failed += f": about ${dollars(of_one * tries)}"
        if tries < starts:
            failed += f", where all nodes at once would cost ${dollars(of_one * starts)}"
        elif nodes > STARTS and not why_none(spec):
            failed += f". With --canary one node starts first, and such an image costs ${dollars(of_one * STARTS)}"
    found = [*(_canary(nodes, of_one) if spec.canary else ()), f"{failed}."]
    if spec.blocks or not hours or nodes < 2:
        return found
    waiting = 1 if spec.canary else nodes - 1
    most = f": at most ${dollars(of_one * waiting * hours)}" if of_one is not None else ""
    return [*found, f"Nodes that wait for the rest of the fleet stop after {hours:g} hours{most} (`deploy.give_up`)."]


def _of_slurm(spec: ClusterSpec, of_one: float | None) -> list[str]:
    """AWS PCS starts nodes again without end, and nobody but a person stops it. of_one: USD an hour of a node."""
    nodes = spec.fleet.nodes
    tries = f", about ${dollars(of_one * STARTS)}" if of_one is not None else ""
    budget = f"after {STARTS} failed starts of an hour at most{tries}"
    if spec.canary:
        hourly = f", for ${dollars(of_one)} an hour" if of_one is not None else ""
        return [
            f"Canary: `pulumi up` starts no GPU node. The login node sends one job, for which AWS PCS starts one node"
            f"{hourly}; it ends when it is idle. Once `journalctl -u planner-slurm` there says that it is ready, write "
            f"this file without --canary: the next `pulumi up` starts all {nodes}.",
            f"An image with which no node becomes ready is given up {budget}.",
        ]
    every = f": ${dollars(of_one * nodes)} an hour, until a person ends it" if of_one is not None else ""
    found = f"AWS PCS starts nodes that never become ready again, without end{every}."
    return [found if why_none(spec) else f"{found} With --canary one is tried first, and given up {budget}."]


def _canary(nodes: int, of_one: float | None) -> list[str]:
    """of_one: USD an hour of a node."""
    less = f", for ${dollars(of_one)} an hour and not ${dollars(of_one * nodes)}" if of_one is not None else ""
    return [
        f"Canary: `pulumi up` starts one GPU node{less}. Once its group counts it in service, write this file without "
        f"--canary: the next `pulumi up` adds {many(nodes - 1, 'node')} and keeps this one.",
        "AWS may lack room for the others beside it: a placement group that has nodes is refused capacity more often "
        "than one that is filled at once.",
    ]
