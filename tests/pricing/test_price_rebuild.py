"""The committed books are what the sources give, byte by byte, and a second route gives the same prices."""

from __future__ import annotations

from collections import Counter
from datetime import date, timedelta
from pathlib import Path

import pytest
from price_sources import SOURCES, needs_sources, rows

from pricing import snapshot
from pricing.book import PriceBook, load_as_of
from pricing.build.__main__ import STANDARD_DATES, build, main
from pricing.build.assemble import Assembly
from pricing.build.observations import Reader
from pricing.build.sources import Corrections, files_of

pytestmark = needs_sources


@pytest.mark.parametrize("day", STANDARD_DATES, ids=str)
def test_rebuilding_gives_the_committed_bytes(day: date, tmp_path: Path) -> None:
    folder = build(SOURCES, day, tmp_path)
    committed = snapshot.DATA / str(day)
    assert {path.name for path in folder.iterdir()} == {path.name for path in committed.iterdir()}
    for path in sorted(folder.iterdir()):
        assert path.read_bytes() == (committed / path.name).read_bytes(), path.name


def test_a_folder_that_exists_is_never_overwritten(tmp_path: Path) -> None:
    assert main([str(SOURCES), "--as-of", "2025-05-31", "--out", str(tmp_path)]) == 0
    manifest = (tmp_path / "2025-05-31" / "manifest.json").read_bytes()
    assert main([str(SOURCES), "--as-of", "2025-05-31", "--out", str(tmp_path)]) == 2
    assert (tmp_path / "2025-05-31" / "manifest.json").read_bytes() == manifest


@pytest.mark.parametrize("day", STANDARD_DATES, ids=str)
def test_history_of_us_east_1_agrees(day: date) -> None:
    """A second route: first and last day each price was seen, out of 72 snapshots up to 2026-07-20."""
    book = load_as_of(day)
    day = min(day, date(2026, 9, 1))
    checked = 0
    for row in rows("ec2_ondemand_us_east_1_history.csv"):
        first, last = date.fromisoformat(row["first_observed"]), date.fromisoformat(row["last_observed"])
        if first <= day <= last + timedelta(days=45):
            same_type = [
                one for one in rows_of_type(row["instance_type"]) if date.fromisoformat(one["first_observed"]) <= day
            ]
            newest = max(same_type, key=lambda one: one["last_observed"])
            if newest is not row and newest["price_usd"] != row["price_usd"]:
                continue
            assert book.on_demand(row["instance_type"], "us-east-1").usd == pytest.approx(
                float(row["price_usd"]), rel=1e-6
            ), row
            checked += 1
    assert checked > 50


_HISTORY: dict[str, list[dict[str, str]]] = {}


def rows_of_type(name: str) -> list[dict[str, str]]:
    if not _HISTORY:
        for row in rows("ec2_ondemand_us_east_1_history.csv"):
            _HISTORY.setdefault(row["instance_type"], []).append(row)
    return _HISTORY[name]


def test_daily_readings_of_p5_agree_on_the_days_of_the_books() -> None:
    readings = {
        row["timestamp_utc"][:10]: float(row["price_usd"]) for row in rows("p5_48xlarge_ondemand_daily_us_east_1.csv")
    }
    # the reading nearest to each book that lies in the span of the file (2025-04-23 to 2026-08-22)
    assert load_as_of(date(2025, 5, 31)).on_demand("p5.48xlarge", "us-east-1").usd == readings["2025-05-31"]
    assert load_as_of(date(2026, 9, 1)).on_demand("p5.48xlarge", "us-east-1").usd == readings[max(readings)]


def test_a_newer_edition_alone_reads_the_regional_files_and_the_corrections() -> None:
    first, regional = files_of(date(2026, 9, 1)), files_of(date(2026, 9, 2))
    assert set(first.on_demand) < set(regional.on_demand)
    assert (first.corrections, regional.corrections) == ("", "corrections.csv")
    months = {
        str(as_of): {
            one.day.when.isoformat()
            for one in Reader(SOURCES, files_of(as_of)).spot()
            if "commit 2c3d7ea7d76b" in one.source
        }
        for as_of in (date(2026, 9, 1), date(2026, 10, 10))
    }
    assert months == {"2026-09-01": {"2026-08-31"}, "2026-10-10": {"2026-04-30"}}


def test_what_a_correction_changes_is_noted_on_the_row_and_nothing_else_is_touched() -> None:
    rule = {
        "files": "a.csv;b.csv",
        "source_contains": "commit 1",
        "column": "date",
        "was": "2026-08",
        "now": "2026-04",
        "date_kind": "approximate",
    }
    corrections = Corrections([rule])
    wrong = {"source": "x commit 1", "date": "2026-08", "notes": "n"}
    corrected = {**wrong, "date": "2026-04", "notes": "n; date corrected from 2026-08, approximate"}
    assert corrections.applied("b.csv", wrong) == corrected
    assert corrections.applied("c.csv", wrong) is wrong
    for column, other in (("source", "x commit 2"), ("date", "2026-07")):
        row = {**wrong, column: other}
        assert corrections.applied("a.csv", row) is row


def test_a_book_between_the_cut_and_the_first_new_reading_has_no_p4d_price(tmp_path: Path) -> None:
    """2025-06-10: the old price is known to be gone, the new one was not read yet (list of 2025-06)."""
    book = PriceBook.load(build(SOURCES, date(2025, 6, 10), tmp_path))
    with pytest.raises(LookupError):
        book.on_demand("p4d.24xlarge", "us-east-1")
    # the same day, a type without an event keeps its price
    assert book.on_demand("c5n.18xlarge", "us-east-1").usd == 3.888


def test_what_was_skipped_is_counted_by_reason() -> None:
    skipped = Assembly(SOURCES, date(2026, 9, 1))
    skipped.tables()
    counts = Counter(skipped.skipped)
    # capacity_blocks.csv: 6 rows without a price, of the 4 "unknown" Regions 2 are among them
    assert counts["capacity_blocks", "price not stated"] == 6
    assert counts["capacity_blocks", "region not named"] == 2
    # reserved rates of 2 types x 2 terms x 2 dates of the AWS page; 2 Savings Plan rows
    assert counts["commitments", "payment option not stated"] == 8
    assert counts["commitments", "plan family or payment not stated"] == 2


def test_licence_rows_and_other_tenancies_do_not_enter() -> None:
    """T7: every on-demand row of the sources is bare Linux on shared hardware."""
    items = {row["item"] for row in rows("ec2_ondemand.csv")}
    assert items == {"Linux on-demand, shared tenancy"}
    per_key = Counter((one.key, one.day, one.source) for one in Reader(SOURCES).on_demand())
    assert {count for key, count in per_key.items() if "full" in key[2]} <= {1}


def test_no_book_has_a_price_of_what_did_not_exist_yet() -> None:
    """FSx for Lustre has Intelligent-Tiering since May 2025: a plan of 2023 that asks for it has no total."""
    item = "INTELLIGENT_TIERING Throughput capacity"
    with pytest.raises(LookupError):
        PriceBook.load(snapshot.DATA / "2023-12-31").metered("AmazonFSx", item, "us-east-1")
    assert PriceBook.load(snapshot.DATA / "2025-05-31").metered("AmazonFSx", item, "us-east-1").tiers
