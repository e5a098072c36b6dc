"""A canary: one GPU node of a stack starts alone, and the others are added once it is ready (`planner stack --canary`).

The rest of the stack is deployed as planned, so that adding the others changes the size of one group and nothing else;
in a Slurm cluster also the login node's settings, which name the job that starts the canary.
"""

from __future__ import annotations

from dataclasses import replace

from planner.errors import UsageProblem
from planner.stack.spec import ClusterSpec

STARTS = 3  # failed ones in a row end a canary, as every small group: fleet_pool.node.starts has the same


def why_none(spec: ClusterSpec) -> str:
    """Why a stack cannot start with one node, or would save nothing by it; "" where it can."""
    if spec.workers:
        return "a worker pool starts a node for a job, and none before"
    if spec.scheduler and (spec.scheduler.others or spec.scheduler.release):
        return "a canary is for one type whose nodes stand: begin with one node of each in the plan"
    if spec.buying.kind in ("capacity-block", "reservation"):
        what = "Capacity Block" if spec.buying.kind == "capacity-block" else "Capacity Reservation"
        return f"the {what} is paid whether its nodes run or not, so that one alone saves nothing"
    return "the fleet is one node" if spec.fleet.nodes == 1 else ""


def as_canary(spec: ClusterSpec) -> ClusterSpec:
    """The spec with one node to start with. Raises UsageProblem where that makes no sense."""
    why = why_none(spec)
    if why:
        raise UsageProblem(f"--canary is not for {spec.scenario}: {why}. Leave it out")
    return replace(spec, canary=True)
