"""Documents of the price list: what looks like a price and is none."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from price_sources import SOURCES, needs_sources

from pricing.bulk import parse_products, refusal


def document(usd: str = "21.957642", **attributes: str) -> dict[str, Any]:
    plain = {
        "instanceType": "p4d.24xlarge",
        "regionCode": "us-east-1",
        "operatingSystem": "Linux",
        "tenancy": "Shared",
        "preInstalledSw": "NA",
        "capacitystatus": "Used",
        "marketoption": "OnDemand",
    }
    dimension = {"unit": "Hrs", "pricePerUnit": {"USD": usd}}
    return {
        "serviceCode": "AmazonEC2",
        "product": {"sku": "S1", "productFamily": "Compute Instance", "attributes": {**plain, **attributes}},
        "terms": {"OnDemand": {"S1.T": {"effectiveDate": "2026-09-01T00:00:00Z", "priceDimensions": {"d": dimension}}}},
    }


def test_a_plain_document_is_a_price() -> None:
    (one,) = parse_products([document()])
    assert (one.instance_type, one.region, one.usd, one.effective) == (
        "p4d.24xlarge",
        "us-east-1",
        21.957642,
        "2026-09-01",
    )


@pytest.mark.parametrize(
    "attributes",
    [
        {"marketoption": "CapacityBlock"},  # T3
        {"operatingSystem": "RHEL"},  # T7
        {"operatingSystem": "SUSE"},
        {"operatingSystem": "Windows", "licenseModel": "Bring your own license"},
        {"preInstalledSw": "SQL Std"},
        {"tenancy": "Dedicated"},
        {"tenancy": "Host"},
        {"capacitystatus": "UnusedCapacityReservation"},
        {"capacitystatus": "AllocatedCapacityReservation"},
    ],
)
def test_what_is_not_the_plain_instance_is_left_out(attributes: dict[str, str]) -> None:
    assert parse_products([document("0.0", **attributes), document()]) == parse_products([document()])
    assert refusal(document(**attributes))


@pytest.mark.parametrize("usd", ["0.0000000000", "-1"])
def test_a_plain_document_at_zero_is_an_error_not_a_price(usd: str) -> None:
    with pytest.raises(ValueError, match="S1"):
        parse_products([document(usd)])


def test_two_prices_in_one_document_are_an_error() -> None:
    double = copy.deepcopy(document())
    double["terms"]["OnDemand"]["S1.U"] = double["terms"]["OnDemand"]["S1.T"]
    with pytest.raises(ValueError, match="expected one"):
        parse_products([double])


@needs_sources
def test_sample_documents_give_the_on_demand_prices_and_nothing_else() -> None:
    lines = (SOURCES / "pricelist_sample_documents.jsonl").read_text(encoding="utf-8").splitlines()
    documents = [json.loads(line) for line in lines]
    found = {(one.instance_type, one.region): one.usd for one in parse_products(documents)}
    assert found["p4d.24xlarge", "us-east-1"] == 21.957642
    assert found["p5.48xlarge", "us-east-1"] == 55.04
    # 15 documents: 7 plain instances, 1 Capacity Block at $0, 7 of S3
    assert (len(documents), len(found)) == (15, 7)
    reasons = [refusal(one) for one in documents if refusal(one)]
    assert reasons.count("marketoption CapacityBlock") == 1
