"""The part of a stack that a bill line belongs to, and the cost per hour of each part."""

from __future__ import annotations

import math

from planner.models.bill_lines import COMPUTE, bill_line
from planner.stack.spec import ClusterSpec

COMPONENTS = ("network", "fleet", "pool", "tier", "files", "lustre", "nvme", "scheduler", "guard")


def component_of(line: str) -> str:
    """The component that causes a bill line. Raises KeyError for a line without a component."""
    entry = bill_line(line)
    if not entry.in_stack:
        raise KeyError(line)
    return entry.component


def nodes_usd_per_hour(spec: ClusterSpec) -> float | None:
    """Of all GPU nodes while they are there; None where the bill has no price by the hour."""
    if spec.scheduler and (spec.scheduler.others or spec.scheduler.release):
        return sum(one.fleet.nodes * (node_usd_per_hour(one) or 0.0) for one in spec.by_type) or None
    return spec.usd_per_hour.get(COMPUTE)


def around_nodes_usd_per_hour(spec: ClusterSpec) -> float:
    """Of everything but the GPU nodes' own hours."""
    return math.fsum(usd for line, usd in spec.usd_per_hour.items() if not line.startswith(COMPUTE))


def node_usd_per_hour(spec: ClusterSpec) -> float | None:
    """Of one GPU node of a spec with one instance type (ClusterSpec.by_type); None where the bill has no price."""
    hourly = spec.usd_per_hour.get(COMPUTE)
    if hourly is None and spec.scheduler:
        return spec.scheduler.usd_per_node_hour or None
    return hourly / spec.fleet.nodes if hourly and spec.fleet.nodes else None


def usd_per_hour_now(spec: ClusterSpec) -> dict[str, float]:
    """Line -> USD per hour as deployed: of the lines of the GPU nodes one node's, while it is a canary."""
    nodes = {"fleet": spec.fleet.nodes} if spec.canary else {}
    return {line: usd / nodes.get(component_of(line), 1) for line, usd in spec.usd_per_hour.items()}


def usd_per_hour_by_component(spec: ClusterSpec) -> dict[str, float]:
    """USD per hour of every component that has an hourly line, as deployed, in the order of COMPONENTS."""
    lines: dict[str, list[float]] = {}
    for line, usd in usd_per_hour_now(spec).items():
        lines.setdefault(component_of(line), []).append(usd)
    return {component: math.fsum(lines[component]) for component in COMPONENTS if component in lines}
