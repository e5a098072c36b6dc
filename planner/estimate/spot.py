"""Spot: interruption rate and price of a node, at central values and in draws."""

from __future__ import annotations

import numpy as np

from planner.models.interruptions import spot_hazard
from planner.models.number import Number
from planner.models.sheet import UNRECORDED, Sheet
from planner.models.values import Z_95, Values
from pricing.book import PriceBook, PriceNotFound
from pricing.offers import InterruptionBand, SpotOffer

PRICE_STREAM, INTERRUPTION_STREAM = "spot.price", "spot.hazard"  # streams of draws without an assumption
HAZARD = "run:goodput.hazard_per_node_hour"
OPEN_BAND_FRACTION = 0.30  # the band "> 20 %" of Spot Advisor has no upper end; it counts as 30 % per month


def advised_interruption_rate(band: InterruptionBand, values: Values, sheet: Sheet = UNRECORDED) -> Number:
    """Interruptions per spot node and hour.

    Central: the upper end of Spot Advisor's band; high: scarce capacity in the published traces; low: the lower end of
    the band.
    """
    upper = OPEN_BAND_FRACTION if band.upper_fraction >= 1 else band.upper_fraction
    edge = f"rule:Spot Advisor of {band.observed}: upper end of the band {band.label}; an open band ends at 30 %"
    central = sheet.equation("goodput.hazard_advised", spot_hazard, monthly_reclaim_fraction=(upper, edge))
    scarce, origin = values.given_central("spot.scarce_losses_per_node_day")
    lower = spot_hazard(monthly_reclaim_fraction=max(band.lower_fraction, 0.01))
    return sheet.arithmetic(
        HAZARD.removeprefix("run:"),
        _around(central, lower, scarce / 24, values),
        "1/h per node",
        "advised",
        "the range is from the lower end of the band to scarce capacity in the published traces",
        advised=(central, "run:goodput.hazard_advised", "1/h per node"),
        scarce=(scarce, origin, "1/(node-day)"),
    )


def planned_interruption_rate(interruptions_per_node_day: float, values: Values, sheet: Sheet = UNRECORDED) -> Number:
    """Interruptions per spot node and hour if the plan sets them, with a range as wide as that of the published
    traces."""
    central = interruptions_per_node_day / 24
    traces = values.table["spot.scarce_losses_per_node_day"]
    values.used.add(traces.key)
    low, high = central * traces.low / traces.value, central * traces.high / traces.value
    return sheet.arithmetic(
        HAZARD.removeprefix("run:"),
        _around(central, low, high, values) if central else 0.0,
        "1/h per node",
        "own / 24",
        "the range is as wide as that of the published traces",
        own=(interruptions_per_node_day, "plan:reliability.spot_reclaims_per_node_day", "1/(node-day)"),
    )


def _around(central: float, low: float, high: float, values: Values) -> Number:
    """Log-normal on each side, with low and high as the 5th and 95th percentile."""
    z = values.normal(INTERRUPTION_STREAM)
    side = np.where(np.asarray(z) > 0, np.log(high / central), np.log(central / low)) / Z_95
    return (central * np.exp(side * z))[()]


def spot_offer(book: PriceBook, instance_type: str, region: str, zone_id: str | None) -> SpotOffer | None:
    """The book's spot prices of a type; None if there are none."""
    try:
        return book.spot(instance_type, region, zone_id)
    except PriceNotFound:
        return None


def spot_price(offer: SpotOffer | None, values: Values, own: float | None = None) -> Number:
    """The planned price; for draws, one of all observed prices, with equal weight for each zone and date.

    own: the plan's own price; its draws vary as much around it as the observed prices around the book's. Raises
    ValueError if there is no price.
    """
    if offer is None:
        if own is None:
            raise ValueError("neither the price book nor the plan has a spot price")
        return own
    if not values.draws and PRICE_STREAM not in values.pinned:
        return offer.planned.usd if own is None else own
    seen = np.array(sorted(price.usd for _, price in offer.observations))
    drawn = seen[(np.asarray(values.uniform(PRICE_STREAM)) * len(seen)).astype(int)][()]
    return drawn if own is None else drawn * (own / offer.planned.usd)
