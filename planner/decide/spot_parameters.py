"""The range of spot prices and interruption rates, from observations and from the plan."""

from __future__ import annotations

from statistics import NormalDist

from planner.decide.enumerate import purchase_options
from planner.estimate.request import Request
from planner.estimate.spot import (
    INTERRUPTION_STREAM,
    PRICE_STREAM,
    advised_interruption_rate,
    planned_interruption_rate,
    spot_offer,
    spot_price,
)
from planner.models.values import Values
from pricing.book import PriceNotFound

_NORMAL = NormalDist()


def interruption_rate_ends(request: Request) -> tuple[float, float] | None:
    """Spot interruptions per node and day at the 5th and the 95th percentile; None for several instance types."""
    if len(request.plan.fleet.instance_types) != 1:
        return None
    found = []
    for share in (0.05, 0.95):
        rates = interruption_rates(
            request, Values(table=request.table(), pinned={INTERRUPTION_STREAM: _NORMAL.inv_cdf(share)})
        )
        if not rates:
            return None
        found.append(rates[0])
    return found[0], found[1]


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
    return any(option.family == "spot" for option in purchase_options(request.plan))


def interruption_rates(request: Request, values: Values | None = None) -> list[float]:
    """Spot interruptions per node and day of each instance type: the plan's own rate, else Spot Advisor's."""
    values = values or Values(table=request.table())
    own, found = request.plan.reliability.spot_reclaims_per_node_day, []
    if own is not None:
        return [float(planned_interruption_rate(own, values)) * 24] if own else []
    for name in request.plan.fleet.instance_types:
        try:
            band = request.book.interruption(name, request.plan.region)
        except PriceNotFound:
            continue
        found.append(float(advised_interruption_rate(band, values)) * 24)
    return found
