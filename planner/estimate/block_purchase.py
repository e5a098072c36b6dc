"""GPU nodes in a Capacity Block: how long it is bought, and which draws outlast it."""

from __future__ import annotations

from datetime import timedelta

import numpy as np
from numpy.typing import NDArray

from planner.estimate.block_tail import NONE, ON_DEMAND, SECOND, bill_tail, days_before_end, granted, tail_rule
from planner.estimate.held_block import bill_after, cash_after, followed, sentence
from planner.estimate.node_purchase import (
    BLOCK_FEE,
    COMPUTE_PRICE,
    RUN_HOURS,
    After,
    Cash,
    NodePurchase,
    PurchaseResult,
    bill_used_hours,
    list_price,
    nodes_of,
    on_demand_price,
)
from planner.models.bill import INSTANCES
from planner.models.bill_lines import BLOCK_MORE, BLOCK_UNUSED, COMPUTE
from planner.models.block_sizes import BLOCK_MAX_DAYS, block_parts, block_sizes
from planner.models.block_tail import gap_hours
from planner.models.compute import BLOCK_LOST_TAIL_HOURS, BLOCK_MAX_NODES, usable_hours
from planner.models.derived import PRICE, SourcedQuantity
from planner.models.ledger import Ledger
from planner.models.number import Number, median
from planner.models.values import Values

PRICE_OF = "Capacity Block price of"
ALL_OFFERS = "look at all offers before you buy one"
SOLD = "rule:whether AWS sells it, with the chance block.extension_granted_fraction"
LENGTH = "rule:of all lengths that can be bought at once, nearly the least mean cost with what follows its end"
HELD = "rule:of all lengths that can be bought at once, the least cost with what follows for the time that is left"


def _has_on_demand(ledger: Ledger, purchase: NodePurchase) -> bool:
    return on_demand_price(ledger.book, purchase.instance.name, ledger.region) is not None


def bill_block(
    ledger: Ledger, purchase: NodePurchase, hours: Number, values: Values, waiting_usd: Number
) -> PurchaseResult:
    if purchase.nodes > BLOCK_MAX_NODES:
        return PurchaseResult(
            why_not=(f"Capacity Blocks are limited to {BLOCK_MAX_NODES} instances; this plan needs {purchase.nodes}",)
        )
    origin, settings, after = RUN_HOURS, purchase.settings.capacity_block, purchase.after
    if tail_rule(settings) == ON_DEMAND and not purchase.is_held and not _has_on_demand(ledger, purchase):
        return PurchaseResult(
            why_not=(
                f"purchase.capacity_block.tail is on-demand, and the price book has no On-Demand price of "
                f"{purchase.instance.name} in {ledger.region}: bring one as prices.own, or write tail: extend",
            )
        )
    ends_with_block = purchase.is_held or tail_rule(settings) == NONE
    held_hours = median(hours)
    if purchase.is_held:
        origin, hours = _given_back(ledger, hours)
    if purchase.is_held and purchase.block_days is None:
        return PurchaseResult(
            why_not=(f"a Capacity Block lasts at most {BLOCK_MAX_DAYS} days, and nothing that has a price follows it",)
        )
    days = _recorded_days(ledger, purchase)
    second = granted(settings, values, SECOND) if len(block_parts(int(days))) > 1 else None
    had, of_days = _had_days(ledger, days, second)
    whole = _usable_hours(ledger, days, second, values)
    usable, of_usable = _had_hours(ledger, days, whole, second)
    outlasts = np.asarray(hours > usable)
    if ends_with_block and not purchase.is_held and outlasts.ndim == 0 and outlasts:
        return PurchaseResult(
            why_not=(
                f"the planned run of {median(hours) / 24:.1f} days is longer than a Capacity Block of {days:g} days "
                "(purchase.capacity_block)",
            )
        )
    used = ledger.sheet.arithmetic(
        "fleet.block_used_hours",
        np.minimum(hours, usable),
        "h",
        "min(hours, usable)",
        hours=(hours, origin, "h"),
        usable=(usable, of_usable, "h"),
    )
    origin = "run:fleet.block_used_hours"
    offer = ledger.look_up(COMPUTE, lambda: ledger.book.capacity_block(purchase.instance.name, ledger.region))
    if offer is None:
        return PurchaseResult()
    usd = offer.price.usd
    listed, unknown = list_price(ledger, purchase, usd)
    bill_used_hours(
        ledger,
        purchase,
        used,
        offer.price,
        usd,
        list_usd=listed,
        note="reservation fee of the hours used" + unknown,
        pricing_category="Committed",
        hours_origin=origin,
    )
    ledger.add(
        BLOCK_UNUSED,
        service=INSTANCES,
        equation="C10",
        quantity=purchase.nodes * (had * 24 - used),
        price=offer.price,
        inputs={
            "nodes": nodes_of(purchase),
            "run_hours": (used, origin),
            "block_days": (had, of_days),
            "usd_per_hour": (None, PRICE),
        },
        usd=usd,
        list_usd=listed,
        pricing_category="Committed",
        note=f"unused time of a block of {days:g} days, which AWS bills in full",
    )
    waited: Number = 0.0
    undelivered: Number = 0.0
    more: tuple[Cash, ...] = ()
    if purchase.is_held:
        can = _has_on_demand(ledger, purchase) and tail_rule(settings) != NONE
        then = followed(held_hours, int(days), after, purchase, values, on_demand=can)
        undelivered = then.undelivered_hours
        bill_after(ledger, purchase, then, (offer.price, COMPUTE_PRICE), values)
        more = cash_after(ledger, purchase.start, days * 24, after)
        outlasts = np.asarray(False)
    elif not ends_with_block:
        between = _between_parts(hours, days, second, values)
        waited = bill_tail(ledger, purchase, hours - used, had, offer.price, waiting_usd, values, between)
        later = [median(line.effective_cost) for line in ledger.lines if line.line == BLOCK_MORE]
        more = tuple(_more_cash(purchase, median(had), usd) for usd in later)
    sizes = block_sizes(purchase.nodes)
    warnings = [
        f"{PRICE_OF} {offer.price.observed}: AWS changes it, and may have no offer"
        + (". A run that outlasts its block does not finish" if ends_with_block and not purchase.is_held else "")
    ]
    if purchase.is_held and len(block_parts(int(days))) > 1:
        warnings.append(_bought_together(int(days)))
    if after != After():
        warnings.append(sentence(f"the Capacity Block of {days:g} days", after))
    if len(sizes) > 1:
        shown = " + ".join(str(size) for size in sizes)
        warnings.append(
            f"{purchase.nodes} nodes are {len(sizes)} blocks ({shown}), each bought by itself: {ALL_OFFERS} (planner "
            "reserve --dry-run)"
        )
    fee = ledger.sheet.arithmetic(
        BLOCK_FEE,
        purchase.nodes * median(had) * 24 * usd,
        "USD",
        "nodes * block_days * 24 * usd_per_hour",
        nodes=(*nodes_of(purchase), "nodes"),
        block_days=(median(had), of_days, "days"),
        usd_per_hour=(usd, COMPUTE_PRICE, "USD/Hrs"),
    )
    cash = Cash(
        due=purchase.start.isoformat(),
        usd=fee,
        what="Capacity Block fee, paid when it is bought, not refundable",
        derivation=BLOCK_FEE,
    )
    return PurchaseResult(
        usd_per_hour=usd,
        upfront=(cash, *more),
        warnings=tuple(warnings),
        block_days=days,
        usable_hours=whole,
        had_hours=usable,
        second=second,
        outlasts_block=outlasts if outlasts.any() else None,
        waited_hours=waited,
        undelivered_hours=undelivered,
        ends_with_block=ends_with_block and not purchase.is_held,
    )


def _bought_together(days: int) -> str:
    """What to buy for a length that is no single block."""
    first, second = block_parts(days)
    return (
        f"AWS sells no block of {days} days: buy {first} days and, on the same day, an extension by {second}, or a "
        f"block of {second} that starts where the first ends, with half an hour without nodes between them; where AWS "
        "has neither, On-Demand for that time"
    )


def _had_days(ledger: Ledger, days: float, second: NDArray[np.bool_] | None) -> tuple[Number, str]:
    """(days, origin) of the parts that AWS sells."""
    if second is None:
        return days, "run:fleet.block_days"
    first, more = block_parts(int(days))
    had = ledger.sheet.arithmetic(
        "fleet.block_had_days",
        (first + more * second.astype(float))[()],
        "days",
        "first + more * sold",
        "the second part is bought where AWS sells it",
        first=(float(first), "rule:whole weeks first", "days"),
        more=(float(more), "rule:the days over", "days"),
        sold=(second.astype(float)[()], SOLD, "fraction"),
    )
    return had, "run:fleet.block_had_days"


def _usable_hours(ledger: Ledger, days: float, second: NDArray[np.bool_] | None, values: Values) -> Number:
    """Hours of a run that the block holds, or its two parts."""
    expression = f"block_days * 24 - {BLOCK_LOST_TAIL_HOURS}"
    inputs: dict[str, SourcedQuantity] = {"block_days": (days, "run:fleet.block_days", "days")}
    why, gap = "AWS terminates the nodes half an hour before the end", gap_hours(days, values["goodput.bring_up_hours"])
    if second is not None:
        inputs["bring_up"] = (*values.given("goodput.bring_up_hours"), "h")
        expression += f" - ({BLOCK_LOST_TAIL_HOURS} + bring_up)"
        why += " of each of its two parts, and the second has to start"
    hours = days * 24 - BLOCK_LOST_TAIL_HOURS - gap
    return ledger.sheet.arithmetic("fleet.block_usable_hours", hours, "h", expression, why, **inputs)


def _had_hours(ledger: Ledger, days: float, whole: Number, second: NDArray[np.bool_] | None) -> tuple[Number, str]:
    """(hours, origin) of a run that the parts hold which AWS sells. whole: that both hold."""
    if second is None:
        return whole, "run:fleet.block_usable_hours"
    first = usable_hours(block_parts(int(days))[0])
    had = ledger.sheet.arithmetic(
        "fleet.block_had_hours",
        np.where(second, whole, first)[()],
        "h",
        "first + (usable - first) * sold",
        first=(first, "rule:the first part, less half an hour", "h"),
        usable=(whole, "run:fleet.block_usable_hours", "h"),
        sold=(second.astype(float)[()], SOLD, "fraction"),
    )
    return had, "run:fleet.block_had_hours"


def _between_parts(hours: Number, days: float, second: NDArray[np.bool_] | None, values: Values) -> Number:
    """Hours lost between the two parts, of a run that outlasts the first."""
    if second is None:
        return 0.0
    gap = gap_hours(days, values["goodput.bring_up_hours"])
    return np.where(second & (hours > usable_hours(block_parts(int(days))[0])), gap, 0.0)[()]


def _more_cash(purchase: NodePurchase, days: float, usd: float) -> Cash:
    """The fee of what follows the block, which AWS charges when it is bought."""
    day = purchase.start + timedelta(days=int(days) - days_before_end(days))
    what = "Capacity Block extension, or a later block, due when it is bought, not refundable"
    return Cash(due=day.isoformat(), usd=usd, what=what, derivation=BLOCK_MORE)


def _given_back(ledger: Ledger, hours: Number) -> tuple[str, Number]:
    """(origin, hours) of a fleet that is held for a given time: a block of that length is enough for it."""
    used = ledger.sheet.arithmetic(
        "fleet.block_run_hours",
        hours - BLOCK_LOST_TAIL_HOURS,
        "h",
        f"hours - {BLOCK_LOST_TAIL_HOURS}",
        "AWS terminates the nodes half an hour before the end",
        hours=(hours, RUN_HOURS, "h"),
    )
    return "run:fleet.block_run_hours", used


def _recorded_days(ledger: Ledger, purchase: NodePurchase) -> float:
    """The length to buy, with where it comes from; in draws the same."""
    own, days = purchase.settings.capacity_block.days, purchase.block_days
    if own is not None:
        return ledger.sheet.taken("fleet.block_days", "days", days=(float(own), "plan:purchase.capacity_block.days"))
    assert days is not None
    rule = HELD if purchase.is_held else LENGTH
    return ledger.sheet.taken("fleet.block_days", "days", days=(days, rule))
