"""Metered prices, with their tiers, out of products of any service that metered_rules.py knows."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from decimal import Decimal

from pricing.parse import FREE
from pricing.price_list.product import UNBOUNDED, Product, Rate
from pricing.update.metered_rules import RULES, MeteredRule
from pricing.update.rows import Findings, Provenance, decimal_of, price_row, written

_BETWEEN_REGIONS = re.compile(r"(?:[A-Z]{2,4}\d*-){1,2}AWS-Out-Bytes")
_ELSEWHERE = "Data transfer out to other AWS regions"
_US_EAST = {("us-east-1", "us-east-2"), ("us-east-2", "us-east-1")}
_IN_US_EAST = "Data transfer between us-east-1 and us-east-2"


def metered_rows(products: Iterable[Product], seen: Provenance) -> Findings:
    """Rows of `metered`. Products that no rule knows are left out without a word.

    A problem, and no row: an unknown unit, a gap in the tiers, products for one item with different prices. A free
    first tier is not counted: what follows is taken from the first unit on, and its note says so.
    """
    found: dict[tuple[str, ...], list[dict[str, str]]] = {}
    problems: list[str] = []
    ways: dict[str, list[Product]] = {}
    for product in products:
        if product.service == "AWSDataTransfer" and _is_between_regions(product):
            ways.setdefault(product.region, []).append(product)
            continue
        for rule in RULES:
            if rule.matches(product):
                _add(found, problems, rule, product, seen)
    for region, their in sorted(ways.items()):
        for item, one, note in _typical(region, their):
            rule = MeteredRule("AWSDataTransfer", "", "AWSDataTransfer", item, "GB", {"GB": Decimal(1)})
            _add(found, problems, rule, one, seen, note)
    rows = [row for key in sorted(found) for row in found[key]]
    return Findings(rows={"metered": rows}, problems=tuple(problems))


def _add(
    found: dict[tuple[str, ...], list[dict[str, str]]],
    problems: list[str],
    rule: MeteredRule,
    product: Product,
    seen: Provenance,
    note: str = "",
) -> None:
    region = rule.region or product.region
    name = f"{rule.service} {rule.item} in {region}"
    place = {"service": rule.service, "item": rule.item, "region": region, "offering": rule.offering}
    try:
        tiers, free = _tiers(rule, product)
    except ValueError as error:
        problems.append(f"{name}: SKU {product.sku} {error}; the older price is kept")
        return
    words = "; ".join(part for part in (note, free) if part)
    rows = [
        price_row({**place, "tier_from": begin, "tier_to": end}, usd, rule.unit, seen, words)
        for begin, end, usd in tiers
    ]
    key = tuple(place.values())
    if key in found and [row["usd"] for row in found[key]] != [row["usd"] for row in rows]:
        problems.append(
            f"{name}: SKU {product.sku} has another price than a product before it; the older price is kept"
        )
        found[key] = []
        return
    found.setdefault(key, rows)


def _tiers(rule: MeteredRule, product: Product) -> tuple[list[tuple[str, str, Decimal]], str]:
    """(from, to, USD) in order, and a note on a free tier that was left out. Raises ValueError with what is wrong."""
    rates = [rate for rate in product.rates if rate.term == "OnDemand"]
    tiers: list[tuple[Decimal, str, Decimal]] = []
    for rate in rates:
        factor = rule.units.get(rate.unit)
        if factor is None:
            raise ValueError(f"is priced per {rate.unit!r}, where {' or '.join(map(repr, rule.units))} is known")
        tiers.append((_begin(rate), _end(rate), _usd(rate) * factor))
    tiers.sort(key=lambda tier: tier[0])
    if not tiers:
        raise ValueError("has no price")
    free = ""
    may_be_free = (rule.service, rule.item) in FREE
    if len(tiers) > 1 and tiers[0][2] == 0 and not may_be_free:
        free = f"the first {tiers[0][1]} are free and not counted"
        tiers = [(Decimal(0), tiers[1][1], tiers[1][2]), *tiers[2:]]
    if any(usd == 0 for _, _, usd in tiers) and not may_be_free:
        raise ValueError("has a price of zero")
    reached = "0"
    for begin, end, _ in tiers:
        if reached == UNBOUNDED or begin != Decimal(reached):
            raise ValueError(f"has tiers with a gap at {reached}")
        reached = end
    return [(written(begin), end, usd) for begin, end, usd in tiers], free


def _usd(rate: Rate) -> Decimal:
    usd = decimal_of(rate.usd)
    if usd is None:
        raise ValueError(f"has the price {rate.usd!r}")
    return usd


def _begin(rate: Rate) -> Decimal:
    begin = decimal_of(rate.begin)
    if begin is None:
        raise ValueError(f"has a tier from {rate.begin!r}")
    return begin


def _end(rate: Rate) -> str:
    if rate.end.lower() == "inf":
        return UNBOUNDED
    end = decimal_of(rate.end)
    if end is None:
        raise ValueError(f"has a tier to {rate.end!r}")
    return written(end)


def _is_between_regions(product: Product) -> bool:
    return (
        product.get("transfertype") == "InterRegion Outbound"
        and _BETWEEN_REGIONS.fullmatch(product.get("usagetype")) is not None
        and product.get("fromlocationtype") in ("", "AWS Region")
        and product.get("tolocationtype") in ("", "AWS Region")
    )


def _typical(region: str, products: list[Product]) -> list[tuple[str, Product, str]]:
    """Item, product and note: the price to most Regions, and the one between the two in the east of the US."""
    near = [one for one in products if (region, one.get("toregioncode")) in _US_EAST]
    far = [one for one in products if one not in near]
    found = [(_IN_US_EAST, one, "") for one in near[:1]]
    if far:
        texts = Counter(written(usd) for one in far for rate in one.rates if (usd := decimal_of(rate.usd)) is not None)
        if texts:
            most = max(sorted(texts), key=lambda text: texts[text])
            one = next(
                one for one in far if any(written(decimal_of(rate.usd) or Decimal(0)) == most for rate in one.rates)
            )
            low, high = min(texts, key=float), max(texts, key=float)
            note = f"to most Regions; {low} to {high} by destination" if low != high else ""
            found.append((_ELSEWHERE, one, note))
    return found
