"""Prices that somebody brings to a book: they answer before its tables do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from pricing.offers import Price, SpotOffer
from pricing.snapshot import Row


@dataclass(frozen=True, kw_only=True)
class OwnPrice:
    """One price. key: the table and the columns that a look-up asks for, as in ("on_demand", "p5.48xlarge",
    "eu-west-1") or ("metered", "AmazonS3", "S3 Standard storage", "eu-west-1", "")."""

    key: tuple[str, ...]
    price: Price


def by_key(prices: Iterable[OwnPrice]) -> Mapping[tuple[str, ...], tuple[Price, ...]]:
    """The prices of each key; tiers in order."""
    found: dict[tuple[str, ...], list[Price]] = {}
    for own in prices:
        found.setdefault(own.key, []).append(own.price)
    return {key: tuple(sorted(tiers, key=lambda tier: tier.tier_from)) for key, tiers in found.items()}


def spot_around(
    price: Price, seen: SpotOffer | None, instance_type: str, region: str, zone_id: str | None
) -> SpotOffer:
    """Spot at a price of one's own, with a range as wide as that of the observed prices around theirs."""
    observations = ((zone_id or region, price),)
    if seen is not None:
        factor = price.usd / seen.planned.usd
        observations = tuple((name, replace(one, usd=one.usd * factor)) for name, one in seen.observations)
    return SpotOffer(
        instance_type=instance_type, region=region, planned=price, zone_id=zone_id, observations=observations
    )


class _ListBook(Protocol):
    def rows(self, table: str) -> tuple[Row, ...]: ...
    def price(self, row: Row) -> Price: ...


def list_price_of(book: _ListBook, key: tuple[str, ...]) -> Price | None:
    """The price of the tables behind an own price: the first tier of what is billed by use, None where there is none.

    Of spot it is the newest zone's; SpotOffer has the price to plan with.
    """
    table, place = key[0], key[1:]
    columns = LIST_COLUMNS[table]
    rows = [row for row in book.rows(table) if tuple(row[column] for column in columns) == place]
    prices = sorted((book.price(row) for row in rows), key=lambda price: (price.tier_from, -price.observed.toordinal()))
    return prices[0] if prices else None


LIST_COLUMNS = {
    "on_demand": ("instance_type", "region"),
    "commitments": ("instance_type", "region", "option"),
    "capacity_blocks": ("instance_type", "region"),
    "spot": ("instance_type", "region"),
    "metered": ("service", "item", "region", "offering"),
}
