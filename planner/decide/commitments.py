"""Reserved Instances and Savings Plans as families: from how much use a term pays off, and from how much reuse it
would beat the recommended scenario."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from planner.answer.measure import cost_of
from planner.decide.comparison import Comparison
from planner.decide.leaders import leaders_of, reuse_value
from planner.estimate.result import Scenario
from planner.models.bill_lines import COMMITMENT_UNUSED, COMPUTE
from planner.models.compute import break_even_hours
from planner.models.number import scalar

FAMILIES = ("ri", "sp")


@dataclass(frozen=True, kw_only=True)
class CommitmentFamily:
    """Commitments of one family, "ri" or "sp", by rank.

    break_even_hours: of use in a term of the first one, from which it costs less than On-Demand; None if it never does.
    break_even_day: YYYY-MM-DD, reached by use without a pause from the plan's start; "" without a start.
    reuse_fraction: share of its unused part that other work has to use before it costs less than the recommended
    scenario; None if it costs more even then.
    """

    family: str
    scenarios: tuple[Scenario, ...]
    break_even_hours: float | None
    break_even_day: str
    reuse_fraction: float | None

    @property
    def first(self) -> Scenario:
        return self.scenarios[0]


def families_of(comparison: Comparison, scenarios: Sequence[Scenario]) -> tuple[CommitmentFamily, ...]:
    """The families among these scenarios, without one that the answer names."""
    named = {s.option.family for s in leaders_of(comparison)}
    found = []
    for family in FAMILIES:
        members = tuple(s for s in scenarios if s.option.family == family and s.complete)
        if members and family not in named:
            found.append(_family(comparison, family, members))
    return tuple(found)


def _family(comparison: Comparison, family: str, members: tuple[Scenario, ...]) -> CommitmentFamily:
    first = members[0]
    hours = _break_even_hours(comparison, first)
    start = comparison.plan.get("start")
    day = ""
    if hours is not None and isinstance(start, str):
        day = (datetime.fromisoformat(start) + timedelta(hours=math.ceil(hours))).date().isoformat()
    return CommitmentFamily(
        family=family,
        scenarios=members,
        break_even_hours=hours,
        break_even_day=day,
        reuse_fraction=_reuse_fraction(comparison, first),
    )


def _break_even_hours(comparison: Comparison, scenario: Scenario) -> float | None:
    """Equation C7, against the On-Demand price of the same nodes: that of the comparison, else the list price."""
    line = _line(scenario, COMPUTE)
    if line is None:
        return None
    nodes = (scenario.instance_type, scenario.nodes)
    on_demand = [
        _line(s, COMPUTE)
        for s in comparison.complete
        if s.option.id == "on-demand" and (s.instance_type, s.nodes) == nodes
    ]
    usd = next((found.effective_unit_price for found in on_demand if found), line.list_unit_price)
    if usd <= line.effective_unit_price:
        return None
    return scalar(
        break_even_hours(
            term_hours=scenario.option.term_hours,
            committed_usd_per_hour=line.effective_unit_price,
            on_demand_usd_per_hour=usd,
        )
    )


def _reuse_fraction(comparison: Comparison, scenario: Scenario) -> float | None:
    """The unused part is what the term has beyond the hours of the run, so its cost falls in proportion to reuse."""
    best, measure = comparison.best, comparison.answer.rank_by
    used, unused = _line(scenario, COMPUTE), _line(scenario, COMMITMENT_UNUSED)
    if best is None or used is None or unused is None or scenario.days is None:
        return None
    # the percentile of the cost is reached at the same percentile of the days, since both grow with the hours
    days = getattr(scenario.days, measure) if measure in ("p50", "p90") else scenario.days.plan
    node_hours = unused.quantity - (days - scenario.days.plan) * 24 * scenario.nodes
    worth = node_hours * used.effective_unit_price
    more = cost_of(scenario, measure) - cost_of(best, measure)
    if worth <= 0 or not math.isfinite(more):
        return None
    share = reuse_value(comparison) + more / worth
    return share if share <= 1 else None


def _line(scenario: Scenario, name: str):
    return next((line for line in scenario.bill if line.line == name), None)
