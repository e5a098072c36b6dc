"""docs/pool.md: its table of settings is the settings, its equations are the model's, its links lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from fleet_pool import settings

from planner.models.datapath import fill_rate_limit

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = {name: (DOCS / name).read_text(encoding="utf-8") for name in ("pool.md", "decisions/0006-nodes-of-the-pool.md")}
ROWS = re.findall(r"\(`([A-Z0-9_]+)`\) \| (\d+) \|", PAGES["pool.md"])


def test_there_are_rows():
    assert len(ROWS) >= 10


@pytest.mark.parametrize(("name", "value"), ROWS)
def test_a_row_of_the_table_is_the_setting(name, value):
    assert getattr(settings, name) == int(value)


def test_the_limit_of_cold_reads_is_the_model_s():
    told = re.search(r"([\d.]+) GB/s per p4d, ([\d.]+) per p5", PAGES["pool.md"])
    assert told is not None
    assert float(told[1]) == pytest.approx(float(fill_rate_limit(node_raw_tb=8)), abs=0.005)
    assert float(told[2]) == pytest.approx(float(fill_rate_limit(node_raw_tb=8 * 3.84)), abs=0.05)


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)\)", PAGES[page]):
        if not target.startswith("https://"):
            assert (DOCS / page).parent.joinpath(target).exists(), target


def test_ports_are_those_that_are_open():
    assert f"Ports {settings.FIRST_PORT} to {settings.LAST_PORT} are open" in PAGES["pool.md"]
