"""Integrity of every committed book: each row obeys the rules of dates and is a price."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from datetime import date, timedelta
from itertools import pairwise

import pytest

from pricing import snapshot
from pricing.book import NotOffered, PriceBook, PriceNotFound, default_book, load_as_of
from pricing.offers import ALL_PURCHASE_OPTIONS, PurchaseOption
from pricing.parse import FREE

DATES = snapshot.available()
PRICED = ("on_demand", "commitments", "capacity_blocks", "spot", "metered")
KEYS = {
    "on_demand": 2,
    "commitments": 3,
    "capacity_blocks": 2,
    "interruptions": 2,
    "metered": 4,
    "instances": 1,
    "sources": 1,
}


@pytest.fixture(params=DATES, ids=str, scope="module")
def book(request: pytest.FixtureRequest) -> PriceBook:
    return PriceBook.load(snapshot.DATA / str(request.param))


def test_the_standard_books_are_there_and_the_newest_is_the_default() -> None:
    assert {date(2023, 12, 31), date(2025, 5, 31), date(2026, 9, 1), date(2026, 10, 10)} <= set(DATES)
    assert default_book().as_of == max(DATES)


def test_the_folder_is_as_it_was_written(book: PriceBook) -> None:
    assert book.changed == ()
    assert book.intact
    assert book.manifest["as_of"] == book.folder.name == book.as_of.isoformat()
    assert set(book.manifest["files"]) == {f"{table}.csv" for table in snapshot.COLUMNS}
    assert book.manifest["rows"] == {table: len(book.rows(table)) for table in snapshot.COLUMNS}
    assert book.sha256 == snapshot.hash_of_files(book.manifest["files"])


@pytest.mark.parametrize("table", PRICED)
def test_every_price_is_a_price(book: PriceBook, table: str) -> None:
    for row in book.rows(table):
        usd = float(row["usd"])
        assert math.isfinite(usd), row
        free = (row.get("service"), row.get("item")) in FREE
        assert usd > 0 or (usd == 0 and free), row
        assert row["unit"], row
        assert row["region"] not in ("", "unknown"), row
        assert book.price(row).usd == usd


@pytest.mark.parametrize("table", PRICED)
def test_grade_date_and_basis_agree(book: PriceBook, table: str) -> None:
    for row in book.rows(table):
        assert row["grade"] in ("A", "B", "C"), row
        observed = date.fromisoformat(row["observed"])
        assert (row["carried"] == "back") == (observed > book.as_of), row
        assert (row["carried"] == "forward") == (observed < book.as_of - timedelta(days=45)), row


@pytest.mark.parametrize("table", ["on_demand", "commitments", "capacity_blocks", "spot", "interruptions"])
def test_nothing_of_ec2_is_later_than_the_book(book: PriceBook, table: str) -> None:
    assert [row for row in book.rows(table) if date.fromisoformat(row["observed"]) > book.as_of] == []


def test_every_source_is_known_and_every_known_source_is_used(book: PriceBook) -> None:
    known = {row["id"] for row in book.rows("sources")}
    used = {
        row[name]
        for table in snapshot.COLUMNS
        if table != "sources"
        for row in book.rows(table)
        for name in ("source", "peak_source")
        if row.get(name)
    }
    assert used == known
    assert all(row["id"] == snapshot.source_id(row["text"]) for row in book.rows("sources"))


@pytest.mark.parametrize("table", KEYS)
def test_one_row_a_key_in_order(book: PriceBook, table: str) -> None:
    columns = snapshot.COLUMNS[table][: KEYS[table]]
    tier = ("tier_from",) if table == "metered" else ()
    keys = [tuple(row[column] for column in (*columns, *tier)) for row in book.rows(table)]
    assert len(keys) == len(set(keys))
    by_key = [key[: len(columns)] for key in keys]
    assert by_key == sorted(by_key)


def test_tiers_abut_from_zero(book: PriceBook) -> None:
    items = defaultdict(list)
    for row in book.rows("metered"):
        items[row["service"], row["item"], row["region"], row["offering"], row["unit"]].append(row)
    assert len({key[:4] for key in items}) == len(items), "one item has two units"
    for key, rows in items.items():
        assert float(rows[0]["tier_from"]) == 0, key
        for lower, upper in pairwise(rows):
            assert float(lower["tier_to"]) == float(upper["tier_from"]), key
            assert float(upper["usd"]) <= float(lower["usd"]), key
        answer = book.metered(*key[:4])
        assert len(answer.tiers) == len(rows)


def test_options_zones_and_types_are_spelled_right(book: PriceBook) -> None:
    assert {row["option"] for row in book.rows("commitments")} <= set(ALL_PURCHASE_OPTIONS)
    for row in book.rows("spot"):
        # T12: a zone ID (use1-az4), never an account's zone name (us-east-1a)
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)?-az\d+", row["zone_id"]) or row["item"] != "zone", row
        assert (row["zone_id"] == "") == (row["item"] in ("low", "high", "mean")), row
    for table in ("on_demand", "commitments", "capacity_blocks", "spot"):
        for row in book.rows(table):
            assert re.fullmatch(r"[a-z0-9-]+\.[a-z0-9-]+|u-p6e-gb200x\d+", row["instance_type"]), row
            assert re.fullmatch(r"[a-z]{2}(-gov)?-[a-z]+-\d(-[a-z]{3}-\d[a-z])?", row["region"]), row


def test_nothing_that_has_a_price_is_said_not_to_be_offered(book: PriceBook) -> None:
    priced = {
        (table, row["instance_type"], region, row.get("option", ""))
        for table in ("on_demand", "commitments", "capacity_blocks")
        for row in book.rows(table)
        for region in (row["region"], "*")
    }
    denied = [(row["table"], row["instance_type"], row["region"], row["option"]) for row in book.rows("not_offered")]
    assert len(denied) == len(set(denied))
    assert priced.isdisjoint(denied)
    assert all(date.fromisoformat(row["observed"]) <= book.as_of for row in book.rows("not_offered"))


def test_hardware_is_plausible(book: PriceBook) -> None:
    for one in book.instances():
        assert one.vcpu > 0, one.name
        assert one.memory_mib > 0, one.name
        assert (one.gpu_count > 0) == bool(one.gpu_name), one.name
        assert one.peak_tflops is None or (one.gpu_count and one.peak_tflops > 0), one.name
        if one.nvme_drives:
            assert one.nvme_total_gb == pytest.approx(one.nvme_drives * one.nvme_drive_gb, rel=0.01), one.name


def test_hardware_facts_that_others_got_wrong(book: PriceBook) -> None:
    # T11: a p4d called an H100, a p4 called Volta
    names = {
        name: (book.instance(name).gpu_count, book.instance(name).gpu_name)
        for name in (
            "p3dn.24xlarge",
            "p4d.24xlarge",
            "p4de.24xlarge",
            "p5.48xlarge",
            "p5.4xlarge",
            "p5en.48xlarge",
            "p6-b200.48xlarge",
            "trn1.32xlarge",
            "i3en.24xlarge",
        )
    }
    assert names == {
        "p3dn.24xlarge": (8, "V100"),
        "p4d.24xlarge": (8, "A100"),
        "p4de.24xlarge": (8, "A100"),
        "p5.48xlarge": (8, "H100"),
        "p5.4xlarge": (1, "H100"),
        "p5en.48xlarge": (8, "H200"),
        "p6-b200.48xlarge": (8, "B200"),
        "trn1.32xlarge": (16, "Trainium"),
        "i3en.24xlarge": (0, ""),
    }
    p4d = book.instance("p4d.24xlarge")
    assert (p4d.raw_nvme_tb, p4d.efa_interfaces, p4d.nitro_version, p4d.peak_tflops) == (8.0, 4, 3, 312.0)


@pytest.mark.parametrize(
    ("day", "p4d", "p5"),
    [
        ("2023-12-31", 32.7726, 98.32),
        ("2025-05-31", 32.7726, 98.32),
        ("2026-09-01", 21.957642, 55.04),
        ("2026-10-10", 21.957642, 55.04),
    ],
)
def test_anchors_of_the_on_demand_price(day: str, p4d: float, p5: float) -> None:
    book = load_as_of(date.fromisoformat(day))
    assert book.on_demand("p4d.24xlarge", "us-east-1").usd == p4d
    assert book.on_demand("p5.48xlarge", "us-east-1").usd == p5


@pytest.mark.parametrize(("day", "usd"), [("2023-12-31", 0.0), ("2025-05-31", 0.005), ("2026-09-01", 0.005)])
def test_public_ipv4_was_free_until_february_2024_everywhere(day: str, usd: float) -> None:
    book = load_as_of(date.fromisoformat(day))
    for region in ("us-east-1", "eu-west-1"):
        assert book.metered("AmazonVPC", "Public IPv4 address, in use", region).tiers[0].usd == usd


def test_a_date_between_two_books_takes_the_earlier_and_before_the_first_there_is_none() -> None:
    assert load_as_of(date(2026, 8, 31)).as_of == date(2025, 5, 31)
    assert load_as_of(date(2025, 5, 31)).as_of == date(2025, 5, 31)
    with pytest.raises(LookupError, match=r"2023-12-30.*2023-12-31, 2025-05-31, 2026-09-01, 2026-10-10"):
        load_as_of(date(2023, 12, 30))


REGIONS = ("us-west-2", "us-east-2", "eu-west-1", "ap-northeast-1")
# What a plan of GPU nodes with an S3 data set, its own storage nodes or FSx for Lustre is billed for.
BILLED = {
    "AmazonS3": ("S3 Standard storage", "S3 Standard GET and all other", "S3 Standard PUT/COPY/POST/LIST"),
    "AmazonEBS": ("gp3 storage",),
    "AmazonVPC": ("NAT gateway hour", "NAT gateway data processed", "Public IPv4 address, in use"),
    "AmazonCloudWatch": ("Logs ingestion", "Standard resolution alarm"),
    "awskms": ("Symmetric requests",),
}


@pytest.mark.parametrize("region", REGIONS)
def test_the_newest_book_prices_what_a_plan_is_billed_for_in_four_more_regions(region: str) -> None:
    book = load_as_of(date(2026, 10, 10))
    for service, items in BILLED.items():
        for item in items:
            price = book.metered(service, item, region)
            assert price.tiers[-1].tier_to == math.inf, item
            assert not any(tier.carried_back for tier in price.tiers), item
    for tier in ("125", "250", "500", "1000"):
        assert book.metered("AmazonFSx", "PERSISTENT_2 SSD storage", region, f"{tier} MB/s/TiB").unit == "GB-Mo"
    for name in ("p4d.24xlarge", "g5.48xlarge", "i3en.24xlarge", "i4i.32xlarge", "i7ie.48xlarge", "m7i.large"):
        assert book.on_demand(name, region).usd > 0


@pytest.mark.parametrize(
    ("region", "p4d", "p5"),
    # yeo/ec2.shop and the AWS blog of June 2025 give the same prices after the cut
    [("us-west-2", 21.95764, 55.04), ("us-east-2", 21.95764, 55.04), ("ap-northeast-1", 30.09784, 68.80)],
)
def test_anchors_of_the_on_demand_price_elsewhere(region: str, p4d: float, p5: float) -> None:
    book = load_as_of(date(2026, 10, 10))
    assert book.on_demand("p4d.24xlarge", region).usd == pytest.approx(p4d, abs=1e-5)
    assert book.on_demand("p5.48xlarge", region).usd == pytest.approx(p5, abs=1e-5)


def test_a_feed_of_another_region_proves_that_p5_has_no_one_year_reserved_instance_there() -> None:
    book = load_as_of(date(2026, 10, 10))
    with pytest.raises(NotOffered, match="2026-05-12"):
        book.commitment("p5.48xlarge", "us-west-2", PurchaseOption.parse("ri-1y-standard-all-upfront"))
    with pytest.raises(PriceNotFound) as missing:
        load_as_of(date(2026, 9, 1)).commitment(
            "p5.48xlarge", "us-west-2", PurchaseOption.parse("ri-1y-standard-all-upfront")
        )
    assert not isinstance(missing.value, NotOffered)
