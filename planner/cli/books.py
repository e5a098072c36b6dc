"""What the price verbs share: opening a book, and printing rows as table, JSON or CSV."""

from __future__ import annotations

import csv
import io
import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import click

from planner.errors import UsageProblem

if TYPE_CHECKING:
    from pricing.book import PriceBook

Cell = str | float | None


def open_book(which: str | None) -> PriceBook:
    """The book of a date, of a folder, or the newest one. Raises UsageProblem saying what there is."""
    from pricing.book import BrokenBook, PriceBook, default_book, load_as_of

    try:
        if which is None:
            return default_book()
        try:
            day = date.fromisoformat(which)
        except ValueError:
            return PriceBook.load(Path(which))
        return load_as_of(day)
    except (LookupError, BrokenBook) as error:
        raise UsageProblem(str(error)) from error


@contextmanager
def reading() -> Iterator[None]:
    """Tables are read late: a book that turns out broken is still a wrong input, exit 2."""
    from pricing.book import BrokenBook

    try:
        yield
    except BrokenBook as error:
        raise UsageProblem(str(error)) from error


def note(text: str) -> None:
    """A remark for a person: stderr, never part of the result."""
    click.echo(text, err=True)


def print_json(value: object) -> None:
    """The result as JSON on stdout."""
    click.echo(json.dumps(value, indent=2, ensure_ascii=False))


def print_csv(columns: Sequence[str], rows: Sequence[Mapping[str, Cell]]) -> None:
    """The result as CSV on stdout; an unknown value is an empty cell."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([row[column] for column in columns] for row in rows)
    click.echo(text.getvalue(), nl=False)


def number(value: Cell) -> str:
    """A price for a person: all the digits the source has, nothing for None."""
    if value is None:
        return ""
    return f"{value:,.10g}" if isinstance(value, float) else str(value)


def print_table(columns: Sequence[str], rows: Sequence[Mapping[str, Cell]], title: str = "") -> None:
    """The result as a table: 80 columns when piped, no colour without a terminal or with NO_COLOR."""
    from rich.console import Console
    from rich.table import Table

    plain = not sys.stdout.isatty() or bool(os.environ.get("NO_COLOR"))
    width = None if sys.stdout.isatty() else int(os.environ.get("COLUMNS") or 80)
    console = Console(file=sys.stdout, width=width, no_color=plain, highlight=False, soft_wrap=False)
    table = Table(title=title or None, title_justify="left", box=None, pad_edge=False, padding=(0, 1, 0, 0))
    for column in columns:
        numeric = "$" in column or any(isinstance(row[column], (int, float)) for row in rows)
        table.add_column(column, justify="right" if numeric else "left", overflow="fold")
    for row in rows:
        table.add_row(*(number(row[column]) for column in columns))
    console.print(table)
