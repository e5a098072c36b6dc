"""The range of spot prices and interruption rates, from observations and from the plan."""

from __future__ import annotations

from planner.decide.enumerate import purchase_options
from planner.estimate.request import Request
from planner.estimate.spot import (
    INTERRUPTION_STREAM,
    PRICE_STREAM,
    advised_market,
    own_rate,
    planned_market,
    spot_offer,
    spot_price,
)
from planner.models.values import Values
from pricing.book import PriceNotFound


def interruption_rate_ends(request: Request) -> tuple[float, float] | None:
    """Spot interruptions per node and day at the 5th and the 95th percentile, if the plan sets them.

    None if they are Spot Advisor's: their range is from single nodes to whole gangs, which is not one unit; and none
    if they are of whole gangs.
    """
    own = own_rate(request.plan.reliability)
    if own is None or own.wait_hours is not None:
        return None
    low, high = (
        float(planned_market(own, Values(table=request.table(), pinned={INTERRUPTION_STREAM: share})).node_hazard[0])
        for share in (0.05, 0.95)
    )
    return low * 24, high * 24


def price_ends(request: Request) -> tuple[float, float] | None:
    """Observed spot price of a node at the 5th and the 95th percentile, USD/h; None for several instance types."""
    found = spot_usd_per_hour(request)
    return None if found is None else (found[0], found[2])


def spot_usd_per_hour(request: Request) -> tuple[float, float, float] | None:
    """USD per hour of a spot node at the 5th percentile, as planned, and at the 95th.

    None if the plan has no spot, if no price is known, or if there are several instance types.
    """
    plan = request.plan
    own, types = plan.purchase.spot_usd_per_hour, plan.fleet.instance_types
    if not on_spot(request) or len(types) != 1:
        return None
    offer = spot_offer(request.book, types[0], plan.region, plan.purchase.zone_id)
    if offer is None and own is None:
        return None
    low, high = (
        float(spot_price(offer, Values(table=request.table(), pinned={PRICE_STREAM: share}), own))
        for share in (0.05, 0.95)
    )
    return low, float(spot_price(offer, Values(table=request.table()), own)), high


def on_spot(request: Request) -> bool:
    """Whether the plan compares spot."""
    return any(option.starts_on_spot for option in purchase_options(request.plan))


def interruption_rates(request: Request) -> list[float]:
    """Planned spot interruptions per node and day of each instance type: the plan's own rate, else Spot Advisor's."""
    values = Values(table=request.table())
    own, found = own_rate(request.plan.reliability), []
    if own is not None and own.wait_hours is not None:
        return []
    if own is not None:
        return [float(planned_market(own, values).node_hazard[0]) * 24]
    for name in request.plan.fleet.instance_types:
        try:
            band = request.book.interruption(name, request.plan.region)
        except PriceNotFound:
            continue
        found.append(float(advised_market(band, values).node_hazard[0]) * 24)
    return found
