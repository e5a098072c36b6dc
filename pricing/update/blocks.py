"""The price of an hour in a Capacity Block, out of answers of DescribeCapacityBlockOfferings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from statistics import median
from typing import Any

from pricing.update.compute import HOUR
from pricing.update.rows import Findings, Provenance, decimal_of, price_row, written

_DIGITS = Decimal("0.000001")


def block_rows(offers: Iterable[Mapping[str, Any]], region: str, seen: Provenance) -> Findings:
    """One row of `capacity_blocks` for each type: the median over the offers, and their range in the note.

    An offer without a fee, with a fee of zero or in another currency is a problem, not a price.
    """
    hourly: dict[str, list[Decimal]] = {}
    problems: list[str] = []
    for offer in offers:
        name, count, hours = (
            offer.get("InstanceType", ""),
            offer.get("InstanceCount", 0),
            offer.get("CapacityBlockDurationHours", 0),
        )
        fee = decimal_of(offer.get("UpfrontFee", ""))
        if not fee or offer.get("CurrencyCode") != "USD" or not name or not count or not hours:
            what = f"{offer.get('UpfrontFee')!r} {offer.get('CurrencyCode')} for {count} x {hours} h"
            problems.append(f"an offer of a Capacity Block of {name or 'no type'} in {region}: {what} is no price")
            continue
        hourly.setdefault(name, []).append(fee / (count * hours))
    rows: list[dict[str, str]] = []
    for name, found in sorted(hourly.items()):
        low, high = (written(pick(found).quantize(_DIGITS)) for pick in (min, max))
        note = f"median of {len(found)} offers, {low} to {high}" if low != high else ""
        place = {"instance_type": name, "region": region}
        rows.append(price_row(place, Decimal(median(found)).quantize(_DIGITS), HOUR, seen, note))
    return Findings(rows={"capacity_blocks": rows}, problems=tuple(dict.fromkeys(problems)))
