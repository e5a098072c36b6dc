"""How numbers and scenarios are said to people: the same words in the table, the page and the answer."""

from __future__ import annotations

from planner.decide.result import Comparison, Scenario
from planner.decide.uncertainty import Range


def dollars(value: float) -> str:
    """USD at a glance: 8.39M, 412k, 1,234, 0.52."""
    if abs(value) >= 99_950_000:
        return f"{value / 1e6:,.0f}M"
    if abs(value) >= 999_500:
        return f"{value / 1e6:.2f}M"
    if abs(value) >= 99_950:
        return f"{value / 1e3:.0f}k"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.2f}"


def days(value: float) -> str:
    """Days at a glance; beyond three years a run does not end in any useful sense."""
    if value > 1095:
        return ">3y"
    return f"{value:.1f}" if value < 99.95 else f"{value:.0f}"


def span(value: Range, shown) -> str:
    return f"{shown(value.p10)}-{shown(value.p90)}"


def lowest_risk(comparison: Comparison) -> Scenario | None:
    """The complete scenario whose 90th percentile of cost is lowest."""
    complete = [s for s in comparison.scenarios if s.feasible and s.complete and s.cost_usd]
    return min(complete, key=lambda s: (s.cost_usd.p90 if s.cost_usd else 0.0, s.id), default=None)


def answer(comparison: Comparison) -> list[str]:
    """The answer in a few sentences: cheapest planned, and the one that holds up when things go wrong."""
    best, safe = comparison.best, lowest_risk(comparison)
    if best is None or best.cost_usd is None or best.days is None:
        return ["No scenario is both feasible and completely priced: there is no total to sign."]
    lines = [_sentence("Lowest planned cost", best)]
    if safe is not None and safe.id != best.id:
        lines.append(_sentence("Lowest cost when things go badly (P90)", safe))
    return lines


def _sentence(what: str, scenario: Scenario) -> str:
    assert scenario.cost_usd is not None and scenario.days is not None  # noqa: PT018
    cost, run = scenario.cost_usd, scenario.days
    return (
        f"{what}: {scenario.id}, ${dollars(cost.plan)} planned (P10-P90 ${dollars(cost.p10)} to "
        f"${dollars(cost.p90)}), {days(run.plan)} days ({days(run.p10)} to {days(run.p90)})."
    )
