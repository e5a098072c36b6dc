"""The price book of a plan: which one it is, and whether it has what the plan names."""

from __future__ import annotations

import os
from collections.abc import Collection
from datetime import date
from pathlib import Path

from planner.api.arguments import day_of
from planner.errors import PlanProblems, UsageProblem
from planner.plan.catalogue_check import check_against_catalogue
from planner.plan.load import Loaded, LoadedPlan
from planner.plan.wording import did_you_mean, listed
from pricing import quotes
from pricing.book import PriceBook
from pricing.opening import open_book
from pricing.snapshot import DATA, BrokenBook, available
from pricing.user_books import newest_as_of, user_books

Prices = str | os.PathLike[str] | date | PriceBook | None


def book_for(
    prices: Prices, planned: date | None = None, *, day: date | None = None, option: str = "prices"
) -> PriceBook:
    """The price book that `prices` names: a date, a folder or the book itself. None: of the plan's date, else the
    bundled one for the day that the prices are for, else the newest bundled one. A date also finds the books of
    `planner prices update`. Raises UsageProblem."""
    if isinstance(prices, PriceBook):
        return prices
    if isinstance(prices, str) and Path(prices).is_dir():
        prices = Path(prices)
    if isinstance(prices, str):
        prices = _day(prices, option)
    elif prices is not None and not isinstance(prices, os.PathLike):
        prices = day_of(prices, option)
    asked = planned if prices is None else prices
    try:
        if asked is None and day is not None:
            asked = _bundled_on(day)
        if isinstance(asked, date) and (folder := newest_as_of(asked)).parent != DATA:
            asked = folder
        return open_book(asked)
    except (BrokenBook, LookupError, FileNotFoundError) as error:
        raise UsageProblem(str(error.args[0] if error.args else error)) from error


def _bundled_on(day: date) -> date | None:
    """The newest bundled book that is not later than a day and still held on it; None: the newest of all.

    It holds for 120 days, or until AWS changed a price of EC2. After that a later book is nearer, with a warning.
    """
    from planner.answer.price_age import EC2_LIMIT_DAYS

    newest = available()[-1]
    if day >= newest:
        return None
    found = max((book for book in available() if 0 <= (day - book).days <= EC2_LIMIT_DAYS), default=None)
    if found is None:
        return None
    # a change's date may have words behind it: `2025-06-01 effective`
    changes = (row["date"][:10] for row in open_book(newest).rows("events") if row["service"] == "AmazonEC2")
    return None if any(str(found) < change <= str(day) for change in changes) else found


def _day(text: str, option: str) -> date:
    """The day that a text names which is no folder. Raises UsageProblem."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        is_file = " is a file;" if Path(text).exists() else ""
        raise UsageProblem(
            f"{option} {text!r}{is_file or ' is neither a day nor a folder:'} "
            "name a day such as 2026-09-01, or the folder of a price book"
        ) from None


def earlier(book: PriceBook, prices: Prices, planned: date | None = None) -> str:
    """A note that the book is older than the day that was asked for, "" where it is not."""
    day = planned if prices is None else prices
    if isinstance(day, str):
        try:
            day = date.fromisoformat(day)
        except ValueError:
            return ""  # a folder
    if not isinstance(day, date) or book.as_of == day:
        return ""
    return f"there is no price book of {day}: these are the prices of {book.as_of}, the newest before it"


def before_the_newest(book: PriceBook, day: date | None) -> str:
    """A note that the newest bundled book is later than the day and so was not taken, "" where it was."""
    newest = available()[-1]
    if day is None or not book.as_of <= day < newest:
        return ""
    return f"these are the prices of {book.as_of}, for {day}; --prices {newest} takes the newest price book"


def with_quotes(book: PriceBook, regions: Collection[str], day: date | None = None) -> tuple[PriceBook, str]:
    """The book with the own prices that are valid on a day, and a note on what was left out. None: those that are
    valid on the book's date or later. Raises UsageProblem."""
    path = quotes.own_prices_file()
    try:
        lines = quotes.read(path)
    except BrokenBook as error:
        raise UsageProblem(str(error)) from error
    used = quotes.valid(lines, day) if day else quotes.not_over(lines, book.as_of)
    note = f"{len(lines) - len(used)} of {len(lines)} own prices are not valid on {day} or were replaced"
    return book.with_standing(quotes.own_prices(used, book, regions)), note if len(used) < len(lines) else ""


def with_own(book: PriceBook, loaded: Loaded, *, caller: str) -> tuple[PriceBook, str]:
    """The book with the own prices that are valid when a plan's run starts, else on the book's date, and a note on what
    was left out. caller: option or function, for the message. Raises UsageProblem where none is valid."""
    plan = loaded.plan
    found, note = with_quotes(book, (plan.region,), plan.start or book.as_of)
    if not found.own_prices:
        raise UsageProblem(
            f"{caller}: none of your own prices is valid in {plan.region}; `planner prices add` adds one"
        )
    return found, note


def newer_of_yours(book: PriceBook) -> str:
    """A note that `planner prices update` wrote a newer book than this one, "" where it did not."""
    newest = max(user_books(), default=book.as_of)
    return f"your price book of {newest} is newer; --prices {newest} uses it" if newest > book.as_of else ""


def check_book(loaded: LoadedPlan, book: PriceBook) -> None:
    """Whether a book knows the instance types and the region of a plan. Raises PlanProblems."""
    own_prices, region = loaded.plan.own_prices, loaded.plan.region
    units = book.units() if own_prices else None
    problems = check_against_catalogue(loaded, book.instances(), units)
    brought = any(own.region in (None, region) for own in own_prices)
    if not brought and region not in book.regions_on_demand() and region not in book.regions():
        known = book.regions()
        message = f"no price of any instance type in {region} is in the book of {book.as_of}"
        remedy = did_you_mean(region, known) or f"known: {listed(known)}"
        problems.append(loaded.problem_at(("region",), message, remedy))
    if problems:
        raise PlanProblems(tuple(problems))
