"""A month of storage is divided by its own hours: 744 in S3's example, and less in others."""

from __future__ import annotations

from datetime import date

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.models.calendar_months import calendar_months, hours_of_month
from planner.models.tiered_storage import tiered_storage
from tests.builders import months_of


@pytest.mark.parametrize(
    ("day", "hours"),
    [(date(2026, 3, 9), 744), (date(2026, 4, 30), 720), (date(2027, 2, 1), 672), (date(2028, 2, 29), 696)],
)
def test_hours_of_a_month(day, hours):
    assert hours_of_month(day) == hours


def test_the_example_of_s3():
    """Amazon S3 FAQs: 100 GB for 15 days of March and 100 TB for the other 16 are 52,900 GB-months, by 744 hours."""
    first, then = (calendar_months(date(2026, 3, day), days * 24.0) for day, days in ((1, 15), (16, 16)))
    assert 100 * first + 102_400 * then == pytest.approx(52_900, abs=0.5)


@given(st.dates(date(2026, 1, 1), date(2030, 12, 31)), st.floats(0.0, 4000.0))
@settings(max_examples=30, deadline=None)
def test_by_the_hour(start, hours):
    assert calendar_months(start, hours) == pytest.approx(months_of(hours, start), rel=1e-9, abs=1e-12)


def test_five_years_and_more():
    assert calendar_months(date(2026, 1, 1), 5 * 365.2 * 24) == pytest.approx(60, abs=0.02)
    assert calendar_months(date(2026, 1, 1), 10 * 8760.0) == pytest.approx(120, abs=0.1)


def test_draws_are_read_as_single_numbers():
    hours = np.array([0.0, 100.0, 744.0, 60_000.0])
    found = calendar_months(date(2026, 10, 1), hours)
    assert [calendar_months(date(2026, 10, 1), float(h)) for h in hours] == pytest.approx(list(found))


def test_a_whole_month_costs_the_price_of_a_month():
    for start, hours in ((date(2026, 10, 1), 744), (date(2026, 11, 1), 720), (date(2027, 2, 1), 672)):
        found = tiered_storage(stored_gb=100.0, tiers=[(0, float("inf"), 0.023)], start=start, hours=hours)
        assert found == pytest.approx(2.3)
