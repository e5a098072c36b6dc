"""Which price book a plan gets, from the day that its prices are for."""

from __future__ import annotations

from datetime import date

import pytest

from planner.api.books import before_the_newest, book_for
from planner.errors import UsageProblem

EARLIER, NEWEST = date(2025, 5, 31), date(2026, 10, 10)


@pytest.mark.parametrize(
    ("day", "book"),
    [
        ("2027-12-31", "2026-10-10"),
        ("2026-10-10", "2026-10-10"),
        ("2026-10-09", "2026-09-01"),
        ("2026-09-01", "2026-09-01"),
        # 457 days after the last book, of which nothing still holds: the newest one, with a warning
        ("2026-08-31", "2026-10-10"),
        # p5.48xlarge became 44 % cheaper on 2025-06-01, which the book of the day before does not know
        ("2025-05-31", "2025-05-31"),
        ("2025-06-01", "2026-10-10"),
        ("2024-04-29", "2023-12-31"),
        ("2024-04-30", "2026-10-10"),
        ("2020-11-02", "2026-10-10"),
    ],
)
def test_a_day_has_the_newest_book_that_was_up_to_date_on_it(day, book):
    assert book_for(None, day=date.fromisoformat(day)).as_of == date.fromisoformat(book)


def test_a_book_that_is_named_is_taken_whatever_the_day():
    assert book_for("2026-10-10", day=EARLIER).as_of == NEWEST
    assert book_for(None, EARLIER, day=NEWEST).as_of == EARLIER
    assert book_for(None).as_of == NEWEST
    with pytest.raises(UsageProblem, match="no price book is of 2020-11-02"):
        book_for("2020-11-02", day=NEWEST)


def test_a_note_names_the_newest_book_only_where_an_earlier_one_was_taken():
    assert "--prices 2026-10-10 takes the newest" in before_the_newest(book_for(EARLIER), EARLIER)
    assert not before_the_newest(book_for(None), NEWEST)
    assert not before_the_newest(book_for(None), date(2020, 11, 2))  # the answer itself has a warning
