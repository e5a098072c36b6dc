"""Asks the price book for the prices of one scenario, and notes what it lacks."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from planner.models.bill import INSTANCES, Unpriced
from planner.models.bill_lines import bill_line
from planner.models.number import Number, median
from planner.models.quote import Quote, as_tiers
from planner.models.sheet import Sheet
from planner.models.tiered_storage import Tiers, beyond_tiers
from pricing.book import NotOffered, PriceBook, PriceNotFound
from pricing.bounds import PriceBounds
from pricing.offers import MeteredPrice

T = TypeVar("T")


def halfway(stream: str) -> Number:
    """The share between the bounds of a price where nothing is drawn."""
    return 0.5


@dataclass
class PriceQuotes:
    """The answers of a price book in one Region. A price that is missing is noted, never taken as zero.

    sheet: where the numbers of what is priced are worked out. shares: where between its bounds a price is, from 0 to 1,
    by the name of the price's stream of draws. bounded: what is missing for the lines whose price is bounded.
    """

    book: PriceBook
    region: str
    sheet: Sheet = field(default_factory=Sheet)
    shares: Callable[[str], Number] = halfway
    unpriced: list[Unpriced] = field(default_factory=list)
    bounded: list[Unpriced] = field(default_factory=list)
    not_offered: list[str] = field(default_factory=list)

    def quote(
        self, line: str, item: tuple[str, str], monthly: Number = 0.0, *, offering: str = "", region: str | None = None
    ) -> Quote | None:
        """The metered price of a month's quantity: the book's, else between the lowest and the highest of other
        Regions; None after recording the line as unpriced."""
        bill_line(line)
        (service, name), where = item, region or self.region
        try:
            found = self.book.metered(service, name, where, offering)
        except PriceNotFound as error:
            missing = Unpriced(line=line, what=error.asked, nearest=error.nearest, service=service)
        else:
            if not _beyond(monthly, as_tiers(found)):
                return Quote(price=found)
            missing = _above_tiers(line, found)
        between = self.book.metered_bounds(service, name, where, offering)
        if between is not None and _beyond(monthly, as_tiers(between.low)):
            between = None
        return self._between(between, missing)

    def node_quote(self, line: str, instance_type: str) -> Quote | None:
        """The On-Demand price of nodes other than the GPU nodes, likewise; None also if AWS does not offer them."""
        bill_line(line)
        try:
            found = self.book.on_demand(instance_type, self.region)
        except NotOffered as missing:
            self.not_offered.append(missing.in_a_sentence)
            return None
        except PriceNotFound as error:
            missing = Unpriced(line=line, what=error.asked, nearest=error.nearest)
            return self._between(self.book.on_demand_bounds(instance_type, self.region), missing)
        price = MeteredPrice(service=INSTANCES, region=self.region, item=instance_type, offering="", tiers=(found,))
        return Quote(price=price)

    def _between(self, bounds: PriceBounds | None, missing: Unpriced) -> Quote | None:
        if bounds is None:
            self.unpriced.append(missing)
            return None
        self.bounded.append(missing)
        low = bounds.low
        stream = "/".join(("price", low.service, low.item, low.region, low.offering))
        return Quote(price=low, high=bounds.high, share=self.shares(stream))

    def look_up(self, line: str, question: Callable[[], T], service: str = INSTANCES) -> T | None:
        """The answer of the price book, or None after recording the line as unpriced or as not offered by AWS."""
        bill_line(line)
        try:
            return question()
        except NotOffered as missing:
            self.not_offered.append(missing.in_a_sentence)
        except PriceNotFound as missing:
            entry = Unpriced(line=line, what=missing.asked, nearest=missing.nearest, service=service)
            self.unpriced.append(entry)
        return None


def _above_tiers(line: str, found: MeteredPrice) -> Unpriced:
    """What is missing if a month's quantity is above the last tier in the book."""
    what = f"{found.service} {found.item} in {found.region} above {found.tiers[-1].tier_to:,.0f} GB a month"
    known = tuple(f"{t.tier_from:,.0f}-{t.tier_to:,.0f} GB: {t.usd:g} USD" for t in found.tiers[-2:])
    return Unpriced(line=line, what=what, nearest=known, service=found.service)


def _beyond(monthly: Number, tiers: Tiers) -> bool:
    """Whether a month's quantity lies above the last tier, which most prices do not have."""
    return tiers[-1][1] != math.inf and beyond_tiers(median(monthly), tiers)
