"""docs/first-up.md: its counts, its links, and that every layout is in it."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from planner.stack.spec import LAYOUTS

TEXT = Path(__file__).parents[2].joinpath("docs", "first-up.md").read_text(encoding="utf-8")
ROWS = [[cell.strip() for cell in line.strip("|\n ").split("|")] for line in TEXT.splitlines() if line.startswith("| ")]
CLAIMS = [[*row, ""][:4] for row in ROWS if row[0] != "layouts"]
HOSTS = {
    "document": ("docs.aws.amazon.com", "docs.nvidia.com", "www.pulumi.com"),
    "report": ("github.com",),
    "nobody": (),
}


def test_the_counts_are_those_of_the_table():
    said = re.search(r"^(\d+) claims: (\d+) by a document, (\d+) by a report, (\d+) by nobody\.$", TEXT, re.MULTILINE)
    assert said
    counts = Counter(row[2] for row in CLAIMS)
    assert [int(number) for number in said.groups()] == [
        len(CLAIMS),
        *(counts[kind] for kind in ("document", "report", "nobody")),
    ]


@pytest.mark.parametrize("row", CLAIMS, ids=lambda row: row[1][:40])
def test_whoever_says_it_is_linked_and_nobody_is_not(row):
    layouts, claim, kind, where = row
    assert claim
    assert set(layouts.split(", ")) <= {"all", *LAYOUTS}
    hosts = re.findall(r"\]\(https://([^/]+)/", where)
    assert set(hosts) <= set(HOSTS[kind])
    assert bool(hosts) == (kind != "nobody")


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_says_more_than_what_all_have(layout):
    assert any(layout in row[0].split(", ") for row in CLAIMS)


@pytest.mark.parametrize("what", ["throttle", "credentials", "deprecated image"])
def test_what_stops_any_account_has_a_line(what):
    assert any(what in row[1] for row in CLAIMS if row[0] == "all")
