"""The plan's limits checked against one scenario: cost, time, capacity."""

from __future__ import annotations

import numpy as np

from planner.layouts.base import Demand, Service
from planner.models.number import Number
from planner.plan.types import Plan


def broken_constraints(
    plan: Plan, *, cost_usd: float, days: float, service: Service, demand: Demand
) -> tuple[str, ...]:
    """The plan's limits that a priced choice exceeds; empty if none."""
    limits, found = plan.constraints, []
    if limits.max_cost_usd is not None and cost_usd > limits.max_cost_usd:
        found.append(f"planned cost {cost_usd:,.0f} USD is above constraints.max_cost_usd {limits.max_cost_usd:,.0f}")
    if limits.max_days is not None and days > limits.max_days:
        found.append(f"{days:.1f} days are above constraints.max_days {limits.max_days:g}")
    deadline = plan.run.deadline_hours
    if deadline is not None and days * 24 > deadline:
        found.append(f"{days:.1f} days miss run.deadline of {deadline / 24:g} day{'' if deadline == 24 else 's'}")
    usable = service.usable_tb
    if limits.min_usable_tb is not None and (usable is None or usable < limits.min_usable_tb):
        have = "no capacity of its own" if usable is None else f"{usable:,.1f} TB usable"
        found.append(f"{have}, constraints.min_usable_tb requires {limits.min_usable_tb:,g}")
    if limits.min_hot_fit and (usable is None or usable < demand.hot_tb):
        found.append("the hot data set does not fit, but constraints.min_hot_fit requires it")
    return tuple(found)


def on_time_fraction(plan: Plan, hours: Number, draws: int) -> float | None:
    """Share of the draws that finish within run.deadline and constraints.max_days; None without a limit or draws."""
    limits = [plan.run.deadline_hours, plan.constraints.max_days and plan.constraints.max_days * 24]
    known = [limit for limit in limits if limit is not None]
    if not known or not draws:
        return None
    return float(np.mean(np.broadcast_to(np.asarray(hours) <= min(known), (draws,))))
