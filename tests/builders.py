"""Plans, books and comparisons for tests: a small plan that is right, and how to change it."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Sequence
from copy import deepcopy
from datetime import date, datetime, timedelta
from functools import cache
from typing import Any

import numpy as np

from planner.answer.ranges import range_of
from planner.decide.compare import Request, compare
from planner.decide.comparison import Comparison
from planner.estimate.outcomes import RunOutcomes
from planner.estimate.result import Scenario
from planner.plan.types import Plan
from pricing.book import PriceBook, load_as_of
from pricing.offers import PurchaseOption

NEWEST = date(2026, 9, 1)
BOOK_DATES = (date(2023, 12, 31), date(2025, 5, 31), NEWEST, date(2026, 10, 10))

SMALL: dict[str, Any] = {
    "apiVersion": "planner/v1",
    "name": "small",
    "region": "us-east-1",
    "start": "2026-10-05",
    "run": {"work": {"gpu_hours": 4000}, "recipe": "proven"},
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


def months_of(hours: float, start: date = date(2026, 10, 5)) -> float:
    """Calendar months in so many hours from a day on, hour by hour: each is a part of its own month."""
    clock, months = datetime(start.year, start.month, start.day), 0.0
    while hours > 0:
        months += min(hours, 1.0) / (monthrange(clock.year, clock.month)[1] * 24)
        hours, clock = hours - 1, clock + timedelta(hours=1)
    return months


def exact(key: str, value: float) -> dict[str, Any]:
    """An assumption without a range."""
    return {key: {"value": value}}


RESERVED = exact("on_demand.found_fraction", 1.0)  # On-Demand nodes are there on the first day


def compared(plan: Plan, *, book: PriceBook | None = None, draws: int = 0, seed: int = 0, **more: Any) -> Comparison:
    return compare(Request(plan=plan, plan_sha256="0" * 64, book=book or book_of(), draws=draws, seed=seed, **more))


def by_id(comparison: Comparison) -> dict[str, Scenario]:
    return {scenario.id: scenario for scenario in comparison.scenarios}


def scenario_of(plan: Plan, start_of_id: str, **more: Any) -> Scenario:
    """The one scenario whose id begins so."""
    found = [s for s in compared(plan, **more).scenarios if s.id.startswith(start_of_id)]
    assert len(found) == 1, [s.id for s in found]
    return found[0]


Row = tuple[Scenario, RunOutcomes]


def row(
    id: str,
    cost_usd: float | Sequence[float],
    days: float | Sequence[float] = 5.0,
    *,
    nodes: int = 4,
    planned_usd: float | None = None,
    block: tuple[float, Sequence[float]] | None = None,
    **more: Any,
) -> Row:
    """A feasible, complete scenario with these draws and no bill; where days are infinite the cost is.

    planned_usd: by default the first draw. block: days of its Capacity Block, and days of the run in a block that never
    ends. more: other fields of the scenario.
    """
    layout, instance_type, purchase = id.split("/")
    days_drawn, cost_drawn = np.broadcast_arrays(np.atleast_1d(days), np.atleast_1d(cost_usd))
    spread = np.where(np.isfinite(days_drawn), cost_drawn, np.inf).astype(float)
    length, draws = days_drawn.astype(float), len(days_drawn)
    outcomes = RunOutcomes(
        cost_usd=spread,
        effort_usd=np.full(draws, float(more.get("effort_usd", 0.0))),
        days=length,
        run_days=length if block is None else np.asarray(block[1], dtype=float),
        block_days=None if block is None else block[0],
    )
    planned = float(cost_drawn[0]) if planned_usd is None else planned_usd
    fields = {
        "variant": "",
        "gpus": 8 * nodes,
        "feasible": True,
        "why_not": (),
        "complete": True,
        "extrapolated": False,
        "days": range_of(float(length[0]), length, draws),
        "cost_usd": range_of(planned, spread, draws),
        "mean_cost_usd": float(np.mean(spread)) if np.isfinite(spread).all() else None,
    }
    scenario = Scenario(
        id=id,
        layout=layout,
        instance_type=instance_type,
        nodes=nodes,
        option=PurchaseOption.parse(purchase),
        **{**fields, **more},
    )
    return scenario, outcomes
