"""The tail of a Capacity Block in a plan: its rule, its chances, and its lines on the bill."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from planner.estimate.block_length import Prices
from planner.estimate.node_purchase import COMPUTE_PRICE, NodePurchase, bill_used_hours, list_price, on_demand_price
from planner.estimate.uncommitted_purchase import bill_on_demand_hours
from planner.estimate.waiting import WAITED, bill_wait, drawn, found
from planner.models.bill_lines import BLOCK_MORE, COMPUTE_FALLBACK
from planner.models.block_tail import Chances, tail_of
from planner.models.derived import Sourced
from planner.models.ledger import Ledger
from planner.models.number import Number
from planner.models.values import Values
from planner.plan.types import CapacityBlock
from pricing.book import PriceBook
from pricing.offers import Price

EXTEND, ON_DEMAND, NONE = "extend", "on-demand", "none"
SECOND = "block.second_part"  # the stream of whether AWS sells the second part of what is bought on one day
RULE = "rule:purchase.capacity_block.tail: extension (beyond 182 days: another block), else On-Demand, else a later one"
MORE, AFTER = (f"fleet.block_{what}_hours" for what in ("more", "on_demand"))


def tail_rule(settings: CapacityBlock) -> str:
    """What follows a block: "extend", "on-demand" or "none"."""
    return settings.tail or EXTEND


def chances_of(purchase: NodePurchase, values: Values, *, on_demand: bool) -> Chances:
    """on_demand: whether On-Demand nodes have a price."""
    settings = purchase.settings.capacity_block
    asked = tail_rule(settings) == EXTEND
    there = found(values, "block.on_demand", purchase)
    return Chances(
        second=granted(settings, values, SECOND),
        extended=granted(settings, values, "block.extension") if asked else False,
        found=there if on_demand else False,
        wait_hours=values["block.on_demand_wait_hours"],
        later_hours=values["block.later_wait_days"] * 24,
        price_ratio=1.0 if settings.extension else values["block.later_price_ratio"],
        restart_hours=values["goodput.bring_up_hours"],
    )


def granted(settings: CapacityBlock, values: Values, stream: str) -> NDArray[np.bool_]:
    """In which draws AWS has a further block to sell, or an extension: each is asked for with a stream of its own."""
    return np.asarray(True) if settings.extension else drawn(values, stream, values["block.extension_granted_fraction"])


def days_before_end(days: float) -> int:
    """How long before its end to decide: an extension may be refused until then, and On-Demand nodes take a while."""
    return 3 if days >= 14 else 1 if days > 1 else math.ceil(days)


def bill_tail(
    ledger: Ledger,
    purchase: NodePurchase,
    left: Number,
    days: Number,
    block: Price,
    waiting_usd: Number,
    values: Values,
    between: Number = 0.0,
) -> Number:
    """Add the lines of what follows the block; returns the hours waited.

    left: hours that the run still needs at the end of the block of so many days, 0 where it ends within it.
    waiting_usd: USD an hour of what keeps billing while there are no nodes. between: hours lost between the block's two
    parts.
    """
    on_demand = on_demand_price(ledger.book, purchase.instance.name, ledger.region)
    chances = chances_of(purchase, values, on_demand=on_demand is not None)
    tail = tail_of(left, days, chances)
    waited = tail.waited_hours + between
    for id, hours in ((MORE, tail.block_hours), (AFTER, tail.on_demand_hours), (WAITED, waited)):
        if np.any(hours):
            ledger.sheet.taken(id, "h", after=(hours, RULE))
    if np.any(tail.block_hours):
        note = "an extension, or another block, at the price of its day"
        bill_later_block(ledger, purchase, tail.block_hours, block, COMPUTE_PRICE, values, note=note)
    if on_demand is not None and np.any(tail.on_demand_hours):
        after: Sourced = (tail.on_demand_hours, f"run:{AFTER}")
        note = "after the block, from its last checkpoint"
        bill_on_demand_hours(ledger, purchase, COMPUTE_FALLBACK, after, note=note)
    if np.any(waited):
        bill_wait(ledger, waited, waiting_usd)
    return waited


def bill_later_block(
    ledger: Ledger, purchase: NodePurchase, hours: Number, block: Price, origin: str, values: Values, *, note: str
) -> None:
    """Add the line of an extension or a later block. block: its price today, which is from `origin`."""
    settings = purchase.settings.capacity_block
    ratio: Sourced = (1.0, "plan:purchase.capacity_block.extension")
    if not settings.extension:
        ratio = values.given("block.later_price_ratio")
    usd = ledger.sheet.arithmetic(
        "fleet.block_later_usd",
        block.usd * ratio[0],
        "USD/Hrs",
        "usd_per_hour * price_ratio",
        usd_per_hour=(block.usd, origin, "USD/Hrs"),
        price_ratio=(ratio[0], ratio[1], "ratio"),
    )
    bill_used_hours(
        ledger,
        purchase,
        hours,
        block,
        usd,
        list_usd=list_price(ledger, purchase, block.usd)[0],
        note=note,
        pricing_category="Committed",
        line=BLOCK_MORE,
        hours_origin=f"run:{MORE}",
        hourly=False,
        more_inputs={"usd_per_hour": (usd, "run:fleet.block_later_usd")},
    )


def length_prices(
    book: PriceBook, purchase: NodePurchase, region: str, block_usd: float, waiting_usd: Number
) -> Prices:
    """USD an hour of the whole fleet, for the search of a length."""
    on_demand = on_demand_price(book, purchase.instance.name, region)
    paid = 1 - purchase.settings.private_discount
    return Prices(
        block=purchase.nodes * block_usd,
        on_demand=None if on_demand is None else purchase.nodes * on_demand.usd * paid,
        waiting=float(np.mean(waiting_usd)),
    )
