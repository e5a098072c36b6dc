"""GPU nodes without a commitment: On-Demand and spot."""

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
from planner.models.bill_lines import COMPUTE
from planner.models.compute import node_hours
from planner.models.derived import PRICE
from planner.models.ledger import Ledger
from planner.models.number import Number
from planner.models.values import Values

UNALLOCATED_HOURS = "run:fleet.unheld_hours"


def bill_on_demand(ledger: Ledger, purchase: NodePurchase, hours: Number) -> PurchaseResult:
    price = ledger.look_up(COMPUTE, lambda: ledger.book.on_demand(purchase.instance.name, ledger.region))
    if price is None:
        return PurchaseResult()
    usd = price.usd * (1 - purchase.settings.private_discount)
    discount = purchase.settings.private_discount
    bill_used_hours(
        ledger,
        purchase,
        hours,
        price,
        usd,
        list_usd=price.usd,
        note=f"private discount {discount:.1%}" if discount else "",
        pricing_category="Standard",
        more_inputs={
            "usd_per_hour": (price.usd, PRICE),
            "discount_fraction": (discount, "plan:purchase.private_discount"),
        },
    )
    large = purchase.nodes >= 16
    return PurchaseResult(
        usd_per_hour=usd,
        warnings=("an On-Demand price does not guarantee capacity for this many nodes",) if large else (),
    )


def bill_spot(
    ledger: Ledger, purchase: NodePurchase, hours: Number, values: Values, unallocated_hours: Number
) -> PurchaseResult:
    if purchase.settings.spot_usd_per_hour is not None:
        return _spot_at_planned_price(
            ledger, purchase, hours, values, unallocated_hours, purchase.settings.spot_usd_per_hour
        )
    zone = purchase.settings.zone_id
    offer = ledger.look_up(COMPUTE, lambda: ledger.book.spot(purchase.instance.name, ledger.region, zone))
    if offer is None:
        return PurchaseResult()
    usd = spot_price(offer, values)
    listed, unknown = list_price(ledger, purchase, offer.planned.usd)
    bill_used_hours(
        ledger,
        purchase,
        hours,
        offer.planned,
        usd,
        list_usd=listed,
        note=(f"zone {offer.zone_id}" if offer.zone_id else "median of the region's zones") + unknown,
        pricing_category="Dynamic",
        unallocated_hours=unallocated_hours,
        more_inputs={"unheld_hours": (unallocated_hours, UNALLOCATED_HOURS)},
    )
    return _on_spot(usd)


def _spot_at_planned_price(
    ledger: Ledger, purchase: NodePurchase, hours: Number, values: Values, unallocated_hours: Number, usd_as_seen: float
) -> PurchaseResult:
    """Spot at the plan's own price; the book's observed prices only give the range."""
    offer = spot_offer(ledger.book, purchase.instance.name, ledger.region, purchase.settings.zone_id)
    usd = spot_price(offer, values, usd_as_seen)
    listed, unknown = list_price(ledger, purchase, usd_as_seen)
    ledger.assumed(
        COMPUTE,
        equation="C9",
        quantity=node_hours(nodes=purchase.nodes, hours=hours, unheld_hours=unallocated_hours),
        unit="Hrs",
        usd=usd,
        source="the plan, purchase.spot_usd_per_hour",
        inputs={
            "nodes": nodes_of(purchase),
            "hours": (hours, RUN_HOURS),
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
    return _on_spot(usd)


def _on_spot(usd: Number) -> PurchaseResult:
    return PurchaseResult(
        usd_per_hour=usd, warnings=("All nodes share one zone; any spot interruption stops the whole job",)
    )
