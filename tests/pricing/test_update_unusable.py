"""What AWS, a file or an older book may say that cannot be used: a problem that is named, and never a price."""

from __future__ import annotations

import json
import shutil
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from constructed import savings_plan
from offer_files import as_aws_prints, dimension, document, offer, reserved

from planner.api.books import book_for
from planner.cli.prices import command as prices
from planner.errors import UsageProblem
from planner.update.from_files import from_files
from planner.update.saved import SavedAnswers
from planner.update.wanted import wanted
from pricing.book import BrokenBook, default_book
from pricing.price_list.product import product_of
from pricing.update.compute import compute_rows
from pricing.update.market import spot_rows
from pricing.update.merge import merged
from pricing.update.metered import metered_rows
from pricing.update.rows import Provenance
from pricing.update.savings_plans import savings_plan_rows

TODAY = datetime.now(UTC).date()
SEEN = Provenance(observed=date(2026, 11, 24), source="made up")
P5 = document("57.5", sku="P5", instanceType="p5.48xlarge", usagetype="BoxUsage:p5.48xlarge")
S3 = {"usagetype": "TimedStorage-ByteHrs", "regionCode": "us-east-1"}
BASE = default_book().folder


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PLANNER_DATA", str(tmp_path / "data"))
    return tmp_path / "data" / "prices"


def update(path: Path, content: bytes, *words: str) -> Result:
    path.write_bytes(content)
    arguments = ["update", "--from-bulk", str(path), "--region", "us-east-1", "--type", "p5*", *words]
    return CliRunner(env={"NO_COLOR": "1"}).invoke(prices, arguments)


# rows


@pytest.mark.parametrize(
    ("made", "problem"),
    [
        (document(regionCode=""), "no Region is stated"),
        (document("21.957642", unit="Quantity"), "no On-Demand price above zero for an hour"),
        (document([("0", "100", "21"), ("100", "Inf", "20")]), "no On-Demand price above zero for an hour"),
        (document("n/a"), "no On-Demand price above zero for an hour"),
    ],
)
def test_an_instance_without_one_price_for_an_hour_gives_no_row(made, problem):
    found = compute_rows([product_of(made)], SEEN, lambda _: True)
    assert found.rows["on_demand"] == []
    assert problem in found.problems[0]


def test_a_reserved_rate_with_parts_that_do_not_add_up_gives_no_row():
    made = reserved(document(), {("1yr", "standard", "Partial Upfront"): ("5.5", "87600")})
    (term,) = made["terms"]["Reserved"].values()
    term["priceDimensions"]["again"] = dimension("5.5")  # two prices for the same hour
    found = compute_rows([product_of(made)], SEEN, lambda _: True)
    assert [row["usd"] for row in found.rows["on_demand"]] == ["21.957642"]
    assert found.rows["commitments"] == []
    assert "'1yr standard Partial Upfront' is not understood" in found.problems[0]


@pytest.mark.parametrize(
    ("tiers", "problem"),
    [
        ([], "has no price"),
        ([("0", "Inf", "n/a")], "has the price 'n/a'"),
        ([("first", "Inf", "0.023")], "has a tier from 'first'"),
        ([("0", "last", "0.023")], "has a tier to 'last'"),
    ],
)
def test_a_metered_price_that_is_no_number_gives_no_row(tiers, problem):
    found = metered_rows([product_of(document(tiers, service="AmazonS3", unit="GB-Mo", attributes=S3))], SEEN)
    assert found.rows["metered"] == []
    assert problem in found.problems[0]


def transfer(to: str, usd: str) -> Any:
    place = {"fromRegionCode": "us-east-1", "toRegionCode": to, "transferType": "InterRegion Outbound"}
    attributes = {**place, "usagetype": "USE1-USE2-AWS-Out-Bytes"}
    return product_of(document(usd, sku=to, service="AWSDataTransfer", unit="GB", attributes=attributes))


def test_transfer_without_a_price_to_most_regions_leaves_the_older_one():
    for far in ([], [transfer("us-west-2", "n/a")]):
        found = metered_rows([transfer("us-east-2", "0.01"), *far], SEEN)
        assert [row["item"] for row in found.rows["metered"]] == ["Data transfer between us-east-1 and us-east-2"]


def test_a_savings_plan_rate_of_an_unknown_term_or_with_two_values_is_a_problem():
    row = {"instance_type": "p5.48xlarge", "region": "us-east-1", "usd": "38.5"}
    plain = savings_plan(row, "1y", "compute", "No Upfront")
    two_years = {**plain, "savingsPlanOffering": {**plain["savingsPlanOffering"], "durationSeconds": 2 * 365 * 86_400}}
    found = savings_plan_rows([two_years], SEEN, lambda _: True)
    assert found.rows["commitments"] == []
    assert "is not understood" in found.problems[0]
    found = savings_plan_rows([plain, {**plain, "rate": "39"}], SEEN, lambda _: True)
    assert "has the rates 38.5 and 39" in found.problems[0]


@pytest.mark.parametrize("wrong", [{"SpotPrice": "free"}, {"InstanceType": ""}, {"Timestamp": "yesterday"}])
def test_a_spot_entry_without_price_type_or_time_gives_no_row(wrong):
    entry = {"InstanceType": "p5.48xlarge", "AvailabilityZoneId": "use1-az4", "SpotPrice": "20"}
    end = datetime(2026, 11, 24, tzinfo=UTC)
    found = spot_rows([{**entry, "Timestamp": end, **wrong}], {}, "us-east-1", end, 1, SEEN)
    assert found.rows["spot"] == []
    assert "is no price" in found.problems[0]


# files


def test_spot_advisors_file_gives_interruptions_and_leaves_every_price(data, tmp_path):
    bands = {"us-east-1": {"Linux": {"p5.48xlarge": {"r": 0}}}}
    feed = {"ranges": [{"index": 0, "label": "<5%"}], "spot_advisor": bands}
    result = update(tmp_path / "advisor.json", json.dumps(feed).encode())
    assert result.exit_code == 0, (result.output, result.exception)
    band = book_for(str(TODAY)).interruption("p5.48xlarge", "us-east-1")
    assert (band.label, band.observed) == ("<5%", TODAY)
    assert "advisor.json" in band.source
    assert book_for(str(TODAY)).on_demand("p5.48xlarge", "us-east-1").usd == 55.04


def test_an_offer_file_that_names_what_spot_advisor_does_is_still_an_offer_file(data, tmp_path):
    content = as_aws_prints(offer([P5]))
    content = content.replace(b'"disclaimer"', b'"ranges" : [ ],\n  "disclaimer"')
    assert update(tmp_path / "index.json", content).exit_code == 0
    assert book_for(str(TODAY)).on_demand("p5.48xlarge", "us-east-1").usd == 57.5


def test_products_of_other_regions_are_left_out(data, tmp_path):
    west = document("99", sku="W", instanceType="p5.48xlarge", regionCode="us-west-2")
    assert update(tmp_path / "index.json", as_aws_prints(offer([P5, west]))).exit_code == 0
    assert book_for(str(TODAY)).on_demand("p5.48xlarge", "us-west-2").usd == 55.04


def test_an_offer_file_without_a_date_is_of_today(data, tmp_path):
    content = as_aws_prints({**offer([P5]), "publicationDate": "unknown"})
    assert update(tmp_path / "index.json", content).exit_code == 0
    assert book_for(str(TODAY)).on_demand("p5.48xlarge", "us-east-1").observed == TODAY


def test_offers_of_a_service_that_no_plan_uses_are_refused(data, tmp_path):
    result = update(tmp_path / "rds.json", as_aws_prints(offer([P5], "AmazonRDS")))
    assert isinstance(result.exception, UsageProblem)
    assert "offers of AmazonRDS; prices are read of AmazonS3, AmazonEC2" in str(result.exception)


def test_a_file_that_is_gone_meanwhile_is_named(tmp_path):
    with pytest.raises(UsageProblem, match=r"gone\.json: No such file"):
        from_files([tmp_path / "gone.json"], wanted((), (), ()), TODAY, lambda _: None)


# books


def edited(folder: Path, table: str, old: str, new: str) -> Path:
    """A copy of the newest book with one value changed by hand."""
    shutil.copytree(BASE, folder)
    path = folder / f"{table}.csv"
    assert path.read_text().count(old) == 1
    path.write_text(path.read_text().replace(old, new))
    return folder


P4D = "p4d.24xlarge,us-east-1,"
ROW = f"{P4D}21.957642,"


@pytest.mark.parametrize(
    ("table", "old", "new", "problem"),
    [
        ("on_demand", ROW, f"{P4D}free,", "not a price"),
        ("on_demand", ROW, f"{P4D}21.957642,Hrs,soon,A,,made up,\n{ROW}", "not a price"),
        ("on_demand", ROW, f"{P4D}21.957642,Hrs,2026-09-01,A,,made up,\n{ROW}", "stands in it twice"),
        ("interruptions", f"{P4D}>20%,2025-11-30", f"{P4D}>20%,soon", "not an interruption band"),
    ],
)
def test_a_base_that_was_broken_by_hand_makes_no_new_book(table, old, new, problem, data, tmp_path):
    base = edited(tmp_path / "base", table, old, new)
    result = update(tmp_path / "index.json", as_aws_prints(offer([P5])), "--base", str(base))
    assert isinstance(result.exception, UsageProblem), result.exception
    assert problem in str(result.exception)
    assert not list(data.glob("*"))


def test_two_sources_with_one_id_are_refused_before_one_takes_the_others_place():
    row = dict(default_book().rows("on_demand")[0])
    # the first 8 hexadecimal digits of their SHA-256 are the same
    rows = [{**row, "region": where, "source": f"source {number}"} for where, number in (("a", 112298), ("b", 121939))]
    with pytest.raises(BrokenBook, match="'source 112298' and 'source 121939' have the same id 6718cc10"):
        merged(default_book(), {"on_demand": rows}, (), TODAY)


def test_a_data_folder_that_cannot_be_made_is_named(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("PLANNER_DATA", str(tmp_path / "file"))
    result = update(tmp_path / "index.json", as_aws_prints(offer([P5])))
    assert isinstance(result.exception, UsageProblem)
    assert "PLANNER_DATA names another folder" in str(result.exception)


def test_answers_of_an_earlier_day_are_removed(tmp_path):
    earlier = SavedAnswers.of(tmp_path, date(2026, 11, 23), "question")
    earlier.entries("one", lambda: [{"n": 1}])
    today = SavedAnswers.of(tmp_path, date(2026, 11, 24), "question")
    assert not earlier.folder.exists()
    today.entries("one", lambda: [{"n": 2}])
    assert SavedAnswers.of(tmp_path, date(2026, 11, 24), "question").entries("one", list) == [{"n": 2}]


def test_an_update_goes_on_where_another_one_has_just_removed_the_answers(tmp_path, monkeypatch):
    """Two updates with the same questions: the first to end removes what both saved."""
    import gzip

    saved = SavedAnswers.of(tmp_path, date(2026, 11, 24), "question")
    packed = gzip.compress

    def removed_meanwhile(data: bytes, **more: int) -> bytes:
        saved.forget()
        return packed(data, **more)

    monkeypatch.setattr(gzip, "compress", removed_meanwhile)
    assert saved.entries("one", lambda: [{"n": 1}]) == [{"n": 1}]
    assert not saved.folder.exists()
