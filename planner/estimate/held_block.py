"""What follows the first Capacity Block, or the commitment, of a fleet that is held for a longer time: a further block,
or On-Demand nodes. Its end is known from the first day, so both are asked for in time."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta

import numpy as np

from planner.estimate.block_tail import AFTER, EXTEND, MORE, NONE, bill_later_block, drawn, tail_rule
from planner.estimate.node_purchase import After, Cash, NodePurchase, on_demand_price
from planner.estimate.uncommitted_purchase import bill_on_demand_hours
from planner.models.bill_lines import BLOCK_MORE, COMPUTE_FALLBACK
from planner.models.block_sizes import BLOCK_MAX_DAYS, EXTENDED_FROM_DAYS, TOGETHER_DAYS, block_parts
from planner.models.compute import BLOCK_LOST_TAIL_HOURS, BLOCK_MAX_NODES
from planner.models.ledger import Ledger
from planner.models.number import Number, median
from planner.models.values import Values
from pricing.book import PriceBook
from pricing.offers import Price

CHEAPEST = "rule:a further block, On-Demand nodes, or both: what costs least for the time that is left"


@dataclass(frozen=True, kw_only=True)
class Rates:
    """USD of a node-hour: of a block today, of one later, and On-Demand; None without a price, or where the plan's
    rule does not allow it."""

    block: float | None
    later: float | None
    on_demand: float | None

    def usd(self, after: After) -> float:
        return after.block_days * 24 * (self.later or 0.0) + after.on_demand_hours * (self.on_demand or 0.0)


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
    """What may follow for so many hours: blocks of whole days, On-Demand, or blocks and On-Demand for the last day."""
    whole, over = divmod(hours, 24)
    if hours <= 0:
        return [After()]
    found = [After(block_days=math.ceil(hours / 24))] if rates.later is not None else []
    if rates.on_demand is not None:
        found.append(After(on_demand_hours=hours))
        if found[0].block_days and whole and over:
            found.append(After(block_days=int(whole), on_demand_hours=over))
    return found


def first_and_after(
    hours: float, rates: Rates, days: int | None, delivers: Callable[[int, After], bool]
) -> tuple[int, After] | None:
    """(days of the first block, what follows it) with the least cost of all that deliver enough; None where nothing
    holds the fleet so long.

    days: those of the first block, None for any. Of equal ones it takes that with the fewest changes of nodes, then
    the longest first block, whose price is known.
    """
    firsts = TOGETHER_DAYS if days is None else (days,)
    every = [(first, after) for first in firsts for after in ways_after(hours - first * 24, rates)]
    enough = [one for one in every if delivers(*one)]

    def usd(one: tuple[int, After]) -> float:
        return round(one[0] * 24 * (rates.block or 0.0) + rates.usd(one[1]), 6)

    return min(enough or every, key=lambda one: (usd(one), changes(*one), -one[0]), default=None)


def changes(days: int, after: After) -> int:
    """How often new nodes take over, each time after half an hour without any and a start. days: of the first block, 0
    after a commitment."""
    parts = len(block_parts(days)) - 1 if days else 0
    return parts + len(blocks_of(after)) + bool(after.on_demand_hours)


def blocks_of(after: After) -> tuple[int, ...]:
    """The days of each later block: AWS sells no longer one than 182."""
    whole, over = divmod(after.block_days, BLOCK_MAX_DAYS)
    return (BLOCK_MAX_DAYS,) * whole + ((over,) if over else ())


def undelivered_hours(days: int, after: After, values: Values) -> Number:
    """Hours without nodes: at each change, where a later block begins more than 8 weeks after it was asked for, and at
    the end where On-Demand nodes are not found."""
    gap = BLOCK_LOST_TAIL_HOURS + values["goodput.bring_up_hours"]
    missing: Number = after.on_demand_hours * (1 - _found(values)) if after.on_demand_hours else 0.0
    if after.block_days:
        late = np.maximum(values["block.later_wait_days"] - EXTENDED_FROM_DAYS, 0.0) * 24
        missing = missing + np.minimum(len(blocks_of(after)) * late, after.block_days * 24.0)
    return changes(days, after) * gap + missing


def bill_after(
    ledger: Ledger, purchase: NodePurchase, after: After, block: tuple[Price, str] | None, values: Values
) -> None:
    """Add the lines of what follows. block: its price today, with where that is from."""
    if after.block_days and block is not None:
        hours = ledger.sheet.taken(MORE, "h", after=(after.block_days * 24.0, CHEAPEST))
        note = "a further block, at the price of its day"
        bill_later_block(ledger, purchase, hours, *block, values, note=note)
    if after.on_demand_hours:
        hours = ledger.sheet.taken(AFTER, "h", after=(after.on_demand_hours * _found(values), CHEAPEST))
        note = "the time that is left at the end"
        bill_on_demand_hours(ledger, purchase, COMPUTE_FALLBACK, (hours, f"run:{AFTER}"), note=note)


def _found(values: Values) -> Number:
    """1 where On-Demand nodes are found, else 0."""
    return np.asarray(drawn(values, "block.on_demand", "block.on_demand_found_fraction"), dtype=float)[()]


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
    """`after the block of 182 days a Capacity Block of 1 day, then On-Demand for 10 hours`."""
    blocks = [f"a Capacity Block of {one} day{'s' * (one > 1)}" for one in blocks_of(after)]
    hours = after.on_demand_hours
    end = [
        f"On-Demand for the last {hours / 24:,.0f} days"
        if hours >= 48
        else f"On-Demand for the last {hours:,.0f} hours"
    ]
    return f"after {first}: {', then '.join([*blocks, *(end if hours else [])])}"
