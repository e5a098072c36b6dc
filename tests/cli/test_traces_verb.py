"""`planner traces show` as a person meets it: a table in the width of the terminal, JSON, and files that are none."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from planner.cli.traces import command
from planner.errors import PlanProblems
from planner.spot.generator import SpellLaw
from tests.spot.recordings import alternating

LAW = SpellLaw(shape=0.6, scale_ticks=8)


@pytest.fixture
def files(tmp_path) -> list[str]:
    paths = []
    for name, seed in (("zone-a", 1), ("zone-b", 2)):
        path = tmp_path / f"{name}.json"
        data = [4 * int(flag) for flag in alternating(LAW, LAW, 60, seed)[:900]]
        path.write_text(json.dumps({"metadata": {"gap_seconds": 300}, "data": data, "prices": [1.25] * len(data)}))
        paths.append(str(path))
    return paths


def run(*words: str, columns: int = 80) -> str:
    runner = CliRunner(env={"COLUMNS": str(columns)})
    return runner.invoke(command, list(words), catch_exceptions=False, standalone_mode=False).stdout


@pytest.mark.parametrize("columns", [40, 80, 160])
def test_every_trace_is_in_the_table_of_any_width(files, columns):
    shown = run("show", *files, columns=columns)
    assert max(map(len, shown.splitlines())) <= columns
    for words in ("zone-a", "zone-b", "MTBF h", "Wait h", "renewal", "at least one of k zones"):
        assert words in " ".join(shown.split()), words


def test_a_wide_table_says_how_the_chance_falls_with_age(files):
    head = run("show", files[0], columns=160).splitlines()[0]
    assert "Lost/h, 1st h" in head
    assert "Lost/node-day" in head
    assert "at least one" not in run("show", files[0])


def test_the_json_has_the_same_figures_in_hours(files):
    document = json.loads(run("show", *files, "-f", "json"))
    one, _ = document["traces"]
    assert (one["name"], one["gang_nodes"], one["gap_seconds"], one["usd_per_hour"]) == ("zone-a", 4, 300, 1.25)
    assert one["mtbf_hours"] == pytest.approx(
        one["available_fraction"] * one["days"] * 24 / one["interruptions"], rel=1e-9
    )
    assert one["generator"]["up"]["law"] in ("renewal", "markov")
    alone, together = document["any_of_zones"]["fraction_by_zones"]
    assert alone < together
    larger = json.loads(run("show", files[0], "--nodes", "5", "-f", "json"))["traces"][0]
    assert (larger["available_fraction"], larger["mtbf_hours"], larger["generator"]) == (0, None, None)


def test_zones_are_not_mixed_over_different_ticks(files, tmp_path):
    other = tmp_path / "other.json"
    other.write_text('{"metadata": {"gap_seconds": 60}, "data": [1, 0, 1]}')
    assert json.loads(run("show", files[0], str(other), "-f", "json"))["any_of_zones"] is None


def test_a_file_that_is_none_is_refused_with_its_name(tmp_path):
    bad = tmp_path / "bad.json"
    bad.write_text('{"metadata": {"gap_seconds": 60}, "data": [1, "yes"]}')
    with pytest.raises(PlanProblems, match=r'bad\.json: data\[1\] is "yes"'):
        run("show", str(bad))
