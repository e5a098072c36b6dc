"""What AWS charges, as of a date: `pricing.open_book()` opens a bundled price book, its methods answer with prices.

    >>> import pricing
    >>> book = pricing.open_book("2026-09-01")
    >>> price = book.on_demand("p5.48xlarge", "us-east-1")
    >>> price.usd, price.unit
    (55.04, 'Hrs')

Names are loaded when they are first used. The package imports the standard library only; docs/api.md has the rest.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pricing.book import PriceBook
    from pricing.catalog import FsxPerformance, InstanceType
    from pricing.errors import NotOffered, PriceNotFound
    from pricing.offers import (
        BlockOffer,
        Commitment,
        InterruptionBand,
        MeteredPrice,
        Price,
        PurchaseOption,
        SpotOffer,
    )
    from pricing.opening import book_dates, open_book
    from pricing.snapshot import BrokenBook

_HOME = {
    "BlockOffer": "pricing.offers",
    "BrokenBook": "pricing.snapshot",
    "Commitment": "pricing.offers",
    "FsxPerformance": "pricing.catalog",
    "InstanceType": "pricing.catalog",
    "InterruptionBand": "pricing.offers",
    "MeteredPrice": "pricing.offers",
    "NotOffered": "pricing.errors",
    "Price": "pricing.offers",
    "PriceBook": "pricing.book",
    "PriceNotFound": "pricing.errors",
    "PurchaseOption": "pricing.offers",
    "SpotOffer": "pricing.offers",
    "book_dates": "pricing.opening",
    "open_book": "pricing.opening",
}

__all__ = [
    "BlockOffer",
    "BrokenBook",
    "Commitment",
    "FsxPerformance",
    "InstanceType",
    "InterruptionBand",
    "MeteredPrice",
    "NotOffered",
    "Price",
    "PriceBook",
    "PriceNotFound",
    "PurchaseOption",
    "SpotOffer",
    "book_dates",
    "open_book",
]


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
