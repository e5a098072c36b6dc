"""The plan's limits: in days, and of capacity, checked against one scenario."""

from __future__ import annotations

from planner.layouts.base import Demand, Layout, Service
from planner.plan.types import Plan


def limit_of_plan(plan: Plan) -> float | None:
    """The plan's limit in days: the earlier of run.deadline and constraints.max_days; None without either."""
    deadline = plan.run.deadline_hours
    limits = [None if deadline is None else deadline / 24, plan.constraints.max_days]
    return min((limit for limit in limits if limit is not None), default=None)


def broken_constraints(plan: Plan, *, layout: Layout, service: Service, demand: Demand) -> tuple[str, ...]:
    """The requirements that a layout does not meet; empty if none. Cost and time: planner/decide/eligibility.py."""
    limits, found = plan.constraints, []
    if plan.data.access == "posix" and not layout.is_posix:
        found.append("it has no POSIX file system, but data.access requires one")
    usable = service.usable_tb
    if limits.min_usable_tb is not None and (usable is None or usable < limits.min_usable_tb):
        have = "no capacity of its own" if usable is None else f"{usable:,.1f} TB usable"
        found.append(f"{have}, constraints.min_usable_tb requires {limits.min_usable_tb:,g}")
    if limits.min_hot_fit and (usable is None or usable < demand.hot_tb):
        found.append("the hot data set does not fit, but constraints.min_hot_fit requires it")
    return tuple(found)
