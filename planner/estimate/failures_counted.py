"""The failure rate of a plan that gives its own count: the rate, and the interval of a count as its range."""

from __future__ import annotations

from dataclasses import replace

from planner.models.observed import observed_rate
from planner.models.observed_rates import observed_rate_high, observed_rate_low
from planner.plan.assumptions import Assumption
from planner.plan.types import ObservedFailures

FAILURE_RATE = "goodput.failures_per_1000_node_days"


def counted(default: Assumption, observed: ObservedFailures) -> Assumption:
    """The assumption with the observed rate; low and high are the ends of its 90 % interval."""
    exposure = {"events": observed.failures, "nodes": observed.node_days, "days": 1.0}
    low, value, high = (float(f(**exposure)) for f in (observed_rate_low, observed_rate, observed_rate_high))
    source = (
        f"reliability.observed of the plan: {observed.failures:,} in {observed.node_days:,.6g} node-days, with the "
        "90 % interval of such a count (equations G19, G27, G28)"
    )
    return replace(default, value=value, low=low, high=high, source=source, year="", origin="plan")
