"""Which part of a stack a line of the bill belongs to, and what each part costs an hour."""

from __future__ import annotations

import math

from planner.stack.spec import ClusterSpec

COMPONENTS = ("network", "fleet", "pool", "tier", "lustre", "nvme", "guard")
_BY_PREFIX = {
    "storage.s3.": "tier",
    "storage.kms.": "tier",
    "storage.lustre.": "lustre",
    "storage.nvme.": "nvme",
    "fleet.": "fleet",
    "network.": "network",
    "pool.": "pool",
    "guard.": "guard",
    "transfer.": "tier",
}


def component_of(line: str) -> str:
    """The component that stands behind a line of the bill. Raises KeyError for a line that no component has."""
    for prefix, component in _BY_PREFIX.items():
        if line.startswith(prefix):
            return component
    raise KeyError(line)


def usd_per_hour_by_component(spec: ClusterSpec) -> dict[str, float]:
    """Dollars an hour of every component that has an hourly line, in the order of COMPONENTS."""
    lines: dict[str, list[float]] = {}
    for line, usd in spec.usd_per_hour.items():
        lines.setdefault(component_of(line), []).append(usd)
    return {component: math.fsum(lines[component]) for component in COMPONENTS if component in lines}
