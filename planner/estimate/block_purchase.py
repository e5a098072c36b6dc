"""GPU nodes in a Capacity Block: how long it is bought, and which draws outlast it."""

from __future__ import annotations

import numpy as np

from planner.estimate.node_purchase import (
    COMPUTE_PRICE,
    RUN_HOURS,
    Cash,
    NodePurchase,
    PurchaseResult,
    bill_used_hours,
    list_price,
    nodes_of,
)
from planner.models.bill import INSTANCES
from planner.models.bill_lines import BLOCK_UNUSED, COMPUTE
from planner.models.block_sizes import block_sizes
from planner.models.compute import (
    BLOCK_LOST_TAIL_HOURS,
    BLOCK_MAX_DAYS,
    BLOCK_MAX_NODES,
    block_days,
)
from planner.models.derived import PRICE
from planner.models.ledger import Ledger
from planner.models.number import Number, median


def bill_block(ledger: Ledger, purchase: NodePurchase, hours: Number) -> PurchaseResult:
    if purchase.nodes > BLOCK_MAX_NODES:
        return PurchaseResult(
            why_not=(f"Capacity Blocks are limited to {BLOCK_MAX_NODES} instances; this plan needs {purchase.nodes}",)
        )
    origin = RUN_HOURS
    if purchase.is_held:
        origin, hours = _given_back(ledger, hours)
    days = _block_days(ledger, purchase, hours, origin)
    if median(days) > BLOCK_MAX_DAYS:
        return PurchaseResult(why_not=(f"a Capacity Block lasts at most {BLOCK_MAX_DAYS} days; the run needs more",))
    usable = ledger.sheet.arithmetic(
        "fleet.block_usable_hours",
        days * 24 - BLOCK_LOST_TAIL_HOURS,
        "h",
        f"block_days * 24 - {BLOCK_LOST_TAIL_HOURS}",
        "AWS terminates the nodes half an hour before the end",
        block_days=(days, "run:fleet.block_days", "days"),
    )
    outlasts = np.asarray(hours > usable)
    if outlasts.ndim == 0 and outlasts:
        return PurchaseResult(
            why_not=(
                f"the planned run of {median(hours) / 24:.1f} days is longer than a Capacity Block of {median(days):g} "
                "days (purchase.capacity_block.days)",
            )
        )
    hours = np.minimum(hours, days * 24) if outlasts.any() else hours
    offer = ledger.look_up(COMPUTE, lambda: ledger.book.capacity_block(purchase.instance.name, ledger.region))
    if offer is None:
        return PurchaseResult()
    usd = offer.price.usd
    listed, unknown = list_price(ledger, purchase, usd)
    bill_used_hours(
        ledger,
        purchase,
        hours,
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
        quantity=purchase.nodes * (days * 24 - hours),
        price=offer.price,
        inputs={
            "nodes": nodes_of(purchase),
            "run_hours": (hours, origin),
            "block_days": (days, "run:fleet.block_days"),
            "usd_per_hour": (None, PRICE),
        },
        usd=usd,
        list_usd=listed,
        pricing_category="Committed",
        note=f"unused time of a block of {median(days):g} days, which AWS bills in full",
    )
    sizes = block_sizes(purchase.nodes)
    warnings = [
        f"Capacity Block price as of {offer.price.observed}; AWS may change it, and offers depend on free capacity. "
        + (
            "The range assumes that a block that turns out too short is extended"
            if purchase.settings.capacity_block.extension
            else "A run that outlasts its block does not finish"
        )
    ]
    needed = float(block_days(run_hours=median(hours)))
    if needed < median(days) and purchase.settings.capacity_block.days is None:
        warnings.append(
            f"a Capacity Block of {median(days):g} days: the planned run needs {needed:g}, and {median(days):g} "
            f"suffice in {purchase.confidence:.0%} of the outcomes"
        )
    if len(sizes) > 1:
        shown = " + ".join(str(size) for size in sizes)
        warnings.append(
            f"{purchase.nodes} nodes are {len(sizes)} blocks ({shown}), which AWS may place in different clusters; "
            "each is bought by itself, in one zone and for the same days"
        )
    fee = ledger.sheet.arithmetic(
        "fleet.block_usd",
        median(purchase.nodes * days * 24 * usd),
        "USD",
        "nodes * block_days * 24 * usd_per_hour",
        nodes=(*nodes_of(purchase), "nodes"),
        block_days=(days, "run:fleet.block_days", "days"),
        usd_per_hour=(usd, COMPUTE_PRICE, "USD/Hrs"),
    )
    due = "due at purchase, by the first day"
    cash = Cash(
        due=purchase.start.isoformat(),
        usd=fee,
        what=f"Capacity Block fee, {due}, not refundable",
        derivation="fleet.block_usd",
    )
    return PurchaseResult(
        usd_per_hour=usd,
        upfront=(cash,),
        warnings=tuple(warnings),
        block_days=median(days),
        outlasts_block=outlasts if outlasts.any() else None,
    )


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


def _block_days(ledger: Ledger, purchase: NodePurchase, hours: Number, origin: str) -> Number:
    """The plan's length, else the shortest in which enough of the draws end; in draws the same.

    A block that can be extended is bought for the planned run, and in each draw for that draw.
    """
    own = purchase.settings.capacity_block.days
    if own is not None:
        return ledger.sheet.taken("fleet.block_days", "days", days=(own, "plan:purchase.capacity_block.days"))
    if purchase.block_days is not None and not purchase.settings.capacity_block.extension:
        return purchase.block_days
    if purchase.block_stretch == 1:
        return ledger.sheet.equation("fleet.block_days", block_days, run_hours=(hours, origin))
    longest = BLOCK_MAX_DAYS * 24 - BLOCK_LOST_TAIL_HOURS
    covered = min(median(hours) * purchase.block_stretch, max(longest, median(hours)))
    ledger.sheet.statistic(
        "fleet.block_hours",
        covered,
        "h",
        f"share_within(hours, {purchase.confidence:g})",
        f"{purchase.confidence:.0%} of the simulated outcomes end within it",
        hours=(hours, origin, "h"),
    )
    return ledger.sheet.equation("fleet.block_days", block_days, run_hours=(covered, "run:fleet.block_hours"))
