"""Which prices and interruption rates of a comparison are out of date on the day that it is made for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from planner.answer.row import Row
from planner.models.bill_lines import COMPUTE, SPOT_INTERRUPTIONS, bill_line
from pricing.offers import PurchaseOption

EC2_LIMIT_DAYS = 120
METERED_LIMIT_DAYS = 3 * 365
ALL_LINES = "all prices"


@dataclass(frozen=True, kw_only=True)
class StalePrice:
    """A bill line whose price is older than its limit or later than the day, or ALL_LINES of a price book that is.

    purchases: for the GPU nodes, the purchase options with a price of that day; empty for every other line. age_days:
    below 0 where the prices are later.
    """

    line: str
    purchases: tuple[PurchaseOption, ...]
    price_date: date
    age_days: int
    limit_days: int

    @property
    def later(self) -> bool:
        """Whether the prices are later than the day that they are for: nobody can say that they held then."""
        return self.age_days < 0

    @property
    def day(self) -> date:
        """The day that the prices are for."""
        return self.price_date + timedelta(days=self.age_days)


def stale_prices(
    scenarios: Sequence[Row], book: date, as_of: date | None, max_age_days: int | None
) -> tuple[StalePrice, ...]:
    """Prices too old on `as_of`: those of nodes and of EC2 beyond 120 days, metered ones beyond three years, or all
    beyond `max_age_days`; and prices of the plan that are later than it.

    book: its date; a book later than `as_of` comes first, then the oldest price. None without a day to count from.
    """
    if as_of is None:
        return ()
    purchases: dict[tuple[str, date, int], set[PurchaseOption]] = {}
    for scenario in scenarios:
        observed = scenario.interruptions_observed
        limit = EC2_LIMIT_DAYS if max_age_days is None else max_age_days
        if observed is not None and (as_of - observed).days > limit:
            purchases.setdefault((SPOT_INTERRUPTIONS, observed, limit), set())
        for line in scenario.bill:
            if not isinstance(line.price_date, date):
                continue
            of_nodes = bill_line(line.line).family == "gpu-nodes"
            limit = EC2_LIMIT_DAYS if of_nodes or line.service == "AmazonEC2" else METERED_LIMIT_DAYS
            limit = limit if max_age_days is None else max_age_days
            # what is carried back in time says so itself, and a book that is later is one entry for all its prices
            later = line.price_date > max(as_of, book) and not line.carried_back
            if (as_of - line.price_date).days <= limit and not later:
                continue
            found = purchases.setdefault((COMPUTE if of_nodes else line.line, line.price_date, limit), set())
            found |= {scenario.option} if of_nodes and scenario.option else set()
    stale = [
        StalePrice(
            line=line,
            purchases=tuple(sorted(options, key=lambda option: option.id)),
            price_date=observed,
            age_days=(as_of - observed).days,
            limit_days=limit,
        )
        for (line, observed, limit), options in purchases.items()
    ]
    if as_of < book:
        days = (as_of - book).days
        stale.append(StalePrice(line=ALL_LINES, purchases=(), price_date=book, age_days=days, limit_days=0))
    return tuple(sorted(stale, key=_order))


def _order(entry: StalePrice) -> tuple[bool, bool, int, str, int]:
    return entry.line != ALL_LINES, not entry.later, -entry.age_days, entry.line, entry.limit_days
