"""A full `planner prices update` against given answers: every kind of question, and what goes wrong with each."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from constructed import block_offer, savings_plan
from offer_files import PLAIN, document, reserved

from planner.account import aws_client, patience
from planner.api.books import book_for
from planner.cli.prices import command as prices
from planner.errors import AwsProblem, CredentialsProblem, UsageProblem
from planner.update import from_account
from pricing.book import default_book
from pricing.offers import PurchaseOption
from pricing.user_books import user_books
from tests.account.stubs import ACCOUNT, Cloud

ROOT = Path(__file__).resolve().parents[2]
NOW = datetime.now(UTC)
TODAY = NOW.date()
P5 = {**PLAIN, "instanceType": "p5.48xlarge", "usagetype": "BoxUsage:p5.48xlarge"}
INSTANCES = [
    reserved(document("57.5", sku="P5", attributes=P5), {("1yr", "standard", "No Upfront"): ("34.5", "")}),
    document("0.0000000000", sku="CB", attributes=P5, marketoption="CapacityBlock", operation="RunInstances:CB"),
]
GP3 = document(
    "0.081",
    sku="GP3",
    family="Storage",
    unit="GB-Mo",
    attributes={"usagetype": "EBS:VolumeUsage.gp3", "regionCode": "us-east-1"},
)
S3 = document(
    "0.0000050000",
    sku="S3",
    service="AmazonS3",
    family="API Request",
    unit="Requests",
    attributes={"usagetype": "Requests-Tier1", "regionCode": "us-east-1"},
)
RATE = savings_plan(
    {"instance_type": "p5.48xlarge", "region": "us-east-1", "usd": "38.53"}, "3y", "compute", "No Upfront"
)
BLOCK = block_offer({"instance_type": "p5.48xlarge", "usd": "54.82"})
FEED = {
    "ranges": [{"index": 0, "label": "<5%"}],
    "spot_advisor": {"us-east-1": {"Linux": {"p5.48xlarge": {"s": 5, "r": 0}}}},
}
ZONES = {
    "AvailabilityZones": [
        {"ZoneName": "us-east-1a", "ZoneId": "use1-az4"},
        {"ZoneName": "us-east-1d", "ZoneId": "use1-az6"},
    ]
}


def midnight() -> datetime:
    return NOW.replace(hour=0, minute=0, second=0, microsecond=0)


SPOT = [
    {
        "AvailabilityZone": zone,
        "InstanceType": "p5.48xlarge",
        "ProductDescription": "Linux/UNIX",
        "SpotPrice": usd,
        "Timestamp": midnight() - timedelta(days=days),
    }
    for zone, usd, days in (("us-east-1a", "20", 9), ("us-east-1a", "55", 1), ("us-east-1d", "30", 40))
]


class Asked(Cloud):
    """A cloud whose answers stand in the order in which an update asks; `fail` puts an error in place of one."""

    def answer(self, *, fail: dict[str, tuple[str, str]] | None = None, instances: list[Any] = INSTANCES) -> None:
        fail = fail or {}

        def add(key: str, service: str, operation: str, answer: dict[str, Any], expected: Any = None) -> None:
            if key in fail:
                self.stub(service).add_client_error(operation, *fail[key])
            else:
                self.stub(service).add_response(operation, answer, expected)

        def listed(key: str, *documents: dict[str, Any]) -> None:
            add(key, "pricing", "get_products", {"PriceList": [json.dumps(one) for one in documents]})

        listed("instances", *instances)
        listed("Storage", GP3)
        for family in from_account.EBS_AND_NAT[1:]:
            listed(family)
        listed("AmazonFSx")
        listed("AmazonS3", S3)
        for service in from_account.OTHERS[1:]:
            listed(service)
        listed("transfer")
        if not instances:
            return
        add("rates", "savingsplans", "describe_savings_plans_offering_rates", {"searchResults": [RATE]})
        window = {
            "InstanceTypes": ["p5.48xlarge"],
            "ProductDescriptions": ["Linux/UNIX"],
            "MaxResults": 1000,
            "StartTime": midnight() - timedelta(weeks=4),
            "EndTime": midnight(),
        }
        add("spot", "ec2", "describe_spot_price_history", {"SpotPriceHistory": SPOT}, window)
        add("zones", "ec2", "describe_availability_zones", ZONES)
        for instances_, days in ((1, 1), (4, 7)):
            add(
                "blocks",
                "ec2",
                "describe_capacity_block_offerings",
                {"CapacityBlockOfferings": [BLOCK]},
                {"InstanceType": "p5.48xlarge", "InstanceCount": instances_, "CapacityDurationHours": days * 24},
            )


@pytest.fixture
def cloud(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Asked:
    made = Asked()
    monkeypatch.setenv("PLANNER_DATA", str(tmp_path / "data"))
    monkeypatch.setattr(aws_client, "client", made.client)
    monkeypatch.setattr(from_account, "spot_advisor", lambda: FEED)
    monkeypatch.setattr(patience.time, "sleep", lambda _: None)
    return made


def update(*words: str) -> Result:
    arguments = ["update", "--region", "us-east-1", "--type", "p5.48xlarge", "--block", "1x1", "--block", "4x7"]
    return CliRunner(env={"NO_COLOR": "1"}).invoke(prices, [*arguments, *words])


def test_a_full_update_asks_everything_once_and_every_answer_is_in_the_book(cloud):
    cloud.answer()
    result = update()
    assert result.exit_code == 0, (result.output, result.exception)
    cloud.done()
    book = book_for(str(TODAY))
    assert book.on_demand("p5.48xlarge", "us-east-1").usd == 57.5
    reserved_, compute = (
        PurchaseOption.parse(one) for one in ("ri-1y-standard-no-upfront", "sp-3y-compute-no-upfront")
    )
    assert book.commitment("p5.48xlarge", "us-east-1", reserved_).price.usd == 34.5
    assert book.commitment("p5.48xlarge", "us-east-1", compute).price.usd == 38.53
    assert book.capacity_block("p5.48xlarge", "us-east-1").price.usd == 54.82
    spot = book.spot("p5.48xlarge", "us-east-1")
    assert spot.planned.usd == 27.5  # median of 25 (mean over time of 20 and 55) and 30
    assert {zone for zone, price in spot.observations if price.observed == TODAY} == {"use1-az4", "use1-az6"}
    assert book.metered("AmazonEBS", "gp3 storage", "us-east-1").tiers[0].usd == 0.081
    assert book.metered("AmazonS3", "S3 Standard PUT/COPY/POST/LIST", "us-east-1").tiers[0].usd == 0.005
    assert book.interruption("p5.48xlarge", "us-east-1").label == "<5%"
    assert "p5.48xlarge capacity-block us-east-1 41.528 -> 54.82, +32 %" in result.stdout
    assert "p5.48xlarge on-demand us-east-1 55.04 -> 57.5, +4.5 %" in result.stdout
    # nothing came for these: said, and the older price is there
    assert "AmazonEFS in us-east-1: AWS answers without a product" in result.stderr
    assert book.metered("AmazonVPC", "NAT gateway hour", "us-east-1").tiers[0].usd == 0.045


def test_a_second_update_on_a_day_asks_nothing_unless_it_is_told_to_replace(cloud):
    cloud.answer()
    result = update("--top", "1")
    assert result.exit_code == 0, (result.output, result.exception)
    assert re.search(r"^\d+ more: --top 0, or `planner prices diff", result.stderr, re.MULTILINE)
    again = Asked()
    aws_client.client = again.client  # the fixture puts the real one back
    result = update()
    assert isinstance(result.exception, UsageProblem)
    assert "--replace asks again" in str(result.exception)
    assert again.attempts == []


def test_an_update_that_stops_goes_on_where_it_stopped(cloud, tmp_path):
    cloud.answer(fail={"rates": ("ExpiredTokenException", f"token of {ACCOUNT} has expired")})
    result = update()
    assert isinstance(result.exception, CredentialsProblem)
    assert "goes on from there" in str(result.exception)
    assert user_books() == {}
    again = Asked()
    aws_client.client = again.client  # the fixture puts the real one back
    again.answer()
    stub = again.stub("pricing")
    stub._queue.clear()  # none of the price list is asked again
    result = update()
    assert result.exit_code == 0, (result.output, result.exception)
    again.done()
    assert "answers were saved" in result.stderr
    assert list(user_books()) == [TODAY]
    left = [path.name for path in (tmp_path / "data" / "prices").iterdir()]
    assert left == [str(TODAY)]


def test_a_half_written_answer_is_asked_again(cloud, tmp_path):
    cloud.answer(fail={"Storage": ("InternalFailure", "oops")})
    assert isinstance(update().exception, AwsProblem)
    (path,) = (tmp_path / "data" / "prices").glob(".answers-*/*.json.gz")
    path.write_bytes(path.read_bytes()[:40])
    again = Asked()
    aws_client.client = again.client
    again.answer()
    assert update().exit_code == 0
    again.done()


def test_a_call_that_is_not_allowed_is_named_and_the_rest_is_found(cloud):
    cloud.answer(fail={"rates": ("AccessDeniedException", f"arn:aws:iam::{ACCOUNT}:user/me is not authorized")})
    result = update()
    assert result.exit_code == 0, (result.output, result.exception)
    assert "AWS refuses Savings Plans rates in us-east-1" in result.stderr
    assert "infra/prices-policy.json lists what it needs" in result.stderr
    assert ACCOUNT not in result.output + json.dumps(book_for(str(TODAY)).manifest["problems"])
    assert book_for(str(TODAY)).capacity_block("p5.48xlarge", "us-east-1").price.usd == 54.82


def test_where_no_call_is_allowed_there_is_no_book_and_the_first_refusal_is_said(cloud, tmp_path, monkeypatch):
    def refuse(*_: object) -> None:
        raise AwsProblem("Spot Advisor's data could not be read")

    monkeypatch.setattr(from_account, "spot_advisor", refuse)
    for _ in range(2 + len(from_account.EBS_AND_NAT) + len(from_account.OTHERS) + 1):
        cloud.stub("pricing").add_client_error("get_products", "AccessDeniedException", "not authorized")
    result = update()
    assert isinstance(result.exception, CredentialsProblem)
    assert "AWS refuses the price list of AmazonEC2 in us-east-1 (instances)" in str(result.exception)
    cloud.done()
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize("feed", [AwsProblem("Spot Advisor's data could not be read"), {"ranges": []}])
def test_without_spot_advisor_the_older_interruption_bands_are_kept(cloud, monkeypatch, feed):
    def advisor() -> Any:
        if isinstance(feed, Exception):
            raise feed
        return feed

    monkeypatch.setattr(from_account, "spot_advisor", advisor)
    cloud.answer()
    result = update()
    assert result.exit_code == 0, (result.output, result.exception)
    assert "older interruption bands are kept" in result.stderr
    band = book_for(str(TODAY)).interruption("p5.48xlarge", "us-east-1")
    assert band == default_book().interruption("p5.48xlarge", "us-east-1")


def test_instance_types_that_were_not_asked_for_are_not_kept(cloud):
    other = document("0.1", sku="M5", attributes={**P5, "instanceType": "m5.large", "usagetype": "BoxUsage:m5.large"})
    cloud.answer(instances=[*INSTANCES, other])
    assert update().exit_code == 0
    found, before = (book.on_demand("m5.large", "us-east-1") for book in (book_for(str(TODAY)), default_book()))
    assert (found.usd, found.observed) == (before.usd, before.observed)


def test_no_price_list_means_no_book_and_nothing_is_called_gone(cloud, monkeypatch):
    cloud.answer(instances=[])
    result = update()
    assert result.exit_code == 0, (result.output, result.exception)
    assert "AmazonEC2 in us-east-1 (instances): AWS answers without a product" in result.stderr
    assert book_for(str(TODAY)).on_demand("p5.48xlarge", "us-east-1").usd == 55.04


def test_a_field_with_a_new_name_is_said_and_the_older_price_is_kept(cloud):
    changed = json.loads(json.dumps(INSTANCES[0]).replace("pricePerUnit", "unitPrice"))
    other = document("63", sku="P5B", attributes={**P5, "instanceType": "p5.48xlarge"}, capacitystatus="Unused")
    cloud.answer(instances=[changed, other])
    for service in ("savingsplans", "ec2"):
        cloud.stub(service)._queue.clear()
    result = update()
    assert result.exit_code == 0, (result.output, result.exception)
    assert "it has no field 'pricePerUnit'" in result.stderr
    assert book_for(str(TODAY)).on_demand("p5.48xlarge", "us-east-1").usd == 55.04


def test_blocks_at_zero_and_types_without_blocks_give_no_price(cloud, monkeypatch):
    monkeypatch.setitem(BLOCK, "UpfrontFee", "0.00")
    cloud.answer()
    result = update()
    assert "is no price" in result.stderr
    assert book_for(str(TODAY)).capacity_block("p5.48xlarge", "us-east-1").price.usd == 41.528
    again = Asked()
    aws_client.client = again.client
    again.answer(fail={"blocks": ("InvalidParameterValue", "not for this type")})
    assert update("--replace").exit_code == 0
    # any other refusal is no answer, and is not taken for one
    refused = Asked()
    aws_client.client = refused.client
    refused.answer(fail={"blocks": ("MalformedQueryString", "not understood")})
    assert isinstance(update("--replace").exception, AwsProblem)


def test_throttling_in_the_middle_is_waited_out(cloud):
    cloud.answer()
    cloud.stub("savingsplans")._queue.clear()
    cloud.stub("savingsplans").add_client_error(
        "describe_savings_plans_offering_rates", "ThrottlingException", "Rate exceeded"
    )
    cloud.stub("savingsplans").add_response("describe_savings_plans_offering_rates", {"searchResults": [RATE]})
    result = update()
    assert result.exit_code == 0, (result.output, result.exception)
    assert "asked again in" in result.stderr


def test_placement_scores_stand_in_the_manifest_and_in_no_table_of_prices(cloud):
    cloud.answer()
    cloud.stub("ec2").add_response(
        "get_spot_placement_scores",
        {"SpotPlacementScores": [{"Region": "us-east-1", "AvailabilityZoneId": "use1-az4", "Score": 3}]},
        {
            "InstanceTypes": ["p5.48xlarge"],
            "TargetCapacity": 8,
            "TargetCapacityUnitType": "units",
            "SingleAvailabilityZone": True,
            "RegionNames": ["us-east-1"],
        },
    )
    result = update("--placement-scores", "8")
    assert result.exit_code == 0, (result.output, result.exception)
    (score,) = book_for(str(TODAY)).manifest["placement_scores"]
    assert (score["zone_id"], score["score_of_10"]) == ("use1-az4", 3)
    assert "p5.48xlarge use1-az4: 3 of 10 for 8 nodes" in result.stderr


def test_account_ids_are_in_no_file(cloud, tmp_path):
    leaking = document("57.5", sku="P5", attributes=P5, note=f"arn:aws:iam::{ACCOUNT}:root")
    cloud.answer(instances=[leaking], fail={"rates": ("InternalFailure", f"in {ACCOUNT}")})
    result = update()
    assert isinstance(result.exception, AwsProblem)
    assert ACCOUNT not in str(result.exception)
    import gzip

    files = [path for path in (tmp_path / "data").rglob("*") if path.is_file()]
    assert files
    assert all(ACCOUNT.encode() not in gzip.decompress(path.read_bytes()) for path in files)


def test_the_published_policy_allows_these_calls_and_nothing_else():
    (statement,) = json.loads((ROOT / "infra" / "prices-policy.json").read_text())["Statement"]
    operations = {"get_products": "pricing", "describe_savings_plans_offering_rates": "savingsplans"}
    for name in (
        "describe_spot_price_history",
        "describe_capacity_block_offerings",
        "get_spot_placement_scores",
        "describe_availability_zones",
    ):
        operations[name] = "ec2"
    wanted = {f"{service}:{name.title().replace('_', '')}" for name, service in operations.items()}
    assert set(statement["Action"]) == wanted
    source = (ROOT / "planner/account/price_answers.py").read_text() + (ROOT / "planner/account/offers.py").read_text()
    assert all(name in source for name in operations)


@pytest.mark.parametrize("text", ["4", "x7", "0x1", "65x1", "4x183", "fourx1"])
def test_a_block_that_is_not_offered_is_refused(text, cloud):
    result = CliRunner().invoke(prices, ["update", "--block", text])
    assert "write nodes" in str(result.exception)
