"""Writes the book of an update: into a folder aside first, which gets its name when it has passed the checks."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from planner.errors import UsageProblem
from planner.update.found import Found
from planner.update.wanted import Wanted
from pricing import snapshot
from pricing.book import PriceBook
from pricing.listing import Change, compare
from pricing.snapshot import BrokenBook, Row
from pricing.update.integrity import faults_of, jumps
from pricing.update.merge import KEYS, merged, newer_only
from pricing.user_books import VARIABLE

PRICES = ("on_demand", "commitments", "capacity_blocks", "metered")  # of spot every week is a price of its own


@dataclass(frozen=True, kw_only=True)
class Updated:
    """folder: of the new book. changes: from the book that it was made from. found, kept: prices by table, of what was
    asked for: those that were found, and those that are still the older book's."""

    folder: Path
    book: PriceBook
    changes: list[Change]
    found: Mapping[str, int]
    kept: Mapping[str, int]


def write_book(
    base: PriceBook,
    found: Found,
    wanted: Wanted,
    as_of: date,
    books: Path,
    *,
    replace: bool = False,
    accept_jumps: bool = False,
) -> Updated:
    """The new book below `books`.

    Raises UsageProblem where nothing was found, a row of `base` cannot be read, a book of the day exists and `replace`
    is not set, the new one fails a check, or a price moved further than prices do and `accept_jumps` is not set. The
    folder of an earlier book is left as it is in all these cases.
    """
    folder = books / as_of.isoformat()
    if (folder / "manifest.json").exists() and not replace:
        raise UsageProblem(f"{folder} is a complete book of {as_of}: --replace writes it again, with what is found now")
    try:
        faults_of(base)  # reads every row: nearly all are carried over
    except BrokenBook as error:
        raise UsageProblem(f"{base.folder}: no book can be made from this one: {error}") from None
    rows, older = newer_only(base, found.rows)
    if older:
        found.problems.append(
            f"not taken, since the book of {base.as_of} or another file has a later day: {older:,} prices"
        )
    if not any(rows.values()):
        raise UsageProblem("no price was found, so no book was written" + _words(found.problems))
    try:
        books.mkdir(parents=True, exist_ok=True)
        aside = Path(tempfile.mkdtemp(prefix=".writing-", dir=books))
    except OSError as error:
        raise UsageProblem(f"{books}: {error.strerror}; ${VARIABLE} names another folder") from None
    try:
        tables = merged(base, rows, found.lists, as_of)
        facts = {
            "as_of": as_of.isoformat(),
            "made_from": {"as_of": base.as_of.isoformat(), "sha256": base.sha256},
            "found": {table: len(some) for table, some in sorted(rows.items())},
            "problems": found.problems,
            **found.facts,
        }
        snapshot.write(aside, tables, facts)
        book = PriceBook.load(aside)
        if faults := faults_of(book):
            raise UsageProblem(f"the new book failed its checks and was not kept: {'; '.join(faults[:5])}")
        changes = compare(base, book)
        far = list(jumps(changes))
        if far and not accept_jumps:
            told = "; ".join(f"{one.what} {one.region} {one.old:g} -> {one.new:g}" for one in far[:5])
            raise UsageProblem(
                f"{len(far)} prices moved by more than 4 times, which is more likely a changed unit than a new price: "
                f"{told}; --accept-jumps takes them"
            )
        _name(aside, folder, replace=replace)
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    new, kept = _counts(tables, rows, wanted)
    return Updated(folder=folder, book=PriceBook.load(folder), changes=changes, found=new, kept=kept)


def _counts(
    tables: Mapping[str, Sequence[Row]], found: Mapping[str, Sequence[Row]], wanted: Wanted
) -> tuple[dict[str, int], dict[str, int]]:
    """(prices that were found, prices of the older book) by table, of the Regions and types that were asked for."""
    new: dict[str, int] = {}
    kept: dict[str, int] = {}
    for table in PRICES:
        columns = KEYS[table]
        keys = {tuple(row[column] for column in columns) for row in found.get(table, ())}
        asked = [row for row in tables[table] if row["region"] in wanted.regions and _is_asked(row, wanted)]
        new[table] = sum(tuple(row[column] for column in columns) in keys for row in asked)
        kept[table] = len(asked) - new[table]
    return new, kept


def _is_asked(row: Row, wanted: Wanted) -> bool:
    return "instance_type" not in row or wanted.has_type(row["instance_type"])


def _name(aside: Path, folder: Path, *, replace: bool) -> None:
    """Give the complete book its name; what had it is gone only after that. Raises UsageProblem."""
    aside.chmod(0o755)
    old = aside.with_name(f"{aside.name}-replaced")
    try:
        if folder.exists() and (replace or not (folder / "manifest.json").exists()):
            folder.rename(old)
        aside.rename(folder)
    except OSError as error:
        raise UsageProblem(f"{folder}: {error.strerror}; is another update writing it?") from None
    shutil.rmtree(old, ignore_errors=True)


def _words(problems: list[str]) -> str:
    return "".join(f"\n  {one}" for one in problems[:10])
