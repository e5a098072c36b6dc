"""Tiers: one observation each, and still one ladder."""

from __future__ import annotations

from datetime import date

from pricing.build.days import Observation, parse_day
from pricing.build.tiers import fit_tiers

BOOK = date(2023, 12, 31)


def tier(low: str, high: str, day: str, usd: str, grade: str = "A") -> Observation:
    return Observation(
        key=("metered",), usd=usd, unit="GB-Mo", day=parse_day(day), grade=grade, source="s", tier=(low, high)
    )


def ladder(*rows: Observation) -> list[tuple[str, str, str]]:
    return [(one.tier[0], one.tier[1], one.usd) for one in fit_tiers(rows, BOOK, (), carry_back=True)]


def test_a_source_that_lists_the_first_tier_only_is_merged_with_one_that_has_all() -> None:
    near = tier("0", "51200", "2024-03-22", "0.023")
    far = [tier("0", "51200", "2025-10-28", "0.024"), tier("51200", "Inf", "2025-10-28", "0.022")]
    assert ladder(near, *far) == [("0", "51200", "0.023"), ("51200", "Inf", "0.022")]


def test_a_row_over_everything_gives_way_to_a_ladder() -> None:
    whole = tier("0", "Inf", "2023-12-31", "0.023")
    steps = [tier("0", "51200", "2025-10-28", "0.024"), tier("51200", "Inf", "2025-10-28", "0.022")]
    assert ladder(whole, *steps) == [("0", "51200", "0.024"), ("51200", "Inf", "0.022")]


def test_a_row_over_everything_stands_where_the_ladder_is_only_grade_c() -> None:
    whole = tier("0", "Inf", "2023-12-31", "0.023")
    assert ladder(whole, tier("0", "51200", "2023-12-31", "0.9", "C")) == [("0", "Inf", "0.023")]


def test_a_missing_rung_ends_the_ladder() -> None:
    assert ladder(tier("0", "10", "2023-12-31", "3"), tier("20", "Inf", "2023-12-31", "1")) == [("0", "10", "3")]


def test_without_a_first_rung_there_is_no_price() -> None:
    assert ladder(tier("10", "Inf", "2023-12-31", "1")) == []


def test_rungs_that_overlap_are_not_stacked() -> None:
    # the nearer source draws the first border at 10, the farther one at 20: only what abuts is taken
    rows = [
        tier("0", "10", "2023-12-31", "3"),
        tier("0", "20", "2023-06-30", "4"),
        tier("20", "Inf", "2023-06-30", "1"),
        tier("10", "Inf", "2023-06-30", "2"),
    ]
    assert ladder(*rows) == [("0", "10", "3"), ("10", "Inf", "2")]


def test_the_upper_tier_may_be_grade_c_and_says_so() -> None:
    rows = [tier("0", "10", "2023-12-31", "3"), tier("10", "Inf", "2025-10-28", "1", "C")]
    assert [one.grade for one in fit_tiers(rows, BOOK, (), carry_back=True)] == ["A", "C"]
