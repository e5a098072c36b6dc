"""What a comparison must say of itself: broken constraints, what its totals leave out, prices too old."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from planner.decide.result import Scenario
from planner.plan.types import Plan

STALE_EC2_DAYS = 120
STALE_METERED_DAYS = 3 * 365


def broken_constraints(plan: Plan, scenario: Scenario) -> tuple[str, ...]:
    limits, found = plan.constraints, []
    if not (scenario.cost_usd and scenario.days and scenario.storage):
        return ()
    days, cost = scenario.days.plan, scenario.cost_usd.plan
    if limits.max_cost_usd is not None and cost > limits.max_cost_usd:
        found.append(f"planned cost {cost:,.0f} USD is above constraints.max_cost_usd {limits.max_cost_usd:,.0f}")
    if limits.max_days is not None and days > limits.max_days:
        found.append(f"{days:.1f} days are above constraints.max_days {limits.max_days:g}")
    deadline = plan.run.deadline_hours
    if deadline is not None and days * 24 > deadline:
        found.append(f"{days:.1f} days miss run.deadline of {deadline / 24:g} days")
    usable, margin = scenario.storage.usable_tb, scenario.storage.margin_tb
    if limits.min_usable_tb is not None and (usable is None or usable < limits.min_usable_tb):
        have = "no capacity of its own" if usable is None else f"{usable:,.1f} TB usable"
        found.append(f"{have}, constraints.min_usable_tb asks for {limits.min_usable_tb:,g}")
    if limits.min_hot_fit and (margin is None or margin < 0):
        found.append("the hot data set does not fit, as constraints.min_hot_fit asks")
    return tuple(found)


def notes_of(plan: Plan) -> tuple[str, ...]:
    notes = ["list prices before tax; AWS Support is left out"]
    people = plan.people
    missing = [
        name
        for name, there in (
            ("staff", people and people.engineers is not None),
            ("preprocessing", people and people.preprocessing is not None),
            ("experiments and failed runs", people and people.experiments),
        )
        if not there
    ]
    if missing:
        notes.append(f"not in these totals, since the plan does not ask for it: {', '.join(missing)}")
    if plan.data.ingest.source == "in-s3":
        notes.append("the data set is taken to be in S3 already (data.ingest)")
    return tuple(notes)


def stale_prices(scenarios: Sequence[Scenario], judged_at: date | None, max_age_days: int | None) -> tuple[str, ...]:
    """Prices too old for the day they are judged at: EC2 beyond 120 days, metered ones beyond three years."""
    if judged_at is None:
        return ()
    found: dict[str, None] = {}
    for scenario in scenarios:
        for line in scenario.bill:
            if not isinstance(line.price_date, date):
                continue
            limit = STALE_EC2_DAYS if line.service == "AmazonEC2" else STALE_METERED_DAYS
            age = (judged_at - line.price_date).days
            if age > (limit if max_age_days is None else max_age_days):
                found[f"{scenario.purchase} {line.line}: price of {line.price_date} is {age} days old"] = None
    return tuple(sorted(found))
