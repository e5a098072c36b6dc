"""Checks of a plan's own prices: alone, and against the items and units of the price book."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise

from planner.plan.finding import Finding
from planner.plan.own_prices import OwnPrice
from planner.plan.types import Plan
from planner.plan.wording import did_you_mean, listed, shown
from planner.plan.yamlfile import Path
from pricing.offers import ALL_PURCHASE_OPTIONS

HOUR = "Hrs"  # the unit of every instance price


def own_prices_findings(plan: Plan) -> Iterator[Finding]:
    """Findings that need only the plan."""
    seen: dict[tuple[object, ...], int] = {}
    ladders: dict[tuple[object, ...], list[int]] = {}
    for index, own in enumerate(plan.own_prices):
        at: Path = ("prices", "own", index)
        yield from _kind_findings(plan, own, at)
        what = (own.purchase, own.instance_type, own.item, own.offering, own.region or plan.region)
        key = (*what, own.tier_from_gb)
        if key in seen:
            yield at, f"the same price as prices.own[{seen[key]}]", "keep one of them"
        elif own.item is not None:
            ladders.setdefault(what, []).append(index)
        seen.setdefault(key, index)
        if own.tier_to_gb is not None and own.tier_to_gb <= own.tier_from_gb:
            yield (*at, "tier_to_gb"), "the tier ends before it begins", "write tier_from_gb < tier_to_gb"
    for indexes in ladders.values():
        yield from _tiers_findings(plan.own_prices, indexes)
    yield from _twice_findings(plan)


def _kind_findings(plan: Plan, own: OwnPrice, at: Path) -> Iterator[Finding]:
    if (own.purchase is None) == (own.item is None):
        message = "purchase and item are both set" if own.item else "neither purchase nor item is set"
        remedy = "write purchase: on-demand for instances, or item: S3 Standard storage for what is billed by use"
        yield at, f"{message}, so it is not clear what the price is for", remedy
        return
    if own.item is not None:
        if own.instance_type is not None:
            yield (*at, "instance_type"), "instance_type is used only with purchase", "remove it"
        return
    if own.purchase not in ALL_PURCHASE_OPTIONS:
        remedy = (
            did_you_mean(own.purchase or "", ALL_PURCHASE_OPTIONS) or "on-demand, spot, capacity-block, ri-..., sp-..."
        )
        yield (*at, "purchase"), f"unknown purchase option {shown(own.purchase)}", remedy
    if own.instance_type is None and len(plan.fleet.instance_types) > 1:
        message = f"the fleet has {len(plan.fleet.instance_types)} instance types, and the price is of one of them"
        yield at, message, f"write instance_type: {plan.fleet.instance_types[0]}"
    if own.unit != HOUR:
        yield (*at, "unit"), f"the price of an instance is per hour; got {shown(own.unit)}", f"write unit: {HOUR}"
    for key, given in (("offering", own.offering), ("tier_from_gb", own.tier_from_gb), ("tier_to_gb", own.tier_to_gb)):
        if given:
            yield (*at, key), f"{key} is used only with item", "remove it"


def _tiers_findings(prices: tuple[OwnPrice, ...], indexes: list[int]) -> Iterator[Finding]:
    """Tiers of one item begin at 0 and leave no gap."""
    ordered = sorted(indexes, key=lambda index: prices[index].tier_from_gb)
    first = prices[ordered[0]]
    if first.tier_from_gb:
        at: Path = ("prices", "own", ordered[0], "tier_from_gb")
        yield at, f"the price of the first {first.tier_from_gb:g} GB is missing", "add a price from 0 GB on"
    for lower, upper in pairwise(ordered):
        end, start = prices[lower].tier_to_gb, prices[upper].tier_from_gb
        if end != start:
            ends = "has no end" if end is None else f"ends at {end:g} GB"
            message = f"the tier below {ends}, and this one begins at {start:g} GB"
            yield ("prices", "own", upper, "tier_from_gb"), message, f"write tier_to_gb: {start:g} in the tier below"


def _twice_findings(plan: Plan) -> Iterator[Finding]:
    """Other keys that change the same price."""
    fleet = set(plan.fleet.instance_types)
    for index, own in enumerate(plan.own_prices):
        mine = (own.instance_type is None or own.instance_type in fleet) and (own.region or plan.region) == plan.region
        key = {"on-demand": "private_discount", "spot": "spot_usd_per_hour"}.get(own.purchase or "", "")
        if mine and key and getattr(plan.purchase, key):
            message = f"purchase.{key} changes this price too"
            yield ("prices", "own", index, "usd"), message, f"keep the price that you pay, and remove {key}"


def items_findings(plan: Plan, known: Mapping[tuple[str, str], str], types: Mapping[str, object]) -> Iterator[Finding]:
    """Findings against the price book. known: the unit by item and offering. types: instance types by name."""
    items = {item for item, _ in known}
    for index, own in enumerate(plan.own_prices):
        at: Path = ("prices", "own", index)
        if own.instance_type is not None and own.instance_type not in types:
            remedy = did_you_mean(own.instance_type, types)
            yield (
                (*at, "instance_type"),
                f"{shown(own.instance_type)} is not an instance type in the price book",
                remedy,
            )
        if own.item is None:
            continue
        if own.item not in items:
            remedy = did_you_mean(own.item, items) or "`planner prices show` lists the items"
            yield (*at, "item"), f"{shown(own.item)} is not an item in the price book", remedy
        elif (own.item, own.offering) not in known:
            offerings = sorted(offering for item, offering in known if item == own.item)
            message = (
                f"{own.item} has no offering {shown(own.offering)}" if own.offering else f"{own.item} has offerings"
            )
            remedy = f"write offering: {listed(offerings)}" if any(offerings) else "remove offering"
            yield (*at, "offering"), message, remedy
        elif own.unit != known[own.item, own.offering]:
            unit = known[own.item, own.offering]
            yield (*at, "unit"), f"{own.item} is billed per {unit}; got {shown(own.unit)}", f"write unit: {unit}"
