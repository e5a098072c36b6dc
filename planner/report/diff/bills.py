"""The difference between two bills, line by line, split into the effects of quantity and of price.

For a line that both bills have, with quantity q and unit price p before, and Q and P after:

    quantity effect = (Q - q) x (p + P) / 2
    price effect    = (P - p) x (q + Q) / 2

The two add up to QP - qp, and swapping before and after only changes their sign. The unit price of a tiered line is
the mean over its tiers, so a larger quantity at a lower mean has both effects. Lines that were added or removed, or
whose price became known or unknown, have no such split; the latter are neither a saving nor a cost.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

SAME = 1e-9  # figures within one part in a billion, or within two micro-dollars, are the same
SAME_USD = 2e-6

Document = Mapping[str, Any]


def same(before: float | None, after: float | None) -> bool:
    """Whether two figures are the same, apart from rounding."""
    if before is None or after is None:
        return before is after
    return math.isclose(before, after, rel_tol=SAME, abs_tol=SAME_USD)


@dataclass(frozen=True, kw_only=True)
class LineChange:
    """One line before and after; None if a side does not have it.

    status: "same" | "changed" | "added" | "removed" | "price found" | "price lost".
    """

    line: str
    unit: str
    status: str
    quantity_before: float | None
    quantity_after: float | None
    unit_price_before_usd: float | None
    unit_price_after_usd: float | None
    price_date_before: str | None
    price_date_after: str | None
    cost_before_usd: float | None
    cost_after_usd: float | None
    change_usd: float
    quantity_effect_usd: float | None
    price_effect_usd: float | None


@dataclass(frozen=True, kw_only=True)
class BillChange:
    """Two bills compared. The six parts add up to known_change_usd: the change of the lines with a price, which is the
    change of the total only if `exact`."""

    before: str
    after: str
    exact: bool
    known_change_usd: float
    quantity_effect_usd: float
    price_effect_usd: float
    added_usd: float
    removed_usd: float
    price_found_usd: float
    price_lost_usd: float
    lines: tuple[LineChange, ...]
    unpriced_before: tuple[str, ...]
    unpriced_after: tuple[str, ...]


def split(
    quantity_before: float, price_before: float, quantity_after: float, price_after: float, change: float
) -> tuple[float, float]:
    """(quantity effect, price effect) of a change in USD, to a micro-dollar; together they are the change.

    A rounding difference is added to the price effect, unless quantity or price did not change at all.
    """
    if price_before == price_after:
        return change, 0.0
    if quantity_before == quantity_after:
        return 0.0, change
    quantity = round((quantity_after - quantity_before) * (price_before / 2 + price_after / 2), 6)
    return quantity, round(change - quantity, 6)


def bill_change(before: Document, after: Document, unpriced_before: Sequence[str], unpriced_after: Sequence[str]):
    """The difference of two scenarios' bills. unpriced: names of their lines without a price."""
    old, new = _keyed(before["bill"]), _keyed(after["bill"])
    lines = []
    for key in dict.fromkeys([*old, *new]):
        lost = key in old and key[0] in unpriced_after
        found = key in new and key[0] in unpriced_before
        lines.append(_line(key, old.get(key), new.get(key), lost, found))
    sums = {
        status: _sum(line.change_usd for line in lines if line.status == status)
        for status in ("added", "removed", "price found", "price lost")
    }
    return BillChange(
        before=before["id"],
        after=after["id"],
        exact=not unpriced_before and not unpriced_after,
        known_change_usd=_sum(line.change_usd for line in lines),
        quantity_effect_usd=_sum(line.quantity_effect_usd or 0.0 for line in lines),
        price_effect_usd=_sum(line.price_effect_usd or 0.0 for line in lines),
        added_usd=sums["added"],
        removed_usd=sums["removed"],
        price_found_usd=sums["price found"],
        price_lost_usd=sums["price lost"],
        lines=tuple(lines),
        unpriced_before=tuple(unpriced_before),
        unpriced_after=tuple(unpriced_after),
    )


def _keyed(bill: Sequence[Document]) -> dict[tuple[str, str, int], Document]:
    """Lines by name, unit and how many lines before have the same name and unit."""
    found: dict[tuple[str, str, int], Document] = {}
    counts: dict[tuple[str, str], int] = {}
    for line in bill:
        name = line["line"], line["pricing_unit"]
        counts[name] = counts.get(name, -1) + 1
        found[(*name, counts[name])] = line
    return found


def _line(
    key: tuple[str, str, int], before: Document | None, after: Document | None, lost: bool, found: bool
) -> LineChange:
    old, new = before or {}, after or {}
    change = round(new.get("effective_cost", 0.0) - old.get("effective_cost", 0.0), 6)
    quantity = price = None
    if before is not None and after is not None:
        facts = ("pricing_quantity", "effective_unit_price", "effective_cost")
        status = "same" if all(same(before[fact], after[fact]) for fact in facts) else "changed"
        quantity, price = split(
            before["pricing_quantity"],
            before["effective_unit_price"],
            after["pricing_quantity"],
            after["effective_unit_price"],
            change,
        )
    elif before is not None:
        status = "price lost" if lost else "removed"
    else:
        status = "price found" if found else "added"
    return LineChange(
        line=key[0],
        unit=key[1],
        status=status,
        quantity_before=old.get("pricing_quantity"),
        quantity_after=new.get("pricing_quantity"),
        unit_price_before_usd=old.get("effective_unit_price"),
        unit_price_after_usd=new.get("effective_unit_price"),
        price_date_before=old.get("price_date"),
        price_date_after=new.get("price_date"),
        cost_before_usd=old.get("effective_cost"),
        cost_after_usd=new.get("effective_cost"),
        change_usd=change,
        quantity_effect_usd=quantity,
        price_effect_usd=price,
    )


def _sum(values) -> float:
    return round(math.fsum(values), 6)
