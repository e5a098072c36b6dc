"""A new book out of an older one and what was found since."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from pricing.build.days import carried
from pricing.snapshot import COLUMNS, BrokenBook, Row, source_id
from pricing.tables import Tables

KEYS = {
    "on_demand": ("instance_type", "region"),
    "commitments": ("instance_type", "region", "option"),
    "capacity_blocks": ("instance_type", "region"),
    "spot": ("instance_type", "region", "zone_id", "item", "observed"),
    "interruptions": ("instance_type", "region"),
    "metered": ("service", "item", "region", "offering"),
}
_ORDER = {**KEYS, "spot": (*KEYS["spot"], "source"), "metered": KEYS["metered"]}


@dataclass(frozen=True, kw_only=True)
class Listed:
    """A source that lists everything of a table in a Region: what it lacks is not sold there.

    is_listed: of an instance type's name. options: beginnings of purchase options ("ri-", "sp-"), or ("",).
    """

    table: str
    region: str
    is_listed: Callable[[str], bool]
    source: str
    observed: date
    options: tuple[str, ...] = ("",)

    def covers(self, table: str, row: Row) -> bool:
        """Whether a row of the table would be on the list if AWS still sold it; one that was seen later would not."""
        return (
            table == self.table
            and date.fromisoformat(row["observed"]) <= self.observed
            and row["region"] == self.region
            and self.is_listed(row["instance_type"])
            and row.get("option", "").startswith(self.options)
        )


def merged(
    base: Tables, found: Mapping[str, Sequence[Row]], lists: Sequence[Listed], as_of: date
) -> dict[str, list[Row]]:
    """The tables of a book as of the day: what was found goes before what `base` has.

    A price of `base` that was not found again stays with its own date, unless a list that covers it no longer has it;
    then it moves to `not_offered`. Spot observations of both are kept, for the range.

    Raises BrokenBook for a table of `base` that cannot be read, and for two sources with one id.
    """
    tables: dict[str, list[dict[str, str]]] = {
        table: [{**row, **_texts(base, row)} for row in base.rows(table)] for table in COLUMNS if table != "sources"
    }
    for table, columns in KEYS.items():
        new = _once(found.get(table, ()), (*columns, "tier_from") if table == "metered" else _ORDER[table])
        keys = {tuple(row[column] for column in columns) for row in new}
        kept: list[dict[str, str]] = []
        for row in tables[table]:
            if tuple(row[column] for column in columns) in keys:
                continue
            listed = next((one for one in lists if one.covers(table, row)), None)
            if listed is None:
                kept.append(row)
            else:
                tables["not_offered"].append(_no_longer(table, row, listed))
        tables[table] = sorted([*kept, *new], key=lambda row: tuple(row[column] for column in _ORDER[table]))
        if table == "metered":  # tiers of one price in their order
            tables[table].sort(key=lambda row: (*(row[column] for column in columns), float(row["tier_from"])))
        for row in tables[table]:
            row["carried"] = carried(date.fromisoformat(row["observed"]), as_of)
    priced = {(table, *_place(row)) for table in KEYS for row in tables[table] if table in _SOLD}
    absent = {_absence(row): row for row in tables["not_offered"] if _absence(row) not in priced}
    tables["not_offered"] = [
        row
        for _, row in sorted(absent.items())
        if row["region"] != "*" or not any(one[0] == row["table"] and one[1] == row["instance_type"] for one in priced)
    ]
    return _with_source_ids(tables)


def newer_only(base: Tables, found: Mapping[str, Sequence[Row]]) -> tuple[dict[str, list[Row]], int]:
    """What was found, without prices that `base` or another source has of a later day, and how many rows these were.

    An offer file may be older than the book, or than another file. Spot observations are kept: each is of its own day.
    """
    kept: dict[str, list[Row]] = {}
    for table, rows in found.items():
        columns = KEYS[table]
        newest: dict[tuple[str, ...], str] = {}
        for row in (*base.rows(table), *rows) if table != "spot" else ():
            key = tuple(row[column] for column in columns)
            newest[key] = max(newest.get(key, ""), row["observed"])
        kept[table] = [
            row for row in rows if row["observed"] >= newest.get(tuple(row[column] for column in columns), "")
        ]
    return kept, sum(map(len, found.values())) - sum(map(len, kept.values()))


def _once(rows: Sequence[Row], columns: tuple[str, ...]) -> list[dict[str, str]]:
    """The first row of each key: a price of every Region is found in each, and two files may have the same."""
    first: dict[tuple[str, ...], dict[str, str]] = {}
    for row in rows:
        first.setdefault(tuple(row[column] for column in columns), dict(row))
    return list(first.values())


_SOLD = ("on_demand", "commitments", "capacity_blocks")


def _place(row: Row) -> tuple[str, str, str]:
    return row["instance_type"], row["region"], row.get("option", "")


def _absence(row: Row) -> tuple[str, ...]:
    return row["table"], row["instance_type"], row["region"], row["option"]


def _no_longer(table: str, row: Row, listed: Listed) -> dict[str, str]:
    return {
        "table": table,
        "instance_type": row["instance_type"],
        "region": row["region"],
        "option": row.get("option", ""),
        "observed": listed.observed.isoformat(),
        "source": listed.source,
        "because": f"the complete list of {listed.observed} no longer has it",
    }


_SOURCE_COLUMNS = ("source", "peak_source")


def _texts(base: Tables, row: Row) -> dict[str, Any]:
    return {name: base.source(row[name]) for name in _SOURCE_COLUMNS if row.get(name)}


def _with_source_ids(tables: Mapping[str, Sequence[dict[str, str]]]) -> dict[str, list[Row]]:
    texts: dict[str, str] = {}
    made: dict[str, list[Row]] = {}
    for table, rows in tables.items():
        made[table] = []
        for row in rows:
            ids = {name: source_id(row[name]) for name in _SOURCE_COLUMNS if row.get(name)}
            for name, key in ids.items():
                if texts.setdefault(key, row[name]) != row[name]:
                    raise BrokenBook(f"the sources {texts[key]!r} and {row[name]!r} have the same id {key}")
            made[table].append({**row, **ids})
    made["sources"] = [{"id": key, "text": texts[key]} for key in sorted(texts)]
    return made
