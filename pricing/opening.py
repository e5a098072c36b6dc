"""Open a price book by its date or its folder."""

from __future__ import annotations

import os
from datetime import date
from pathlib import Path

from pricing.book import PriceBook, default_book, load_as_of
from pricing.snapshot import available


def open_book(source: str | os.PathLike[str] | date | None = None) -> PriceBook:
    """A price book.

    source: None for the newest bundled book; a date, or its text as 2026-09-01, for the bundled book of that day or
    else the newest before it (see `PriceBook.as_of`); a folder with a book. Raises LookupError if every bundled book is
    newer than the date, BrokenBook if the folder has no book that this version can read, and ValueError for text that
    is neither a folder nor a date.
    """
    if source is None:
        return default_book()
    if isinstance(source, date):
        return load_as_of(source)
    if isinstance(source, os.PathLike) or Path(source).is_dir():
        return PriceBook.load(Path(source))
    return load_as_of(date.fromisoformat(source))


def book_dates() -> tuple[date, ...]:
    """Dates of the bundled books, oldest first."""
    return available()
