"""Folders of prices that were edited or broken, and how a good one is read."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from price_sources import ROOT

from pricing import snapshot
from pricing.book import BrokenBook, PriceBook, default_book
from pricing.offers import PurchaseOption

RI_1Y = PurchaseOption.parse("ri-1y-standard-no-upfront")


@pytest.fixture(scope="module")
def book() -> PriceBook:
    return PriceBook.load(snapshot.DATA / "2026-09-01")


@pytest.fixture
def copy(tmp_path: Path, book: PriceBook) -> Path:
    return Path(shutil.copytree(book.folder, tmp_path / "book"))


def test_an_edited_book_loads_and_says_so(copy: Path, book: PriceBook) -> None:
    path = copy / "on_demand.csv"
    path.write_text(path.read_text().replace("p4d.24xlarge,us-east-1,21.957642", "p4d.24xlarge,us-east-1,1.0"))
    edited = PriceBook.load(copy)
    assert edited.on_demand("p4d.24xlarge", "us-east-1").usd == 1.0
    assert edited.changed == ("on_demand.csv",)
    assert not edited.intact
    assert edited.sha256 != book.sha256


def test_a_missing_an_added_and_a_manifest_that_was_edited_are_all_seen(copy: Path) -> None:
    (copy / "spot.csv").unlink()
    (copy / "extra.csv").write_text("a\n")
    manifest = copy / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"as_of": "2026-09-01"', '"as_of": "2026-11-01"'))
    assert snapshot.changed_files(copy) == ("extra.csv", "manifest.json", "spot.csv")


def test_hashes_are_those_of_the_files(copy: Path) -> None:
    files = snapshot.read_manifest(copy)["files"]
    assert files["metered.csv"] == hashlib.sha256((copy / "metered.csv").read_bytes()).hexdigest()


@pytest.mark.parametrize("usd", ["0", "-1", "nan", "inf", "", "abc"])
def test_what_is_not_a_price_is_refused(copy: Path, usd: str) -> None:
    path = copy / "on_demand.csv"
    path.write_text(path.read_text().replace("p4d.24xlarge,us-east-1,21.957642", f"p4d.24xlarge,us-east-1,{usd}"))
    with pytest.raises(BrokenBook, match=r"not a price"):
        PriceBook.load(copy).on_demand("p4d.24xlarge", "us-east-1")


@pytest.mark.parametrize(
    ("table", "good", "bad"),
    [
        (
            "on_demand",
            "p4d.24xlarge,us-east-1,21.957642,Hrs,2026-09-01,A,",
            "p4d.24xlarge,us-east-1,2,Hrs,2026-09-01,D,",
        ),
        ("on_demand", "p4d.24xlarge,us-east-1,21.957642,Hrs,2026-09-01", "p4d.24xlarge,us-east-1,2,Hrs,soon"),
        ("instances", "p4d.24xlarge,96,", "p4d.24xlarge,many,"),
        ("interruptions", "p4d.24xlarge,us-east-1,10-15%", "p4d.24xlarge,us-east-1,often"),
    ],
)
def test_a_row_that_makes_no_sense_is_a_broken_book(copy: Path, table: str, good: str, bad: str) -> None:
    path = copy / f"{table}.csv"
    assert path.read_text().count(good) == 1
    path.write_text(path.read_text().replace(good, bad))
    book = PriceBook.load(copy)
    with pytest.raises(BrokenBook, match=r"p4d\.24xlarge"):
        (book.on_demand("p4d.24xlarge", "us-east-1"), book.instances(), book.interruption("p4d.24xlarge", "us-east-1"))


def test_a_broken_folder_names_file_and_line(copy: Path, tmp_path: Path) -> None:
    with (copy / "on_demand.csv").open("a") as file:
        file.write("only,three,values\n")
    last = len((copy / "on_demand.csv").read_text().splitlines())
    with pytest.raises(BrokenBook, match=rf"on_demand\.csv:{last}: 3 values"):
        PriceBook.load(copy).on_demand("p4d.24xlarge", "us-east-1")
    with pytest.raises(BrokenBook, match=r"no manifest\.json"):
        PriceBook.load(tmp_path)
    (copy / "manifest.json").write_text("[]")
    with pytest.raises(BrokenBook, match="not a manifest"):
        PriceBook.load(copy)


def test_reading_is_lazy(copy: Path) -> None:
    for name in ("interruptions", "metered", "commitments", "on_demand"):
        (copy / f"{name}.csv").write_text("broken")
    assert PriceBook.load(copy).capacity_block("p4d.24xlarge", "us-east-1").price.usd == 11.8


def test_default_book_is_the_newest() -> None:
    assert default_book().folder.name == str(max(snapshot.available()))


def test_opening_a_book_imports_the_standard_library_only() -> None:
    code = (
        "import sys; from pricing.book import default_book; default_book().on_demand('p4d.24xlarge', 'us-east-1');"
        "print(*sorted({name.split('.')[0] for name in sys.modules} - sys.stdlib_module_names))"
    )
    done = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert set(done.stdout.split()) <= {"pricing", "__main__"}
