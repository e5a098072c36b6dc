"""The result of a worker pool in the form of a comparison of training plans, of which differences are taken.

What is planned is the mean over the simulated runs: that of the cost is the sum of the bill.
"""

from __future__ import annotations

from typing import Any

from planner.report.data.worker_pool_json import document, rounded
from planner.worker_pool.result import PoolComparison, PoolScenario
from pricing.book import PriceBook


def as_comparison(found: PoolComparison, book: PriceBook) -> dict[str, Any]:
    """The document of a pool with the keys that `changes` needs. book: the one that priced it."""
    whole, start = document(found), found.plan.start
    days = None if start is None else (start - book.as_of).days
    prices = {"as_of": book.as_of.isoformat(), "age_days": days, "sha256": book.sha256, "intact": book.intact}
    scenarios = [
        {**mine, "days": _with_plan(mine["days"], one)}
        for mine, one in zip(whole["scenarios"], found.scenarios, strict=True)
    ]
    missing = [
        {"scenario": one.id, "line": line, "what": what.removeprefix("no price for ")}
        for one in found.scenarios
        for line, what in zip(one.unpriced_lines, one.choice.unpriced, strict=False)
    ]
    return {**whole, "prices": prices, "draws": found.runs, "scenarios": scenarios, "unpriced": missing}


def _with_plan(days: dict[str, float | None] | None, one: PoolScenario) -> dict[str, float | None] | None:
    return None if days is None or one.days is None else {"plan": rounded(one.days.mean), **days}
