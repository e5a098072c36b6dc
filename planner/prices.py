"""Dated price books from Python: `planner.prices.open("2026-09-01")`.

    >>> import planner
    >>> book = planner.prices.open("2026-09-01")
    >>> book.as_of.isoformat(), planner.prices.dates()[-1] >= book.as_of
    ('2026-09-01', True)

`planner.compare(plan, prices=book)` prices a plan with it.
"""

from __future__ import annotations

from datetime import date

from planner.api.books import Prices, book_for
from pricing.book import PriceBook
from pricing.opening import book_dates

__all__ = ["PriceBook", "dates", "open"]


def open(prices: Prices = None) -> PriceBook:
    """The price book of a day (else the newest before it) or of a folder; None: the newest bundled one.

    Raises UsageProblem for what names no book.
    """
    return book_for(prices)


def dates() -> tuple[date, ...]:
    """The days of the bundled books, the oldest first."""
    return tuple(book_dates())
