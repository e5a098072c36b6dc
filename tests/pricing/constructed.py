"""A committed book taken apart: the documents that AWS would publish for its rows, and what each came from."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

from offer_files import PLAIN, dimension, document

from pricing.book import PriceBook
from pricing.price_list.product import Product, product_of
from pricing.update.blocks import block_rows
from pricing.update.compute import compute_rows
from pricing.update.market import advisor_rows, spot_rows
from pricing.update.metered import metered_rows
from pricing.update.metered_rules import RULES, MeteredRule
from pricing.update.rows import Findings, Provenance
from pricing.update.savings_plans import PLAN_TYPES, savings_plan_rows

PREFIXES = {"us-east-1": "", "us-west-2": "USW2-", "us-east-2": "USE2-", "eu-west-1": "EU-", "ap-northeast-1": "APN1-"}
LEASE = {"no-upfront": "No Upfront", "partial-upfront": "Partial Upfront", "all-upfront": "All Upfront"}
HOURS = {"1y": 8760, "3y": 3 * 8760}
RULE_OF = {(rule.service, rule.item, rule.offering): rule for rule in RULES}
_numbers = itertools.count()
Row = Mapping[str, str]


def is_covered(table: str, row: Row) -> bool:
    """Whether an update can find the row: compute prices, zones' spot prices, and metered items with a rule."""
    if table == "metered":
        return (row["service"], row["item"], row["offering"]) in RULE_OF
    if table == "spot":
        return row["item"] == "zone"
    return table in ("on_demand", "commitments", "capacity_blocks", "interruptions")


def rebuilt(book: PriceBook) -> dict[str, list[dict[str, str]]]:
    """The covered rows, each read out of a document that says the same."""
    found: dict[str, list[dict[str, str]]] = defaultdict(list)
    for table, make in MAKERS.items():
        groups: dict[tuple[str, ...], list[Row]] = defaultdict(list)
        for row in book.rows(table):
            if is_covered(table, row):
                tier_key = row["item"] + row["region"] + row["offering"] if table == "metered" else ""
                one_by_one = tier_key or (row["zone_id"] if table == "spot" else "")
                groups[row["observed"], row.get("grade", "A"), row["source"], row.get("note", ""), one_by_one].append(
                    row
                )
        for (observed, grade, source, note, _), rows in groups.items():
            seen = Provenance(observed=date.fromisoformat(observed), source=book.source(source), grade=grade, note=note)
            made = make(rows, seen)
            assert made.problems == (), made.problems
            for name, theirs in made.rows.items():
                if name == table:
                    found[table] += theirs
    return found


def _sku() -> str:
    return f"SKU{next(_numbers):013d}"


def _instance(row: Row, usd: str = "1") -> dict[str, Any]:
    usage = f"{PREFIXES.get(row['region'], 'XXX1-')}BoxUsage:{row['instance_type']}"
    place = {"instanceType": row["instance_type"], "regionCode": row["region"], "usagetype": usage}
    return document(usd, sku=_sku(), attributes={**PLAIN, **place})


def _on_demand(rows: list[Row], seen: Provenance) -> Findings:
    return compute_rows([product_of(_instance(row, row["usd"])) for row in rows], seen, lambda _: True)


def _commitments(rows: list[Row], seen: Provenance) -> Findings:
    """Reserved Instances come from the terms of a product, Savings Plans from their own API."""
    products: dict[tuple[str, str], dict[str, Any]] = {}
    plans: list[dict[str, Any]] = []
    for row in rows:
        family, years, kind, upfront = row["option"].split("-", 3)
        if family == "sp":
            plans.append(savings_plan(row, years, kind, LEASE[upfront]))
            continue
        made = products.setdefault((row["instance_type"], row["region"]), _instance(row))
        terms = made["terms"].setdefault("Reserved", {})
        paid = str(Decimal(row["usd"]) * HOURS[years]) if upfront == "all-upfront" else ""
        dimensions = {"H": dimension("0.0000000000" if paid else row["usd"])}
        if paid:
            dimensions["U"] = dimension(paid, "Quantity")
        terms[row["option"]] = {
            "priceDimensions": dimensions,
            "effectiveDate": "2026-09-01T00:00:00Z",
            "termAttributes": {
                "LeaseContractLength": f"{years[0]}yr",
                "OfferingClass": kind,
                "PurchaseOption": LEASE[upfront],
            },
        }
    both = compute_rows(map(product_of, products.values()), seen, lambda _: True)
    theirs = savings_plan_rows(plans, seen, lambda _: True)
    return Findings(
        rows={"commitments": [*both.rows["commitments"], *theirs.rows["commitments"]]},
        problems=(*both.problems, *theirs.problems),
    )


def savings_plan(row: Row, years: str, kind: str, upfront: str) -> dict[str, Any]:
    """An entry of DescribeSavingsPlansOfferingRates."""
    said = {
        "region": row["region"],
        "instanceType": row["instance_type"],
        "productDescription": "Linux/UNIX",
        "tenancy": "shared",
    }
    return {
        "savingsPlanOffering": {
            "offeringId": "00000000-0000-0000-0000-000000000000",
            "paymentOption": upfront,
            "planType": {value: key for key, value in PLAN_TYPES.items()}[kind],
            "durationSeconds": int(years[0]) * 31_536_000,
            "currency": "USD",
        },
        "rate": row["usd"],
        "unit": "Hrs",
        "productType": "EC2",
        "serviceCode": "AmazonEC2",
        "usageType": f"BoxUsage:{row['instance_type']}",
        "operation": "RunInstances",
        "properties": [{"name": name, "value": value} for name, value in said.items()],
    }


def _blocks(rows: list[Row], seen: Provenance) -> Findings:
    found = [block_rows([block_offer(row)], row["region"], seen) for row in rows]
    return Findings(
        rows={"capacity_blocks": [row for one in found for row in one.rows["capacity_blocks"]]},
        problems=tuple(problem for one in found for problem in one.problems),
    )


def block_offer(row: Row, instances: int = 4, hours: int = 144) -> dict[str, Any]:
    return {
        "InstanceType": row["instance_type"],
        "InstanceCount": instances,
        "CapacityBlockDurationHours": hours,
        "UpfrontFee": str(Decimal(row["usd"]) * instances * hours),
        "CurrencyCode": "USD",
    }


def _spot(rows: list[Row], seen: Provenance) -> Findings:
    end = datetime.combine(seen.observed, datetime.min.time(), UTC)
    found = [
        spot_rows(
            [
                {
                    "InstanceType": row["instance_type"],
                    "AvailabilityZone": f"{row['region']}a",
                    "SpotPrice": row["usd"],
                    "Timestamp": datetime(2020, 1, 1, tzinfo=UTC),
                }
            ],
            {f"{row['region']}a": row["zone_id"]},
            row["region"],
            end,
            1,
            seen,
        )
        for row in rows
    ]
    return Findings(rows={"spot": [row for one in found for row in one.rows["spot"]]})


def _interruptions(rows: list[Row], seen: Provenance) -> Findings:
    labels = sorted({row["label"] for row in rows})
    feed: dict[str, Any] = {
        "ranges": [{"index": index, "label": label} for index, label in enumerate(labels)],
        "spot_advisor": defaultdict(lambda: {"Linux": {}}),
    }
    for row in rows:
        said = {"s": 70, "r": labels.index(row["label"])}
        feed["spot_advisor"][row["region"]]["Linux"][row["instance_type"]] = said
    return advisor_rows(feed, None, seen)


def metered_product(rule: MeteredRule, region: str, tiers: list[tuple[str, str, str]]) -> Product:
    """The product that a rule reads, priced in the unit in which AWS writes it. tiers: from, to, USD of the book."""
    unit, factor = list(rule.units.items())[-1]
    prefix = PREFIXES.get(region, "XXX1-")
    made = document(
        [(begin, end, format(Decimal(usd) / factor, "f")) for begin, end, usd in tiers],
        sku=_sku(),
        family="Storage",
        service=rule.code,
        unit=unit,
        attributes={
            "regionCode": region,
            "usagetype": f"{prefix}{rule.usage}",
            **{name: values[0] for name, values in rule.where.items()},
        },
    )
    return product_of(made)


def _metered(rows: list[Row], seen: Provenance) -> Findings:
    """Tiers of one price that come from different sources are put together by the caller."""
    tiers = sorted(rows, key=lambda row: float(row["tier_from"]))
    rule = RULE_OF[tiers[0]["service"], tiers[0]["item"], tiers[0]["offering"]]
    begin = Decimal(tiers[0]["tier_from"])  # a document has all tiers; this source has these
    shifted = [
        (
            str(Decimal(row["tier_from"]) - begin),
            row["tier_to"] if row["tier_to"] == "Inf" else str(Decimal(row["tier_to"]) - begin),
            row["usd"],
        )
        for row in tiers
    ]
    found = metered_rows([metered_product(rule, tiers[0]["region"], shifted)], seen)
    for row, tier in zip(found.rows["metered"], tiers, strict=True):
        row["tier_from"], row["tier_to"] = tier["tier_from"], tier["tier_to"]
    return found


MAKERS: dict[str, Callable[[list[Row], Provenance], Findings]] = {
    "on_demand": _on_demand,
    "commitments": _commitments,
    "capacity_blocks": _blocks,
    "spot": _spot,
    "interruptions": _interruptions,
    "metered": _metered,
}
