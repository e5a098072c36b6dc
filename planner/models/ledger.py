"""Collects the lines of one scenario's bill, each priced from the book or noted as unpriced."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from planner.models.bill import INSTANCES, Line, Unpriced
from planner.models.bill_lines import bill_line
from planner.models.derived import PRICE, Input, Sourced, inputs_of
from planner.models.number import Number, median
from planner.models.sheet import Sheet
from planner.models.tiered_storage import beyond_tiers, tiered_usd
from pricing.book import NotOffered, PriceBook, PriceNotFound
from pricing.offers import HOURS_PER_MONTH, MeteredPrice, Price

T = TypeVar("T")


@dataclass
class Ledger:
    """Collects the lines of one scenario; a look-up that fails becomes an unpriced line, never a zero.

    A line that is not registered in `planner.models.bill_lines` raises UnknownBillLine.

    sheet: where the lines' own numbers are worked out; while nothing is kept there, lines keep no inputs either.
    """

    book: PriceBook
    region: str
    sheet: Sheet = field(default_factory=Sheet)
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
        inputs: Mapping[str, Sourced],
        unit: str = "",
        usd: Number | None = None,
        list_usd: Number | None = None,
        usd_per_hour: Number | None = None,
        pricing_category: str = "Standard",
        note: str = "",
    ) -> None:
        """One priced line. usd: effective unit price where it is not the price itself (discount, tiers).

        inputs: of the equation; one given as (None, PRICE) is that unit price.
        """
        bill_line(line)
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
                pricing_category=pricing_category,
                note=note,
                price_note=price.note,
                inputs=self._inputs(line, equation, inputs, effective),
            )
        )

    def _inputs(self, line: str, equation: str, given: Mapping[str, Sourced], usd: Number) -> tuple[Input, ...]:
        if not self.sheet.recording:
            return ()
        own = {
            name: (usd if what[0] is None else what[0], PRICE + line) if what[1] == PRICE else what
            for name, what in given.items()
        }
        return inputs_of(equation, own)

    def assumed(
        self,
        line: str,
        *,
        equation: str,
        quantity: Number,
        unit: str,
        usd: Number,
        source: str,
        inputs: Mapping[str, Sourced],
        year: str = "",
        service: str = "people",
        list_usd: Number | None = None,
        usd_per_hour: Number | None = None,
        pricing_category: str = "Standard",
        note: str = "",
    ) -> None:
        """A line whose quantity or unit price is an assumption. service: on whose bill it is, AWS's or none.
        source, year: of the assumption. list_usd: where another price is the list's."""
        bill_line(line)
        self.lines.append(
            Line(
                line=line,
                service=service,
                equation=equation,
                quantity=quantity,
                unit=unit,
                list_unit_price=usd if list_usd is None else list_usd,
                effective_unit_price=usd,
                usd_per_hour=usd_per_hour,
                price_source=source,
                price_date=year,
                price_grade=None,
                basis="assumption",
                pricing_category=pricing_category,
                note=note,
                inputs=self._inputs(line, equation, inputs, usd),
            )
        )

    def metered(
        self,
        line: str,
        item: tuple[str, str],
        *,
        equation: str,
        quantity: Number,
        inputs: Mapping[str, Sourced],
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
        found = self.look_up(line, lambda: self.book.metered(service, name, region or self.region, offering), service)
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
            inputs=inputs,
            usd=unit_usd,
            usd_per_hour=per_hour,
        )

    def refused_beyond(self, line: str, found: MeteredPrice, monthly: Number) -> bool:
        """Record a line as unpriced if its monthly quantity is above the last tier in the book."""
        largest = median(monthly)
        if not beyond_tiers(largest, as_tiers(found)):
            return False
        what = f"{found.service} {found.item} in {found.region} above {found.tiers[-1].tier_to:,.0f} GB a month"
        known = tuple(f"{t.tier_from:,.0f}-{t.tier_to:,.0f} GB: {t.usd:g} USD" for t in found.tiers[-2:])
        self.unpriced.append(Unpriced(line=line, what=what, nearest=known, service=found.service))
        return True

    def look_up(self, line: str, question: Callable[[], T], service: str = INSTANCES) -> T | None:
        """The answer of the price book, or None after recording the line as unpriced or as not offered by AWS."""
        bill_line(line)
        try:
            return question()
        except NotOffered as missing:
            self.not_offered.append(f"{missing.asked}: {missing.because}")
        except PriceNotFound as missing:
            entry = Unpriced(line=line, what=missing.asked, nearest=missing.nearest, service=service)
            self.unpriced.append(entry)
        return None


def as_tiers(found: MeteredPrice) -> tuple[tuple[float, float, float], ...]:
    """A metered price as (from GB, to GB, USD per GB)."""
    return tuple((tier.tier_from, tier.tier_to, tier.usd) for tier in found.tiers)


def used_tiers(found: MeteredPrice, monthly: Number) -> tuple[Price, ...]:
    """The tiers that a month's quantity reaches; the first one always."""
    largest = median(monthly)
    return tuple(tier for tier in found.tiers if tier.tier_from < largest) or found.tiers[:1]


def worst(tiers: tuple[Price, ...]) -> Price:
    """The tier with the least reliable price: carried back, then by grade, then by age."""
    return max(tiers, key=lambda t: (t.carried_back, t.grade, t.basis.value == "carried", -t.observed.toordinal()))


def blend(cost: Number, quantity: Number, when_nothing: Number) -> Number:
    """Mean unit price of a tiered quantity; the first tier's price if the quantity is 0."""
    safe = np.where(np.asarray(quantity) > 0, quantity, 1.0)
    return np.where(np.asarray(quantity) > 0, np.asarray(cost) / safe, when_nothing)[()]
