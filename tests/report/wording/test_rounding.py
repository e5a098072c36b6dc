"""The rounding rule by itself."""

from __future__ import annotations

import math
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.report.wording import figures, rounding
from planner.report.wording.sensitivity import cheapest_shares

COSTS = st.floats(min_value=1, max_value=1e9)


def test_the_parts_of_the_issue_add_up() -> None:
    """91.3, 110.4 and 51.1 thousand are 252.8: as printed 253."""
    assert rounding.glances([91_300, 110_400, 51_100]) == ["$91k", "$111k", "$51k"]


@given(st.lists(st.floats(min_value=0.01, max_value=1e7), min_size=1, max_size=12))
def test_parts_are_within_one_place_and_add_up(values: list[float]) -> None:
    total = figures.dollars(math.fsum(values))
    unit = rounding.place(total)
    found = rounding.parts(values, rounding.number(total), unit)
    assert math.fsum(found) == pytest.approx(rounding.number(total), abs=unit / 1e3)
    assert all(abs(one - other) <= unit * 1.001 for one, other in zip(found, values, strict=True))


@given(COSTS, COSTS)
def test_a_difference_is_that_of_what_is_printed(one: float, other: float) -> None:
    gap = rounding.number(figures.dollars(other)) - rounding.number(figures.dollars(one))
    assert rounding.apart(one, other) == pytest.approx(gap, abs=1e-5)


@pytest.mark.parametrize(
    ("one", "other", "usd", "share"),
    [
        (253_000, 280_000, "$27k", "11%"),
        (1_844_000, 1_974_000, "$130k", "7%"),
        (253_100, 253_400, "less than $1,000", "<1%"),
        (5, 5, "$0", "<1%"),
    ],
)
def test_differences(one: float, other: float, usd: str, share: str) -> None:
    assert rounding.usd_apart(one, other) == usd
    assert rounding.share_apart(one, other) == share


@given(st.lists(st.floats(min_value=1e-6, max_value=1), min_size=1, max_size=8))
def test_shares_are_all_of_it(values: list[float]) -> None:
    found = rounding.percents(values)
    some = any(text.startswith("<") for text in found)
    total = sum(int(text.rstrip("%")) for text in found if not text.startswith("<"))
    assert total == 100 or (some and total == 99)


@given(st.integers(0, 5_000), st.sampled_from([5_000, 250, 7]))
def test_a_share_and_its_rest_are_a_hundred(count: int, draws: int) -> None:
    share = min(count / draws, 1.0)
    assert sum(int(figures.percent(part).rstrip("%")) for part in (share, 1 - share)) == 100


def test_no_figure_is_refused() -> None:
    for read in (rounding.number, rounding.place):
        with pytest.raises(ValueError, match="no figure"):
            read("never")


def test_what_is_deployed_adds_up_at_every_level() -> None:
    """Eight alarms of 0.00096 an hour are 0.0077, not eight times 0.0010."""
    (alarms, each), (nodes, three) = rounding.hourly([[0.00096] * 8, [0.20708] * 3])
    assert (round(alarms, 4), round(nodes, 4)) == (0.0077, 0.6212)
    for total, values in ((alarms, each), (nodes, three)):
        assert sum(round(10_000 * value) for value in values) == round(10_000 * total)


def test_whole_parts_add_up_to_the_total_beside_them() -> None:
    *shown, total = rounding.whole([0.5, 0.5, 1_000.4])
    assert [float(text.replace(",", "")) for text in shown] == [1, 0, 1000]
    assert total == "1,001"


def test_waits_differ_by_what_is_printed() -> None:
    assert rounding.hours_apart(42.94 / 60, 38.24) == "37.5 hours"  # 42.9 minutes and 38.2 hours
    assert rounding.hours_apart(3.234, 6.776) == "3.55 hours"  # 3.23 and 6.78


def test_shares_of_the_cheapest_are_all_of_it() -> None:
    found = [SimpleNamespace(cheapest_fraction=part) for part in (0.5144, 0.4846, 0.0005, 0.0005)]
    shown = cheapest_shares(found)  # type: ignore[arg-type]
    assert sum(float(text.rstrip("%")) for text in shown if text[0] != "<") == pytest.approx(100)
