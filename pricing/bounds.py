"""Bounds of a price that a Region lacks: the lowest and the highest of the Regions whose price is known.

Every tier has its own bounds: tiers that the Region itself has keep their price, the others lie between the Regions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from pricing.offers import Basis, MeteredPrice, Price

FEWEST_REGIONS = 2  # one other Region shows no range


@dataclass(frozen=True, kw_only=True)
class PriceBounds:
    """A price between two others, with the same tiers in both."""

    low: MeteredPrice
    high: MeteredPrice


def bounds(
    own: Sequence[Price],
    others: Mapping[str, Sequence[Price]],
    service: str,
    item: str,
    region: str,
    offering: str = "",
) -> PriceBounds | None:
    """Bounds from the Regions in `others`; None with fewer than two of them.

    own: lower tiers that the Region itself has, which need no bounds. Each ladder of tiers begins at 0.
    """
    known = own[-1].tier_to if own else 0.0
    usable = {name: tiers for name, tiers in others.items() if tiers and tiers[-1].tier_to > known}
    if len(usable) < FEWEST_REGIONS:
        return None
    ends = {known, *(end for tiers in usable.values() for tier in tiers for end in (tier.tier_from, tier.tier_to))}
    low, high = list(own), list(own)
    for start, end in pairwise(sorted(end for end in ends if end >= known)):
        seen = {
            name: tier for name, tiers in usable.items() for tier in tiers if tier.tier_from <= start < tier.tier_to
        }
        lowest, highest = (pick(seen, key=lambda name: (seen[name].usd, name)) for pick in (min, max))
        source = (
            f"{_between(seen[lowest], lowest, seen[highest], highest)}, the lowest and the highest of {len(seen)} "
            f"Regions; the price book has no price of {region}"
        )
        for name, ladder in ((lowest, low), (highest, high)):
            ladder.append(
                Price(
                    usd=seen[name].usd,
                    unit=seen[name].unit,
                    observed=min(seen[lowest].observed, seen[highest].observed),
                    grade=max(seen[lowest].grade, seen[highest].grade),
                    source=source,
                    basis=Basis.BOUNDED,
                    tier_from=start,
                    tier_to=end,
                )
            )

    def ladder_of(tiers: list[Price]) -> MeteredPrice:
        return MeteredPrice(service=service, region=region, item=item, offering=offering, tiers=tuple(tiers))

    return PriceBounds(low=ladder_of(low), high=ladder_of(high))


def _between(low: Price, lowest: str, high: Price, highest: str) -> str:
    if low.usd == high.usd:
        return f"{low.usd:g} USD"
    return f"between {low.usd:g} USD in {lowest} and {high.usd:g} USD in {highest}"
