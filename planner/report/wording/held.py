"""A fleet that is held for a given time, in words: dollars a month, what it delivers, what a commitment risks."""

from __future__ import annotations

from planner.answer.measure import cost_of
from planner.decide.comparison import Comparison
from planner.estimate.result import Scenario
from planner.models.bill_lines import COMPUTE_FALLBACK
from planner.plan.training_types import HOURS_PER_MONTH
from planner.report.wording import figures, spoken


def usd_per_month(scenario: Scenario, which: str = "p50") -> float:
    """Cost of a month of 730 hours. which: "p50", "plan" ..."""
    assert scenario.cost_usd is not None and scenario.days is not None  # noqa: PT018  it is priced
    return getattr(scenario.cost_usd, which) / (scenario.days.plan * 24 / HOURS_PER_MONTH)


def costs(comparison: Comparison, scenario: Scenario) -> str:
    """`It costs about $24.4M for 365 days: $2.0M a month, $5.45 a delivered GPU-hour.`"""
    cost, run, hour = scenario.cost_usd, scenario.days, scenario.usd_per_useful_gpu_hour
    assert cost is not None and run is not None and hour is not None  # noqa: PT018  it is priced
    which = "p50" if comparison.draws else "plan"
    month, each = figures.usd(usd_per_month(scenario, which)), figures.money(getattr(hour, which))
    total = figures.usd(getattr(cost, which))
    return f"It costs about {total} for {spoken.run_days(run.plan)}: {month} a month, ${each} a delivered GPU-hour."


def kept(scenario: Scenario, share: str) -> str:
    """`delivers at least 99% of the node-hours and reads as fast as training needs in at least 9 of 10 outcomes`."""
    least = figures.percent(scenario.availability or 0.0)
    budget = "" if scenario.budget_usd is None else f", costs at most ${figures.money(scenario.budget_usd)}"
    return (
        f"delivers at least {least} of the node-hours{budget} and reads as fast as "
        f"training needs in at least {share} outcomes"
    )


def risks(comparison: Comparison, scenario: Scenario) -> list[str]:
    """`1 in 10 outcomes costs more than $24.4M`, and for a commitment by how much On-Demand prices would have to
    fall."""
    cost = scenario.cost_usd
    assert cost is not None
    found = [f"1 in 10 outcomes costs more than {figures.usd(cost.p90)}"] if comparison.draws else []
    rival = next((s for s in comparison.complete if _same_but_on_demand(s, scenario)), None)
    if scenario.option.years and rival is not None:
        after = sum(line.effective_cost for line in scenario.bill if line.line == COMPUTE_FALLBACK)  # cheaper too
        cheaper = 1 - (cost_of(scenario, "p50") - after) / (cost_of(rival, "p50") - after)
        if cheaper > 0:
            found.append(
                f"it is committed for {figures.many(scenario.option.years, 'year')}; if On-Demand became "
                f"{figures.percent(cheaper)} cheaper, it would cost the same without"
            )
    return found


def _same_but_on_demand(other: Scenario, scenario: Scenario) -> bool:
    def place(s: Scenario) -> tuple[str, str, str, int]:
        return s.layout, s.variant, s.instance_type, s.nodes

    return other.option.id == "on-demand" and place(other) == place(scenario)
