"""Collects the lines of one scenario's bill, each priced from the book or noted as unpriced."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date

import numpy as np

from planner.models.bill import Line
from planner.models.bill_lines import bill_line
from planner.models.derived import PRICE, Input, Sourced, inputs_of
from planner.models.number import Number
from planner.models.price_quotes import PriceQuotes
from planner.models.quote import Quote, unit_usd
from planner.models.tiered_storage import Tiers
from pricing.offers import HOURS_PER_MONTH, Price


@dataclass
class Ledger(PriceQuotes):
    """Collects the lines of one scenario; a look-up that fails becomes a bounded line if other Regions have a price,
    else an unpriced one, never a zero.

    A line that is not registered in `planner.models.bill_lines` raises UnknownBillLine.

    sheet: where the lines' own numbers are worked out; while nothing is kept there, lines keep no inputs either.
    """

    lines: list[Line] = field(default_factory=list)
    _summed: tuple[int, Number] = (0, 0.0)

    @property
    def cost_usd(self) -> Number:
        """The sum of the lines so far, worked out again only after another one."""
        if self._summed[0] != len(self.lines):
            self._summed = len(self.lines), sum(line.effective_cost for line in self.lines)
        return self._summed[1]

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
        bounds_usd: tuple[Number, Number] | None = None,
        pricing_category: str = "Standard",
        note: str = "",
    ) -> None:
        """One priced line. usd: effective unit price where it is not the price itself (discount, tiers).

        bounds_usd: between which it lies if the price is bounded. inputs: of the equation; one given as (None, PRICE)
        is that unit price.
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
                price_grade=price.grade or None,
                basis=price.basis.value,
                carried_back=price.carried_back,
                pricing_category=pricing_category,
                note=note,
                price_note=price.note,
                bounds_usd=bounds_usd,
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
        year: date | str = "",
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
        months = 1.0 if hours is None else np.maximum(hours / HOURS_PER_MONTH, 1.0)
        monthly = quantity if hours is None else quantity / months
        quote = self.quote(line, item, monthly, offering=offering, region=region)
        if quote is not None:
            self.quoted(
                line,
                quote,
                equation=equation,
                quantity=quantity,
                inputs=inputs,
                cost=lambda tiers: unit_usd(tiers, quantity, months),
                monthly=monthly,
                standing=standing,
            )

    def quoted(
        self,
        line: str,
        quote: Quote,
        *,
        equation: str,
        quantity: Number,
        inputs: Mapping[str, Sourced],
        cost: Callable[[Tiers], Number],
        monthly: Number = 0.0,
        standing: Number | None = None,
        note: str = "",
    ) -> None:
        """A line at a quoted price. cost: the unit price by the tiers of the price. monthly: the quantity of a month,
        which decides the tiers that are named as the source. standing: as in `metered`."""
        usd = quote.usd(cost)
        self.add(
            line,
            service=quote.price.service,
            equation=equation,
            quantity=quantity,
            price=quote.evidence(monthly),
            inputs=inputs,
            usd=usd,
            usd_per_hour=None
            if standing is None
            else standing * usd / (1 if quote.price.unit == "Hrs" else HOURS_PER_MONTH),
            bounds_usd=quote.bounds(cost),
            note=note,
        )
