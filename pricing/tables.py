"""The tables of one folder of prices: read when they are first needed, indexed, and hashed."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from datetime import date
from functools import cached_property
from operator import itemgetter
from pathlib import Path
from typing import Any, cast

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
        self._tables: dict[str, tuple[Row, ...]] = {}
        self._indexes: dict[str, dict[tuple[str, ...], list[Row]]] = {}
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
        if table not in self._tables:
            rows = snapshot.read_table(self.folder, table)
            if self._removed:
                rows = tuple(row for row in rows if not any(gone(table, row) for gone in self._removed))
            self._tables[table] = rows
        return self._tables[table]

    def _at(self, table: str, *key: str) -> list[Row]:
        """Rows by their leading columns, two of them or more."""
        name = f"{table}/{len(key)}"
        if name not in self._indexes:
            leading = cast(Callable[[Row], tuple[str, ...]], itemgetter(*snapshot.COLUMNS[table][: len(key)]))
            index: dict[tuple[str, ...], list[Row]] = {}
            for row in self.rows(table):
                index.setdefault(leading(row), []).append(row)
            self._indexes[name] = index
        return self._indexes[name].get(key, [])

    @cached_property
    def _sources(self) -> dict[str, str]:
        return {row["id"]: row["text"] for row in self.rows("sources")}

    def source(self, key: str) -> str:
        """The text of a source id; "" for the empty id, the id itself if its row is missing."""
        return self._sources.get(key, key)

    def price(self, row: Row) -> Price:
        """The price of a row of on_demand, commitments, capacity_blocks, spot or metered."""
        if id(row) not in self._parsed:  # rows live as long as the book
            self._parsed[id(row)] = parse.price(row, self.source(row["source"]))
        return self._parsed[id(row)]
