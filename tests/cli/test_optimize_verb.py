"""`planner optimize`: table, JSON and Markdown, limits as options, exit codes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from planner.cli.main import command
from planner.report.wording.wrapping import cells
from tests.typed import SMALL

SET = ("run.recipe=proven", "storage.layouts=[s3-stream, converged]", "fleet.nodes=3..6")
FEW = ("--draws", "60", *(word for setting in SET for word in ("--set", setting)))


def optimize(*words: str) -> Result:
    return CliRunner().invoke(command, ["optimize", SMALL, *FEW, *words], catch_exceptions=False)


def document(*words: str) -> dict[str, Any]:
    return json.loads(optimize(*words, "-f", "json").stdout)


def test_the_table_has_the_answer_the_frontier_and_a_reason_for_each_rejected_family() -> None:
    done = optimize()
    assert done.exit_code == 0
    for part in (
        "Recommended: ",
        "Risk: ",
        "choices were priced: every count from 3 to 6 nodes",
        "(cost-time frontier)",
    ):
        assert part in " ".join(done.stdout.split())
    assert "Rejected, with the best choice of each:" in done.stdout
    assert "  - On-Demand: " in done.stdout
    assert all(cells(line) <= 80 for line in done.stdout.splitlines())


@pytest.mark.parametrize("width", ["40", "60", "120"])
def test_no_line_is_wider_than_the_terminal(width: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", width)
    assert all(cells(line) <= int(width) for line in optimize().stdout.splitlines())


def test_the_command_at_the_end_compares_the_recommended_fleet() -> None:
    found = document()
    last = " ".join(optimize().stdout.partition("Compare every choice on this fleet:")[2].replace("\\\n", "").split())
    for setting in found["answer"]["set"]:
        assert f"--set {setting}" in last
    fleet = [word for setting in found["answer"]["set"] for word in ("--set", setting)]
    compared = CliRunner().invoke(command, ["compare", SMALL, *FEW, *fleet, "-f", "json"], catch_exceptions=False)
    row = next(s for s in json.loads(compared.stdout)["scenarios"] if s["cost_usd"] and s["eligible"])
    assert row["nodes"] == found["answer"]["best"]["nodes"]
    costs = [s["cost_usd"]["p50"] for s in json.loads(compared.stdout)["scenarios"] if s["cost_usd"]]
    assert found["answer"]["best"]["cost_usd"]["p50"] in costs


def test_a_deadline_and_a_budget_are_kept() -> None:
    found = document("--deadline", "6d", "--budget", "9000")
    best = found["answer"]["best"]
    assert best["days"]["p90"] <= 6
    assert best["cost_usd"]["p90"] <= 9000
    assert found["answer"]["rule"]["limit_days"] == 6


def test_the_earliest_finish_is_the_shortest_of_the_frontier() -> None:
    held = ("--set", "purchase.options=[on-demand]")
    cost, time = (document(*held, *words)["answer"]["best"] for words in ((), ("--minimize", "time")))
    days = [row["days"]["p50"] for row in document(*held)["frontier"]]
    assert time["days"]["p50"] <= min(days) * 1.02
    assert time["days"]["p50"] <= cost["days"]["p50"]
    assert time["cost_usd"]["p50"] >= cost["cost_usd"]["p50"]


def test_nothing_within_the_limits_is_exit_10() -> None:
    done = CliRunner().invoke(command, ["optimize", SMALL, *FEW, "--deadline", "1h"], standalone_mode=False)
    assert done.return_value == 10
    assert "No scenario is recommended" in done.stdout


@pytest.mark.parametrize("words", [("--deadline", "30"), ("--budget", "0"), ("--minimize", "nodes"), ("-f", "html")])
def test_what_cannot_be_used_is_exit_2(words: tuple[str, str]) -> None:
    assert CliRunner().invoke(command, ["optimize", SMALL, *words]).exit_code != 0


def test_markdown_begins_with_the_answer(tmp_path: Path) -> None:
    out = tmp_path / "best.md"
    assert optimize("-o", str(out)).exit_code == 0
    marker, first, *_ = out.read_text(encoding="utf-8").splitlines()
    assert marker.startswith("<!-- ")
    assert first.startswith("Recommended: ")
    assert "| Nodes |" in out.read_text(encoding="utf-8")


def test_the_python_interface_gives_the_same_document() -> None:
    import planner

    layouts = ["s3-stream", "converged"]
    plan = planner.load(SMALL, set={"run.recipe": "proven", "storage.layouts": layouts, "fleet.nodes": "3..6"})
    assert planner.optimize(plan, draws=60).to_dict() == document()
    with pytest.raises(planner.UsageProblem, match="'cost' or 'time'"):
        planner.optimize(plan, "money")
