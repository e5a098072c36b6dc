"""A plan's own count of failures: its rate, its interval as the range, and what takes precedence."""

from __future__ import annotations

import pytest

from planner.estimate.failures_counted import FAILURE_RATE
from planner.estimate.request import Request
from planner.models.observed_rates import fewest_expected, most_expected
from planner.plan.check import check_plan
from tests.builders import RESERVED, book_of, compared, plan_of


def rate_of(**sections):
    request = Request(plan=plan_of(**sections), plan_sha256="0" * 64, book=book_of())
    return request.table()[FAILURE_RATE]


def test_mpt_7b_counted_four_failures():
    """Databricks, MPT-7B (2023-05): 4 failures on 55 nodes in 9.5 days."""
    found = rate_of(reliability={"observed": {"failures": 4, "node_days": 55 * 9.5}})
    assert found.value == pytest.approx(7.66, abs=0.01)
    assert (found.low, found.high) == pytest.approx(
        (1000 * fewest_expected(4) / 522.5, 1000 * most_expected(4) / 522.5)
    )
    assert found.origin == "plan"
    assert "4 in 522.5 node-days" in found.source


def test_more_of_the_same_narrows_the_range_around_the_same_rate():
    few, many = (rate_of(reliability={"observed": {"failures": k, "node_days": k * 100}}) for k in (4, 400))
    assert few.value == many.value == pytest.approx(10)
    assert few.low < many.low < 10 < many.high < few.high


def test_the_range_of_the_days_follows():
    """Ten times the default rate on a large fleet: the run is longer, and the count makes its end uncertain."""
    sections = {"assumptions": RESERVED, "fleet": {"nodes": 256}, "run": {"work": {"gpu_hours": 400_000}}}
    slow = {"observed": {"failures": 65, "node_days": 1000}}
    days, observed = (
        next(s for s in compared(plan_of(reliability=r, **sections), draws=500).scenarios if s.days).days
        for r in ({}, slow)
    )
    assert days is not None
    assert observed is not None
    assert observed.plan > days.plan
    assert observed.p10 < observed.plan < observed.p90


def test_an_assumption_of_the_plan_takes_precedence():
    found = rate_of(
        reliability={"observed": {"failures": 4, "node_days": 400}}, assumptions={FAILURE_RATE: {"value": 3.0}}
    )
    assert (found.low, found.value, found.high) == (3.0, 3.0, 3.0)


def test_no_failure_in_a_short_time_is_no_rate():
    plan = plan_of(reliability={"observed": {"failures": 0, "node_days": 300}})
    (path, message, _), *_ = check_plan(plan)
    assert path == ("reliability", "observed", "failures")
    assert "below 10 per 1,000 node-days" in message
    assert not check_plan(plan_of(reliability={"observed": {"failures": 1, "node_days": 300}}))
