"""The sensitivity verb as a person or a script meets it: what it prints, what it refuses, what its commands do."""

from __future__ import annotations

import json
import shlex
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from tests.typed import ROOT, planner

SMALL = "examples/small.yaml"  # from the project's root: a printed command must not depend on where that lies
FEW = (
    "--set",
    "run.recipe=proven",
    "--set",
    "purchase.options=[on-demand, spot, capacity-block]",
    "--set",
    "storage.layouts=[s3-stream, converged]",
    "--draws",
    "200",
)


def sensitivity(*words: object, **environment: str) -> subprocess.CompletedProcess[str]:
    return planner("sensitivity", *words, cwd=ROOT, **environment)


@pytest.fixture(scope="module")
def document() -> dict:
    done = sensitivity(SMALL, *FEW, "-f", "json")
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


@pytest.mark.parametrize("columns", ["40", "80", "160"])
def test_no_line_is_wider_than_the_terminal(columns: str) -> None:
    done = sensitivity(SMALL, *FEW, COLUMNS=columns)
    assert done.returncode == 0
    assert max(map(len, done.stdout.splitlines())) <= int(columns)
    assert "\x1b" not in done.stdout


def test_ascii_where_the_terminal_knows_no_more() -> None:
    done = sensitivity(SMALL, *FEW, PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert done.returncode == 0
    assert done.stdout.isascii()


def test_what_it_says_of_a_flip_is_what_compare_says(document: dict) -> None:
    break_evens = [break_even for search in document["searches"] for break_even in search["flips"]]
    assert break_evens
    for break_even in break_evens[:3]:
        done = planner("compare", SMALL, *FEW, "-f", "json", *shlex.split(break_even["set"]), cwd=ROOT)
        found = json.loads(done.stdout)
        first = next(one for one in found["scenarios"] if one["id"] == break_even["first"])
        assert first["cost_usd"]["plan"] == pytest.approx(break_even["first_cost_usd"])
        # at a break-even two cost nearly the same, and a block may be bought shorter there, since its tail is cheaper:
        # that choice takes draws, which a what-if does without
        leader = found["scenarios"][0]["cost_usd"]
        assert first["cost_usd"]["p50"] <= leader["p50"] * 1.03, (first, leader)
    assert {break_even["before"] for break_even in break_evens} & {document["leader"]}


@pytest.mark.thorough
def test_a_rank_an_id_and_best_are_the_same_scenario(document: dict) -> None:
    for text in ("#1", "best"):
        again = json.loads(sensitivity(SMALL, *FEW, "--scenario", text, "-f", "json").stdout)
        assert again["scenario"] == document["scenario"]


def test_against_another(document: dict) -> None:
    other = next(entry["scenario"] for entry in document["odds"] if entry["scenario"] != document["scenario"])
    done = sensitivity(SMALL, *FEW, "--against", other, "-f", "json")
    pair = json.loads(done.stdout)["pair"]
    assert (pair["a"], pair["b"]) == (document["scenario"], other)
    below = next(e["below_best_fraction"] for e in document["odds"] if e["scenario"] == other)
    assert pair["above_fraction"] == pytest.approx(below)


def test_against_itself_is_a_slip(document: dict) -> None:
    done = sensitivity(SMALL, *FEW, "--against", "1")
    assert (done.returncode, done.stdout) == (2, "")
    assert f"is the same scenario, {document['scenario']}" in done.stderr


def test_days_order_the_table_otherwise() -> None:
    by_days = sensitivity(SMALL, *FEW, "--of", "days", "--top", "0").stdout
    assert "days at low" in by_days
    assert "people.usd_per_engineer_year" not in by_days


def test_the_picture_is_a_file_of_its_own(tmp_path: Path) -> None:
    out = tmp_path / "tornado.svg"
    assert sensitivity(SMALL, *FEW, "--scenario", "s3-stream/p4d.24xlarge/spot", "-o", out).returncode == 0
    root = ET.parse(out).getroot()
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    names = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert "Spot price" in names


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("--scenario", "convergd/p4d.24xlarge/spot"), 2, "did you mean converged/p4d.24xlarge/spot"),
        (("--scenario", "99"), 2, "ranks are 1 to"),
        (("--against", "2", "--draws", "0"), 2, "nothing was drawn"),
        (("--set", "constraints.max_days=0.1"), 10, "no scenario is recommended; `planner compare` shows"),
        (("--set", "region=eu-south-2", "--scenario", "1"), 2, " and 10 more; `planner compare` shows all"),
        (
            ("--set", "purchase.options=[on-demand, sp-3y-compute-no-upfront]", "--scenario", "3"),
            2,
            "no price for fleet.",
        ),
        (("--set", "fleet.nodes=300", "--scenario", "6"), 2, "Capacity Blocks are limited to 256"),
    ],
)
def test_what_it_refuses(words: tuple[str, ...], code: int, said: str) -> None:
    done = sensitivity(SMALL, *FEW, *words)
    assert (done.returncode, done.stdout) == (code, "")
    assert said in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.thorough
def test_the_same_bytes_twice() -> None:
    once, again = (sensitivity(SMALL, *FEW).stdout for _ in range(2))
    assert once == again
