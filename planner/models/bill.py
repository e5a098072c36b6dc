"""The bill: lines in FOCUS's words, each with quantity, unit price, equation, source and date."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from typing import TypeVar

import numpy as np

from planner.models.metered import beyond_tiers, tiered_usd
from planner.models.values import Number
from planner.plan.assumptions import Assumption
from pricing.book import NotOffered, PriceBook, PriceNotFound
from pricing.offers import HOURS_PER_MONTH, MeteredPrice, Price

T = TypeVar("T")

# AWS service code -> (FOCUS ServiceName, FOCUS ServiceCategory)
SERVICES = {
    "AmazonEC2": ("Amazon Elastic Compute Cloud", "Compute"),
    "AmazonEBS": ("Amazon Elastic Block Store", "Storage"),
    "AmazonS3": ("Amazon Simple Storage Service", "Storage"),
    "AmazonFSx": ("Amazon FSx", "Storage"),
    "AmazonVPC": ("Amazon Virtual Private Cloud", "Networking"),
    "AWSDataTransfer": ("AWS Data Transfer", "Networking"),
    "AmazonCloudWatch": ("Amazon CloudWatch", "Management and Governance"),
    "awskms": ("AWS Key Management Service", "Security"),
    "people": ("People and other runs", "Other"),
}


@dataclass(frozen=True, kw_only=True)
class Line:
    """One line of a bill. quantity and effective_unit_price are floats, or arrays with one entry a draw.

    usd_per_hour: what bills while it stands, None for what bills by use, upfront or unused.
    basis: "observed" | "carried" | "assumption".
    """

    line: str
    service: str
    equation: str
    quantity: Number
    unit: str
    list_unit_price: Number
    effective_unit_price: Number
    usd_per_hour: Number | None
    price_source: str
    price_date: date | str
    price_grade: str | None
    basis: str
    carried_back: bool = False
    charge_category: str = "Usage"
    pricing_category: str = "Standard"
    note: str = ""
    price_note: str = ""

    @property
    def effective_cost(self) -> Number:
        return self.quantity * self.effective_unit_price

    @property
    def list_cost(self) -> Number:
        return self.quantity * self.list_unit_price


@dataclass(frozen=True, kw_only=True)
class Unpriced:
    """A line that could not be priced: what was asked, what is near."""

    line: str
    what: str
    nearest: tuple[str, ...]


@dataclass
class Ledger:
    """Collects the lines of one scenario; a look-up that fails becomes an unpriced line, never a zero."""

    book: PriceBook
    region: str
    lines: list[Line] = field(default_factory=list)
    unpriced: list[Unpriced] = field(default_factory=list)
    not_offered: list[str] = field(default_factory=list)

    def add(
        self,
        line: str,
        *,
        service: str,
        equation: str,
        quantity: Number,
        price: Price,
        unit: str = "",
        usd: Number | None = None,
        list_usd: Number | None = None,
        usd_per_hour: Number | None = None,
        charge_category: str = "Usage",
        pricing_category: str = "Standard",
        note: str = "",
    ) -> None:
        """One priced line. usd: effective unit price where it is not the price itself (discount, tiers)."""
        effective = price.usd if usd is None else usd
        self.lines.append(
            Line(
                line=line,
                service=service,
                equation=equation,
                quantity=quantity,
                unit=unit or price.unit,
                list_unit_price=effective if list_usd is None else list_usd,
                effective_unit_price=effective,
                usd_per_hour=usd_per_hour,
                price_source=price.source,
                price_date=price.observed,
                price_grade=price.grade,
                basis=price.basis.value,
                carried_back=price.carried_back,
                charge_category=charge_category,
                pricing_category=pricing_category,
                note=note,
                price_note=price.note,
            )
        )

    def assumed(
        self, line: str, *, equation: str, quantity: Number, unit: str, usd: Number, assumption: Assumption
    ) -> None:
        """A line whose unit price is an assumption, not an AWS price."""
        self.lines.append(
            Line(
                line=line,
                service="people",
                equation=equation,
                quantity=quantity,
                unit=unit,
                list_unit_price=usd,
                effective_unit_price=usd,
                usd_per_hour=None,
                price_source=assumption.source,
                price_date=assumption.year,
                price_grade=None,
                basis="assumption",
            )
        )

    def metered(
        self,
        line: str,
        item: tuple[str, str],
        *,
        equation: str,
        quantity: Number,
        offering: str = "",
        standing: Number | None = None,
        hours: Number | None = None,
        region: str | None = None,
    ) -> None:
        """A line at a list price that bills by use.

        item: (service code, item). standing: resources that bill while they stand, for usd_per_hour: the
        price per hour, or per month over 730, times this. hours: the time over which a tiered quantity is
        spread, since its tiers start again each month. region: where it is billed, if not the plan's.
        """
        service, name = item
        found = self.look_up(line, lambda: self.book.metered(service, name, region or self.region, offering))
        if found is None:
            return
        unit_usd: Number = found.tiers[0].usd
        tiers = found.tiers
        if not np.isinf(found.tiers[0].tier_to):  # a ladder, or one rung that ends
            months = 1.0 if hours is None else np.maximum(hours / HOURS_PER_MONTH, 1.0)
            monthly = quantity / months
            if self.refused_beyond(line, found, monthly):
                return
            unit_usd = blend(tiered_usd(monthly, as_tiers(found)) * months, quantity, unit_usd)
            tiers = used_tiers(found, monthly)
        per_hour = None
        if standing is not None:
            per_hour = standing * unit_usd / (1 if found.unit == "Hrs" else HOURS_PER_MONTH)
        self.add(
            line,
            service=service,
            equation=equation,
            quantity=quantity,
            price=worst(tiers),
            usd=unit_usd,
            usd_per_hour=per_hour,
        )

    def refused_beyond(self, line: str, found: MeteredPrice, monthly: Number) -> bool:
        """Note a line whose monthly quantity lies above the last tier that the book knows."""
        largest = float(np.median(monthly))
        if not beyond_tiers(largest, as_tiers(found)):
            return False
        what = f"{found.service} {found.item} in {found.region} above {found.tiers[-1].tier_to:,.0f} GB a month"
        known = tuple(f"{t.tier_from:,.0f}-{t.tier_to:,.0f} GB: {t.usd:g} USD" for t in found.tiers[-2:])
        self.unpriced.append(Unpriced(line=line, what=what, nearest=known))
        return True

    def look_up(self, line: str, question: Callable[[], T]) -> T | None:
        """Ask the book; on PriceNotFound note the line as unpriced, on NotOffered that AWS does not sell it."""
        try:
            return question()
        except NotOffered as missing:
            self.not_offered.append(f"{missing.asked}: {missing.because}")
        except PriceNotFound as missing:
            self.unpriced.append(Unpriced(line=line, what=missing.asked, nearest=missing.nearest))
        return None


def as_tiers(found: MeteredPrice) -> list[tuple[float, float, float]]:
    """A metered price as (from GB, to GB, USD per GB)."""
    return [(tier.tier_from, tier.tier_to, tier.usd) for tier in found.tiers]


def used_tiers(found: MeteredPrice, monthly: Number) -> tuple[Price, ...]:
    """The tiers that a month's quantity reaches; the first one always."""
    largest = float(np.median(monthly))
    return tuple(tier for tier in found.tiers if tier.tier_from < largest) or found.tiers[:1]


def worst(tiers: tuple[Price, ...]) -> Price:
    """The tier whose price stands on the weakest ground: carried back, then grade, then the oldest."""
    return max(tiers, key=lambda t: (t.carried_back, t.grade, t.basis.value == "carried", -t.observed.toordinal()))


def blend(cost: Number, quantity: Number, when_nothing: Number) -> Number:
    """Mean unit price of a tiered quantity; the first tier's where there is no quantity."""
    safe = np.where(np.asarray(quantity) > 0, quantity, 1.0)
    return np.where(np.asarray(quantity) > 0, np.asarray(cost) / safe, when_nothing)[()]
