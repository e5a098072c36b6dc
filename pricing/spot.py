"""Spot: the price to plan with, from the observed prices of a Region's zones. Never the minimum."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from pricing.offers import OBSERVED_WITHIN_DAYS, Price, SpotOffer


def median(values: Sequence[float]) -> float:
    """The middle value, or the mean of the two in the middle."""
    ordered = sorted(values)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def offer(
    seen: Sequence[tuple[str, str, Price]], instance_type: str, region: str, zone_id: str | None
) -> SpotOffer | None:
    """The offer from (zone ID, item, price) rows up to the book's date; None if nothing can be planned with.

    With a zone: that zone's newest price. Without: the median over the zones of the newest date, or a mean over zones
    that a source states, if it is more than 45 days newer than every zone price: until then the zones say more, since
    one zone without spare capacity, at the On-Demand price, moves the mean but not the median. A lowest or highest
    price alone is not a price to plan with.
    """
    zones = [(zone, price) for zone, item, price in seen if item == "zone"]
    means = [price for _, item, price in seen if item == "mean"]
    if zone_id is not None:
        mine = [price for zone, price in zones if zone == zone_id]
        planned = max(mine, key=lambda price: price.observed) if mine else None
    else:
        planned = _over_zones([price for _, price in zones], means)
    if planned is None:
        return None
    # whole-Region figures have their item as the name, so that they are not taken for a zone
    observations = tuple((zone or f"{region} {item}", price) for zone, item, price in seen)
    return SpotOffer(
        instance_type=instance_type,
        region=region,
        planned=planned,
        zone_id=zone_id,
        observations=observations,
    )


def _over_zones(zones: list[Price], means: list[Price]) -> Price | None:
    if not zones and not means:
        return None
    newest = max((price.observed for price in zones), default=None)
    mean = max(means, key=lambda price: price.observed, default=None)
    if mean and (newest is None or mean.observed > newest + timedelta(days=OBSERVED_WITHIN_DAYS)):
        return replace(mean, note="; ".join(part for part in ("mean over zones", mean.note) if part))
    latest = [price for price in zones if price.observed == newest]
    low, high = min(price.usd for price in latest), max(price.usd for price in latest)
    middle = round(median([price.usd for price in latest]), 6)
    worst = max(price.grade for price in latest)
    note = f"median of {len(latest)} zone{'s' if len(latest) > 1 else ''}, {low:g} to {high:g}"
    return replace(latest[0], usd=middle, grade=worst, note=note)
