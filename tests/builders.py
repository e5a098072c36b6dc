"""Plans, books and comparisons for tests: a small plan that is right, and how to change it."""

from __future__ import annotations

from copy import deepcopy
from datetime import date
from functools import cache
from typing import Any

from planner.decide.compare import Request, compare
from planner.decide.comparison import Comparison
from planner.estimate.result import Scenario
from planner.plan.types import Plan
from pricing.book import PriceBook, load_as_of

NEWEST = date(2026, 9, 1)
BOOK_DATES = (date(2023, 12, 31), date(2025, 5, 31), NEWEST)

SMALL: dict[str, Any] = {
    "apiVersion": "planner/v1",
    "name": "small",
    "region": "us-east-1",
    "start": "2026-10-05",
    "run": {"work": {"gpu_hours": 4000}},
    "data": {"hot_dataset": "4TB", "read_per_gpu": "20MB/s", "shard": "100MB", "checkpoint": "14GB"},
    "fleet": {"instance_types": ["p4d.24xlarge"], "nodes": 4},
}


@cache
def book_of(day: date = NEWEST) -> PriceBook:
    """A bundled book, read once for all tests."""
    return load_as_of(day)


def merged(base: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """`base` with `changes` put in, section by section; None takes a key away."""
    result = deepcopy(base)
    for key, value in changes.items():
        if value is None:
            result.pop(key, None)
        elif isinstance(value, dict) and isinstance(result.get(key), dict):
            result[key] = merged(result[key], value)
        else:
            result[key] = deepcopy(value)
    return result


def plan_of(**sections: Any) -> Plan:
    """The small plan with changed sections: `plan_of(fleet={"nodes": 8})`; None takes a section away."""
    return Plan.model_validate(merged(SMALL, sections))


def exact(key: str, value: float) -> dict[str, Any]:
    """An assumption without a range."""
    return {key: {"value": value}}


def compared(plan: Plan, *, book: PriceBook | None = None, draws: int = 0, seed: int = 0, **more: Any) -> Comparison:
    return compare(Request(plan=plan, plan_sha256="0" * 64, book=book or book_of(), draws=draws, seed=seed, **more))


def by_id(comparison: Comparison) -> dict[str, Scenario]:
    return {scenario.id: scenario for scenario in comparison.scenarios}


def scenario_of(plan: Plan, start_of_id: str, **more: Any) -> Scenario:
    """The one scenario whose id begins so."""
    found = [s for s in compared(plan, **more).scenarios if s.id.startswith(start_of_id)]
    assert len(found) == 1, [s.id for s in found]
    return found[0]
