"""The market for spot nodes: price, interruptions and waits, at central values and in draws.

One uniform number per draw says how tight the market is. The tighter it is, the higher are price and interruption rate;
beyond a point the market is scarce: the whole gang is interrupted and waits, as in the published traces.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from statistics import median

import numpy as np

from planner.estimate.choice import LEAST_GANG_DAYS, no_record_of
from planner.models.derived import Sourced
from planner.models.interruptions import spot_hazard
from planner.models.number import Number
from planner.models.observed_rates import observed_rate_high, observed_rate_low
from planner.models.sheet import UNRECORDED, Sheet
from planner.models.values import Z_95, Values
from planner.plan.types import Reliability
from pricing.book import PriceBook, PriceNotFound
from pricing.catalog import InstanceType
from pricing.offers import InterruptionBand, SpotOffer

# streams of draws without an assumption; a central run may pin the first two
PRICE_STREAM, INTERRUPTION_STREAM, MARKET_STREAM = "spot.price", "spot.hazard", "spot.market"
HAZARD, GANG_RATE = "run:goodput.hazard_per_node_hour", "run:goodput.gang_interruptions_per_hour"
SCARCE, FIRST_WAIT = "run:spot.scarce", "run:run.first_wait_hours"
OPEN_BAND_FRACTION = 0.30  # the band "> 20 %" of Spot Advisor has no upper end; it counts as 30 % per month
RECENT_DAYS = 120  # spot prices that are older than this beside the newest one are not of today's market
FEW_ZONES = 3
HISTORY_DAYS = 240  # within one level of prices: p4d and p5 were cut in June 2025


@dataclass(frozen=True, kw_only=True)
class SpotMarket:
    """What interrupts a spot job, each with its origin.

    node_hazard: interruptions per node and hour, independent of each other; survivors stay. gang_rate: interruptions of
    all nodes at once, per hour, however many they are. gang_wait: hours until all nodes are back. first_wait: hours
    until all nodes are there for the first time.
    """

    node_hazard: Sourced
    gang_rate: Sourced
    gang_wait: Sourced
    first_wait: Sourced

    @property
    def interrupts(self) -> bool:
        """Whether there is any interruption, in any draw."""
        return bool(np.any(self.node_hazard[0]) or np.any(self.gang_rate[0]))


_NEVER: Sourced = (0.0, "rule:no spot, so no spot interruptions")
HELD = SpotMarket(node_hazard=_NEVER, gang_rate=_NEVER, gang_wait=_NEVER, first_wait=_NEVER)
Market = Callable[[Values, Sheet], SpotMarket]


def advised_market(band: InterruptionBand, values: Values, sheet: Sheet = UNRECORDED) -> SpotMarket:
    """The market of a type with Spot Advisor's band.

    Planned: calm, at the upper end of the band. Draws: calm, between the ends of the band; or scarce. In a scarce
    market practically every node is interrupted within a month, so no larger share of the draws is scarce than the
    band's upper end; the open band does not bound it.
    """
    tightness, upper = _tightness(values), _upper(band)
    edge = f"rule:Spot Advisor of {band.observed}: upper end of the band {band.label}; an open band ends at 30 %"
    if band.upper_fraction >= 1:
        share: Sourced = values.given("spot.open_band_scarce_fraction")
    else:
        share = (upper, edge)
    sheet.taken("spot.scarce_fraction", "fraction", scarce=share)
    calm = 1.0 - np.asarray(share[0])
    drawn = values.draws or INTERRUPTION_STREAM in values.pinned
    scarce = np.where(tightness > calm, 1.0, 0.0)[()] if drawn else 0.0
    lower = max(band.lower_fraction, 0.01)
    place = np.minimum(tightness / np.maximum(calm, 1e-9), 1.0)
    fraction = lower + (upper - lower) * place if drawn else upper
    sheet.taken("spot.scarce", "fraction", scarce=(scarce, "rule:planned in a calm market; the draws have scarce ones"))
    advised = sheet.equation("goodput.hazard_advised", spot_hazard, monthly_reclaim_fraction=(fraction, edge))
    hazard = sheet.arithmetic(
        HAZARD.removeprefix("run:"),
        advised * (1.0 - scarce),
        "1/h per node",
        "advised * (1 - scarce)",
        "calm: nodes are interrupted one by one; the draws reach from the lower end of the band to its upper end",
        advised=(advised, "run:goodput.hazard_advised", "1/h per node"),
        scarce=(scarce, SCARCE, "fraction"),
    )
    return _with_gangs(hazard, scarce, values, sheet)


@dataclass(frozen=True, kw_only=True)
class OwnRate:
    """Interruptions per node and day that a plan brings. key: of the plan. ends: 5th and 95th percentile; None if the
    plan has a rate without its count. nodes: the largest gang that it is of; without end for a rate. wait_hours: until
    a gang is back; None where single nodes are interrupted, and others take their place."""

    per_node_day: float
    key: str
    ends: tuple[float, float] | None = None
    nodes: float = math.inf
    seen_to: float = math.inf
    wait_hours: float | None = None


def own_rate(reliability: Reliability) -> OwnRate | None:
    """What the plan says of its interruptions on spot, if anything.

    A count without any interruption stands for half of one, and for up to the three that it cannot exclude.
    """
    stated, counted = reliability.spot_reclaims_per_node_day, reliability.spot_observed
    if stated is not None:
        return OwnRate(per_node_day=stated, key="reliability.spot_reclaims_per_node_day")
    if counted is None:
        return None
    exposure = {"events": counted.interruptions, "nodes": counted.node_days, "days": 1.0}
    central = (counted.interruptions or 0.5) / counted.node_days
    high = float(observed_rate_high(**exposure)) / 1000
    low = float(observed_rate_low(**exposure)) / 1000 or central * central / high
    return OwnRate(
        per_node_day=central,
        key="reliability.spot_observed",
        ends=(low, high),
        nodes=counted.nodes,
        seen_to=counted.nodes if counted.node_days >= LEAST_GANG_DAYS * counted.nodes else 0,
        wait_hours=counted.wait_hours,
    )


def planned_market(own: OwnRate, values: Values, sheet: Sheet = UNRECORDED) -> SpotMarket:
    """The market if the plan says how often a node is interrupted: nodes independent, never scarce; or, if it says how
    long a gang waits, whole gangs at that rate, however many nodes they are.

    The range is that of its count; of a rate alone, as wide as that of the published traces.
    """
    if own.ends is None:
        traces = values.table["spot.scarce_losses_per_node_day"]
        values.used.add(traces.key)
        low, high = own.per_node_day * traces.low / traces.value, own.per_node_day * traces.high / traces.value
        width = "the range is as wide as that of the published traces"
    else:
        low, high = own.ends
        width = "the range is that of such a count (equations G27, G28)"
    per_hour = _around(own.per_node_day / 24, low / 24, high / 24, values)
    rate = (own.per_node_day, f"plan:{own.key}", "1/(node-day)")
    gangs = own.wait_hours is not None
    told = (0.0, "0 * own", "whole gangs are interrupted") if gangs else (per_hour, "own / 24", width)
    hazard = sheet.arithmetic(HAZARD.removeprefix("run:"), told[0], "1/h per node", told[1], told[2], own=rate)
    said = "rule:the plan says how often a node is interrupted"
    sheet.taken("spot.scarce", "fraction", scarce=(1.0 if gangs else 0.0, said))
    if own.wait_hours is None:
        return _with_gangs(hazard, 0.0, values, sheet)
    size = (own.nodes, f"plan:{own.key}.nodes", "nodes")
    gang_rate = sheet.arithmetic(
        GANG_RATE.removeprefix("run:"), per_hour * own.nodes, "1/h", "own * nodes / 24", width, own=rate, nodes=size
    )
    wait: Sourced = (own.wait_hours, f"plan:{own.key}.wait")
    first = sheet.arithmetic(
        FIRST_WAIT.removeprefix("run:"),
        own.wait_hours,
        "h",
        "wait",
        "the first gang takes as long as a later one",
        wait=(*wait, "h"),
    )
    return SpotMarket(
        node_hazard=(hazard, HAZARD), gang_rate=(gang_rate, GANG_RATE), gang_wait=wait, first_wait=(first, FIRST_WAIT)
    )


def _with_gangs(hazard: Number, scarce: Number, values: Values, sheet: Sheet) -> SpotMarket:
    """The interruptions and waits of whole gangs, within the ends of the traces."""
    per_day = within_ends("spot.gang_interruptions_per_day", values)
    wait = within_ends("spot.gang_wait_hours", values)
    scarcity = (scarce, SCARCE, "fraction")
    rate = sheet.arithmetic(
        GANG_RATE.removeprefix("run:"),
        scarce * per_day[0] / 24,
        "1/h",
        "scarce * per_day / 24",
        "scarce: all nodes are interrupted at once, however many they are",
        scarce=scarcity,
        per_day=(*per_day, "1/day"),
    )
    first = sheet.arithmetic(
        FIRST_WAIT.removeprefix("run:"),
        scarce * wait[0],
        "h",
        "scarce * gang_wait",
        "scarce: the first gang takes as long as a later one",
        scarce=scarcity,
        gang_wait=(*wait, "h"),
    )
    return SpotMarket(
        node_hazard=(hazard, HAZARD), gang_rate=(rate, GANG_RATE), gang_wait=wait, first_wait=(first, FIRST_WAIT)
    )


def within_ends(key: str, values: Values) -> Sourced:
    """An assumption whose low and high are the ends of what was observed: nothing beyond them is drawn."""
    number, origin = values.given(key)
    return np.clip(number, values.table[key].low, values.table[key].high)[()], origin


def _upper(band: InterruptionBand) -> float:
    return OPEN_BAND_FRACTION if band.upper_fraction >= 1 else band.upper_fraction


def _tightness(values: Values) -> Number:
    """How tight the market is, from 0 to 1: a uniform draw; in a central run, the pinned percentile or the middle."""
    return values.uniform(MARKET_STREAM) if values.draws else values.pinned.get(INTERRUPTION_STREAM, 0.5)


def _around(central: float, low: float, high: float, values: Values) -> Number:
    """Log-normal on each side, with low and high as the ends."""
    if not values.draws and INTERRUPTION_STREAM in values.pinned:
        share = values.pinned[INTERRUPTION_STREAM]
        return float(np.exp(np.interp(share, (0.05, 0.5, 0.95), np.log((low, central, high)))))
    z = np.clip(values.normal(INTERRUPTION_STREAM), -Z_95, Z_95)
    side = np.where(np.asarray(z) > 0, np.log(high / central), np.log(central / low)) / Z_95
    return (central * np.exp(side * z))[()]


def evidence_note(instance: InstanceType, nodes: int, own: OwnRate | None = None) -> str:
    """What is missing to count on these nodes on spot, and what would replace it; "" if nothing is."""
    why = no_record_of(instance, nodes, own.seen_to if own else 0)
    if why and own and not own.seen_to:
        return f"{why}, and reliability.spot_observed covers less than {LEAST_GANG_DAYS:g} days of the whole gang"
    return why and (
        f"{why}: count your own interruptions (CloudWatch, EC2 Capacity Manager, starts in a CUR, or `planner traces "
        "show` of a recording) and write them as reliability.spot_observed"
    )


def spot_offer(book: PriceBook, instance_type: str, region: str, zone_id: str | None) -> SpotOffer | None:
    """The book's spot prices of a type; None if there are none."""
    try:
        return book.spot(instance_type, region, zone_id)
    except PriceNotFound:
        return None


def spot_price(offer: SpotOffer | None, values: Values, own: float | None = None) -> Number:
    """The planned price; for draws, one of today's market, the higher the tighter that market is.

    own: the plan's own price; its draws vary as much around it as the observed prices around the book's. Raises
    ValueError if there is no price.
    """
    if offer is None:
        if own is None:
            raise ValueError("neither the price book nor the plan has a spot price")
        return own
    if not values.draws and PRICE_STREAM not in values.pinned:
        return offer.planned.usd if own is None else own
    seen = np.array(sorted(todays_prices(offer)))
    at = values.uniform(MARKET_STREAM) if values.draws else values.pinned[PRICE_STREAM]
    drawn = seen[np.minimum((np.asarray(at) * len(seen)).astype(int), len(seen) - 1)][()]
    return drawn if own is None else drawn * (own / offer.planned.usd)


def todays_prices(offer: SpotOffer) -> list[float]:
    """USD an hour: of the plan's zone, else of every zone at its newest date.

    Prices from more than 120 days before the planned one are of another market. If no zone has a newer one, the zones
    give the spread around the planned price, which is then a mean over zones. Of one or two zones, the prices of the
    last months give it.
    """
    newest: dict[str, tuple[date, float]] = {}
    for zone, price in offer.observations:
        is_zone = " " not in zone  # figures of a whole region are named "us-east-1 mean"
        if is_zone and offer.zone_id in (None, zone) and price.observed >= newest.get(zone, (date.min, 0.0))[0]:
            newest[zone] = (price.observed, price.usd)
    since = offer.planned.observed - timedelta(days=RECENT_DAYS)
    recent = [usd for observed, usd in newest.values() if observed >= since]
    if 0 < len(recent) < FEW_ZONES:
        # one or two prices of one day say nothing of how far a price moves: as far from it, in both directions, as the
        # zones were in the last months
        begin, now = offer.planned.observed - timedelta(days=HISTORY_DAYS), offer.planned.usd
        past = [price.usd for zone, price in offer.observations if zone in newest and price.observed >= begin]
        recent = [moved for usd in past for moved in (usd, now * now / usd)]
    if recent or not newest:
        return recent or [offer.planned.usd]
    last = max(observed for observed, _ in newest.values())
    then = [usd for observed, usd in newest.values() if observed >= last - timedelta(days=RECENT_DAYS)]
    return [usd * offer.planned.usd / median(then) for usd in then]
