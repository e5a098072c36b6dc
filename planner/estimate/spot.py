"""Spot: how often a node is reclaimed and what it costs, on central values and in draws."""

from __future__ import annotations

import numpy as np

from planner.models.interruptions import spot_hazard
from planner.models.number import Number
from planner.models.sheet import UNRECORDED, Sheet
from planner.models.values import Z_95, Values
from pricing.book import PriceBook, PriceNotFound
from pricing.offers import InterruptionBand, SpotOffer

PRICE_STREAM, INTERRUPTION_STREAM = "spot.price", "spot.hazard"  # streams of draws that no assumption has
HAZARD = "run:goodput.hazard_per_node_hour"
OPEN_BAND_FRACTION = 0.30  # the advisor's band "> 20 %" has no upper edge; it counts as 30 % a month


def advised_interruption_rate(band: InterruptionBand, values: Values, sheet: Sheet = UNRECORDED) -> Number:
    """Reclaims of one spot node an hour. Central: the upper edge of the advisor's band; high: the scarce pools of the
    published traces; low: the lower edge."""
    upper = OPEN_BAND_FRACTION if band.upper_fraction >= 1 else band.upper_fraction
    edge = f"rule:Spot Advisor of {band.observed}: upper edge of the band {band.label}; the open one counts as 30 %"
    central = sheet.equation("goodput.hazard_advised", spot_hazard, monthly_reclaim_fraction=(upper, edge))
    scarce, origin = values.given_central("spot.scarce_losses_per_node_day")
    lower = spot_hazard(monthly_reclaim_fraction=max(band.lower_fraction, 0.01))
    return sheet.arithmetic(
        HAZARD.removeprefix("run:"),
        _around(central, lower, scarce / 24, values),
        "1/h per node",
        "advised",
        "the range goes from the lower edge of the band to the scarce pools of the published traces",
        advised=(central, "run:goodput.hazard_advised", "1/h per node"),
        scarce=(scarce, origin, "1/(node-day)"),
    )


def planned_interruption_rate(interruptions_per_node_day: float, values: Values, sheet: Sheet = UNRECORDED) -> Number:
    """Reclaims of one spot node an hour where the plan states them, as far apart as the published traces are."""
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
    """What the book knows of a type's spot prices; None where that is nothing to plan with."""
    try:
        return book.spot(instance_type, region, zone_id)
    except PriceNotFound:
        return None


def spot_price(offer: SpotOffer | None, values: Values, own: float | None = None) -> Number:
    """The planned price, or for draws one of all prices observed, each zone and date alike.

    own: the plan's own price instead; draws lie as far around it as those observed around the book's. Raises
    ValueError where there is neither.
    """
    if offer is None:
        if own is None:
            raise ValueError("neither the book nor the plan has a spot price")
        return own
    if not values.draws and PRICE_STREAM not in values.pinned:
        return offer.planned.usd if own is None else own
    seen = np.array(sorted(price.usd for _, price in offer.observations))
    drawn = seen[(np.asarray(values.uniform(PRICE_STREAM)) * len(seen)).astype(int)][()]
    return drawn if own is None else drawn * (own / offer.planned.usd)
