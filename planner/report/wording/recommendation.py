"""What to know about the scenarios that the answer names: the plan's limits, commitments, salaries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from planner.decide.comparison import Comparison
from planner.decide.leaders import leaders_of, rank_of, reuse_value
from planner.estimate.result import Scenario
from planner.report.wording import figures


def above_plan(share: float) -> str:
    return f"{figures.percent(share)} of the outcomes cost more than planned"


def on_time(share: float, *, assumed: bool = False) -> str:
    limit = "is within the assumed limit" if assumed else "meets the deadline"
    return f"{limit} in {figures.percent(share)} of the outcomes"


def limits(comparison: Comparison) -> list[str]:
    """The plan's budget and deadline, and whether what the answer names meets them."""
    constraints, run = (section(comparison, name) for name in ("constraints", "run"))
    budget, longest, deadline = constraints.get("max_cost_usd"), constraints.get("max_days"), run.get("deadline")
    found = [_budget(comparison, float(budget))] if isinstance(budget, int | float) else []
    ends = [(float(longest), "constraints.max_days")] if isinstance(longest, int | float) else []
    ends += [(deadline / 24, "run.deadline")] if isinstance(deadline, int | float) and deadline else []
    nearest = min((value for value, _ in ends), default=None)
    return found + [_deadline(comparison, value, name, planned=value == nearest) for value, name in ends]


def section(comparison: Comparison, name: str) -> Mapping[str, object]:
    section = comparison.plan.get(name)
    return section if isinstance(section, Mapping) else {}


def _budget(comparison: Comparison, usd: float) -> str:
    parts = [f"Budget ${figures.money(usd)} (constraints.max_cost_usd)"]
    for scenario in leaders_of(comparison):
        if scenario.cost_usd is not None:
            share = scenario.in_budget_fraction
            within = "" if share is None else f" and stays within it in {figures.percent(share)} of the outcomes"
            parts.append(
                f"#{rank_of(comparison, scenario)} is planned at ${figures.money(scenario.cost_usd.plan)}{within}"
            )
    return "; ".join(parts)


def _deadline(comparison: Comparison, days: float, name: str, *, planned: bool) -> str:
    """planned: with the planned days of what the answer names."""
    parts = [f"Limit: {days:g} day{'' if days == 1 else 's'} ({name})"]
    for scenario in leaders_of(comparison) if planned else ():
        if scenario.days is not None:
            chance = scenario.on_time_fraction
            text = f"#{rank_of(comparison, scenario)} is planned at {figures.days(scenario.days.plan)} days"
            parts.append(text if chance is None else f"{text} and {on_time(chance)}")
    return "; ".join(parts)


def commitments(comparison: Comparison, shown: Sequence[Scenario]) -> str:
    """What a Reserved Instance or a Savings Plan among them is charged; "" where there is none."""
    if not any(s.option.family in ("ri", "sp") for s in shown):
        return ""
    share = reuse_value(comparison)
    if share:
        return f"the whole term is charged, less {figures.percent(share)} of the unused part (purchase.reuse_value)"
    return "the whole term is charged; purchase.reuse_value gives the unused part a value"


def staff(comparison: Comparison) -> list[str]:
    """Salaries in the totals, with the assumption behind them."""
    for scenario in leaders_of(comparison):
        for line in scenario.bill:
            if line.line == "people.staff":
                return [
                    f"The totals include staff: {figures.quantity(line.quantity)} {line.unit} at "
                    f"${figures.money(line.effective_unit_price)}, ${figures.money(line.effective_cost)} in "
                    f"#{rank_of(comparison, scenario)} (assumed: {line.price_source})"
                ]
    return []
