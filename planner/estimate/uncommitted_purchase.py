"""GPU nodes without a commitment: On-Demand, spot, and spot with fallback to On-Demand."""

from __future__ import annotations

from planner.estimate.node_purchase import (
    RUN_HOURS,
    NodePurchase,
    PurchaseResult,
    bill_used_hours,
    list_price,
    nodes_of,
)
from planner.estimate.spot import spot_offer, spot_price
from planner.models.bill import INSTANCES
from planner.models.bill_lines import COMPUTE, COMPUTE_FALLBACK
from planner.models.compute import node_hours
from planner.models.derived import PRICE, Sourced
from planner.models.ledger import Ledger
from planner.models.number import Number
from planner.models.values import Values

UNALLOCATED_HOURS, SPOT_HOURS = "run:fleet.unheld_hours", "run:run.spot_hours"
ONE_ZONE = "All nodes share one zone; any spot interruption stops the whole job"


def bill_on_demand(ledger: Ledger, purchase: NodePurchase, hours: Number) -> PurchaseResult:
    usd = bill_on_demand_hours(ledger, purchase, COMPUTE, (hours, RUN_HOURS))
    if usd is None:
        return PurchaseResult()
    return PurchaseResult(usd_per_hour=usd)


def bill_on_demand_hours(
    ledger: Ledger, purchase: NodePurchase, line: str, hours: Sourced, *, note: str = ""
) -> float | None:
    """Add the line of On-Demand nodes; returns USD per node-hour, or None if there is no price."""
    price = ledger.look_up(line, lambda: ledger.book.on_demand(purchase.instance.name, ledger.region))
    if price is None:
        return None
    discount = purchase.settings.private_discount
    usd = price.usd * (1 - discount)
    bill_used_hours(
        ledger,
        purchase,
        hours[0],
        price,
        usd,
        list_usd=list_price(ledger, purchase, price.usd)[0],
        note="; ".join(part for part in (note, f"private discount {discount:.1%}" if discount else "") if part),
        pricing_category="Standard",
        line=line,
        hours_origin=hours[1],
        hourly=line == COMPUTE,
        more_inputs={
            "usd_per_hour": (price.usd, PRICE),
            "discount_fraction": (discount, "plan:purchase.private_discount"),
        },
    )
    return usd


def bill_spot(
    ledger: Ledger, purchase: NodePurchase, hours: Number, values: Values, unallocated_hours: Number
) -> PurchaseResult:
    usd = _bill_spot(ledger, purchase, (hours, RUN_HOURS), values, unallocated_hours)
    return PurchaseResult() if usd is None else PurchaseResult(usd_per_hour=usd, warnings=(ONE_ZONE,))


def bill_spot_then_on_demand(
    ledger: Ledger,
    purchase: NodePurchase,
    hours: Number,
    spot_hours: Number,
    values: Values,
    unallocated_hours: Number,
) -> PurchaseResult:
    """A line for the hours on spot, and one for those On-Demand after the rule has moved the run."""
    on_demand_hours = ledger.sheet.arithmetic(
        "run.on_demand_hours",
        hours - spot_hours,
        "h",
        "hours - spot_hours",
        hours=(hours, RUN_HOURS, "h"),
        spot_hours=(spot_hours, SPOT_HOURS, "h"),
    )
    usd = _bill_spot(ledger, purchase, (spot_hours, SPOT_HOURS), values, unallocated_hours)
    after = (on_demand_hours, "run:run.on_demand_hours")
    bill_on_demand_hours(ledger, purchase, COMPUTE_FALLBACK, after, note="where the rule has moved the run")
    return PurchaseResult(usd_per_hour=usd, warnings=(ONE_ZONE,))


def _bill_spot(
    ledger: Ledger, purchase: NodePurchase, hours: Sourced, values: Values, unallocated_hours: Number
) -> Number | None:
    """Add the line of spot nodes; returns USD per node-hour, or None if there is no price."""
    if purchase.settings.spot_usd_per_hour is not None:
        own = purchase.settings.spot_usd_per_hour
        return _spot_at_planned_price(ledger, purchase, hours, values, unallocated_hours, own)
    zone = purchase.settings.zone_id
    offer = ledger.look_up(COMPUTE, lambda: ledger.book.spot(purchase.instance.name, ledger.region, zone))
    if offer is None:
        return None
    usd = spot_price(offer, values)
    listed, unknown = list_price(ledger, purchase, offer.planned.usd)
    bill_used_hours(
        ledger,
        purchase,
        hours[0],
        offer.planned,
        usd,
        list_usd=listed,
        note=(f"zone {offer.zone_id}" if offer.zone_id else "median of the region's zones") + unknown,
        pricing_category="Dynamic",
        hours_origin=hours[1],
        unallocated_hours=unallocated_hours,
        more_inputs={"unheld_hours": (unallocated_hours, UNALLOCATED_HOURS)},
    )
    return usd


def _spot_at_planned_price(
    ledger: Ledger,
    purchase: NodePurchase,
    hours: Sourced,
    values: Values,
    unallocated_hours: Number,
    usd_as_seen: float,
) -> Number:
    """Spot at the plan's own price; the book's observed prices only give the range."""
    offer = spot_offer(ledger.book, purchase.instance.name, ledger.region, purchase.settings.zone_id)
    usd = spot_price(offer, values, usd_as_seen)
    listed, unknown = list_price(ledger, purchase, usd_as_seen)
    ledger.assumed(
        COMPUTE,
        equation="C9",
        quantity=node_hours(nodes=purchase.nodes, hours=hours[0], unheld_hours=unallocated_hours),
        unit="Hrs",
        usd=usd,
        source="the plan, purchase.spot_usd_per_hour",
        inputs={
            "nodes": nodes_of(purchase),
            "hours": hours,
            "usd_per_hour": (usd, "plan:purchase.spot_usd_per_hour"),
            "unheld_hours": (unallocated_hours, UNALLOCATED_HOURS),
        },
        service=INSTANCES,
        list_usd=listed,
        usd_per_hour=purchase.nodes * usd,
        pricing_category="Dynamic",
        note="as set in the plan"
        + ("" if offer else "; the price book has no spot price, so there is no range")
        + unknown,
    )
    return usd
