"""A metered price as a bill line uses it: known, or bounded by the prices of other Regions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date

import numpy as np

from planner.models.number import Number, median
from planner.models.tiered_storage import Tiers, tiered_storage, tiered_usd
from pricing.offers import MeteredPrice, Price


@dataclass(frozen=True, kw_only=True)
class Quote:
    """A price with its tiers; where it is bounded, `high` is the upper bound and `price` the lower one.

    share: where between the bounds the price is, 0 at the lower and 1 at the upper one: 0.5 as planned, one number per
    draw in draws. Every line with the same price uses the same share.
    """

    price: MeteredPrice
    high: MeteredPrice | None = None
    share: Number = 0.0

    @property
    def tiers(self) -> tuple[tuple[float, float, float], ...]:
        """(from GB, to GB, USD per GB); of a bounded price at the median share."""
        if self.high is None:
            return as_tiers(self.price)
        share = median(self.share)
        pairs = zip(as_tiers(self.price), as_tiers(self.high), strict=True)
        return tuple((start, end, low + share * (high - low)) for (start, end, low), (_, _, high) in pairs)

    def usd(self, cost: Callable[[Tiers], Number]) -> Number:
        """A cost that is proportional to the prices of the tiers."""
        low = cost(as_tiers(self.price))
        return low if self.high is None else low + self.share * (cost(as_tiers(self.high)) - low)

    def bounds(self, cost: Callable[[Tiers], Number]) -> tuple[Number, Number] | None:
        """The same at the lower and at the upper bound; None for a known price."""
        return None if self.high is None else (cost(as_tiers(self.price)), cost(as_tiers(self.high)))

    def evidence(self, monthly: Number) -> Price:
        """The least reliable of the tiers that a month's quantity reaches."""
        return worst(used_tiers(self.price, monthly))


def unit_usd(tiers: Tiers, quantity: Number, months: Number) -> Number:
    """The mean unit price of a quantity over some months; the tiers start again each month."""
    if np.isinf(tiers[0][1]):
        return tiers[0][2]
    return blend(tiered_usd(quantity / months, tiers) * months, quantity, tiers[0][2])


def stored_unit_usd(
    stored_gb: float, start: date, hours: Number, gb_months: Number, below_gb: float, tiers: Tiers
) -> Number:
    """The mean price of a GB-month of what is stored from a day on, whose tiers start again each calendar month.
    gb_months: of these hours. below_gb: what fills the lower tiers."""
    cost = tiered_storage(stored_gb=stored_gb, tiers=tiers, start=start, hours=hours, below_gb=below_gb)
    return blend(cost, gb_months, tiers[0][2])


def as_tiers(found: MeteredPrice) -> tuple[tuple[float, float, float], ...]:
    """A metered price as (from GB, to GB, USD per GB)."""
    return found.usd_by_tier


def used_tiers(found: MeteredPrice, monthly: Number) -> tuple[Price, ...]:
    """The tiers that a month's quantity reaches; the first one always."""
    if len(found.tiers) == 1:
        return found.tiers
    largest = median(monthly)
    return tuple(tier for tier in found.tiers if tier.tier_from < largest) or found.tiers[:1]


def worst(tiers: tuple[Price, ...]) -> Price:
    """The tier with the least reliable price: bounded, carried back, then by grade, then by age."""
    if len(tiers) == 1:
        return tiers[0]
    return max(
        tiers,
        key=lambda t: (
            t.basis.value == "bounded",
            t.carried_back,
            t.grade,
            t.basis.value == "carried",
            -t.observed.toordinal(),
        ),
    )


def blend(cost: Number, quantity: Number, when_nothing: Number) -> Number:
    """Mean unit price of a tiered quantity; the first tier's price if the quantity is 0."""
    safe = np.where(np.asarray(quantity) > 0, quantity, 1.0)
    return np.where(np.asarray(quantity) > 0, np.asarray(cost) / safe, when_nothing)[()]
