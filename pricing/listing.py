"""A whole book as flat lines, and the difference between two books."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from pricing.book import PriceBook
from pricing.offers import Price
from pricing.snapshot import Row

_TABLES = ("on_demand", "commitments", "capacity_blocks", "spot", "metered")
_EC2_OPTION = {"on_demand": "on-demand", "capacity_blocks": "capacity-block"}


@dataclass(frozen=True, kw_only=True)
class Line:
    """One price and what it is for.

    what: "p4d.24xlarge on-demand", "AmazonS3 S3 Standard storage (from 51,200 GB)". instance_type: "" for prices that
    are billed by use.
    """

    service: str
    instance_type: str
    what: str
    region: str
    price: Price


@dataclass(frozen=True, kw_only=True)
class Change:
    """One price in two books: None if a book does not have it. percent: None if old is zero."""

    what: str
    region: str
    old: float | None
    new: float | None

    @property
    def percent(self) -> float | None:
        if not self.old or self.new is None:
            return None
        return round((self.new / self.old - 1) * 100, 2)


def lines(book: PriceBook) -> Iterator[Line]:
    """Every price of the book; spot with its date, because a book has several."""
    for table in _TABLES:
        for row in book.rows(table):
            yield Line(
                service=row.get("service", "AmazonEC2"),
                instance_type=row.get("instance_type", ""),
                what=_what(table, row),
                region=row["region"],
                price=book.price(row),
            )


def _what(table: str, row: Row) -> str:
    if table == "metered":
        offering = f", {row['offering']}" if row["offering"] else ""
        tier = "" if row["tier_from"] == "0" else f" (from {float(row['tier_from']):,.0f} GB)"
        return f"{row['service']} {row['item']}{offering}{tier}"
    if table == "spot":
        return f"{row['instance_type']} spot {row['zone_id'] or row['item']}"
    return f"{row['instance_type']} {row.get('option') or _EC2_OPTION[table]}"


def compare(before: PriceBook, after: PriceBook) -> list[Change]:
    """The differences: changed prices first, then removed, then new ones, by name and Region.

    The newest of several spot observations is used. Differences below one in a million are ignored, because sources
    round to different digits.
    """
    old, new = _newest(before), _newest(after)
    found: list[Change] = []
    for what, region in sorted(old.keys() | new.keys()):
        one, other = old.get((what, region)), new.get((what, region))
        if one is None or other is None or not math.isclose(one, other, rel_tol=1e-6):
            found.append(Change(what=what, region=region, old=one, new=other))
    return sorted(found, key=lambda change: (change.old is None, change.new is None))


def _newest(book: PriceBook) -> dict[tuple[str, str], float]:
    newest: dict[tuple[str, str], Price] = {}
    for line in lines(book):
        key = (line.what, line.region)
        if key not in newest or newest[key].observed < line.price.observed:
            newest[key] = line.price
    return {key: price.usd for key, price in newest.items()}
