"""A mix of commitments in words: what each purchase is, and what the answer does not know."""

from __future__ import annotations

from planner.mix.advice import Purchase
from planner.mix.answer import Mix
from planner.mix.model import Kind
from planner.plan.wording import listed
from planner.report.wording.figures import many, purchase_words, usd
from pricing.offers import PurchaseOption

YEAR_HOURS, MONTH_HOURS = 8_760, 730


def amount(purchase: Purchase) -> str:
    """`12 instances` or `$519.310 an hour`."""
    if purchase.offer.kind is Kind.RESERVED:
        return many(round(purchase.amount), "instance")
    return f"${purchase.amount:,.3f} an hour"


def thing(purchase: Purchase) -> str:
    """`Compute Savings Plan, 1 year, no upfront` and what it covers."""
    option, _, covers = purchase.offer.name.partition(" ")
    if option == "owned":
        return f"owned: {covers}"
    return (
        f"{covers}: {purchase_words(PurchaseOption.parse(option))}"
        if covers
        else purchase_words(PurchaseOption.parse(option))
    )


def is_owned(purchase: Purchase) -> bool:
    return purchase.offer.name.startswith("owned ")


def owed_later(found: Mix) -> float:
    """USD of the terms that is due after the twelve months."""
    return sum(
        one.amount * one.offer.price * (found.asked.years * YEAR_HOURS - one.months * MONTH_HOURS)
        for one in found.advice.purchases
        if not is_owned(one) and not one.offer.name.startswith("capacity-block")
    )


UPFRONT = {"no": 0.0, "partial": 0.5, "all": 1.0}  # of the whole term; a partial payment is about half of it


def due_now(found: Mix) -> float:
    """USD that is paid when the purchases of now are made: upfront parts of whole terms, and Capacity Blocks."""
    due = 0.0
    for one in (one for one in found.advice.purchases if one.month == 0 and not is_owned(one)):
        if one.offer.name.startswith("capacity-block"):
            due += one.usd
        else:
            due += UPFRONT[found.asked.upfront] * one.amount * one.offer.price * found.asked.years * YEAR_HOURS
    return due


def not_known(found: Mix) -> list[str]:
    """What bounds the answer, most important first."""
    asked, demand = found.asked, found.demand
    said = [
        f"How the demand changes ({asked.low:+.0%} to {asked.high:+.0%} in a year, --change) is an assumption; 1 in 10 "
        "outcomes lies outside.",
        "Work that the old fleet delayed or refused is not in the file.",
        "Reserved Instances and Savings Plans promise a price, not capacity.",
    ]
    later = owed_later(found)
    if later > 0.5:
        judged = " Years 2 and 3 are not judged: what is unused in them is lost." if asked.years > 1 else ""
        said.append(f"Terms outlive these 12 months: {usd(later)} of them lies afterwards, used or not.{judged}")
    if found.prices.derived:
        options = found.prices.derived_words
        said.append(f"Derived prices, seen in no price list (grade C): {options}. Check them before buying.")
    if found.prices.unknown:
        few = len(found.prices.unknown) <= 2
        which = (
            "; ".join(found.prices.unknown) if few else f"{len(found.prices.unknown)} options, for some types (-f json)"
        )
        said.append(f"Not sold, or without a price in the book, and so not in this mix: {which}.")
    if demand.interruptible:
        said.append("Spot may be interrupted or missing; lost work and waits are not priced.")
    if asked.blocks:
        said.append(
            "Capacity Blocks are sold up to eight weeks ahead, while there are any, at the price of that day; a later "
            "block of a chain is not promised."
        )
    if asked.owned:
        said.append("What you own already costs nothing more here; its fees are on neither side of the comparison.")
    if demand.covered and not asked.owned:
        said.append(
            f"Commitments that you have covered {demand.covered:.0%} of these hours: say which still run (--owned), or "
            "they are bought again."
        )
    if demand.left_out:
        said.append(
            f"Not in it: {listed([f'{hours:,.0f} instance-hours {what}' for what, hours in demand.left_out], 3)}."
        )
    if demand.assumed_utc:
        said.append("The file names no time zone; its hours are read as UTC.")
    return said
