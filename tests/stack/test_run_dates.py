"""A run's days on the calendar."""

from __future__ import annotations

import math
from datetime import date

import pytest

from planner.stack.run_dates import crosses_new_year, last_day


@pytest.mark.parametrize(
    ("start", "days", "last"),
    [
        (date(2026, 12, 1), 31.0, date(2026, 12, 31)),
        (date(2026, 12, 1), 31.1, date(2027, 1, 1)),
        (date(2026, 12, 31), 0.0, date(2026, 12, 31)),
        (date(2026, 10, 5), math.inf, date.max),
        (date(2026, 10, 5), 1e12, date.max),
    ],
)
def test_the_last_day_and_whether_it_is_of_another_year(start, days, last):
    assert last_day(start, days) == last
    assert crosses_new_year(start, days) == (last.year > start.year)
