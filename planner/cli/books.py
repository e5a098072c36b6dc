"""What the price verbs share: opening a book, and printing rows as table, JSON or CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from planner.cli.options import book_for
from planner.cli.output import ascii_only, columns, say, write_result
from planner.errors import UsageProblem

if TYPE_CHECKING:
    from pricing.book import PriceBook

Cell = str | float | None


def open_book(which: str | None) -> PriceBook:
    """The book of a date, of a folder, or the newest one, with a warning where it was edited."""
    book = book_for(which)
    if book.changed:
        say(f"warning: the book of {book.as_of} was edited: {', '.join(book.changed)}")
    return book


@contextmanager
def broken_book_as_usage_problem() -> Iterator[None]:
    """Tables are read late: a broken book that is found then is still invalid input, exit 2."""
    from pricing.book import BrokenBook

    try:
        yield
    except BrokenBook as error:
        raise UsageProblem(str(error)) from error


def print_json(value: object) -> None:
    """The result as JSON on standard output."""
    write_result(json.dumps(value, indent=2, ensure_ascii=False) + "\n", None)


def print_csv(header: Sequence[str], records: Sequence[Mapping[str, Cell]]) -> None:
    """The result as CSV on standard output; an unknown value is an empty cell."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([record[name] for name in header] for record in records)
    write_result(text.getvalue(), None)


def number(value: Cell) -> str:
    """A price for a person: all the digits the source has, nothing for None."""
    if value is None:
        return ""
    return f"{value:,.10g}" if isinstance(value, float) else str(value)


def print_table(
    header: Sequence[str], records: Sequence[Mapping[str, Cell]], title: str, *, optional: Sequence[str] = ()
) -> None:
    """The result as a table as wide as the terminal, 80 columns when piped; as records where that is too narrow.

    optional: columns that leave when there is no room, the first named first. Nothing is ever cut.
    """
    from planner.report.terminal.columns import all_fit, needed, whole
    from planner.report.wording.table import Column
    from planner.report.wording.wrapping import wrap

    placed = [
        Column(
            title=name,
            values=[number(record[name]) for record in records],
            text=not ("$" in name or any(isinstance(record[name], int | float) for record in records)),
            keep=len(optional) - optional.index(name) if name in optional else 0,
        )
        for name in header
    ]
    width = columns()
    lines = wrap(title, width)
    if records:
        least = needed(placed, width)
        lines += whole(least if all_fit(least, width) else placed, width, "-" if ascii_only() else "─")
    write_result("\n".join(lines) + "\n", None)
