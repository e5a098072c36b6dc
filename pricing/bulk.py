"""On-demand prices of documents of AWS's price list (GetProducts, bulk files). Pure: no network here.

A plain query of the list also returns rows that are not the price of an instance: Capacity Blocks at $0 or at the price
of the operating system, licenses, pre-installed software, dedicated hosts, unused reservations. These must not be taken
for prices.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pricing.price_list.product import Product, product_of
from pricing.price_list.wanted import not_plain_linux


@dataclass(frozen=True, kw_only=True)
class OnDemandProduct:
    """The plain on-demand price of one SKU. usd: for one hour. effective: the day it began, as written."""

    instance_type: str
    region: str
    sku: str
    usd: float
    effective: str


def refusal(document: Mapping[str, Any]) -> str:
    """Why the document is not a plain Linux on-demand instance, or "" if it is."""
    return not_plain_linux(product_of(document))


def parse_products(documents: Iterable[Mapping[str, Any]]) -> list[OnDemandProduct]:
    """On-Demand prices in price list documents, sorted by type, Region and SKU.

    Raises ValueError if a document that should be a price has no price, several, or one that is not positive: then the
    query is wrong, and its other rows would be too.
    """
    products = map(product_of, documents)
    found = [on_demand_of(product) for product in products if not not_plain_linux(product)]
    return sorted(found, key=lambda one: (one.instance_type, one.region, one.sku))


def on_demand_of(product: Product) -> OnDemandProduct:
    """The one on-demand price of an instance. Raises ValueError likewise."""
    rates = [rate for rate in product.rates if rate.term == "OnDemand"]
    prices = [(positive(rate.usd), rate.effective) for rate in rates if rate.unit == "Hrs"]
    if len(rates) != 1 or len(prices) != 1 or prices[0][0] is None:
        said = ", ".join(f"{rate.usd} USD for one {rate.unit}" for rate in rates) or "none"
        raise ValueError(f"SKU {product.sku}: expected one positive on-demand price for an hour, found {said}")
    usd, effective = prices[0]
    assert usd is not None
    return OnDemandProduct(
        instance_type=product.get("instancetype"),
        region=product.region,
        sku=product.sku,
        usd=usd,
        effective=effective,
    )


def positive(text: str) -> float | None:
    """The value of a decimal text; None if it is not a finite number above zero."""
    try:
        value = float(text)
    except (TypeError, ValueError):
        return None
    return value if 0 < value < math.inf else None
