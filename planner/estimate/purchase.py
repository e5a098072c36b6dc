"""The GPU nodes on the bill: one function a purchase family, over the run's real calendar."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

import numpy as np

from planner.estimate.spot import spot_offer, spot_price
from planner.models.bill import Ledger
from planner.models.compute import (
    BLOCK_MAX_DAYS,
    BLOCK_MAX_NODES,
    block_days,
    block_sizes,
    node_hours,
    unused_node_hours,
)
from planner.models.derived import PRICE, Sourced
from planner.models.number import Number, middle
from planner.models.values import Values
from planner.plan.types import Purchase
from pricing.catalog import InstanceType
from pricing.offers import PurchaseOption

UPFRONT_SHARE = {"no": 0.0, "partial": 0.5, "all": 1.0}
RUN_HOURS = "run:run.hours"
COMPUTE_PRICE = "run:fleet.compute.effective_unit_price"


@dataclass(frozen=True, kw_only=True)
class Cash:
    """Money due. due: a day, or "monthly" for what arrives with the monthly bill. at_least: a line without a price
    belongs to it too. derivation: the id of the number that it is, "" where the bill gives it."""

    due: str
    usd: float
    what: str
    at_least: bool = False
    derivation: str = ""


@dataclass(frozen=True, kw_only=True)
class Buy:
    """What a purchase needs to know."""

    instance: InstanceType
    nodes: int
    option: PurchaseOption
    settings: Purchase
    start: date


@dataclass
class Bought:
    """The result: the hourly rate that the run's own hours cost (for experiments), upfront money, warnings.

    taken_over_usd: the part of a commitment's bill that other work in the company carries (reuse_value).
    unused_node_hours: paid for and not used by the run; experiments use them first.
    """

    usd_per_hour: Number | None = None
    upfront: tuple[Cash, ...] = ()
    instalments: tuple[Cash, ...] = ()
    taken_over_usd: float = 0.0
    unused_node_hours: Number = 0.0
    warnings: tuple[str, ...] = ()
    why_not: tuple[str, ...] = ()


def bill_compute(ledger: Ledger, buy: Buy, hours: Number, values: Values, *, unpaid_hours: Number = 0.0) -> Bought:
    """Add the lines of the GPU nodes for a run that stands `hours`; on spot, less those that hold no node."""
    family = buy.option.family
    if family == "on-demand":
        return _on_demand(ledger, buy, hours)
    if family == "spot":
        return _spot(ledger, buy, hours, values, unpaid_hours)
    if family == "capacity-block":
        return _block(ledger, buy, hours)
    return _commitment(ledger, buy, hours)


def _list_price(ledger: Ledger, buy: Buy, otherwise: float) -> tuple[float, str]:
    """On-demand list price for comparison, and what to note; the rate itself where no on-demand price is known."""
    try:
        return ledger.book.on_demand(buy.instance.name, ledger.region).usd, ""
    except LookupError:
        return otherwise, "; no on-demand price known, so the list price shown is this rate"


def _on_demand(ledger: Ledger, buy: Buy, hours: Number) -> Bought:
    price = ledger.look_up("fleet.compute", lambda: ledger.book.on_demand(buy.instance.name, ledger.region))
    if price is None:
        return Bought()
    usd = price.usd * (1 - buy.settings.private_discount)
    ledger.add(
        "fleet.compute",
        service="AmazonEC2",
        equation="C9",
        quantity=node_hours(nodes=buy.nodes, hours=hours),
        price=price,
        inputs={
            "nodes": _nodes(buy),
            "hours": (hours, RUN_HOURS),
            "usd_per_hour": (price.usd, PRICE),
            "discount_fraction": (buy.settings.private_discount, "plan:purchase.private_discount"),
        },
        usd=usd,
        list_usd=price.usd,
        usd_per_hour=buy.nodes * usd,
        note=f"private discount {buy.settings.private_discount:.1%}" if buy.settings.private_discount else "",
    )
    large = buy.nodes >= 16
    return Bought(
        usd_per_hour=usd,
        warnings=("an on-demand price is not a promise of capacity for this many nodes",) if large else (),
    )


def _spot(ledger: Ledger, buy: Buy, hours: Number, values: Values, unpaid_hours: Number) -> Bought:
    if buy.settings.spot_usd_per_hour is not None:
        return _own_spot(ledger, buy, hours, values, unpaid_hours, buy.settings.spot_usd_per_hour)
    zone = buy.settings.zone_id
    offer = ledger.look_up("fleet.compute", lambda: ledger.book.spot(buy.instance.name, ledger.region, zone))
    if offer is None:
        return Bought()
    usd = spot_price(offer, values)
    listed, unknown = _list_price(ledger, buy, offer.planned.usd)
    ledger.add(
        "fleet.compute",
        service="AmazonEC2",
        equation="C9",
        quantity=node_hours(nodes=buy.nodes, hours=hours, unheld_hours=unpaid_hours),
        price=offer.planned,
        inputs=_spot_inputs(buy, hours, unpaid_hours, (None, PRICE)),
        usd=usd,
        list_usd=listed,
        usd_per_hour=buy.nodes * usd,
        pricing_category="Dynamic",
        note=(f"zone {offer.zone_id}" if offer.zone_id else "median of the region's zones") + unknown,
    )
    return _on_spot(usd)


def _own_spot(
    ledger: Ledger, buy: Buy, hours: Number, values: Values, unpaid_hours: Number, usd_as_seen: float
) -> Bought:
    """At the plan's own price, which needs none of the book; what the book has seen says how far it may lie apart."""
    offer = spot_offer(ledger.book, buy.instance.name, ledger.region, buy.settings.zone_id)
    usd = spot_price(offer, values, usd_as_seen)
    listed, unknown = _list_price(ledger, buy, usd_as_seen)
    ledger.assumed(
        "fleet.compute",
        equation="C9",
        quantity=node_hours(nodes=buy.nodes, hours=hours, unheld_hours=unpaid_hours),
        unit="Hrs",
        usd=usd,
        source="the plan, purchase.spot_usd_per_hour",
        inputs=_spot_inputs(buy, hours, unpaid_hours, (usd, "plan:purchase.spot_usd_per_hour")),
        service="AmazonEC2",
        list_usd=listed,
        usd_per_hour=buy.nodes * usd,
        pricing_category="Dynamic",
        note="as the plan says" + ("" if offer else "; the book knows none, so it has no range") + unknown,
    )
    return _on_spot(usd)


def _spot_inputs(buy: Buy, hours: Number, unpaid_hours: Number, price: Sourced) -> dict[str, Sourced]:
    return {
        "nodes": _nodes(buy),
        "hours": (hours, RUN_HOURS),
        "usd_per_hour": price,
        "unheld_hours": (unpaid_hours, "run:fleet.unheld_hours"),
    }


def _on_spot(usd: Number) -> Bought:
    return Bought(usd_per_hour=usd, warnings=("a gang takes one zone: every reclaim stops the whole job",))


def _block(ledger: Ledger, buy: Buy, hours: Number) -> Bought:
    if buy.nodes > BLOCK_MAX_NODES:
        return Bought(why_not=(f"Capacity Blocks end at {BLOCK_MAX_NODES} instances; {buy.nodes} are asked for",))
    days = ledger.sheet.equation("fleet.block_days", block_days, run_hours=(hours, RUN_HOURS))
    if middle(days) > BLOCK_MAX_DAYS:
        return Bought(why_not=(f"a Capacity Block lasts at most {BLOCK_MAX_DAYS} days; the run needs more",))
    offer = ledger.look_up("fleet.compute", lambda: ledger.book.capacity_block(buy.instance.name, ledger.region))
    if offer is None:
        return Bought()
    usd = offer.price.usd
    listed, unknown = _list_price(ledger, buy, usd)
    ledger.add(
        "fleet.compute",
        service="AmazonEC2",
        equation="C9",
        quantity=node_hours(nodes=buy.nodes, hours=hours),
        price=offer.price,
        inputs={"nodes": _nodes(buy), "hours": (hours, RUN_HOURS), "usd_per_hour": (None, PRICE)},
        usd=usd,
        list_usd=listed,
        usd_per_hour=buy.nodes * usd,
        pricing_category="Committed",
        note="reservation fee of the hours used" + unknown,
    )
    ledger.add(
        "fleet.block-unused",
        service="AmazonEC2",
        equation="C10",
        quantity=buy.nodes * (days * 24 - hours),
        price=offer.price,
        inputs={
            "nodes": _nodes(buy),
            "run_hours": (hours, RUN_HOURS),
            "block_days": (days, "run:fleet.block_days"),
            "usd_per_hour": (None, PRICE),
        },
        usd=usd,
        list_usd=listed,
        pricing_category="Committed",
        note=f"rest of {middle(days):g} whole days, the last 30 minutes lost",
    )
    sizes = block_sizes(buy.nodes)
    warnings = [
        "the fee is of its date: AWS reprices Capacity Blocks, and offers depend on what is free; the range takes a "
        "block that proves too short to be extended"
    ]
    if len(sizes) > 1:
        shown = " + ".join(str(size) for size in sizes)
        warnings.append(f"{buy.nodes} nodes are {len(sizes)} blocks ({shown}): not sure to lie in one zone or cluster")
    fee = ledger.sheet.arithmetic(
        "fleet.block_usd",
        middle(buy.nodes * days * 24 * usd),
        "USD",
        "nodes * block_days * 24 * usd_per_hour",
        nodes=(*_nodes(buy), "nodes"),
        block_days=(days, "run:fleet.block_days", "days"),
        usd_per_hour=(usd, COMPUTE_PRICE, "USD/Hrs"),
    )
    due = "due at purchase: on the first day at the latest"
    cash = Cash(
        due=buy.start.isoformat(),
        usd=fee,
        what=f"Capacity Block fee, {due}, not refundable",
        derivation="fleet.block_usd",
    )
    return Bought(usd_per_hour=usd, upfront=(cash,), warnings=tuple(warnings))


def _nodes(buy: Buy) -> Sourced:
    return buy.nodes, "run:nodes"


def _terms(terms: Number, years: int) -> str:
    count = int(middle(terms))
    return (
        f"the whole {years}-year term is"
        if count == 1
        else f"{count} whole terms of {years} year{'s' * (years > 1)} are"
    )


def _commitment(ledger: Ledger, buy: Buy, hours: Number) -> Bought:
    found = ledger.look_up(
        "fleet.compute", lambda: ledger.book.commitment(buy.instance.name, ledger.region, buy.option)
    )
    if found is None:
        return Bought()
    usd, term = found.price.usd, buy.option.term_hours
    listed, unknown = _list_price(ledger, buy, usd)
    terms = np.ceil(hours / term)
    of_term = f"rule:the term of {buy.option.id}, years of 8,760 hours"
    reused = (buy.settings.reuse_value, "plan:purchase.reuse_value")
    ledger.add(
        "fleet.compute",
        service="AmazonEC2",
        equation="C3",
        quantity=node_hours(nodes=buy.nodes, hours=hours),
        price=found.price,
        inputs={"nodes": _nodes(buy), "run_hours": (hours, RUN_HOURS), "usd_per_hour": (None, PRICE)},
        usd=usd,
        list_usd=listed,
        usd_per_hour=buy.nodes * usd,
        pricing_category="Committed",
        note="commitment, hours used" + unknown,
    )
    ledger.add(
        "fleet.commitment-unused",
        service="AmazonEC2",
        equation="C4",
        quantity=unused_node_hours(nodes=buy.nodes, run_hours=hours, term_hours=term),
        price=found.price,
        inputs={
            "nodes": _nodes(buy),
            "run_hours": (hours, RUN_HOURS),
            "term_hours": (term, of_term),
            "usd_per_hour": (usd, PRICE),
            "reuse_value_fraction": reused,
        },
        usd=usd * (1 - buy.settings.reuse_value),
        list_usd=listed,
        pricing_category="Committed",
        note="rest of the term" + (f", {buy.settings.reuse_value:.0%} reused" if buy.settings.reuse_value else ""),
    )
    share = UPFRONT_SHARE[found.upfront]
    whole = ledger.sheet.arithmetic(
        "fleet.committed_usd",
        middle(terms) * term * buy.nodes * usd,
        "USD",
        "ceil(run_hours / term_hours) * term_hours * nodes * usd_per_hour",
        "whole terms",
        run_hours=(hours, RUN_HOURS, "h"),
        term_hours=(term, of_term, "h"),
        nodes=(*_nodes(buy), "nodes"),
        usd_per_hour=(usd, COMPUTE_PRICE, "USD/Hrs"),
    )
    upfront, instalments = _payments(ledger, buy, whole, share, months=middle(terms) * buy.option.years * 12)
    unused = whole - middle(buy.nodes * hours) * usd
    if buy.settings.reuse_value:
        ledger.sheet.arithmetic(
            "fleet.taken_over_usd",
            unused * buy.settings.reuse_value,
            "USD",
            "(committed - nodes * run_hours * usd_per_hour) * reuse_value",
            "the part of the unused hours that other work pays",
            committed=(whole, "run:fleet.committed_usd", "USD"),
            nodes=(*_nodes(buy), "nodes"),
            run_hours=(hours, RUN_HOURS, "h"),
            usd_per_hour=(usd, COMPUTE_PRICE, "USD/Hrs"),
            reuse_value=(*reused, "fraction"),
        )
    return Bought(
        usd_per_hour=usd,
        upfront=upfront,
        instalments=instalments,
        taken_over_usd=unused * buy.settings.reuse_value,
        unused_node_hours=ledger.sheet.equation(
            "fleet.unused_node_hours",
            unused_node_hours,
            nodes=_nodes(buy),
            run_hours=(hours, RUN_HOURS),
            term_hours=(term, of_term),
            reuse_value_fraction=reused,
        ),
        warnings=(f"{_terms(terms, buy.option.years)} committed: {whole:,.0f} USD",),
    )


def _payments(
    ledger: Ledger, buy: Buy, whole: float, share: float, months: float
) -> tuple[tuple[Cash, ...], tuple[Cash, ...]]:
    """(upfront, instalments) of a commitment. share: of the whole that is due upfront."""
    name = "Reserved Instances" if buy.option.family == "ri" else "Savings Plan"
    committed = (whole, "run:fleet.committed_usd", "USD")
    part = (share, f"rule:the share of {buy.option.id} that is due upfront", "fraction")
    upfront: tuple[Cash, ...] = ()
    instalments: tuple[Cash, ...] = ()
    if share:
        usd = ledger.sheet.arithmetic(
            "fleet.upfront_usd", whole * share, "USD", "committed * upfront", committed=committed, upfront=part
        )
        what = f"{name}, upfront part, not refundable"
        upfront = (Cash(due=buy.start.isoformat(), usd=usd, what=what, derivation="fleet.upfront_usd"),)
    if share < 1:
        usd = ledger.sheet.arithmetic(
            "fleet.instalments_usd",
            whole * (1 - share),
            "USD",
            "committed * (1 - upfront)",
            committed=committed,
            upfront=part,
        )
        what = f"{name}, {months:.0f} months of {usd / months:,.2f} USD, also after the run"
        instalments = (Cash(due="monthly", usd=usd, what=what, derivation="fleet.instalments_usd"),)
    return upfront, instalments
