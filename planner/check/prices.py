"""On-Demand prices today against the price book of the plan, for every instance type of the stack."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date
from typing import Any

from planner.check.line import NOT_KNOWN, WARNS, Line, Matter, NotKnown, half
from planner.check.wanted import DRIFT, REPRICE, Wanted, nodes_of
from pricing.price_list.product import BadPriceList, product_of
from pricing.update.compute import compute_rows
from pricing.update.rows import Provenance


def filters_of(instance_type: str, region: str) -> list[dict[str, str]]:
    """Filters of pricing:GetProducts for plain Linux on shared hardware."""
    wanted = {
        "regionCode": region,
        "instanceType": instance_type,
        "operatingSystem": "Linux",
        "tenancy": "Shared",
        "preInstalledSw": "NA",
        "capacitystatus": "Used",
    }
    return [{"Type": "TERM_MATCH", "Field": name, "Value": value} for name, value in wanted.items()]


def usd_of_answer(documents: Any, instance_type: str, region: str, today: date) -> float | NotKnown:
    """USD an hour out of the documents of GetProducts; NotKnown where it is missing or ambiguous."""
    if isinstance(documents, NotKnown):
        return documents
    try:
        products = [product_of(json.loads(one) if isinstance(one, str) else one) for one in documents]
        seen = Provenance(observed=today, source="AWS Price List API")
        found = compute_rows(products, seen, lambda name: name == instance_type)
    except (BadPriceList, ValueError) as error:
        return NotKnown(why=f"half an answer of the price list: {error}")
    rows = [row for row in found.rows["on_demand"] if row["region"] == region]
    if len(rows) != 1:
        return half(f"the price list has {len(rows)} prices of {instance_type} in {region}")
    return float(rows[0]["usd"])


def price_line(instance_type: str, today: float | NotKnown, wanted: Wanted) -> Line:
    """One type. A drift of more than 2 % is named with what it adds an hour."""
    planned = wanted.book_usd.get(instance_type)
    asked = f"On-Demand price of {instance_type} in {wanted.spec.region}"
    asked += f", ${planned:,.4f} an hour in the book" if planned else ", which the book lacks"
    matter = Matter(id=f"price.{instance_type}", asked=asked, mends=REPRICE)
    if isinstance(today, NotKnown):
        return replace(matter, means="the plan's cost may be of another day").not_known(today)
    said = f"${today:,.4f} an hour"
    if not planned:
        return replace(matter, means="the plan's total is a lower bound").bad(NOT_KNOWN, said)
    if abs(today / planned - 1) <= DRIFT:
        return matter.fine(said)
    count = sum(nodes.count for nodes in nodes_of(wanted.spec) if nodes.instance_type == instance_type and nodes.must)
    more = round((today - planned) * count, 2)
    changed = f"${abs(more):,.2f} an hour {'more' if more > 0 else 'less'}"
    matter = replace(matter, means=f"at list price {count} nodes cost {changed} than planned", usd_per_hour=more)
    return matter.bad(WARNS, f"{said}, {today / planned - 1:+.1%}")
