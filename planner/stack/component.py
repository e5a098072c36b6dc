"""The part of a stack that a bill line belongs to, and the cost per hour of each part."""

from __future__ import annotations

import math

from planner.models.bill_lines import bill_line
from planner.stack.spec import ClusterSpec

COMPONENTS = ("network", "fleet", "pool", "tier", "files", "lustre", "nvme", "scheduler", "guard")


def component_of(line: str) -> str:
    """The component that causes a bill line. Raises KeyError for a line without a component."""
    entry = bill_line(line)
    if not entry.in_stack:
        raise KeyError(line)
    return entry.component


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
