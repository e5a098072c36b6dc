"""Spot: prices by zone over a window, and Spot Advisor's bands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from pricing.parse import BANDS
from pricing.price_list.product import BadPriceList
from pricing.update.compute import HOUR
from pricing.update.rows import Findings, Provenance, decimal_of, price_row, written

WEEK = timedelta(days=7)
_DIGITS = Decimal("0.0001")


def spot_rows(
    history: Iterable[Mapping[str, Any]],
    zone_ids: Mapping[str, str],
    region: str,
    end: datetime,
    weeks: int,
    seen: Provenance,
) -> Findings:
    """Rows of `spot`: the mean over time of each type, zone and week, with its range in the note; never the minimum.

    history: entries of DescribeSpotPriceHistory, each the price from its Timestamp on. zone_ids: name -> id, since
    names differ between accounts. end: end of the last week. A zone without a known id is a problem and gives no row.
    """
    series: dict[tuple[str, str], list[tuple[datetime, Decimal]]] = {}
    problems: list[str] = []
    for entry in history:
        name, zone = entry.get("InstanceType", ""), entry.get("AvailabilityZone", "")
        zone_id = entry.get("AvailabilityZoneId") or zone_ids.get(zone, "")
        usd, when = decimal_of(entry.get("SpotPrice", "")), entry.get("Timestamp")
        if not zone_id:
            problems.append(f"spot in {zone or 'a zone without a name'}: its zone id is not known")
        elif not usd or not name or not isinstance(when, datetime):
            problems.append(f"spot of {name or 'no type'} in {zone_id}: {entry.get('SpotPrice')!r} is no price")
        else:
            moment = when if when.tzinfo else when.replace(tzinfo=UTC)
            series.setdefault((name, zone_id), []).append((moment, usd))
    rows: list[dict[str, str]] = []
    for (name, zone_id), changes in sorted(series.items()):
        changes.sort()
        for number in reversed(range(weeks)):
            last = end - number * WEEK
            if found := _week(changes, last - WEEK, last):
                mean, low, high, count = found
                note = ""
                if low != high:
                    note = f"mean of 7 days, {written(low)} to {written(high)}, {count} changes"
                place = {"instance_type": name, "region": region, "zone_id": zone_id, "item": "zone"}
                row = price_row(place, mean, HOUR, seen, note)
                rows.append({**row, "observed": last.date().isoformat()})
    return Findings(rows={"spot": rows}, problems=tuple(dict.fromkeys(problems)))


def _week(
    changes: list[tuple[datetime, Decimal]], begin: datetime, end: datetime
) -> tuple[Decimal, Decimal, Decimal, int] | None:
    """Mean over time, lowest, highest and number of changes within a span; None where no price is known."""
    weighted, seconds, inside = Decimal(0), 0.0, 0
    prices: list[Decimal] = []
    for index, (since, usd) in enumerate(changes):
        until = changes[index + 1][0] if index + 1 < len(changes) else end
        lasts = (min(until, end) - max(since, begin)).total_seconds()
        if lasts > 0:
            weighted += usd * Decimal(lasts)
            seconds += lasts
            prices.append(usd)
            inside += begin < since < end
    if not prices:
        return None
    low, high = min(prices), max(prices)
    mean = low if low == high else (weighted / Decimal(seconds)).quantize(_DIGITS)
    return mean, low, high, inside


def advisor_rows(feed: Mapping[str, Any], regions: Iterable[str] | None, seen: Provenance) -> Findings:
    """Rows of `interruptions` for Linux. feed: Spot Advisor's JSON. Its savings are no prices and are not read.

    Raises BadPriceList where the feed has another form.
    """
    wanted = None if regions is None else set(regions)
    try:
        labels = {one["index"]: one["label"] for one in feed["ranges"]}
        unknown = sorted(set(labels.values()) - BANDS.keys())
        if unknown:
            raise BadPriceList(f"Spot Advisor has bands that are not known: {', '.join(unknown)}")
        rows = [
            {
                "instance_type": name,
                "region": region,
                "label": labels[said["r"]],
                "observed": seen.observed.isoformat(),
                "carried": "",
                "source": seen.source,
            }
            for region, systems in feed["spot_advisor"].items()
            if wanted is None or region in wanted
            for name, said in systems.get("Linux", {}).items()
        ]
    except (KeyError, TypeError, AttributeError) as error:
        raise BadPriceList(f"Spot Advisor's data have another form: {error!r}") from None
    return Findings(rows={"interruptions": rows})
