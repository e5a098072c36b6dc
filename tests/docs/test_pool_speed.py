"""docs/pool-speed.md: its table is the record of the run that it describes."""

from __future__ import annotations

import csv
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "pool-speed.md").read_text(encoding="utf-8")
SIZES = {"64 KiB": 2**16, "1 MB": 10**6, "8 MB": 8 * 10**6, "64 MB": 64 * 10**6, "256 MB": 256 * 10**6}
RATES, PROCESSOR = (
    re.search(rf"^\| {title} \|.*\n\|.*\n((?:\|.*\n)+)", PAGE, re.MULTILINE) for title in ("object", "way")
)
RECORD = ROOT / "benchmarks" / "records" / "pool-2026-11-25.csv"
MEASURED = {(int(row["object_bytes"]), row["way"]): row for row in csv.DictReader(RECORD.read_text().splitlines())}


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def test_rates_are_those_of_the_record():
    assert RATES is not None
    ways = cells(RATES[0].splitlines()[0])[1:]
    rows = [cells(line) for line in RATES[1].splitlines()]
    assert {size for size, *_ in rows} == SIZES.keys()
    assert set(ways) == {way for _, way in MEASURED}
    for size, *rates in rows:
        for way, rate in zip(ways, rates, strict=True):
            assert rate == MEASURED[SIZES[size], way]["gb_per_s"], (size, way)


def test_processor_times_are_those_of_the_record():
    assert PROCESSOR is not None
    for way, client, pool, s3, used in map(cells, PROCESSOR[1].splitlines()):
        row = MEASURED[SIZES["8 MB"], way]
        parts = [row[f"{part}_core_s_per_gb"] for part in ("client", "pool", "S3")]
        assert [client, pool, s3, used] == [*parts, row["of_processor"]], way
