"""`planner prices` and `planner offers`: the result on stdout, notes on stderr, absence never as zero."""

from __future__ import annotations

import csv
import io
import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from planner.cli.offers import command as offers
from planner.cli.prices import command as prices
from planner.errors import ExitCode, UsageProblem
from pricing import snapshot
from tests.typed import planner


def run(command, *arguments: str) -> Result:
    return CliRunner(env={"NO_COLOR": "1", "COLUMNS": "80"}).invoke(command, list(arguments))


def test_show_finds_by_words_and_keeps_date_and_grade() -> None:
    result = run(prices, "show", "on-demand", "--type", "p4d.24xlarge", "--region", "us-east-1", "-f", "json")
    (row,) = json.loads(result.stdout)["prices"]
    assert (row["usd"], row["grade"], row["date"], row["basis"]) == (21.957642, "A", "2026-09-01", "observed")
    old = run(prices, "show", "p4d.24xlarge on-demand", "--region", "us-east-1", "--prices", "2023-12-31")
    assert "32.7726" in old.stdout
    assert "2023-12-11" in old.stdout


def test_show_as_csv_can_be_read_again() -> None:
    result = run(prices, "show", "standard", "--service", "AmazonS3", "--region", "us-east-1", "-f", "csv")
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    tiers = [row for row in rows if row["what"].startswith("AmazonS3 S3 Standard storage")]
    assert [float(row["usd"]) for row in tiers] == [0.023, 0.022, 0.021]
    assert tiers[-1]["tier_to"] == ""


def test_show_nothing_says_so_on_stderr_only() -> None:
    result = run(prices, "show", "nosuchthing", "-f", "csv")
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        ",".join(("what", "region", "usd", "unit", "date", "grade", "basis", "tier_from", "tier_to", "source", "note"))
    ]
    assert "no price in the book" in result.stderr


def test_diff_shows_the_cut_of_june_2025() -> None:
    result = run(prices, "diff", "2025-05-31", "2026-09-01", "-f", "json")
    changes = {(row["what"], row["region"]): row for row in json.loads(result.stdout)["changes"]}
    cut = changes["p4d.24xlarge on-demand", "us-east-1"]
    # 21.957642 / 32.7726 - 1 = -33.0 %
    assert (cut["old"], cut["new"], cut["change_percent"]) == (32.7726, 21.957642, -33.0)
    assert changes["p4d.24xlarge on-demand", "us-west-2"]["old"] is None
    # 14.9987536 and 14.998754 differ in rounding only
    assert ("p4d.24xlarge ri-3y-convertible-no-upfront", "us-east-1") not in changes
    table = run(prices, "diff", "2025-05-31", "2026-09-01").stdout
    line = next(line for line in table.splitlines() if line.startswith("p4d.24xlarge on-demand"))
    assert line.split() == ["p4d.24xlarge", "on-demand", "us-east-1", "32.7726", "21.957642", "-33.0", "%"]


def test_diff_of_a_book_with_itself_is_empty() -> None:
    result = run(prices, "diff", "2025-05-31", "2025-05-31", "-f", "json")
    assert json.loads(result.stdout)["changes"] == []


def test_verify_bundled_books() -> None:
    result = run(prices, "verify")
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [f"{day}: intact" for day in snapshot.available()]


def test_verify_names_the_edited_file_and_is_a_usage_error(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(snapshot.DATA / "2025-05-31", tmp_path / "mine"))
    (folder / "metered.csv").write_text((folder / "metered.csv").read_text() + "x\n")
    result = run(prices, "verify", str(folder))
    assert isinstance(result.exception, UsageProblem)
    assert result.exception.exit_code == ExitCode.USAGE
    assert "metered.csv" in str(result.exception)
    spot = run(prices, "show", "p4d.24xlarge", "--prices", str(folder), "--region", "us-east-1")
    assert "was edited: metered.csv" in spot.stderr
    assert isinstance(spot.exception, UsageProblem)  # the line "x" is no row
    assert "metered.csv:" in str(spot.exception)


def test_an_edited_book_that_can_be_read_warns_and_goes_on(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(snapshot.DATA / "2025-05-31", tmp_path / "mine"))
    path = folder / "on_demand.csv"
    path.write_text(path.read_text().replace("p4d.24xlarge,us-east-1,32.7726", "p4d.24xlarge,us-east-1,30"))
    result = run(offers, "p4d.24xlarge", "--prices", str(folder), "-f", "json")
    assert result.exit_code == 0
    assert "was edited: on_demand.csv" in result.stderr
    prices_of = {row["purchase"]: row["usd_per_hour"] for row in json.loads(result.stdout)["offers"]}
    assert prices_of["on-demand"] == 30.0


@pytest.mark.parametrize("which", ["2020-01-01", "no/such/folder"])
def test_a_book_that_is_not_there(which: str) -> None:
    result = run(prices, "show", "p4d", "--prices", which)
    assert isinstance(result.exception, UsageProblem)


def test_offers_list_every_option_once_either_with_a_price_or_as_missing() -> None:
    result = run(offers, "p5.48xlarge", "-f", "json")
    answer = json.loads(result.stdout)
    named = [row["purchase"] for row in answer["offers"] + answer["missing"]]
    assert len(named) == len(set(named)) == 27  # on-demand, spot, block, 12 RI, 12 Savings Plans
    assert all(row["usd_per_hour"] > 0 for row in answer["offers"])
    assert all("usd_per_hour" not in row for row in answer["missing"])
    status = {row["purchase"]: row["status"] for row in answer["missing"]}
    assert status["ri-1y-standard-no-upfront"] == "not offered"
    assert status["sp-1y-instance-no-upfront"] == "not known"
    hours = [row["usd_per_gpu_hour"] for row in answer["offers"]]
    assert hours == sorted(hours)


def test_offers_by_gpu_give_gpu_hours() -> None:
    result = run(offers, "--gpu", "a100", "--prices", "2026-09-01", "-f", "csv")
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    assert {row["type"] for row in rows} == {"p4d.24xlarge", "p4de.24xlarge"}
    on_demand = next(row for row in rows if (row["type"], row["purchase"]) == ("p4d.24xlarge", "on-demand"))
    assert float(on_demand["usd_per_gpu_hour"]) == pytest.approx(21.957642 / 8, abs=1e-6)  # T9: 2.745
    assert all(row["usd_per_hour"] == "" for row in rows if row["status"] != "offered")


def test_offers_as_a_table_keep_missing_apart_and_fit_80_columns() -> None:
    result = run(offers, "p5.48xlarge", "p6-b200.48xlarge")
    above, _, below = result.stdout.partition("Not offered:")
    assert "ri-1y-standard-no" not in above
    assert "ri-1y-standard-no-upfront" in below
    assert "Not known:" in below
    assert max(map(len, result.stdout.splitlines())) <= 80
    assert "\x1b" not in result.stdout


@pytest.mark.parametrize("width", [40, 60, 80, 160])
def test_offers_are_as_wide_as_the_terminal(width: int) -> None:
    text = planner("offers", "p4d.24xlarge", COLUMNS=str(width)).stdout
    assert max(map(len, text.splitlines())) <= width
    assert ("$/GPU-h" in text) == (width != 60)  # the column that leaves before a table becomes records
    offered = json.loads(run(offers, "p4d.24xlarge", "-f", "json").stdout)["offers"]
    assert {row["purchase"] for row in offered} <= set(text.split())  # every option by its whole name


def test_a_gpu_is_no_instance_type_and_the_way_to_name_it_is_said() -> None:
    with pytest.raises(UsageProblem, match="a100 is a GPU and no instance type: `planner offers --gpu A100`"):
        raise run(offers, "a100").exception or AssertionError


def test_names_of_one_region_are_whole_in_a_difference_of_books() -> None:
    text = planner("prices", "diff", "2025-05-31", "2026-09-01", "p5.48xlarge ri", COLUMNS="80").stdout
    assert "p5.48xlarge ri-1y-convertible-partial " in text
    assert "…" not in text
    assert ", us-east-1 in USD" in text.splitlines()[0]


@pytest.mark.parametrize("width", [40, 60, 80, 160])
@pytest.mark.parametrize("words", ["p5.48xlarge", "spot", "AmazonS3", "ri-1y"])
def test_what_tells_two_rows_of_a_difference_apart_is_whole_at_any_width(words: str, width: int) -> None:
    asked = ("prices", "diff", "2025-05-31", "2026-09-01", words)
    changes = json.loads(planner(*asked, "-f", "json").stdout)["changes"]
    text = planner(*asked, COLUMNS=str(width)).stdout
    assert "…" not in text
    assert all(len(line) <= width for line in text.splitlines())
    said = "".join(text.split())
    for change in changes:
        # a name that goes on in the next line has the rest of its row between its two parts
        parts = (*change["what"].removesuffix("-upfront").split(), change["region"])
        assert all(part in said for part in parts), change


def test_offers_top_and_unknown_names() -> None:
    assert len(json.loads(run(offers, "p4d.24xlarge", "--top", "3", "-f", "json").stdout)["offers"]) == 3
    for arguments in ([], ["p4d.24xlrge"], ["--gpu", "H1000"]):
        assert isinstance(run(offers, *arguments).exception, UsageProblem)
