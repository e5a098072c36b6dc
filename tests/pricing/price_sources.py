"""Where the source files of the price books are, for tests that rebuild or cross-check them."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT.parent / "shared" / "prices"

needs_sources = pytest.mark.skipif(
    not (SOURCES / "price_events.csv").exists(),
    reason="the price sources are not beside this repository (../shared/prices)",
)


def rows(name: str) -> list[dict[str, str]]:
    with (SOURCES / name).open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))
