"""Time that people take: in the range and not in what is planned, and never on top of what already contains it."""

from __future__ import annotations

from typing import Any

import pytest

from planner.estimate.result import Scenario
from tests.builders import RESERVED, compared, plan_of

RELIABLE = RESERVED | {"goodput.failures_per_1000_node_days": {"value": 1e-6, "low": 1e-7, "high": 1e-5}}
FLOP = {"gpu_hours": None, "flop": 1.4e21}
WORKS: list[dict[str, Any]] = [
    {},
    {"work": FLOP | {"mfu": 0.4}},
    {"work": FLOP | {"mfu": 0.4, "mfu_basis": "run"}},
    {"work": FLOP},
]


def row(run: dict[str, Any], recipe: str = "first-time", **changes: Any) -> Scenario:
    changes = {"assumptions": RELIABLE} | changes
    options = {"purchase": {"options": ["on-demand"]}, "storage": {"layouts": ["s3-stream"]}}
    return compared(plan_of(run=run | {"recipe": recipe}, **options, **changes), draws=4000).scenarios[0]


def test_a_first_run_takes_what_published_ones_took_and_its_plan_is_of_machines() -> None:
    """P10 1.02, P50 1.15, P90 1.7 of the ideal days, where machines fail next to never."""
    found, ideal = row({}).days, row({}).days_at_full_speed
    assert found is not None
    assert ideal is not None
    assert found.plan == pytest.approx(ideal, rel=0.02)
    assert found.p10 / ideal == pytest.approx(1.02, abs=0.03)
    assert found.p50 / ideal == pytest.approx(1.15, abs=0.02)
    assert found.p90 / ideal == pytest.approx(1.7, abs=0.04)


def test_failures_are_not_added_to_a_factor_that_contains_them() -> None:
    """A fleet on which failures alone cost a fifth of the time: the longer of the two, not both."""
    frequent = RESERVED | {"goodput.failures_per_1000_node_days": {"value": 4000, "low": 3999, "high": 4001}}
    proven, first = (row({}, recipe, assumptions=frequent).days for recipe in ("proven", "first-time"))
    assert proven is not None
    assert first is not None
    ideal = row({}).days_at_full_speed
    assert ideal is not None
    assert proven.p50 > 1.15 * ideal
    assert first.p50 < 1.1 * proven.p50
    assert first.p90 == pytest.approx(max(1.7 * ideal, proven.p90), rel=0.05)


@pytest.mark.parametrize(
    ("run", "adds"),
    [
        ({}, True),
        ({"work": FLOP | {"mfu": 0.4}}, True),
        ({"work": FLOP | {"mfu": 0.4, "mfu_basis": "run"}}, False),
        ({"work": FLOP}, False),
    ],
)
def test_the_speed_of_whole_runs_has_it_already(run: dict[str, Any], adds: bool) -> None:
    first, proven = row(run, "first-time").days, row(run, "proven").days
    assert first is not None
    assert proven is not None
    assert first.plan == proven.plan
    assert (first.p90 > 1.05 * proven.p90) is adds
    assert first.p90 >= proven.p90


def test_a_proven_recipe_is_near_one() -> None:
    found, ideal = row({}, "proven").days, row({}).days_at_full_speed
    assert found is not None
    assert ideal is not None
    assert found.p50 / ideal == pytest.approx(1.02, abs=0.01)
    assert found.p90 / ideal < 1.08


def test_a_held_fleet_has_no_schedule_to_miss() -> None:
    found = row({"work": {"gpu_hours": None, "days": 30}}).days
    assert found is not None
    assert found.p90 == pytest.approx(30, rel=1e-6)
