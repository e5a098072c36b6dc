"""Committed GPU nodes: Reserved Instances and Savings Plans; used and unused hours, and payments."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

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
    on_demand_price,
)
from planner.estimate.uncommitted_purchase import bill_on_demand_hours
from planner.models.bill import INSTANCES
from planner.models.bill_lines import COMPUTE_FALLBACK
from planner.models.compute import committed_run_hours, unused_node_hours
from planner.models.derived import PRICE, Sourced
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


def _committed(years: int, terms: int, usd: float, left_hours: float) -> str:
    many = f"{terms} full terms of {years} year{'s' * (years > 1)} are"
    after = f"; the {left_hours / 24:,.0f} days after it are On-Demand" if left_hours else ""
    return f"{f'the full {years}-year term is' if terms == 1 else many} committed: {usd:,.0f} USD{after}"


def _upfront(ledger: Ledger, purchase: NodePurchase, whole: float, usd: float) -> str:
    """What paying all of it upfront would save; "" where it is, or has no price or a higher one."""
    option = replace(purchase.option, upfront="all")
    try:
        all_usd = ledger.book.commitment(purchase.instance.name, ledger.region, option).price.usd
    except PriceNotFound:
        return ""
    less = 1 - all_usd / usd
    return f"; all upfront costs {less:.0%} less, {whole * less:,.0f} USD, due on the first day" if less > 0.005 else ""


def _at_the_rate(
    ledger: Ledger, purchase: NodePurchase, hours: Number, usd: Sourced, term: Sourced, reused: Sourced
) -> Sourced:
    """Hours of the run at the rate of the commitment; adds the line of those that are left, which are On-Demand."""
    on_demand = on_demand_price(ledger.book, purchase.instance.name, ledger.region)
    if on_demand is None or not np.any(hours > term[0]):
        return hours, RUN_HOURS
    paid = on_demand.usd * (1 - purchase.settings.private_discount)
    committed = ledger.sheet.equation(
        "fleet.committed_run_hours",
        committed_run_hours,
        run_hours=(hours, RUN_HOURS),
        term_hours=term,
        committed_usd_per_hour=usd,
        on_demand_usd_per_hour=(paid, "rule:the On-Demand price, less purchase.private_discount"),
        reuse_value_fraction=reused,
    )
    origin = "run:fleet.committed_run_hours"
    left = ledger.sheet.arithmetic(
        "fleet.after_term_hours",
        hours - committed,
        "h",
        "hours - committed",
        hours=(hours, RUN_HOURS, "h"),
        committed=(committed, origin, "h"),
    )
    if np.any(left):
        after = (left, "run:fleet.after_term_hours")
        bill_on_demand_hours(ledger, purchase, COMPUTE_FALLBACK, after, note="after the end of the commitment")
    return committed, origin


def bill_commitment(ledger: Ledger, purchase: NodePurchase, run_hours: Number) -> PurchaseResult:
    """Whole terms, and On-Demand for what is left of a run that is longer, unless another term costs less."""
    found = ledger.look_up(
        "fleet.compute", lambda: ledger.book.commitment(purchase.instance.name, ledger.region, purchase.option)
    )
    if found is None:
        return PurchaseResult()
    usd, term = found.price.usd, purchase.option.term_hours
    listed, unknown = list_price(ledger, purchase, usd)
    of_term = f"rule:the term of {purchase.option.id}, years of 8,760 hours"
    reused = (purchase.settings.reuse_value, "plan:purchase.reuse_value")
    hours, origin = committed = _at_the_rate(ledger, purchase, run_hours, (usd, COMPUTE_PRICE), (term, of_term), reused)
    terms = np.ceil(hours / term)
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
        hours_origin=origin,
    )
    ledger.add(
        "fleet.commitment-unused",
        service=INSTANCES,
        equation="C4",
        quantity=unused_node_hours(nodes=purchase.nodes, run_hours=hours, term_hours=term),
        price=found.price,
        inputs={
            "nodes": nodes_of(purchase),
            "run_hours": committed,
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
    count, left_hours = int(median(terms)), median(run_hours - hours)
    whole = ledger.sheet.arithmetic(
        "fleet.committed_usd",
        count * term * purchase.nodes * usd,
        "USD",
        "ceil(run_hours / term_hours) * term_hours * nodes * usd_per_hour",
        "whole terms",
        run_hours=(*committed, "h"),
        term_hours=(term, of_term, "h"),
        nodes=(*nodes_of(purchase), "nodes"),
        usd_per_hour=(usd, COMPUTE_PRICE, "USD/Hrs"),
    )
    upfront, instalments = _payments(ledger, purchase, whole, share, count, ends_first=bool(left_hours))
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
            run_hours=(*committed, "h"),
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
            run_hours=committed,
            term_hours=(term, of_term),
            reuse_value_fraction=reused,
        ),
        warnings=(
            _committed(purchase.option.years, count, whole, left_hours) + _upfront(ledger, purchase, whole, usd),
        ),
    )


def _payments(
    ledger: Ledger, purchase: NodePurchase, whole: float, share: float, terms: int, *, ends_first: bool
) -> tuple[tuple[Cash, ...], tuple[Cash, ...]]:
    """(upfront, instalments) of the terms of a commitment. share: the part of the total that is due upfront, when its
    term begins. ends_first: whether the last term ends before the run."""
    name = "Reserved Instances" if purchase.option.family == "ri" else "Savings Plan"
    committed = (whole, "run:fleet.committed_usd", "USD")
    part = (share, f"rule:the share of {purchase.option.id} that is due upfront", "fraction")
    upfront: tuple[Cash, ...] = ()
    instalments: tuple[Cash, ...] = ()
    if share:
        usd = ledger.sheet.arithmetic(
            "fleet.upfront_usd",
            whole * share / terms,
            "USD",
            "committed * upfront / terms",
            "of one term",
            committed=committed,
            upfront=part,
            terms=(terms, "rule:terms that are bought, one after the other", "terms"),
        )
        what = f"{name}, upfront part, not refundable"
        begins = [purchase.start + timedelta(hours=term * purchase.option.term_hours) for term in range(terms)]
        upfront = tuple(Cash(due=day.isoformat(), usd=usd, what=what, derivation="fleet.upfront_usd") for day in begins)
    if share < 1:
        usd = ledger.sheet.arithmetic(
            "fleet.instalments_usd",
            whole * (1 - share),
            "USD",
            "committed * (1 - upfront)",
            committed=committed,
            upfront=part,
        )
        months = terms * purchase.option.years * 12
        what = f"{name}, {months:.0f} months of {usd / months:,.2f} USD{'' if ends_first else ', also after the run'}"
        instalments = (Cash(due="monthly", usd=usd, what=what, derivation="fleet.instalments_usd"),)
    return upfront, instalments
