"""The plan's limits of cost and time, moved as far as a scenario needs to be eligible."""

from __future__ import annotations

import math

from planner.answer.row import Shortfall
from planner.decide.break_evens import DIGITS
from planner.decide.variants import ChangedPlan, with_value
from planner.models.number import rounded
from planner.plan.quantities import MAX_HOURS


def is_out_of_reach(shortfall: Shortfall) -> bool:
    """Whether no limit that a plan may have is high enough."""
    days = shortfall.kind not in ("budget", "delivery")
    return math.isinf(shortfall.needed) or (days and shortfall.needed * 24 > MAX_HOURS)


def with_limit(wanted: ChangedPlan, shortfall: Shortfall) -> ChangedPlan:
    """Each limit of the plan that has to move for a shortfall. Only limits that a plan has can be too low."""
    plan, needed = wanted.plan, rounded(shortfall.needed, DIGITS, up=shortfall.kind != "delivery")
    if shortfall.kind == "delivery":
        return with_value(wanted, "decision", "availability", needed, f"decision.availability={needed:.15g}")
    if shortfall.kind == "budget":
        return with_value(wanted, "constraints", "max_cost_usd", needed, f"constraints.max_cost_usd={needed:.15g}")
    if shortfall.kind == "block":
        days = int(shortfall.needed)
        return with_value(wanted, "purchase.capacity_block", "days", days, f"purchase.capacity_block.days={days}")
    deadline, days = plan.run.deadline_hours, plan.constraints.max_days
    if shortfall.kind == "assumed limit" or (deadline is not None and deadline / 24 < needed):
        wanted = with_value(wanted, "run", "deadline_hours", needed * 24, f"run.deadline={needed:.15g}d")
    if days is not None and days < needed:
        wanted = with_value(wanted, "constraints", "max_days", needed, f"constraints.max_days={needed:.15g}")
    return wanted
