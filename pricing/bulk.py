"""Reads documents of AWS's price list (GetProducts, bulk files). Pure: no network here.

A plain query of the list also returns rows that are not the price of an instance: Capacity Blocks at $0 or at the price
of the operating system, licenses, pre-installed software, dedicated hosts, unused reservations. These must not be taken
for prices.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

# A product is the plain Linux On-Demand instance only if each attribute has this value. A missing attribute
# is accepted if AWS itself leaves it out (older documents have no marketoption).
_WANTED: Mapping[str, tuple[str | None, ...]] = {
    "operatingSystem": ("Linux",),
    "tenancy": ("Shared",),
    "preInstalledSw": ("NA",),
    "capacitystatus": ("Used",),
    "marketoption": ("OnDemand", None),
    "licenseModel": ("No License required", None),
}


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
    product = document.get("product", {})
    if document.get("serviceCode") not in (None, "AmazonEC2"):
        return f"service {document['serviceCode']}"
    if not product.get("productFamily", "").startswith("Compute Instance"):
        return f"product family {product.get('productFamily')}"
    attributes = {name.lower(): value for name, value in product.get("attributes", {}).items()}
    for name, allowed in _WANTED.items():
        value = attributes.get(name.lower())
        if value not in allowed:
            return f"{name} {value}"
    return ""


def parse_products(documents: Iterable[Mapping[str, Any]]) -> list[OnDemandProduct]:
    """On-Demand prices in price list documents, sorted by type, Region and SKU.

    Raises ValueError if a document that should be a price has no price, several, or one that is not positive: then the
    query is wrong, and its other rows would be too.
    """
    found: list[OnDemandProduct] = []
    for document in documents:
        if refusal(document):
            continue
        product = document["product"]
        sku, attributes = product["sku"], product["attributes"]
        prices = [
            (float(dimension["pricePerUnit"]["USD"]), term.get("effectiveDate", "")[:10])
            for term in document.get("terms", {}).get("OnDemand", {}).values()
            for dimension in term["priceDimensions"].values()
        ]
        if len(prices) != 1 or not prices[0][0] > 0:
            raise ValueError(f"SKU {sku}: expected one positive on-demand price, found {prices}")
        usd, effective = prices[0]
        found.append(
            OnDemandProduct(
                instance_type=attributes["instanceType"],
                region=attributes["regionCode"],
                sku=sku,
                usd=usd,
                effective=effective,
            )
        )
    return sorted(found, key=lambda one: (one.instance_type, one.region, one.sku))
