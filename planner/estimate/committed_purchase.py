"""Committed GPU nodes: Reserved Instances and Savings Plans; used and unused hours, and payments."""

from __future__ import annotations

import numpy as np

from planner.estimate.choice import Choice
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
from planner.models.compute import (
    unused_node_hours,
)
from planner.models.derived import PRICE
from planner.models.ledger import Ledger
from planner.models.number import Number, median
from planner.plan.types import Purchase
from pricing.book import PriceBook, PriceNotFound

UPFRONT_SHARE = {"no": 0.0, "partial": 0.5, "all": 1.0}


def least_commitment_usd(book: PriceBook, choice: Choice, region: str, settings: Purchase) -> float:
    """The least that the nodes of a commitment cost, however short the run: one whole term, less the part that other
    work uses. 0 if it has no price."""
    try:
        usd = book.commitment(choice.instance.name, region, choice.option).price.usd
    except PriceNotFound:
        return 0.0
    return choice.nodes * usd * choice.option.term_hours * (1 - settings.reuse_value)


def _terms(terms: Number, years: int) -> str:
    count = int(median(terms))
    return (
        f"the full {years}-year term is" if count == 1 else f"{count} full terms of {years} year{'s' * (years > 1)} are"
    )


def bill_commitment(ledger: Ledger, purchase: NodePurchase, hours: Number) -> PurchaseResult:
    found = ledger.look_up(
        "fleet.compute", lambda: ledger.book.commitment(purchase.instance.name, ledger.region, purchase.option)
    )
    if found is None:
        return PurchaseResult()
    usd, term = found.price.usd, purchase.option.term_hours
    listed, unknown = list_price(ledger, purchase, usd)
    terms = np.ceil(hours / term)
    of_term = f"rule:the term of {purchase.option.id}, years of 8,760 hours"
    reused = (purchase.settings.reuse_value, "plan:purchase.reuse_value")
    bill_used_hours(
        ledger,
        purchase,
        hours,
        found.price,
        usd,
        list_usd=listed,
        note="commitment, hours used" + unknown,
        pricing_category="Committed",
        equation="C3",
        hours_input="run_hours",
    )
    ledger.add(
        "fleet.commitment-unused",
        service=INSTANCES,
        equation="C4",
        quantity=unused_node_hours(nodes=purchase.nodes, run_hours=hours, term_hours=term),
        price=found.price,
        inputs={
            "nodes": nodes_of(purchase),
            "run_hours": (hours, RUN_HOURS),
            "term_hours": (term, of_term),
            "usd_per_hour": (usd, PRICE),
            "reuse_value_fraction": reused,
        },
        usd=usd * (1 - purchase.settings.reuse_value),
        list_usd=listed,
        pricing_category="Committed",
        note="unused part of the term"
        + (f", {purchase.settings.reuse_value:.0%} reused" if purchase.settings.reuse_value else ""),
    )
    share = UPFRONT_SHARE[found.upfront]
    whole = ledger.sheet.arithmetic(
        "fleet.committed_usd",
        median(terms) * term * purchase.nodes * usd,
        "USD",
        "ceil(run_hours / term_hours) * term_hours * nodes * usd_per_hour",
        "whole terms",
        run_hours=(hours, RUN_HOURS, "h"),
        term_hours=(term, of_term, "h"),
        nodes=(*nodes_of(purchase), "nodes"),
        usd_per_hour=(usd, COMPUTE_PRICE, "USD/Hrs"),
    )
    upfront, instalments = _payments(ledger, purchase, whole, share, months=median(terms) * purchase.option.years * 12)
    unused = whole - median(purchase.nodes * hours) * usd
    if purchase.settings.reuse_value:
        ledger.sheet.arithmetic(
            "fleet.taken_over_usd",
            unused * purchase.settings.reuse_value,
            "USD",
            "(committed - nodes * run_hours * usd_per_hour) * reuse_value",
            "the part of the unused hours that other work pays",
            committed=(whole, "run:fleet.committed_usd", "USD"),
            nodes=(*nodes_of(purchase), "nodes"),
            run_hours=(hours, RUN_HOURS, "h"),
            usd_per_hour=(usd, COMPUTE_PRICE, "USD/Hrs"),
            reuse_value=(*reused, "fraction"),
        )
    return PurchaseResult(
        usd_per_hour=usd,
        upfront=upfront,
        instalments=instalments,
        taken_over_usd=unused * purchase.settings.reuse_value,
        unused_node_hours=ledger.sheet.equation(
            "fleet.unused_node_hours",
            unused_node_hours,
            nodes=nodes_of(purchase),
            run_hours=(hours, RUN_HOURS),
            term_hours=(term, of_term),
            reuse_value_fraction=reused,
        ),
        warnings=(f"{_terms(terms, purchase.option.years)} committed: {whole:,.0f} USD",),
    )


def _payments(
    ledger: Ledger, purchase: NodePurchase, whole: float, share: float, months: float
) -> tuple[tuple[Cash, ...], tuple[Cash, ...]]:
    """(upfront, instalments) of a commitment. share: the part of the total that is due upfront."""
    name = "Reserved Instances" if purchase.option.family == "ri" else "Savings Plan"
    committed = (whole, "run:fleet.committed_usd", "USD")
    part = (share, f"rule:the share of {purchase.option.id} that is due upfront", "fraction")
    upfront: tuple[Cash, ...] = ()
    instalments: tuple[Cash, ...] = ()
    if share:
        usd = ledger.sheet.arithmetic(
            "fleet.upfront_usd", whole * share, "USD", "committed * upfront", committed=committed, upfront=part
        )
        what = f"{name}, upfront part, not refundable"
        upfront = (Cash(due=purchase.start.isoformat(), usd=usd, what=what, derivation="fleet.upfront_usd"),)
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
