"""The tables of one folder of prices: read when they are first needed, indexed, and hashed."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Any

from pricing import parse, snapshot
from pricing.offers import Price
from pricing.snapshot import Row

Predicate = Callable[[str, Row], bool]


class Tables:
    """The tables as of one date.

    as_of: their date. folder: where they are. manifest: how they were made.
    """

    def __init__(self, folder: Path, *, removed: tuple[Predicate, ...] = ()) -> None:
        self.folder = folder
        self.manifest: Mapping[str, Any] = snapshot.read_manifest(folder)
        self.as_of = date.fromisoformat(self.manifest["as_of"])
        self._removed = removed
        self._tables: dict[str, list[list[str]]] = {}
        self._rows: dict[int, Row] = {}
        self._by_first: dict[str, dict[str, list[list[str]]]] = {}
        self._found: dict[tuple[str, ...], list[Row]] = {}
        self._parsed: dict[int, Price] = {}

    @cached_property
    def changed(self) -> tuple[str, ...]:
        """Files that were edited since the book was built; `verify` fails on them, `compare` warns."""
        return snapshot.changed_files(self.folder)

    @property
    def intact(self) -> bool:
        """Whether every file is unchanged and no row was taken away."""
        return not self.changed and not self._removed

    @cached_property
    def sha256(self) -> str:
        """One hash over all tables as they are now, which identifies this book in an output."""
        if not self._removed:
            return snapshot.hash_of_files(snapshot.actual_files(self.folder))
        hashes = {
            name: hashlib.sha256(snapshot.table_bytes(name, self.rows(name))).hexdigest() for name in snapshot.COLUMNS
        }
        return snapshot.hash_of_files({f"{name}.csv": value for name, value in hashes.items()})

    def rows(self, table: str) -> tuple[Row, ...]:
        """All rows of a table as text, in the order of the file (columns: snapshot.COLUMNS)."""
        return tuple([self._row(table, line) for line in self._lines(table)])

    def _lines(self, table: str) -> list[list[str]]:
        if table not in self._tables:
            lines, names = snapshot.read_lines(self.folder, table), snapshot.COLUMNS[table]
            for gone in self._removed:
                lines = [line for line in lines if not gone(table, dict(zip(names, line, strict=True)))]
            self._tables[table] = lines
        return self._tables[table]

    def _row(self, table: str, line: list[str]) -> Row:
        """A line by the names of its columns: a plan asks for a hundred of ten thousand lines."""
        if id(line) not in self._rows:  # lines live as long as the book
            self._rows[id(line)] = dict(zip(snapshot.COLUMNS[table], line, strict=True))
        return self._rows[id(line)]

    def _at(self, table: str, *key: str) -> list[Row]:
        """Rows by their leading columns."""
        asked = (table, *key)
        if asked not in self._found:
            if table not in self._by_first:
                first: dict[str, list[list[str]]] = {}
                for line in self._lines(table):
                    first.setdefault(line[0], []).append(line)
                self._by_first[table] = first
            wanted, length = list(key), len(key)
            near = self._by_first[table].get(key[0], ())
            self._found[asked] = [self._row(table, line) for line in near if line[:length] == wanted]
        return self._found[asked]

    def _values(self, table: str, column: str) -> set[str]:
        """Everything that stands in a column of a table."""
        place = snapshot.COLUMNS[table].index(column)
        return {line[place] for line in self._lines(table)}

    @cached_property
    def _sources(self) -> dict[str, str]:
        return dict(self._lines("sources"))

    def source(self, key: str) -> str:
        """The text of a source id; "" for the empty id, the id itself if its row is missing."""
        return self._sources.get(key, key)

    def price(self, row: Row) -> Price:
        """The price of a row of on_demand, commitments, capacity_blocks, spot or metered."""
        if id(row) not in self._parsed:  # rows live as long as the book
            self._parsed[id(row)] = parse.price(row, self.source(row["source"]))
        return self._parsed[id(row)]
