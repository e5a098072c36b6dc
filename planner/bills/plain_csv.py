"""CSV exports by the standard library alone: plain, .gz and .bz2. Slower than pyarrow, the same sums."""

from __future__ import annotations

import bz2
import csv
import gzip
import re
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from planner.bills.columns import AMOUNTS, TAGS, TEXTS, Columns
from planner.bills.sums import KEYS, OF_OTHERS, TAG_IN_TEXT, Sums

_EMPTY = ("", "NULL")


def opened(path: Path) -> TextIO:
    """The text of a CSV. Raises OSError; EOFError and UnicodeDecodeError come when it is read."""
    opener = {".gz": gzip.open, ".bz2": bz2.open}.get(path.suffix.lower(), open)
    return opener(path, "rt", encoding="utf-8-sig", newline="")  # pyright: ignore[reportReturnType]


def header(path: Path) -> list[str]:
    """The names of the columns, none of an empty file."""
    with opened(path) as text:
        return next(csv.reader(text), [])


def added_up(path: Path, columns: Columns, stack: str) -> dict[tuple[str, ...], Sums]:
    """The groups of `planner.bills.sums.KEYS`. Raises ValueError with the row where one cannot be read."""
    groups: dict[tuple[str, ...], Sums] = {}
    with opened(path) as text:
        reader = csv.reader(text)
        names = next(reader)
        at = {ours: names.index(theirs) for ours, theirs in columns.names.items()}
        flat = {tag: names.index(theirs) for tag, theirs in columns.flat_tags.items()}
        try:
            for row in reader:
                if row:
                    _add(groups, row, len(names), at, flat, stack)
        except (ValueError, csv.Error) as error:
            raise ValueError(f"line {reader.line_num}: {error}") from None
    return groups


def hours(path: Path, columns: Columns, keys: Sequence[str], wanted: str) -> dict[tuple[str, ...], float]:
    """Quantities by the values of some columns, of the usage types that match. Raises ValueError with the line where
    one cannot be read."""
    found: defaultdict[tuple[str, ...], float] = defaultdict(float)
    with opened(path) as text:
        reader = csv.reader(text)
        names = next(reader)
        at = {ours: names.index(theirs) for ours, theirs in columns.names.items()}
        try:
            for row in reader:
                if row and len(row) != len(names):
                    raise ValueError(f"expected {len(names)} columns, got {len(row)}")
                if row and re.search(wanted, row[at["usage_type"]]):
                    values = ("" if name not in at or row[at[name]] in _EMPTY else row[at[name]] for name in keys)
                    found[tuple(values)] += float(row[at["quantity"]] or 0)
        except (ValueError, csv.Error) as error:
            raise ValueError(f"line {reader.line_num}: {error}") from None
    return dict(found)


def _add(
    groups: dict[tuple[str, ...], Sums],
    row: list[str],
    width: int,
    at: dict[str, int],
    flat: dict[str, int],
    stack: str,
) -> None:
    if len(row) != width:
        raise ValueError(f"expected {width} columns, got {len(row)}")
    row = ["" if value in _EMPTY else value for value in row]
    values = {name: row[at[name]] if name in at else "" for name in TEXTS}
    for tag in ("stack", "component"):
        values[tag] = row[flat[tag]] if tag in flat else _tag(row[at[TAGS]], tag) if TAGS in at else ""
    own = values["stack"] == stack
    into = groups.setdefault(tuple(values[name] if own or name in OF_OTHERS else "" for name in KEYS), Sums())
    into.rows += 1
    for name in AMOUNTS:
        text = row[at[name]] if name in at else ""
        into.amounts[name] = into.amounts.get(name, 0.0) + (float(text) if text else 0.0)
    begin, end = row[at["begin"]], row[at["end"]]
    into.first = min(filter(None, (into.first, begin)), default="")
    into.last = max(into.last, end)


def _tag(text: str, tag: str) -> str:
    found = (re.search(pattern.format(tag=tag), text) for pattern in TAG_IN_TEXT)
    return next((match["value"] for match in found if match), "")
