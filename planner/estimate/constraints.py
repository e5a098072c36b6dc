"""The plan's requirements of capacity checked against one scenario."""

from __future__ import annotations

from planner.layouts.base import Demand, Service
from planner.layouts.registry import ROOMS
from planner.plan.types import Plan


def broken_constraints(plan: Plan, *, layout: str, service: Service, demand: Demand) -> tuple[str, ...]:
    """The requirements that a layout does not meet; empty if none. Cost and time: planner/decide/eligibility.py."""
    limits, found = plan.constraints, []
    if plan.data.access == "posix" and not ROOMS[layout].is_posix:
        found.append("it has no POSIX file system, but data.access requires one")
    usable = service.usable_tb
    if limits.min_usable_tb is not None and (usable is None or usable < limits.min_usable_tb):
        have = "no capacity of its own" if usable is None else f"{usable:,.1f} TB usable"
        found.append(f"{have}, constraints.min_usable_tb requires {limits.min_usable_tb:,g}")
    if limits.min_hot_fit and (usable is None or usable < demand.hot_tb):
        found.append("the hot data set does not fit, but constraints.min_hot_fit requires it")
    return tuple(found)
