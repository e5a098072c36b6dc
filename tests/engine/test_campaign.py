"""A part of the campaign of faults, of each kind and over each layout; and what the page of the whole says."""

from __future__ import annotations

import re

import pytest

from planner.stack.spec import LAYOUTS
from tests.engine.campaign import COLUMNS, PAGE, page, part, printed
from tests.infra.specs import graph_of

# layout, part, resources
CHOSEN = (
    ("s3-stream", "failures", ("network-vpc", "artefacts-bucket", "fleet-role", "fleet-template", "fleet-group")),
    (
        "fsx-lustre",
        "lost",
        (
            "network-vpc",  # AWS makes these a second time without a word
            "network-nat-address",
            "lustre-file-system",
            "artefacts-bucket",  # and refuses these
            "fleet-role",
            "fleet-template",
            "fleet-group",
            "lustre-link-dataset",
        ),
    ),
    ("converged", "kills", ("network-nat-address", "pool-node-1", "fleet-group")),
)


@pytest.mark.usefixtures("engine_built")
# the engine that was killed leaves its stream of events in the middle
@pytest.mark.filterwarnings("ignore:Error in event stream")
@pytest.mark.parametrize(("layout", "name", "names"), CHOSEN, ids=[f"{row[0]}-{row[1]}" for row in CHOSEN])
def test_what_goes_wrong_leaves_nothing(layout, name, names, tmp_path):
    tally = part(layout, name, tmp_path, names)
    assert tally.faults >= len(names)  # a command that is killed takes down whatever else was being made
    assert tally.doubled == tally.listed
    assert tally.left == 0
    if "network-nat-address" in names:
        assert tally.doubled >= 1, "an address that is asked for again is made again"


def test_the_page_holds_what_was_promised():
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in PAGE.read_text(encoding="utf-8").splitlines()
        if line.startswith("|")
    ]
    assert tuple(rows[0]) == COLUMNS
    table = {
        row[0].strip("*"): dict(zip(COLUMNS[1:], (int(c.replace(",", "")) for c in row[1:]), strict=True))
        for row in rows[2:]
    }
    assert set(table) == {*LAYOUTS, "all"}
    for column in COLUMNS[1:]:
        assert table["all"][column] == sum(table[layout][column] for layout in LAYOUTS)
    # what a stack got after the campaign's last run is named on the page, until the next run counts it
    named = r"^Not yet in this table: `(\S+)`(?: of ([^:]+):)?"
    later = re.findall(named, PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    for layout in LAYOUTS:
        since = {name for name, layouts in later if not layouts or layout in layouts.split(", ")}
        row = table[layout]
        there = {entry["name"] for entry in graph_of(layout)["resources"] if entry["type"].startswith("aws:")}
        assert row["resources"] == len(there - since)
        # each resource refused and unanswered, when made and when deleted
        assert row["faults injected"] >= 2 * row["resources"]
        assert row["doubled"] == row["found by teardown-check"]
        assert row["left"] == 0
    assert table["all"]["faults injected"] >= 100
    assert re.search(r"make faults", PAGE.read_text(encoding="utf-8"))


def test_a_run_of_one_layout_keeps_the_rows_of_the_others():
    text = PAGE.read_text(encoding="utf-8")
    assert set(printed(text)) == set(LAYOUTS)
    assert text.startswith(page([printed(text)[layout] for layout in LAYOUTS]))
