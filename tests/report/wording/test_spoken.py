"""Days and shares as people say them."""

from __future__ import annotations

import math

import pytest

from planner.report.wording import spoken


@pytest.mark.parametrize(
    ("days", "said"),
    [
        (42.1, "42.1 days"),
        (5.26, "5.3 days"),
        (1.0, "1 day"),
        (21, "21 days"),
        (9.97, "10 days"),
        (107.4, "107 days"),
        (math.inf, "never"),
        (2000, "5 years"),
    ],
)
def test_days(days: float, said: str) -> None:
    assert spoken.run_days(days) == said


@pytest.mark.parametrize(
    ("share", "said"),
    [
        (0.9, "9 of 10"),
        (0.95, "19 of 20"),
        (0.99, "99 of 100"),
        (0.925, "92.5%"),
    ],
)
def test_shares_as_counts(share: float, said: str) -> None:
    assert spoken.in_ten(share) == said
