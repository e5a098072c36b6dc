"""Small documents and offer files in AWS's form, made up for tests."""

from __future__ import annotations

import copy
import csv
import io
import json
from collections.abc import Mapping, Sequence
from typing import Any

PLAIN = {
    "servicecode": "AmazonEC2",
    "instanceType": "p4d.24xlarge",
    "regionCode": "us-east-1",
    "operatingSystem": "Linux",
    "tenancy": "Shared",
    "preInstalledSw": "NA",
    "capacitystatus": "Used",
    "marketoption": "OnDemand",
    "licenseModel": "No License required",
    "usagetype": "BoxUsage:p4d.24xlarge",
}


def dimension(usd: str, unit: str = "Hrs", begin: str = "0", end: str = "Inf", said: str = "") -> dict[str, Any]:
    return {
        "unit": unit,
        "endRange": end,
        "description": said,
        "appliesTo": [],
        "rateCode": "code",
        "beginRange": begin,
        "pricePerUnit": {"USD": usd},
    }


def document(
    usd: str | Sequence[tuple[str, str, str]] = "21.957642",
    *,
    sku: str = "S1",
    family: str = "Compute Instance",
    service: str = "AmazonEC2",
    unit: str = "Hrs",
    effective: str = "2026-09-01",
    attributes: Mapping[str, str] = PLAIN,
    **more: str,
) -> dict[str, Any]:
    """A document as GetProducts gives it. usd: one price, or tiers as (from, to, USD)."""
    tiers = [("0", "Inf", usd)] if isinstance(usd, str) else usd
    term = {
        "priceDimensions": {
            f"{sku}.T.{number}": dimension(price, unit, begin, end) for number, (begin, end, price) in enumerate(tiers)
        },
        "sku": sku,
        "effectiveDate": f"{effective}T00:00:00Z",
        "offerTermCode": "T",
        "termAttributes": {},
    }
    return {
        "product": {"productFamily": family, "attributes": {**attributes, **more}, "sku": sku},
        "serviceCode": service,
        "terms": {"OnDemand": {f"{sku}.T": term}},
        "version": "20260910151105",
        "publicationDate": "2026-09-10T15:11:05Z",
    }


def reserved(made: dict[str, Any], terms: Mapping[tuple[str, str, str], tuple[str, str]]) -> dict[str, Any]:
    """The document with Reserved terms: (lease, class, option) -> (USD per hour, upfront USD or "")."""
    made, sku = copy.deepcopy(made), made["product"]["sku"]
    made["terms"]["Reserved"] = {
        f"{sku}.R{number}": {
            "priceDimensions": {
                f"{sku}.R{number}.H": dimension(hourly),
                **({f"{sku}.R{number}.U": dimension(upfront, "Quantity")} if upfront else {}),
            },
            "sku": sku,
            "effectiveDate": "2026-09-01T00:00:00Z",
            "offerTermCode": f"R{number}",
            "termAttributes": {"LeaseContractLength": lease, "OfferingClass": kind, "PurchaseOption": option},
        }
        for number, ((lease, kind, option), (hourly, upfront)) in enumerate(terms.items())
    }
    return made


def offer(documents: Sequence[Mapping[str, Any]], service: str = "AmazonEC2") -> dict[str, Any]:
    """The documents as the content of one offer file."""
    kinds: dict[str, dict[str, Any]] = {"OnDemand": {}, "Reserved": {}}
    for one in documents:
        for kind, terms in one["terms"].items():
            kinds[kind][one["product"]["sku"]] = terms
    return {
        "formatVersion": "v1.0",
        "disclaimer": "Made up",
        "offerCode": service,
        "version": "20260910151105",
        "publicationDate": "2026-09-10T15:11:05Z",
        "products": {
            one["product"]["sku"]: {name: one["product"][name] for name in ("sku", "productFamily", "attributes")}
            for one in documents
        },
        "terms": kinds,
        "attributesList": {},
    }


def as_aws_prints(content: Mapping[str, Any]) -> bytes:
    """Two spaces a level, blanks around the colon, and `{ }` for what is empty."""
    text = json.dumps(content, indent=2, separators=(",", " : "))
    return (text.replace("{}", "{ }").replace("[]", "[ ]") + "\n").encode()


RATE_COLUMNS = (
    *("SKU", "OfferTermCode", "RateCode", "TermType", "PriceDescription", "EffectiveDate", "StartingRange"),
    *("EndingRange", "Unit", "PricePerUnit", "Currency", "LeaseContractLength", "PurchaseOption", "OfferingClass"),
)
WORDS = {"instanceType": "Instance Type", "preInstalledSw": "Pre Installed S/W", "usagetype": "usageType"}


def as_csv(content: Mapping[str, Any]) -> bytes:
    names = sorted({name for one in content["products"].values() for name in one["attributes"]} - {"servicecode"})
    text = io.StringIO()
    writer = csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerows(
        [
            ["FormatVersion", content["formatVersion"]],
            ["Disclaimer", content["disclaimer"]],
            ["Publication Date", content["publicationDate"]],
            ["Version", content["version"]],
            ["OfferCode", content["offerCode"]],
        ]
    )
    writer.writerow((*RATE_COLUMNS, "Product Family", "serviceCode", *(WORDS.get(name, name) for name in names)))
    for kind, skus in content["terms"].items():
        for sku, terms in skus.items():
            product = content["products"][sku]
            for term in terms.values():
                said = term["termAttributes"]
                for one in term["priceDimensions"].values():
                    writer.writerow(
                        (
                            *(sku, term["offerTermCode"], one["rateCode"], kind, one["description"]),
                            *(term["effectiveDate"][:10], one["beginRange"], one["endRange"], one["unit"]),
                            *(one["pricePerUnit"]["USD"], "USD", said.get("LeaseContractLength", "")),
                            *(said.get("PurchaseOption", ""), said.get("OfferingClass", "")),
                            *(product["productFamily"], content["offerCode"]),
                            *(product["attributes"].get(name, "") for name in names),
                        )
                    )
    return text.getvalue().encode()
