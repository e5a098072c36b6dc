"""`prices: {book, own}`: what is read, what is refused and where, and that older plans keep their hash."""

from __future__ import annotations

from datetime import date

import pytest

from planner.api.books import check_book
from planner.errors import PlanProblems
from planner.plan.load import load_text, plan_sha256
from pricing.book import load_as_of
from tests.plan.plans import SMALL, load

BOOK = load_as_of(date(2026, 10, 10))
QUOTE = "source: quote 4711, date: 2026-11-15"
S3 = f"item: S3 Standard storage, unit: GB-Mo, {QUOTE}"


def with_own(*entries: str) -> str:
    """The small plan with own prices from line 7 on, an entry each."""
    return "\n".join([SMALL + "prices:", "  own:", *(f"    - {{{entry}}}" for entry in entries)]) + "\n"


def test_a_date_alone_and_a_section_with_only_a_date_are_the_same_plan() -> None:
    dated, section = load(SMALL + "prices: 2026-09-01\n"), load(SMALL + "prices: {book: 2026-09-01}\n")
    assert dated.plan.price_date == section.plan.price_date == date(2026, 9, 1)
    assert dated.sha256 == section.sha256 == plan_sha256(dated.plan)
    assert load(SMALL).sha256 == load(SMALL + "prices: {own: []}\n").sha256
    assert load(SMALL).plan.price_date is None
    assert dated.sha256 != load(SMALL).sha256


def test_every_key_is_read() -> None:
    text = with_own(
        f"purchase: capacity-block, instance_type: p5.48xlarge, usd: 28.5, unit: Hrs, region: eu-west-1, {QUOTE}",
        f"usd: 0.02, tier_to_gb: 51200, {S3}",
        f"usd: 0.019, tier_from_gb: 51200, {S3}",
        f"item: PERSISTENT_2 SSD storage, offering: 250 MB/s/TiB, usd: 0.2, unit: GB-Mo, {QUOTE}",
    )
    loaded = load(text)
    check_book(loaded, BOOK)
    block, first, second, lustre = loaded.plan.own_prices
    assert (block.purchase, block.usd, block.region, block.date) == (
        "capacity-block",
        28.5,
        "eu-west-1",
        date(2026, 11, 15),
    )
    assert (first.tier_to_gb, second.tier_from_gb, second.tier_to_gb) == (51_200, 51_200, None)
    assert lustre.offering == "250 MB/s/TiB"
    assert loaded.plan.canonical()["prices"]["own"][0]["source"] == "quote 4711"
    assert loaded.sha256 != load(SMALL).sha256


@pytest.mark.parametrize(
    ("entries", "line", "message", "remedy"),
    [
        (["purchase: on-demand, usd: 20, unit: Hrs, date: 2026-11-15"], 9, "source is missing", "quote"),
        (["purchase: on-demand, usd: 20, unit: Hrs, source: quote"], 9, "date is missing", "day of the quote"),
        ([f"purchase: on-demand, usd: 0, unit: Hrs, {QUOTE}"], 9, "greater than 0", ""),
        ([f"purchase: on-demand, price: 20, unit: Hrs, {QUOTE}"], 9, "unknown key 'price'", "valid keys"),
        ([f"usd: 20, unit: Hrs, {QUOTE}"], 9, "neither purchase nor item is set", "purchase: on-demand"),
        ([f"purchase: spot, usd: 0.02, {S3}"], 9, "purchase and item are both set", "item: S3"),
        ([f"purchase: on-demnd, usd: 20, unit: Hrs, {QUOTE}"], 9, "unknown purchase option", "did you mean on-demand?"),
        ([f"purchase: on-demand, usd: 20, unit: month, {QUOTE}"], 9, "per hour; got 'month'", "write unit: Hrs"),
        ([f"purchase: spot, usd: 20, unit: Hrs, offering: x, {QUOTE}"], 9, "only with item", "remove it"),
        ([f"instance_type: p4d.24xlarge, usd: 0.02, {S3}"], 9, "only with purchase", "remove it"),
        ([f"usd: 0.02, {S3}", f"usd: 0.03, {S3}"], 10, "the same price as prices.own[0]", "keep one"),
        ([f"usd: 0.02, tier_from_gb: 10, {S3}"], 9, "the first 10 GB is missing", "from 0 GB on"),
        ([f"usd: 0.02, {S3}", f"usd: 0.01, tier_from_gb: 50, {S3}"], 10, "has no end", "write tier_to_gb: 50"),
        (
            [f"usd: 0.02, tier_to_gb: 40, {S3}", f"usd: 0.01, tier_from_gb: 50, {S3}"],
            10,
            "ends at 40 GB, and this one begins at 50 GB",
            "write tier_to_gb: 50",
        ),
        ([f"usd: 0.02, tier_from_gb: 9, tier_to_gb: 9, {S3}"], 9, "ends before it begins", "tier_from_gb <"),
    ],
)
def test_what_is_refused_names_its_line(entries: list[str], line: int, message: str, remedy: str) -> None:
    with pytest.raises(PlanProblems) as refused:
        load(with_own(*entries))
    found = [problem for problem in refused.value.problems if message in problem.message]
    assert found, refused.value.problems
    assert found[0].line == line
    assert remedy in found[0].remedy


def test_several_instance_types_need_the_type_of_the_price() -> None:
    text = with_own(f"purchase: on-demand, usd: 20, unit: Hrs, {QUOTE}").replace(
        "[p4d.24xlarge]", "[p4d.24xlarge, p5.48xlarge]"
    )
    with pytest.raises(PlanProblems, match="the price is of one of them"):
        load(text)


@pytest.mark.parametrize(
    ("option", "key", "value"), [("on-demand", "private_discount", "10%"), ("spot", "spot_usd_per_hour", "9")]
)
def test_a_price_that_another_key_changes_too_is_refused(option: str, key: str, value: str) -> None:
    text = with_own(f"purchase: {option}, usd: 20, unit: Hrs, {QUOTE}") + f"purchase: {{{key}: {value}}}\n"
    with pytest.raises(PlanProblems, match=f"purchase.{key} changes this price too"):
        load(text)
    assert load(text.replace("unit: Hrs", "unit: Hrs, region: eu-west-1"))


@pytest.mark.parametrize(
    ("entry", "message", "remedy"),
    [
        (
            f"item: S3 Standrd storage, usd: 0.02, unit: GB-Mo, {QUOTE}",
            "not an item in the price book",
            "did you mean S3 Standard storage?",
        ),
        (f"item: S3 Standard storage, usd: 20, unit: TB-Mo, {QUOTE}", "billed per GB-Mo", "write unit: GB-Mo"),
        (
            f"item: PERSISTENT_2 SSD storage, offering: 300 MB, usd: 0.2, unit: GB-Mo, {QUOTE}",
            "no offering '300 MB'",
            "250 MB/s/TiB",
        ),
        (
            f"purchase: on-demand, instance_type: p5.48xlarg, usd: 20, unit: Hrs, {QUOTE}",
            "not an instance type",
            "did you mean p5.48xlarge?",
        ),
    ],
)
def test_what_the_price_book_does_not_know_is_refused(entry: str, message: str, remedy: str) -> None:
    with pytest.raises(PlanProblems) as refused:
        check_book(load(with_own(entry)), BOOK)
    (problem,) = refused.value.problems
    assert problem.line == 9
    assert message in problem.message
    assert remedy in problem.remedy


def test_set_changes_an_entry_and_adds_one() -> None:
    text = with_own(f"purchase: on-demand, usd: 20, unit: Hrs, {QUOTE}")
    assert load(text, "prices.own.0.usd=19.5").plan.own_prices[0].usd == 19.5
    block = f"{{purchase: capacity-block, usd: 9, unit: Hrs, {QUOTE}}}"
    added = load(text, f"prices.own.1={block}").plan.own_prices
    assert [own.purchase for own in added] == ["on-demand", "capacity-block"]
    assert load(SMALL, f"prices.own.0={block}").plan.own_prices[0].usd == 9
    with pytest.raises(PlanProblems, match=r"prices\.own has 1 entries"):
        load(text, f"prices.own.2={block}")
    with pytest.raises(PlanProblems, match="greater than 0"):
        load(text, "prices.own.0.usd=-1")


def test_a_region_that_only_the_plan_has_a_price_of_is_planned() -> None:
    nowhere = SMALL + "region: eu-central-2\n"
    with pytest.raises(PlanProblems, match="no price of any instance type in eu-central-2"):
        check_book(load_text(nowhere), BOOK)
    own = with_own(f"purchase: on-demand, usd: 30, unit: Hrs, {QUOTE}") + "region: eu-central-2\n"
    check_book(load_text(own), BOOK)
