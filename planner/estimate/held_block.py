"""What follows the first Capacity Block, or the commitment, of a fleet that is held for a longer time: a further block,
or On-Demand nodes. Its end is known from the first day, so both are asked for in time."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta

import numpy as np

from planner.estimate.block_tail import AFTER, EXTEND, MORE, NONE, SECOND, bill_later_block, granted, tail_rule
from planner.estimate.node_purchase import After, Cash, NodePurchase, on_demand_price
from planner.estimate.uncommitted_purchase import bill_on_demand_hours
from planner.estimate.waiting import found
from planner.models.bill_lines import BLOCK_MORE, COMPUTE_FALLBACK
from planner.models.block_sizes import BLOCK_MAX_DAYS, EXTENDED_FROM_DAYS, SOLD_DAYS, TOGETHER_DAYS, block_parts
from planner.models.compute import BLOCK_LOST_TAIL_HOURS, BLOCK_MAX_NODES
from planner.models.ledger import Ledger
from planner.models.number import Number, median
from planner.models.values import Values
from pricing.book import PriceBook
from pricing.offers import Price

LATER = "block.later"  # the streams of whether AWS sells each further block
CHEAPEST = "rule:a further block, On-Demand nodes, or both: what costs least for the time that is left"


@dataclass(frozen=True, kw_only=True)
class Rates:
    """USD of a node-hour: of a block today, of one later, and On-Demand; None without a price, or where the plan's
    rule does not allow it."""

    block: float | None
    later: float | None
    on_demand: float | None


def rates_of(book: PriceBook, purchase: NodePurchase, region: str, values: Values) -> Rates:
    settings = purchase.settings.capacity_block
    try:
        block = book.capacity_block(purchase.instance.name, region).price.usd
    except LookupError:
        block = None
    listed = on_demand_price(book, purchase.instance.name, region)
    may_follow = tail_rule(settings) == EXTEND and block is not None and purchase.nodes <= BLOCK_MAX_NODES
    ratio = 1.0 if settings.extension else values.central("block.later_price_ratio")
    return Rates(
        block=block,
        later=block * ratio if block is not None and may_follow else None,
        on_demand=None
        if listed is None or tail_rule(settings) == NONE
        else listed.usd * (1 - purchase.settings.private_discount),
    )


def ways_after(hours: float, rates: Rates) -> list[After]:
    """What may follow for so many hours: blocks for all of it, of the days needed or of the next length that AWS sells;
    blocks of whole days or whole weeks, and On-Demand for the rest; or On-Demand alone."""
    if hours <= 0:
        return [After()]
    days, full = math.ceil(hours / 24), int(hours // 24)
    found: list[After] = []
    if rates.later is not None:
        longest = days - days % BLOCK_MAX_DAYS
        sold = next((one for one in SOLD_DAYS if one >= days - longest), 0)
        found += [After(block_days=one) for one in dict.fromkeys((days, longest + sold))]
    if rates.on_demand is not None:
        lengths = dict.fromkeys((full, full - full % 7)) if found else ()
        found.append(After(on_demand_hours=hours))
        found += [
            After(block_days=one, on_demand_hours=hours - one * 24) for one in lengths if one and one * 24 < hours
        ]
    return found


def first_and_after(
    hours: float,
    rates: Rates,
    days: int | None,
    follows: Callable[[int, After], Followed],
    delivered: Callable[[Followed], float],
    confidence: float,
) -> tuple[int, After] | None:
    """(days of the first block, what follows it) with the least mean cost of all that deliver enough, else of those
    that do so most often the one whose delivered hour costs least; None where nothing holds the fleet so long.

    days: those of the first block, None for any. delivered: the share of the draws that deliver enough. Of equal ones
    it takes that with the fewest changes of nodes, then the longest first block, whose price is known.
    """
    firsts = TOGETHER_DAYS if days is None else (days,)
    every = [(first, after) for first in firsts for after in ways_after(hours - first * 24, rates)]

    def order(one: tuple[int, After]) -> tuple[float, float, int, int, int]:
        then = follows(*one)
        often, cost = delivered(then), then.mean_usd(one[0], rates)
        if often < confidence:  # an hour without nodes costs nothing, so that the least cost would have the fewest
            cost /= max(hours - float(np.mean(then.undelivered_hours)), 1e-9)
        return -min(often, confidence), round(cost, 6), changes(*one), one[1].block_days, -one[0]

    return min(every, key=order, default=None)


def changes(days: int, after: After) -> int:
    """How often new nodes take over, each time after half an hour without any and a start. days: of the first block, 0
    after a commitment."""
    parts = len(block_parts(days)) - 1 if days else 0
    return parts + len(blocks_of(after)) + bool(after.on_demand_hours)


def blocks_of(after: After) -> tuple[int, ...]:
    """The days of each later block, of lengths that AWS sells: 182, whole weeks, and days up to 14."""
    whole, over = divmod(after.block_days, BLOCK_MAX_DAYS)
    return (BLOCK_MAX_DAYS,) * whole + (block_parts(over) if over else ())


@dataclass(frozen=True, kw_only=True)
class Followed:
    """What follows the first part of a block, each a number or one per draw: hours paid in its second part, in later
    blocks and On-Demand, and those without nodes. price_ratio: of a later block over today's."""

    second_hours: Number
    later_hours: Number
    on_demand_hours: Number
    undelivered_hours: Number
    price_ratio: Number

    def mean_usd(self, days: int, rates: Rates) -> float:
        """Of a node, with the first block of so many days, which may have a second part."""
        block = rates.block or 0.0
        usd = (block_parts(days)[0] * 24 + self.second_hours) * block + self.later_hours * block * self.price_ratio
        return float(np.mean(usd + self.on_demand_hours * (rates.on_demand or 0.0)))


def followed(
    hours: float, days: int, after: After, purchase: NodePurchase, values: Values, *, on_demand: bool
) -> Followed:
    """What a fleet that is held for so many hours gets where AWS sells each further block with a chance of its own, and
    On-Demand nodes, where they have a price, are found with theirs; they take the place of a block that AWS has not.

    Without nodes it is at each change, where a later block begins more than 8 weeks after it was asked for, and where
    neither is found.
    """
    settings = purchase.settings.capacity_block
    first, *second = block_parts(days) if days else (0,)
    late = np.maximum(values["block.later_wait_days"] - EXTENDED_FROM_DAYS, 0.0) * 24 if after.block_days else 0.0
    begun, wanted = first * 24.0, np.asarray(after.on_demand_hours)
    missing, paid = np.asarray(changes(days, after) * (BLOCK_LOST_TAIL_HOURS + values["goodput.bring_up_hours"])), {}
    for stream, length in [
        *((SECOND, one) for one in second),
        *((f"{LATER}_{at}", one) for at, one in enumerate(blocks_of(after), 1)),
    ]:
        sold = np.asarray(granted(settings, values, stream), dtype=float)
        used = min(length * 24.0, max(hours - begun, 0.0))
        wanted = wanted + (1 - sold) * used
        missing = missing + (0.0 if stream == SECOND else sold * np.minimum(late, used))
        kind = SECOND if stream == SECOND else LATER
        paid[kind] = paid.get(kind, 0.0) + sold * length * 24
        begun += used
    there = _found(values, purchase) if on_demand and np.any(wanted) else 0.0
    return Followed(
        second_hours=np.asarray(paid.get(SECOND, 0.0))[()],
        later_hours=np.asarray(paid.get(LATER, 0.0))[()],
        on_demand_hours=(wanted * there)[()],
        undelivered_hours=(missing + wanted * (1 - there))[()],
        price_ratio=1.0 if settings.extension else values["block.later_price_ratio"],
    )


def bill_after(
    ledger: Ledger, purchase: NodePurchase, then: Followed, block: tuple[Price, str], values: Values
) -> None:
    """Add the lines of what follows. block: its price today, with where that is from."""
    if np.any(then.later_hours):
        hours = ledger.sheet.taken(MORE, "h", after=(then.later_hours, CHEAPEST))
        note = "a further block, at the price of its day"
        bill_later_block(ledger, purchase, hours, *block, values, note=note)
    if np.any(then.on_demand_hours):
        hours = ledger.sheet.taken(AFTER, "h", after=(then.on_demand_hours, CHEAPEST))
        note = "time that no block covers"
        bill_on_demand_hours(ledger, purchase, COMPUTE_FALLBACK, (hours, f"run:{AFTER}"), note=note)


def _found(values: Values, purchase: NodePurchase) -> Number:
    """1 where On-Demand nodes are found, else 0."""
    return np.asarray(found(values, "block.on_demand", purchase), dtype=float)[()]


def cash_after(ledger: Ledger, start: date, hours: float, after: After) -> tuple[Cash, ...]:
    """The fee of each later block, due when it is bought: 8 weeks before it starts. hours: until the first of them."""
    line = next((line for line in ledger.lines if line.line == BLOCK_MORE), None)
    if line is None:
        return ()
    found: list[Cash] = []
    usd, begins = median(line.effective_cost), start + timedelta(hours=hours)
    for days in blocks_of(after):
        due = max(begins - timedelta(days=EXTENDED_FROM_DAYS), start)
        what = f"Capacity Block of {days} days from {begins}, due when it is bought, not refundable"
        found.append(Cash(due=due.isoformat(), usd=usd * days / after.block_days, what=what, derivation=BLOCK_MORE))
        begins += timedelta(days=days)
    return tuple(found)


def sentence(first: str, after: After) -> str:
    """`after the block of 182 days: a Capacity Block of 1 day (if AWS sells it 8 weeks before; else On-Demand for that
    time), then On-Demand for the last 10 hours`."""
    blocks = [f"a Capacity Block of {one} day{'s' * (one > 1)}" for one in blocks_of(after)]
    hours = after.on_demand_hours
    end = [
        f"On-Demand for the last {hours / 24:,.0f} days"
        if hours >= 48
        else f"On-Demand for the last {hours:,.0f} hours"
    ]
    each = "each, " if len(blocks) > 1 else ""
    chance = f"{', then '.join(blocks)} ({each}if AWS sells it 8 weeks before; else On-Demand for that time)"
    return f"after {first}: {', then '.join([*([chance] if blocks else []), *(end if hours else [])])}"
