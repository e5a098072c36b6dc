"""The rules of dates, with the arithmetic in sight."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pricing.build.days import COLLECTED, Change, Day, Observation, carried, choose, parse_day, refusal

BOOK = date(2025, 5, 31)


def seen(day: str, grade: str = "A", usd: str = "1") -> Observation:
    return Observation(key=("metered",), usd=usd, unit="GB", day=parse_day(day), grade=grade, source=f"{day}{grade}")


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2024-02-07", Day(date(2024, 2, 7))),
        ("2024-02", Day(date(2024, 2, 29))),  # a month counts as its last day; 2024 is a leap year
        ("2025-02", Day(date(2025, 2, 28))),
        ("2025", Day(date(2025, 12, 31), 1)),
        ("2026", Day(COLLECTED, 1)),  # nothing was seen after the day it was collected
        ("2025-04 or later", Day(date(2025, 4, 30), 1, date(2025, 4, 1))),
        ("before 2025-06", Day(date(2025, 5, 31), 1)),
        ("undated", Day(date(2026, 11, 21), 2)),
    ],
)
def test_dates_are_read_as_the_rules_say(text: str, day: Day) -> None:
    assert parse_day(text) == day


@pytest.mark.parametrize("text", ["about 2025", "2025-13", "05/31/2025", "2025-02-30"])
def test_a_date_that_is_not_understood_is_an_error(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        parse_day(text)


def test_45_days_are_observed_and_46_are_carried() -> None:
    # 31 May - 45 days = 16 April
    assert carried(date(2025, 4, 16), BOOK) == ""
    assert carried(date(2025, 4, 15), BOOK) == "forward"
    assert carried(BOOK, BOOK) == ""
    assert carried(BOOK + timedelta(days=1), BOOK) == "back"


def test_the_nearest_wins_even_if_it_is_later() -> None:
    # 2023-06-19 is 195 days before the book of 2023-12-31, 2024-03-22 is 82 days after it
    best = choose([seen("2023-06-19"), seen("2024-03-22")], date(2023, 12, 31), carry_back=True)
    assert best == seen("2024-03-22")


def test_a_price_of_ec2_is_never_taken_from_later() -> None:
    best = choose([seen("2023-06-19"), seen("2024-01-01")], date(2023, 12, 31), carry_back=False)
    assert best == seen("2023-06-19")
    assert choose([seen("2024-01-01")], date(2023, 12, 31), carry_back=False) is None


def test_equal_distance_goes_to_the_earlier_day_then_to_the_better_grade() -> None:
    pair = [seen("2025-06-10"), seen("2025-05-21")]  # ten days after, ten days before
    assert choose(pair, BOOK, carry_back=True) == seen("2025-05-21")
    assert choose([seen("2025-05-21", "B"), seen("2025-05-21", "A")], BOOK) == seen("2025-05-21", "A")


def test_grade_b_that_is_nearer_goes_before_grade_a() -> None:
    assert choose([seen("2025-01-01", "A"), seen("2025-05-01", "B")], BOOK) == seen("2025-05-01", "B")


def test_grade_c_only_where_there_is_no_other() -> None:
    assert choose([seen("2025-05-31", "C"), seen("2020-01-01", "B")], BOOK) == seen("2020-01-01", "B")
    assert choose([seen("2025-05-31", "C")], BOOK) == seen("2025-05-31", "C")


def test_dated_goes_before_vaguely_dated_before_undated() -> None:
    rows = [seen("undated"), seen("2025"), seen("2020-01-01")]
    assert choose(rows, BOOK, carry_back=True) == seen("2020-01-01")
    assert choose(rows[:2], BOOK, carry_back=True) == seen("2025")


def test_an_open_span_is_not_carried_back_before_it_began() -> None:
    express = seen("2025-04 or later")
    assert choose([express], date(2023, 12, 31), carry_back=True) is None
    assert choose([express], date(2025, 4, 1), carry_back=True) == express


CUT = Change(old_until=date(2025, 5, 31), new_from=date(2025, 6, 1))
WINDOW = Change(old_until=date(2026, 3, 1), new_from=date(2026, 5, 25))


@pytest.mark.parametrize(
    ("day", "book", "reason"),
    [
        ("2025-05-31", date(2025, 6, 1), "across a price event"),  # one day old, and wrong all the same
        ("2025-05-31", date(2025, 5, 31), ""),
        ("2025-06-01", date(2025, 6, 20), ""),
        ("2024-01-01", date(2025, 5, 31), ""),
    ],
)
def test_a_change_on_a_known_day_is_never_crossed(day: str, book: date, reason: str) -> None:
    assert refusal(seen(day), book, [CUT], carry_back=True) == reason


@pytest.mark.parametrize(
    ("day", "book", "reason"),
    [
        ("2026-03-01", date(2026, 5, 25), "across a price event"),  # old on one day, new on the other
        ("2026-03-01", date(2026, 4, 10), ""),  # 40 days: still what was seen last
        ("2026-03-01", date(2026, 4, 20), "across a price event"),  # 50 days: carried, and it may have changed
        ("2026-05-25", date(2026, 7, 1), ""),
        ("2026-05-25", date(2026, 5, 24), "across a price event"),  # back into the window
    ],
)
def test_a_change_within_a_window_is_not_crossed_by_what_is_carried(day: str, book: date, reason: str) -> None:
    assert refusal(seen(day), book, [WINDOW], carry_back=True) == reason


DAYS = st.dates(date(2022, 1, 1), date(2027, 1, 1))
ROWS = st.lists(st.builds(lambda day, grade: seen(day.isoformat(), grade), DAYS, st.sampled_from("ABC")), max_size=8)


@given(ROWS, DAYS)
def test_law_nothing_of_ec2_is_later_than_the_book(rows: list[Observation], book: date) -> None:
    best = choose(rows, book, carry_back=False)
    allowed = [row for row in rows if row.day.when <= book]
    assert (best is None) == (not allowed)
    assert best is None or best.day.when <= book


@given(ROWS, DAYS, DAYS, st.booleans())
def test_law_a_nearer_good_row_never_makes_the_choice_farther(
    rows: list[Observation], book: date, day: date, back: bool
) -> None:
    before = choose(rows, book, carry_back=back)
    after = choose([*rows, seen(day.isoformat(), "A")], book, carry_back=back)
    if before is not None and before.grade != "C":
        assert after is not None
        assert abs((after.day.when - book).days) <= abs((before.day.when - book).days)


@given(ROWS, DAYS, DAYS)
def test_law_no_choice_crosses_a_known_change(rows: list[Observation], book: date, first_new: date) -> None:
    change = Change(old_until=first_new - timedelta(days=1), new_from=first_new)
    best = choose(rows, book, [change], carry_back=True)
    if best is not None:
        assert (best.day.when >= first_new) == (book >= first_new)


@given(st.permutations([seen("2025-05-01"), seen("2025-05-01", "B"), seen("2025-06-30"), seen("2025", "C")]))
def test_law_the_order_of_the_rows_does_not_matter(rows: list[Observation]) -> None:
    assert choose(rows, BOOK, carry_back=True) == seen("2025-05-01")
