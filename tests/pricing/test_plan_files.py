"""Savings Plans offer files: the layout of AWSComputeSavingsPlan in JSON and CSV, made up for tests."""

from __future__ import annotations

import csv
import gzip
import io
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from constructed import savings_plan
from test_update_rows import SEEN

from planner.api.books import book_for
from planner.cli.prices import command as prices
from pricing.offers import PurchaseOption
from pricing.price_list.plan_file import is_plan_file, read_plan_file
from pricing.price_list.product import BadPriceList
from pricing.update.savings_plans import plan_rate_rows, savings_plan_rows

COMPUTE, INSTANCE = ("ComputeSavingsPlans", "No Upfront", 1), ("EC2InstanceSavingsPlans", "All Upfront", 3)
PLAIN = ("BoxUsage:p5.48xlarge", "RunInstances")
RATES: dict[tuple[str, str, int], list[tuple[str, str, str]]] = {  # plan -> usage type, operation, USD
    COMPUTE: [
        ("UnusedBox:p5.48xlarge", "RunInstances", "1.1"),
        ("DedicatedUsage:p5.48xlarge", "RunInstances", "1.2"),
        ("HostBoxUsage:p5.48xlarge", "RunInstances", "1.3"),
        ("BoxUsage:p5.48xlarge", "RunInstances:0002", "1.4"),
        (*PLAIN, "39.5"),
        ("USE1-BoxUsage:p4d.24xlarge", "RunInstances", "15.25"),
        ("Fargate-vCPU-Hours:perCPU", "", "0.03"),
    ],
    INSTANCE: [(*PLAIN, "20.75")],
}


def plan_offer(rates: dict[tuple[str, str, int], list[tuple[str, str, str]]] = RATES) -> dict[str, Any]:
    """The content of one file."""
    return {
        "version": "20261101003823",
        "publicationDate": "2026-11-01T00:38:23Z",
        "regionCode": "us-east-1",
        "products": [
            {
                "sku": f"PLAN{number}",
                "productFamily": family,
                "serviceCode": "ComputeSavingsPlans",
                "usageType": "USE1-ComputeSP:1yrNoUpfront",
                "operation": "",
                "attributes": {"purchaseOption": upfront, "granularity": "hourly", "purchaseTerm": f"{years}yr"},
            }
            for number, (family, upfront, years) in enumerate(rates)
        ],
        "terms": {
            "savingsPlan": [
                {
                    "sku": f"PLAN{number}",
                    "description": f"{years} year {upfront}",
                    "effectiveDate": "2026-11-01T00:38:23Z",
                    "leaseContractLength": {"duration": years, "unit": "year"},
                    "rates": [
                        {
                            "discountedSku": f"SKU{index}",
                            "discountedUsageType": usage,
                            "discountedOperation": operation,
                            "discountedServiceCode": "AmazonEC2" if "Box" in usage else "AmazonECS",
                            "rateCode": f"PLAN{number}.SKU{index}",
                            "unit": "Hrs",
                            "discountedRate": {"price": usd, "currency": "USD"},
                            "discountedRegionCode": "us-east-1",
                            "discountedInstanceType": usage.partition(":")[2],
                        }
                        for index, (usage, operation, usd) in enumerate(some)
                    ],
                }
                for number, ((_, upfront, years), some) in enumerate(rates.items())
            ]
        },
    }


def as_csv(content: dict[str, Any], *, region_column: bool = True) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerows(
        [
            ["FormatVersion", "v1.0"],
            ["Disclaimer", "Made up, for tests"],
            ["Publication Date", content["publicationDate"]],
            ["Version", content["version"]],
            ["OfferCode", "AWSComputeSavingsPlan"],
        ]
    )
    columns = (
        *("SKU", "RateCode", "Unit", "EffectiveDate", "DiscountedRate", "Currency", "DiscountedSKU"),
        *("DiscountedServiceCode", "DiscountedUsageType", "DiscountedOperation", "PurchaseOption"),
        *("LeaseContractLength", "LeaseContractLengthUnit", "ServiceCode", "Product Family"),
        *(("DiscountedRegionCode",) if region_column else ()),
    )
    writer.writerow(columns)
    products = {one["sku"]: one for one in content["products"]}
    for term in content["terms"]["savingsPlan"]:
        product, lease = products[term["sku"]], term["leaseContractLength"]
        for one in term["rates"]:
            row = (
                *(term["sku"], one["rateCode"], one["unit"], term["effectiveDate"], one["discountedRate"]["price"]),
                *(one["discountedRate"]["currency"], one["discountedSku"], one["discountedServiceCode"]),
                *(one["discountedUsageType"], one["discountedOperation"], product["attributes"]["purchaseOption"]),
                *(lease["duration"], lease["unit"], product["serviceCode"], product["productFamily"]),
                one["discountedRegionCode"],
            )
            writer.writerow(row[: len(columns)])
    return text.getvalue().encode()


def printed(content: dict[str, Any]) -> bytes:
    return json.dumps(content, indent=2, separators=(",", " : ")).encode()


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PLANNER_DATA", str(tmp_path / "data"))
    return tmp_path / "data" / "prices"


def update(path: Path, *words: str) -> Result:
    runner = CliRunner(env={"NO_COLOR": "1", "COLUMNS": "200"})
    arguments = ["update", "--from-bulk", str(path), "--region", "us-east-1", "--type", "p5*", *words]
    return runner.invoke(prices, arguments)


@pytest.mark.parametrize("name", ["index.json", "index.csv", "packed.json.gz", "one-line.json"])
def test_a_file_gives_the_rates_that_the_api_gives(tmp_path, name):
    content = plan_offer()
    written = {
        "index.json": printed(content),
        "index.csv": as_csv(content),
        "packed.json.gz": gzip.compress(printed(content)),
        "one-line.json": json.dumps(content).encode(),
    }
    path = tmp_path / name
    path.write_bytes(written[name])
    assert is_plan_file(path)
    file = read_plan_file(path, lambda name, region: True)
    assert (file.version, file.published) == ("20261101003823", "2026-11-01")
    row = {"instance_type": "p5.48xlarge", "region": "us-east-1"}
    answers = [
        savings_plan({**row, "usd": "39.5"}, "1y", "compute", "No Upfront"),
        savings_plan({**row, "instance_type": "p4d.24xlarge", "usd": "15.25"}, "1y", "compute", "No Upfront"),
        savings_plan({**row, "usd": "20.75"}, "3y", "instance", "All Upfront"),
    ]
    assert plan_rate_rows(file.rates, SEEN, lambda _: True) == savings_plan_rows(answers, SEEN, lambda _: True)


def test_the_update_takes_them_with_the_day_of_the_file(data, tmp_path):
    path = tmp_path / "AWSComputeSavingsPlan.json"
    path.write_bytes(printed(plan_offer()))
    result = update(path)
    assert result.exit_code == 0, result.output
    assert "p5.48xlarge sp-1y-compute-no-upfront us-east-1 43.344 -> 39.5" in result.stdout
    book = book_for(str(datetime.now(UTC).date()))
    price = book.commitment("p5.48xlarge", "us-east-1", PurchaseOption.parse("sp-3y-instance-all-upfront")).price
    assert (price.usd, price.grade, price.observed.isoformat()) == (20.75, "A", "2026-11-01")
    assert "Savings Plans us-east-1, version 20261101003823" in price.source
    assert book.on_demand("p5.48xlarge", "us-east-1").usd == 55.04


@pytest.mark.parametrize("kind", ["json", "csv"])
def test_a_file_that_was_cut_is_refused(tmp_path, kind):
    whole = printed(plan_offer()) if kind == "json" else as_csv(plan_offer())
    path = tmp_path / f"cut.{kind}"
    path.write_bytes(whole[: int(len(whole) * 0.8)])
    with pytest.raises(BadPriceList, match=r"cut\.\w+: it ends early|values for"):
        read_plan_file(path, lambda name, region: True)


def test_plans_of_other_services_and_old_files_are_said(data, tmp_path):
    path = tmp_path / "index.json"
    path.write_bytes(printed(plan_offer({("SageMakerSavingsPlans", "No Upfront", 1): [(*PLAIN, "2")]})))
    assert "AWSComputeSavingsPlan has both" in str(update(path).exception)
    content = plan_offer()
    del content["terms"]["savingsPlan"][0]["rates"][0]["discountedRegionCode"]
    content["terms"]["savingsPlan"][0]["rates"][0]["discountedUsageType"] = PLAIN[0]
    path.write_bytes(printed(content))
    assert "'discountedRegionCode' is missing" in str(update(path).exception)
    path.write_bytes(as_csv(plan_offer(), region_column=False))
    assert "discountedregioncode; older files lack it" in str(update(path).exception)


def test_a_price_at_zero_or_of_an_unknown_term_is_a_problem_and_no_price(tmp_path):
    path = tmp_path / "index.json"
    strange = {COMPUTE: [(*PLAIN, "0.0")], ("ComputeSavingsPlans", "No Upfront", 5): [(*PLAIN, "9")]}
    path.write_bytes(printed(plan_offer(strange)))
    found = plan_rate_rows(read_plan_file(path, lambda name, region: True).rates, SEEN, lambda _: True)
    assert found.rows["commitments"] == []
    assert ["is no price" in problem or "is not understood" in problem for problem in found.problems] == [True, True]
