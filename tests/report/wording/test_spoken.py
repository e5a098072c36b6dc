"""Numbers as people say them."""

from __future__ import annotations

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.answer.ranges import Range
from planner.report.wording import spoken

WIDE = Range(plan=1.0, p10=1.0, p50=2.0, p90=3.0)
NARROW = Range(plan=1.0, p10=0.99, p50=1.0, p90=1.01)


@pytest.mark.parametrize(
    ("usd", "wide", "narrow"),
    [
        (9_031_845, "$9.0M", "$9.03M"),
        (13_234_000, "$13.2M", "$13.2M"),
        (4_146_000, "$4.1M", "$4.15M"),
        (201_800, "$200k", "$202k"),
        (6843, "$6,800", "$6,840"),
        (11_240, "$11.2k", "$11.2k"),
        (52.37, "$52", "$52.4"),
        (999_700, "$1.00M", "$1.00M"),
        (0, "$0", "$0"),
        (math.inf, "never", "never"),
    ],
)
def test_as_many_digits_as_the_range_supports(usd: float, wide: str, narrow: str) -> None:
    assert spoken.cost(usd, WIDE) == wide
    assert spoken.cost(usd, NARROW) == narrow


@given(st.floats(min_value=0.5, max_value=9e14))
def test_what_is_said_is_within_five_percent(usd: float) -> None:
    """Two digits miss by at most half of the second one, and a leading 1 has a third."""
    found = re.fullmatch(r"\$([\d,.]+)([kMBT]?)", spoken.usd(usd))
    assert found is not None
    size = {"": 1, "k": 1e3, "M": 1e6, "B": 1e9, "T": 1e12}[found[2]]
    assert float(found[1].replace(",", "")) * size == pytest.approx(usd, rel=0.03)


@pytest.mark.parametrize(
    ("days", "said"),
    [
        (42.1, "42 days"),
        (5.26, "5.3 days"),
        (1.0, "1 day"),
        (9.97, "10 days"),
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
