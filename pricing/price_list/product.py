"""One product of AWS's price list with its rates, however it was published."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

UNBOUNDED = "Inf"
_NOT_A_NAME = re.compile(r"[^a-z0-9]")


class BadPriceList(ValueError):
    """A file or document is not a price list, is incomplete, or has fields that this version does not know."""


def plain_name(name: str) -> str:
    """One name for an attribute in JSON and in CSV: `preInstalledSw` and `Pre Installed S/W` are `preinstalledsw`."""
    return _NOT_A_NAME.sub("", name.lower())


@dataclass(frozen=True, kw_only=True, slots=True)
class Rate:
    """One rate of a product.

    term: "OnDemand" | "Reserved". usd: the decimal text of the source, for one `unit`. begin, end: the tier, in units;
    end may be "Inf". effective: the day it began (2026-09-01), "" if not stated. lease, offering_class and
    purchase_option: of Reserved rates ("1yr", "standard", "No Upfront"), else "".
    """

    term: str
    unit: str
    usd: str
    begin: str = "0"
    end: str = UNBOUNDED
    effective: str = ""
    description: str = ""
    lease: str = ""
    offering_class: str = ""
    purchase_option: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Product:
    """A SKU. attributes: by `plain_name`; those without a value are left out."""

    sku: str
    family: str
    service: str
    attributes: Mapping[str, str]
    rates: tuple[Rate, ...] = field(default=())

    def get(self, attribute: str) -> str:
        """The value of an attribute, "" where the product has none."""
        return self.attributes.get(attribute, "")

    @property
    def region(self) -> str:
        return self.get("regioncode") or self.get("fromregioncode")


def product_of(document: Mapping[str, Any]) -> Product:
    """A document of GetProducts, or `{"product": ..., "terms": ...}` put together from an offer file.

    Raises BadPriceList with the SKU and the field where the document has another form.
    """
    try:
        product = document["product"]
        sku = str(product["sku"])
    except (KeyError, TypeError) as error:
        raise BadPriceList(f"not a document of the price list: it has no field {error}") from None
    try:
        attributes = attributes_of(product["attributes"])
        return Product(
            sku=sku,
            family=product.get("productFamily", ""),
            service=document.get("serviceCode") or attributes.get("servicecode", ""),
            attributes=attributes,
            rates=tuple(
                rate for term, terms in document.get("terms", {}).items() for rate in rates_of(term, terms.values())
            ),
        )
    except BadPriceList as error:
        raise BadPriceList(f"SKU {sku}: {error}") from None
    except (KeyError, TypeError, AttributeError) as error:
        raise BadPriceList(f"SKU {sku}: {_missing(error)}") from None


def attributes_of(attributes: Mapping[str, str]) -> dict[str, str]:
    """The attributes that have a value, by `plain_name`."""
    return {plain_name(name): value for name, value in attributes.items() if value not in ("", None)}


def rates_of(term: str, terms: Any) -> Iterator[Rate]:
    """The rates of one kind of term. terms: what stands below "OnDemand" or "Reserved" for one SKU, without its ids.

    Terms other than these two are passed over. Raises BadPriceList where a field is missing or the price is not in USD.
    """
    if term not in ("OnDemand", "Reserved"):
        return
    for one in terms:
        try:
            said: Mapping[str, str] = one.get("termAttributes") or {}
            for dimension in one["priceDimensions"].values():
                yield Rate(
                    term=term,
                    unit=dimension["unit"],
                    usd=dimension["pricePerUnit"]["USD"],
                    begin=dimension.get("beginRange") or "0",
                    end=dimension.get("endRange") or UNBOUNDED,
                    effective=one.get("effectiveDate", "")[:10],
                    description=dimension.get("description", ""),
                    lease=said.get("LeaseContractLength", ""),
                    offering_class=said.get("OfferingClass", ""),
                    purchase_option=said.get("PurchaseOption", ""),
                )
        except (KeyError, TypeError, AttributeError) as error:
            raise BadPriceList(f"{term}: {_missing(error)}") from None


def _missing(error: Exception) -> str:
    if isinstance(error, KeyError):
        return f"it has no field {error}; AWS may have changed the form of the price list"
    return f"a field has another form ({error}); AWS may have changed the form of the price list"
