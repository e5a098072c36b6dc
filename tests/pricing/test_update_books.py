"""`planner prices update --from-bulk` and `planner prices list`: new books beside the old ones, or none at all."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from offer_files import as_aws_prints, as_csv, document, offer, reserved

from planner.api.books import book_for
from planner.cli.prices import command as prices
from planner.errors import UsageProblem
from planner.update import write
from pricing import snapshot
from pricing.book import NotOffered, PriceBook, default_book
from pricing.offers import PurchaseOption
from pricing.user_books import data_folder, user_books

TODAY = datetime.now(UTC).date()
P5 = document("57.5", sku="P5", instanceType="p5.48xlarge", usagetype="BoxUsage:p5.48xlarge")
GP3 = document(
    "0.081",
    sku="GP3",
    family="Storage",
    unit="GB-Mo",
    attributes={"usagetype": "EBS:VolumeUsage.gp3", "regionCode": "us-east-1", "servicecode": "AmazonEC2"},
)
NO_UPFRONT = {("1yr", "standard", "No Upfront"): ("34.5", "")}


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PLANNER_DATA", str(tmp_path / "data"))
    return tmp_path / "data" / "prices"


def run(*arguments: str) -> Result:
    return CliRunner(env={"NO_COLOR": "1", "COLUMNS": "200"}).invoke(prices, list(arguments))


def update(folder: Path, *documents: dict[str, Any], words: tuple[str, ...] = ()) -> Result:
    path = folder / "index.json"
    path.write_bytes(as_aws_prints(offer(documents)))
    return run("update", "--from-bulk", str(path), "--region", "us-east-1", "--type", "p5*", *words)


def test_an_update_writes_a_book_that_prices_finds_and_says_what_changed(data, tmp_path):
    result = update(tmp_path, reserved(P5, NO_UPFRONT), GP3)
    assert result.exit_code == 0, result.output
    assert "p5.48xlarge on-demand us-east-1 55.04 -> 57.5, +4.5 %" in result.stdout
    book = book_for(str(TODAY))
    assert book.folder == data / str(TODAY)
    assert book.changed == ()
    price = book.on_demand("p5.48xlarge", "us-east-1")
    assert (price.usd, price.grade) == (57.5, "A")
    assert "version 20260910151105" in price.source
    assert (
        book.commitment("p5.48xlarge", "us-east-1", PurchaseOption.parse("ri-1y-standard-no-upfront")).price.usd == 34.5
    )
    assert book.metered("AmazonEBS", "gp3 storage", "us-east-1").tiers[0].usd == 0.081
    # what was not asked for is as it was, with its own date
    older = default_book()
    for name, region in (("p4d.24xlarge", "us-east-1"), ("p5.48xlarge", "us-west-2")):
        assert book.on_demand(name, region).usd == older.on_demand(name, region).usd
        assert book.on_demand(name, region).observed == older.on_demand(name, region).observed
    assert book.as_of == TODAY
    listed = json.loads(run("list", "-f", "json").stdout)["books"]
    assert [(one["as_of"], one["whose"]) for one in listed][-1] == (str(TODAY), "yours")
    assert len(listed) == len(snapshot.available()) + 1


def test_the_default_stays_the_newest_bundled_book_and_the_newer_one_is_named(data, tmp_path):
    update(tmp_path, P5)
    assert book_for(None).folder.parent == snapshot.DATA
    result = run("show", "p5.48xlarge", "on-demand", "--region", "us-east-1")
    assert f"--prices {TODAY}" in result.stderr
    assert "55.04" in result.stdout
    assert "57.5" in run("show", "p5.48xlarge", "on-demand", "--prices", str(TODAY)).stdout


def test_a_csv_file_gives_the_same_book(data, tmp_path):
    update(tmp_path, reserved(P5, NO_UPFRONT), GP3)
    first = book_for(str(TODAY))
    path = tmp_path / "index.csv"
    path.write_bytes(as_csv(offer([reserved(P5, NO_UPFRONT), GP3])))
    result = run(
        "update",
        "--from-bulk",
        str(path),
        "--region",
        "us-east-1",
        "--type",
        "p5*",
        "--replace",
        "--base",
        "2026-10-10",
    )
    assert result.exit_code == 0, result.output
    second = book_for(str(TODAY))
    for table in ("on_demand", "commitments", "metered"):
        same = [[{**row, "source": ""} for row in book.rows(table)] for book in (first, second)]
        assert same[0] == same[1]


def test_what_a_complete_list_no_longer_has_is_not_offered(data, tmp_path):
    other = document("63", sku="P5EN", instanceType="p5en.48xlarge", usagetype="BoxUsage:p5en.48xlarge")
    assert update(tmp_path, other).exit_code == 0
    with pytest.raises(NotOffered, match="no longer"):
        book_for(str(TODAY)).on_demand("p5.48xlarge", "us-east-1")
    assert book_for(str(TODAY)).on_demand("p4d.24xlarge", "us-east-1")


def test_a_csv_may_have_been_cut_so_it_takes_no_offer_away(data, tmp_path):
    other = document("63", sku="P5EN", instanceType="p5en.48xlarge", usagetype="BoxUsage:p5en.48xlarge")
    path = tmp_path / "index.csv"
    path.write_bytes(as_csv(offer([other])))
    result = run("update", "--from-bulk", str(path), "--region", "us-east-1", "--type", "p5*")
    assert result.exit_code == 0, result.output
    assert book_for(str(TODAY)).on_demand("p5.48xlarge", "us-east-1").usd == 55.04


def test_an_older_file_takes_no_newer_price_away(data, tmp_path):
    old = offer([document("98.32", sku="P5", instanceType="p5.48xlarge", usagetype="BoxUsage:p5.48xlarge")])
    path = tmp_path / "index.json"
    path.write_bytes(as_aws_prints({**old, "publicationDate": "2024-09-10T15:11:05Z"}))
    result = run("update", "--from-bulk", str(path), "--region", "us-east-1", "--type", "p5*", "--accept-jumps")
    assert "no price was found" in str(result.exception)
    assert "not taken, since the book of 2026-10-10 or another file has a later day: 1 prices" in str(result.exception)


@pytest.mark.parametrize("order", ["old new", "new old"])
def test_of_two_files_the_later_one_counts_whichever_is_named_first(data, tmp_path, order):
    for name, usd, day in (("old", "56.5", "2026-10-20"), ("new", "57.5", "2026-11-20")):
        made = offer([document(usd, sku="P5", instanceType="p5.48xlarge", usagetype="BoxUsage:p5.48xlarge")])
        (tmp_path / f"{name}.json").write_bytes(as_aws_prints({**made, "publicationDate": f"{day}T00:00:00Z"}))
    files = [word for name in order.split() for word in ("--from-bulk", str(tmp_path / f"{name}.json"))]
    assert run("update", *files, "--region", "us-east-1", "--type", "p5*").exit_code == 0
    price = book_for(str(TODAY)).on_demand("p5.48xlarge", "us-east-1")
    assert (price.usd, str(price.observed)) == (57.5, "2026-11-20")


def test_what_stays_of_the_older_book_is_counted_and_what_is_gone_is_named(data, tmp_path):
    other = document("63", sku="P5EN", instanceType="p5en.48xlarge", usagetype="BoxUsage:p5en.48xlarge")
    result = update(tmp_path, other, GP3)
    assert "are no longer sold: p5.48xlarge on-demand us-east-1" in result.stderr
    assert "found, of what was asked for: 1 On-Demand, 1 billed by use\n" in result.stderr
    rows = default_book().rows("metered")
    kept = sum(row["region"] == "us-east-1" for row in rows) - 1  # gp3 was found
    assert "still those of the book of 2026-10-10, with their older dates: " in result.stderr
    assert f"{kept:,} billed by use\n" in result.stderr


def test_a_book_of_today_is_only_written_again_when_asked(data, tmp_path):
    update(tmp_path, P5)
    manifest = (data / str(TODAY) / "manifest.json").read_bytes()
    again = update(tmp_path, GP3)
    assert isinstance(again.exception, UsageProblem)
    assert "--replace" in str(again.exception)
    assert (data / str(TODAY) / "manifest.json").read_bytes() == manifest
    assert update(tmp_path, GP3, words=("--replace",)).exit_code == 0
    book = book_for(str(TODAY))  # made from the first one of today
    assert book.on_demand("p5.48xlarge", "us-east-1").usd == 57.5
    assert [path.name for path in data.iterdir()] == [str(TODAY)]


def test_a_price_that_moves_too_far_is_refused_unless_accepted(data, tmp_path):
    wrong = document("57500", sku="P5", instanceType="p5.48xlarge", usagetype="BoxUsage:p5.48xlarge")
    result = update(tmp_path, wrong)
    assert isinstance(result.exception, UsageProblem)
    assert "55.04 -> 57500" in str(result.exception)
    assert list(data.iterdir()) == []
    assert update(tmp_path, wrong, words=("--accept-jumps",)).exit_code == 0


def test_a_half_written_folder_is_no_book_and_does_not_stand_in_the_way(data, tmp_path, monkeypatch):
    (data / "2026-11-01").mkdir(parents=True)
    (data / "2026-11-01" / "on_demand.csv").write_text("instance_type\n")
    assert user_books() == {}
    monkeypatch.setattr(snapshot, "_own_hash", lambda _: 1 / 0)  # dies while it writes the manifest
    assert isinstance(update(tmp_path, P5).exception, ZeroDivisionError)
    assert sorted(path.name for path in data.iterdir()) == ["2026-11-01"]
    monkeypatch.undo()
    monkeypatch.setenv("PLANNER_DATA", str(tmp_path / "data"))
    assert update(tmp_path, P5).exit_code == 0
    assert list(user_books()) == [TODAY]


def test_a_book_that_fails_a_check_is_not_kept(data, tmp_path, monkeypatch):
    monkeypatch.setattr(write, "faults_of", lambda _: ["AmazonS3: its tiers leave a gap"])
    result = update(tmp_path, P5)
    assert "leave a gap" in str(result.exception)
    assert list(data.iterdir()) == []


def test_nothing_found_writes_nothing(data, tmp_path):
    result = update(tmp_path, document(instanceType="m5.large"))
    assert isinstance(result.exception, UsageProblem)
    assert "no price was found" in str(result.exception)


@pytest.mark.parametrize("content", [b"", b"{}", b"hello", b'{"spot_advisor": {}', b'{"products" : {'])
def test_a_file_that_is_not_understood_is_named(content, data, tmp_path):
    path = tmp_path / "index.json"
    path.write_bytes(content)
    result = run("update", "--from-bulk", str(path))
    assert isinstance(result.exception, UsageProblem)
    assert str(path) in str(result.exception)


def test_committed_books_are_as_they_were(data, tmp_path):
    update(tmp_path, P5)
    assert all(snapshot.changed_files(snapshot.DATA / str(day)) == () for day in snapshot.available())
    assert isinstance(PriceBook.load(data / str(TODAY)), PriceBook)


def test_the_folder_for_data_is_that_of_the_platform():
    assert data_folder({"HOME": "/h"}, "linux") == Path("/h/.local/share/gpu-fleet-planner")
    assert data_folder({"HOME": "/h", "XDG_DATA_HOME": "/x"}, "linux") == Path("/x/gpu-fleet-planner")
    assert data_folder({"HOME": "/h"}, "darwin") == Path("/h/Library/Application Support/gpu-fleet-planner")
    assert data_folder({"LOCALAPPDATA": "/l"}, "win32") == Path("/l/gpu-fleet-planner")
    assert data_folder({"PLANNER_DATA": "/d", "HOME": "/h"}, "darwin") == Path("/d")


def test_a_price_of_every_region_is_found_in_each_and_stands_once(data, tmp_path):
    def address(region: str, code: str) -> dict[str, Any]:
        place = {"usagetype": f"{code}PublicIPv4:InUseAddress", "regionCode": region}
        return document("0.005", sku=f"IP{region}", service="AmazonVPC", family="VPC", attributes=place)

    path = tmp_path / "vpc.json"
    both = offer([address("us-east-1", ""), address("us-west-2", "USW2-")], "AmazonVPC")
    path.write_bytes(as_aws_prints({**both, "publicationDate": f"{TODAY}T00:00:00Z"}))
    words = ["--region", "us-east-1", "--region", "us-west-2"]
    result = run("update", "--from-bulk", str(path), "--from-bulk", str(path), *words)
    assert result.exit_code == 0, (result.output, result.exception)
    found = [row for row in book_for(str(TODAY)).rows("metered") if row["item"] == "Public IPv4 address, in use"]
    assert [(row["region"], row["usd"], row["observed"]) for row in found] == [("all", "0.005", str(TODAY))]


def test_two_updates_at_once_leave_one_whole_book(data, tmp_path):
    from concurrent.futures import ThreadPoolExecutor

    from planner.update.found import Found
    from planner.update.wanted import wanted
    from planner.update.write import write_book

    base = default_book()
    row = {**base.rows("on_demand")[0], "source": "made up"}

    def one(number: int) -> str:
        try:
            found = Found(rows={"on_demand": [{**row, "usd": row["usd"] + str(number)}]})
            return str(write_book(base, found, wanted((), (), ()), TODAY, data).folder)
        except UsageProblem as error:
            return str(error)

    with ThreadPoolExecutor(4) as pool:
        said = list(pool.map(one, range(1, 5)))
    assert sum(one == str(data / str(TODAY)) for one in said) == 1
    assert [path.name for path in data.iterdir()] == [str(TODAY)]
    assert snapshot.changed_files(data / str(TODAY)) == ()
