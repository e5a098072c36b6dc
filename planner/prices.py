"""Dated price books from Python: `planner.prices.open("2026-09-01")`.

    >>> import planner
    >>> book = planner.prices.open("2026-09-01")
    >>> book.as_of.isoformat(), planner.prices.dates()[-1] >= book.as_of
    ('2026-09-01', True)

`planner.compare(plan, prices=book)` prices a plan with it.
"""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from planner.api.books import Prices, book_for, with_own
from planner.errors import UsageProblem
from pricing.book import PriceBook
from pricing.opening import book_dates

if TYPE_CHECKING:
    from planner.plan.load import LoadedPlan

__all__ = ["PriceBook", "dates", "open", "own"]


def open(prices: Prices = None) -> PriceBook:
    """The price book of a day (else the newest before it) or of a folder; None: the newest bundled one.

    Raises UsageProblem for what names no book.
    """
    return book_for(prices)


def own(plan: LoadedPlan, prices: Prices = None) -> PriceBook:
    """A book with your own prices of `planner prices add` that are valid when the plan's run starts; they go before the
    list prices. prices: as for `planner.compare`, which takes the result.

    Raises UsageProblem where none is valid in the plan's Region.
    """
    if not hasattr(plan, "plan"):
        raise UsageProblem(f"own needs a loaded plan, not {plan!r}: planner.load(FILE)")
    return with_own(book_for(prices, plan.plan.price_date, day=plan.plan.start), plan, caller="own")[0]


def dates() -> tuple[date, ...]:
    """The days of the bundled books, the oldest first."""
    return tuple(book_dates())
