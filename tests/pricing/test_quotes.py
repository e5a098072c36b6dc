"""Own prices: added with source and validity, shown beside the list, used with --own and never without."""

from __future__ import annotations

import csv
import json
from datetime import date
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from planner.cli.compare import command as compare
from planner.cli.offers import command as offers
from planner.cli.prices import command as prices
from planner.errors import UsageProblem
from pricing import quotes
from pricing.book import default_book
from pricing.offers import Basis
from pricing.snapshot import BrokenBook
from pricing.user_books import data_folder

BLOCK = ["--type", "p4d.24xlarge", "--purchase", "capacity-block", "--region", "us-east-1"]
S3 = ["--item", "S3 Standard storage", "--region", "us-east-1", "--usd", "0.019"]
UNTIL = ["--valid-from", "2026-10-01", "--valid-to", "2027-12-31", "--source", "Offer 77"]


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PLANNER_DATA", str(tmp_path / "data"))
    return tmp_path / "data" / quotes.FILE


def run(command, *arguments: str) -> Result:
    return CliRunner(env={"NO_COLOR": "1", "COLUMNS": "120"}).invoke(command, list(arguments))


def add(*arguments: str) -> Result:
    return run(prices, "add", *arguments)


def ok(result: Result) -> Result:
    assert result.exit_code == 0, (result.output, result.exception)
    return result


def test_the_fee_of_a_block_becomes_an_hourly_price_beside_the_list(data):
    # 4 x 144 h at 10 USD
    result = ok(add(*BLOCK, "--fee", "5760", "--nodes", "4", "--hours", "144", *UNTIL))
    assert result.stdout == "p4d.24xlarge us-east-1: 10 USD per Hrs (list 11.8, -15.3 %)\n"
    (quote,) = quotes.read(data)
    assert (quote.usd, quote.grade, quote.source) == (10, "A", "Offer 77")
    assert (quote.valid_from, quote.valid_to) == (date(2026, 10, 1), date(2027, 12, 31))


def test_offers_show_list_and_own_beside_each_other(data):
    ok(add(*BLOCK, "--usd", "10", *UNTIL))
    ok(add("--service", "AmazonEC2", "--percent", "9", *UNTIL))
    found = json.loads(ok(run(offers, "p4d.24xlarge", "-f", "json")).stdout)["offers"]
    both = {one["purchase"]: (one["usd_per_hour"], one["own_usd_per_hour"]) for one in found}
    assert both["capacity-block"] == (11.8, 10)
    assert both["on-demand"] == (21.957642, pytest.approx(21.957642 * 0.91, abs=1e-6))
    assert both["ri-3y-standard-no-upfront"][1] is None  # a discount of EC2 is not taken off commitments
    table = ok(run(offers, "p4d.24xlarge")).stdout
    assert "own $/h" in table
    assert "Offer 77 (valid 2026-10-01 to 2027-12-31)" in " ".join(table.split())


def test_an_own_price_of_what_the_list_does_not_have_is_an_offer(data):
    place = ["--type", "p5.48xlarge", "--purchase", "ri-1y-standard-no-upfront", "--region", "us-east-1", "--usd", "35"]
    assert "not in the list" in ok(add(*place, *UNTIL)).stdout
    document = json.loads(ok(run(offers, "p5.48xlarge", "-f", "json")).stdout)
    (mine,) = [one for one in document["offers"] if one["purchase"] == "ri-1y-standard-no-upfront"]
    assert (mine["usd_per_hour"], mine["own_usd_per_hour"]) == (None, 35)
    assert not [one for one in document["missing"] if one["purchase"] == "ri-1y-standard-no-upfront"]
    ok(run(offers, "p5.48xlarge"))


def test_compare_shows_list_and_own_cost_and_uses_own_prices_only_when_asked(data):
    plan = ["examples/small.yaml", "--draws", "0"]
    before = json.loads(ok(run(compare, *plan, "-f", "json")).stdout)
    ok(add(*BLOCK, "--usd", "5.9", *UNTIL))  # half of the list's 11.8
    assert json.loads(ok(run(compare, *plan, "-f", "json")).stdout) == before
    own = json.loads(ok(run(compare, *plan, "--own", "-f", "json")).stdout)
    key = "s3-stream/p4d.24xlarge/capacity-block"
    costs = [next(s for s in one["scenarios"] if s["id"] == key)["cost_usd"]["plan"] for one in (before, own)]
    lines = [line for s in own["scenarios"] if s["id"] == key for line in s["bill"] if line["price_basis"] == "own"]
    assert lines
    assert all("Offer 77" in line["price_source"] for line in lines)
    fees = sum(line["effective_cost"] for line in lines)
    assert costs[0] - costs[1] == pytest.approx(fees, rel=1e-6)  # the other half is saved
    assert before["own_prices"] == []
    (both,) = [one for one in own["own_prices"] if one["scenario"] == key]
    assert (both["list_cost_usd"], both["own_cost_usd"]) == (costs[0], costs[1])
    table = ok(run(compare, *plan, "--own")).stdout
    (row,) = [line for line in table.splitlines() if key in line and "%" in line and "$" not in line]
    assert row.split()[1:] == [f"{costs[0]:,.0f}", f"{costs[1]:,.0f}", f"{(costs[1] / costs[0] - 1) * 100:+.1f}", "%"]


def test_from_python_they_are_those_of_the_option(data):
    import planner

    plan = planner.load("examples/small.yaml")
    with pytest.raises(UsageProblem, match="own: none of your own prices is valid in us-east-1"):
        planner.prices.own(plan)
    ok(add(*BLOCK, "--usd", "10", *UNTIL))
    document = json.loads(ok(run(compare, "examples/small.yaml", "--own", "--draws", "0", "-f", "json")).stdout)
    mine = planner.compare(plan, prices=planner.prices.own(plan), draws=0)
    assert mine.to_dict()["scenarios"] == document["scenarios"]
    id = "s3-stream/p4d.24xlarge/capacity-block"
    assert mine[id].cost_usd.plan < planner.compare(plan, draws=0)[id].cost_usd.plan
    with pytest.raises(UsageProblem, match="own needs a loaded plan"):
        planner.prices.own("examples/small.yaml")


def test_a_change_that_rounds_to_nothing_is_not_called_none(data):
    ok(add("--item", "S3 Standard storage", "--region", "us-east-1", "--usd", "0.0229", *UNTIL))
    shown = ok(run(compare, "examples/small.yaml", "--own", "--draws", "0", "--top", "0")).stdout
    assert "under 0.1 %" in shown.split("List and own prices")[1]
    assert "none" not in shown.split("List and own prices")[1]


def test_the_list_price_of_a_bill_is_the_one_before_the_discount(data):
    ok(add("--service", "AmazonEC2", "--percent", "9", *UNTIL))
    plan = ["examples/small.yaml", "--draws", "0", "--own", "-f", "json"]
    scenarios = json.loads(ok(run(compare, *plan)).stdout)["scenarios"]
    bill = next(s for s in scenarios if s["id"] == "s3-stream/p4d.24xlarge/on-demand")["bill"]
    (line,) = [one for one in bill if one["line"] == "fleet.compute"]
    assert line["list_unit_price"] == 21.957642
    assert line["effective_unit_price"] == pytest.approx(21.957642 * 0.91)


def test_what_is_not_valid_when_the_run_starts_is_not_used(data):
    ok(add(*BLOCK, "--usd", "10", "--valid-from", "2026-01-01", "--valid-to", "2026-10-31", "--source", "old"))
    result = run(compare, "examples/small.yaml", "--draws", "0", "--own")  # starts on 2026-11-02
    assert isinstance(result.exception, UsageProblem)
    assert "none of your own prices is valid" in str(result.exception)
    book = default_book()
    assert quotes.valid(quotes.read(data), date(2026, 10, 31))
    assert book.capacity_block("p4d.24xlarge", "us-east-1").price.usd == 11.8


def test_the_last_line_counts_and_a_price_goes_before_a_discount(data):
    for usd in ("0.02", "0.019"):
        ok(add("--item", "S3 Standard storage", "--region", "us-east-1", "--usd", usd, *UNTIL))
    ok(add("--service", "AmazonS3", "--percent", "10", *UNTIL))
    book = default_book()
    mine = book.with_standing(
        quotes.own_prices(quotes.valid(quotes.read(data), date(2026, 11, 1)), book, ["us-east-1"])
    )
    storage = mine.metered("AmazonS3", "S3 Standard storage", "us-east-1")
    assert [(one.usd, one.basis, one.tier_to) for one in storage.tiers] == [(0.019, Basis.OWN, float("inf"))]
    tiers = "S3 Intelligent-Tiering Frequent Access storage"
    listed, own = (one.metered("AmazonS3", tiers, "us-east-1").tiers for one in (book, mine))
    assert [one.usd for one in own] == pytest.approx([one.usd * 0.9 for one in listed])
    assert [(one.tier_from, one.tier_to) for one in own] == [(one.tier_from, one.tier_to) for one in listed]
    assert mine.metered("AmazonS3", tiers, "us-west-2") == book.metered("AmazonS3", tiers, "us-west-2")


@pytest.mark.parametrize("order", [("4", "all", "5"), ("all", "4", "5"), ("all", "5", "all")])
def test_the_discount_of_a_region_goes_before_that_of_all_whichever_was_added_first(data, order):
    for percent in order:
        here = [] if percent == "all" else ["--region", "us-east-1"]
        ok(add("--service", "AmazonEC2", "--percent", "20" if percent == "all" else percent, *here, *UNTIL))
    book = default_book()
    lines = quotes.valid(quotes.read(data), date(2026, 11, 1))
    mine = book.with_standing(quotes.own_prices(lines, book, ["us-east-1", "us-west-2"]))
    for region, factor in (("us-east-1", 0.95), ("us-west-2", 0.8)):
        listed = book.on_demand("p4d.24xlarge", region).usd
        assert mine.on_demand("p4d.24xlarge", region).usd == pytest.approx(listed * factor)


def test_first_prices_that_are_added_at_once_are_all_there(tmp_path):
    from concurrent.futures import ThreadPoolExecutor
    from threading import Barrier

    today = date(2026, 11, 25)
    for number in range(20):
        path, at_once = tmp_path / str(number) / quotes.FILE, Barrier(4)

        def one(usd: float, path: Path = path, at_once: Barrier = at_once) -> None:
            at_once.wait()
            what = {"purchase": "on-demand", "instance_type": "p4d.24xlarge", "region": "us-east-1", "unit": "Hrs"}
            validity = {"valid_from": today, "valid_to": today, "added": today}
            quotes.add(path, quotes.Quote(**what, **validity, usd=usd, grade="A", source="made up"))

        with ThreadPoolExecutor(4) as pool:
            list(pool.map(one, (1.0, 2.0, 3.0, 4.0)))
        assert sorted(quote.usd for quote in quotes.read(path)) == [1.0, 2.0, 3.0, 4.0]
        assert [file.name for file in path.parent.iterdir()] == [quotes.FILE]


def test_prices_of_a_plan_go_before_own_ones_and_do_not_remove_them(data):
    from pricing.own import OwnPrice

    ok(add(*BLOCK, "--usd", "10", *UNTIL))
    book = default_book()
    standing = book.with_standing(quotes.own_prices(quotes.read(data), book, ["us-east-1"]))
    listed = book.on_demand("p4d.24xlarge", "us-east-1")
    plans = standing.with_own([OwnPrice(key=("on_demand", "p4d.24xlarge", "us-east-1"), price=listed)])
    assert plans.capacity_block("p4d.24xlarge", "us-east-1").price.usd == 10
    assert plans.with_own([]).capacity_block("p4d.24xlarge", "us-east-1").price.usd == 10
    assert standing.with_own([]) is standing


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([*BLOCK, "--usd", "10", "--percent", "5"], "one of usd and percent"),
        ([*BLOCK], "one of usd and percent"),
        ([*BLOCK, "--fee", "10"], "--nodes and --hours"),
        ([*BLOCK[:4], "--usd", "10"], "needs a Region"),
        (["--type", "p4d.24xlarge", "--usd", "10"], "go together"),
        (["--type", "p4d.24xlargo", *BLOCK[2:], "--usd", "10"], "p4d.24xlarge"),
        ([*BLOCK[:3], "blocks", *BLOCK[4:], "--usd", "1"], "one of on-demand"),
        ([*BLOCK[:3], "spot-fallback", *BLOCK[4:], "--usd", "1"], "prices of their own"),
        (["--item", "S3 Standard storag", *S3[2:]], "S3 Standard storage"),
        ([*S3, "--service", "AmazonEC2"], "belongs to AmazonS3"),
        ([*S3[:3], "us-nowhere-1", *S3[4:]], "no price in us-nowhere-1"),
        (["--service", "AmazonEC3", "--percent", "9"], "one of AWSDataTransfer"),
        (["--percent", "9"], "say what the price is for"),
        ([*BLOCK, "--usd", "10", "--item", "S3 Standard storage"], "--type and --item do not go together"),
        ([*BLOCK, "--usd", "10", "--service", "AmazonEC2"], "--type and --service do not go together"),
        ([*BLOCK, "--usd", "10", "--nodes", "4"], "--nodes goes with --fee"),
        ([*S3, "--hours", "24"], "--hours and --item do not go together"),
        (["--service", "AmazonS3", "--percent", "9", "--offering", "x"], "--offering goes with --item"),
    ],
)
def test_what_is_not_clear_is_refused_and_nothing_is_written(words, said, data):
    result = add(*words, *UNTIL)
    assert isinstance(result.exception, UsageProblem), result.output
    assert said in str(result.exception)
    assert not data.exists()


def test_a_validity_that_ends_before_it_begins_and_one_that_is_over(data):
    ends = ["--valid-from", "2026-10-02", "--valid-to", "2026-10-01", "--source", "x"]
    assert "before it begins" in str(add(*S3, *ends).exception)
    assert (
        "it has ended" in ok(add(*S3, "--valid-from", "2020-01-01", "--valid-to", "2020-02-01", "--source", "x")).stderr
    )


@pytest.mark.parametrize("edit", ["a,b\n", "usd=0", "usd=nan", "grade=D", "valid_to=tomorrow", "short"])
def test_a_file_that_was_edited_wrongly_is_named_with_its_line(edit, data):
    ok(add(*S3, *UNTIL))
    header, line = list(csv.reader(data.read_text().splitlines()))
    if "=" in edit:
        name, _, value = edit.partition("=")
        line[header.index(name)] = value
        data.write_text(",".join(header) + "\n" + ",".join(line) + "\n")
    else:
        data.write_text(edit if "\n" in edit else ",".join(header) + "\n" + ",".join(line[:-1]) + "\n")
    with pytest.raises(BrokenBook, match=r"own-prices\.csv:[12]: "):
        quotes.read(data)
    for command in ((offers, "p4d.24xlarge"), (prices, "list"), (compare, "examples/small.yaml", "--own")):
        assert isinstance(run(*command).exception, UsageProblem)


def test_a_price_far_from_the_list_is_questioned(data):
    assert "is the unit right?" in ok(add(*S3[:-1], "23", *UNTIL)).stderr
    assert data_folder() == data.parent


def test_an_account_id_in_a_source_is_masked(data):
    ok(add(*S3, *UNTIL[:-1], "Offer for 111122223333"))
    assert "111122223333" not in data.read_text()


def test_a_worker_pool_says_that_it_does_not_take_them(data):
    ok(add(*BLOCK, "--usd", "10", *UNTIL))
    pools = [path for path in sorted(Path("examples").glob("*.yaml")) if "kind: worker-pool" in path.read_text()]
    assert isinstance(run(compare, str(pools[0]), "--own").exception, UsageProblem)
