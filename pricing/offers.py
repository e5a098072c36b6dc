"""What AWS offers and at what price: the values that a price book returns.

Every price has its unit, the day it was observed, the grade of the observation, how it came into the book, and a source
that can be opened.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cached_property

OBSERVED_WITHIN_DAYS = 45  # an older or a later observation counts as carried


class Basis(enum.StrEnum):
    """How a price relates to the date of its book (docs/decisions/0002-price-dates.md)."""

    OBSERVED = "observed"  # seen at most 45 days before the book's date
    CARRIED = "carried"  # seen earlier than that, or after the book's date: see `carried_back`
    OWN = "own"  # not from the book: somebody brought it (pricing/own.py)
    BOUNDED = "bounded"  # not seen in this Region: between the lowest and the highest of others (pricing/bounds.py)


@dataclass(frozen=True, kw_only=True)
class Price:
    """One price with everything needed to judge it.

    usd: price in USD for one `unit`, list price before tax. unit: the unit of the price as AWS writes it ("Hrs",
    "GB-Mo", "1k requests", ...). observed: the day of the observation (a month counts as its last day). grade: A (an
    AWS price list or page), B (data of a third party), C (secondary or derived), "" (a price of one's own).
    carried_back: the observation is later than the book's date. tier_from, tier_to: GB of 2^30 bytes within a calendar
    month; `inf` means no upper bound.
    """

    usd: float
    unit: str
    observed: date
    grade: str
    source: str
    basis: Basis = Basis.OBSERVED
    carried_back: bool = False
    tier_from: float = 0.0
    tier_to: float = float("inf")
    note: str = ""


@dataclass(frozen=True, kw_only=True)
class MeteredPrice:
    """A list price that is billed by use, in tiers that start again each calendar month."""

    service: str
    region: str
    item: str
    offering: str
    tiers: tuple[Price, ...]

    @property
    def unit(self) -> str:
        return self.tiers[0].unit

    @cached_property
    def usd_by_tier(self) -> tuple[tuple[float, float, float], ...]:
        """(from, to, USD per unit) of each tier."""
        return tuple((tier.tier_from, tier.tier_to, tier.usd) for tier in self.tiers)


@dataclass(frozen=True, kw_only=True)
class Commitment:
    """A Reserved Instance or Savings Plan rate.

    price.usd: effective hourly rate of one instance, with any upfront part spread over the term.
    upfront: "no" | "partial" | "all".
    """

    instance_type: str
    region: str
    price: Price
    years: int
    upfront: str
    kind: str  # "standard" | "convertible" (Reserved Instances), "instance" | "compute" (Savings Plans)


@dataclass(frozen=True, kw_only=True)
class BlockOffer:
    """A Capacity Block's reservation fee per instance-hour, paid at purchase; AWS changes it often."""

    instance_type: str
    region: str
    price: Price


@dataclass(frozen=True, kw_only=True)
class SpotOffer:
    """Spot prices of a type in a region as a distribution over zone IDs and dates, never its minimum.

    planned: the price to plan with: that of the given zone, else the median of the region's zones at the newest date.
    zone_id is None for the median. observations: every zone and date up to the book's date, for the range.
    """

    instance_type: str
    region: str
    planned: Price
    zone_id: str | None
    observations: tuple[tuple[str, Price], ...]


@dataclass(frozen=True, kw_only=True)
class InterruptionBand:
    """AWS Spot Advisor's band: the share of spot instances of a type interrupted in the last month.

    lower_fraction, upper_fraction: ends of the band; the open band ">20%" has upper 1.0.
    """

    instance_type: str
    region: str
    label: str
    lower_fraction: float
    upper_fraction: float
    observed: date
    source: str


UPFRONT: Mapping[str, str] = {
    "no-upfront": "no",
    "partial-upfront": "partial",
    "all-upfront": "all",
}
_RESERVED = r"^(ri)-([13])y-(standard|convertible)-((?:no|partial|all)-upfront)$"
_SAVINGS = r"^(sp)-([13])y-(instance|compute)-((?:no|partial|all)-upfront)$"


@dataclass(frozen=True, kw_only=True)
class PurchaseOption:
    """How the GPU nodes are bought, as in a scenario id.

    family: "on-demand" | "spot" | "spot-fallback" (spot, then On-Demand by a rule) | "capacity-block" | "ri" | "sp".
    years, kind, upfront: only for "ri" (standard | convertible) and "sp" (instance | compute).
    """

    family: str
    years: int = 0
    kind: str = ""
    upfront: str = ""

    @classmethod
    def parse(cls, text: str) -> PurchaseOption:
        """Read `on-demand`, `ri-3y-standard-no-upfront`, `sp-1y-compute-all-upfront` and so on.

        Raises ValueError for any other text.
        """
        if text in ("on-demand", "spot", "spot-fallback", "capacity-block"):
            return cls(family=text)
        match = re.match(_RESERVED, text) or re.match(_SAVINGS, text)
        if not match:
            raise ValueError(f"unknown purchase option {text!r}")
        family, years, kind, upfront = match.groups()
        return cls(family=family, years=int(years), kind=kind, upfront=UPFRONT[upfront])

    @property
    def id(self) -> str:
        if not self.years:
            return self.family
        return f"{self.family}-{self.years}y-{self.kind}-{self.upfront}-upfront"

    @property
    def commitment_words(self) -> str:
        """`Compute Savings Plan, 1 year, no upfront`; of what is no commitment its id."""
        if not self.years:
            return self.family
        term = f"{self.years} year{'s' * (self.years > 1)}"
        if self.family == "ri":
            return f"Reserved Instances, {term}, {self.kind}, {self.upfront} upfront"
        kind = {"instance": "EC2 Instance", "compute": "Compute"}[self.kind]
        return f"{kind} Savings Plan, {term}, {self.upfront} upfront"

    @property
    def starts_on_spot(self) -> bool:
        return self.family in ("spot", "spot-fallback")

    @property
    def term_hours(self) -> int:
        """Hours of the whole commitment; 0 without one."""
        return self.years * HOURS_PER_YEAR


HOURS_PER_YEAR = 8760  # AWS spreads the upfront part of a commitment over 365 days a year
HOURS_PER_MONTH = 730  # the month of AWS's price pages: 8,760 / 12

ALL_PURCHASE_OPTIONS: tuple[str, ...] = (
    "on-demand",
    "spot",
    "spot-fallback",
    "capacity-block",
    *(f"ri-{y}y-{k}-{u}" for y in (1, 3) for k in ("standard", "convertible") for u in UPFRONT),
    *(f"sp-{y}y-{k}-{u}" for y in (1, 3) for k in ("instance", "compute") for u in UPFRONT),
)
DEFAULT_PURCHASE_OPTIONS: tuple[str, ...] = (
    "on-demand",
    "ri-1y-standard-no-upfront",
    "ri-3y-standard-no-upfront",
    "sp-1y-instance-no-upfront",
    "sp-3y-instance-no-upfront",
    "sp-1y-compute-no-upfront",
    "sp-3y-compute-no-upfront",
    "capacity-block",
    "spot-fallback",
)
