"""A kind of plan is one folder and one line: a toy goes through every verb and every format."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import planner
from planner.cli import main
from planner.kinds import registry
from tests.kinds.toy import KIND

Run = Callable[..., tuple[int, str]]
PLAN = """
apiVersion: planner/v1
name: a toy
run: {kind: toy, hours: 100}
types: [g5.2xlarge, p4d.24xlarge]
"""


@pytest.fixture
def plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(registry, "KINDS", [*registry.KINDS, KIND])  # the one line
    monkeypatch.chdir(tmp_path)
    (tmp_path / "toy.yaml").write_text(PLAN)
    return "toy.yaml"


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """(exit code, both outputs) of a command."""

    def ran(*words: str) -> tuple[int, str]:
        with pytest.raises(SystemExit) as end:
            main.run(list(words))
        code, (out, err) = end.value.code, capsys.readouterr()
        return int(code or 0), out + err

    return ran


@pytest.mark.parametrize(
    ("words", "said"),
    [
        *((("compare", "-f", style), "g5") for style in ("json", "csv", "md", "html", "focus")),
        (("compare",), "Recommended: workers/g5.2xlarge/on-demand, about $"),
        (("compare", "--set", "run.hours=10", "-v"), "about $1"),
        (("compare", "--max-cost", "1"), "Recommended"),
        (("report", "-o", "-"), "<title>a toy: a toy</title>"),
        (("report", "-f", "md", "-o", "-"), "Budget to approve"),
        (("report", "--sheet", "-o", "-"), "Budget to approve"),
        (("optimize",), "Recommended"),
        (("optimize", "-f", "json"), '"recommended"'),
        (("sensitivity",), "hours: up to $"),
        (("sensitivity", "-f", "svg"), "<svg"),
        (("explain",), "cost_usd = "),
        (("simulate", "--starts", "3"), "Recommended"),
        (("diff", "--set-b", "run.hours=50"), "workers/g5.2xlarge/on-demand"),
        (("diff", "--set-b", "run.hours=50", "-f", "md"), "g5.2xlarge"),
        (("stack", "-o", "-"), "scenario: workers/g5.2xlarge/on-demand"),
        (("preview",), "Stack toy"),
        (("preview", "-f", "json"), '"resources"'),
        (("lint",), ""),
    ],
)
def test_it_goes_through_every_verb_and_format(plan: str, run: Run, words: tuple[str, ...], said: str) -> None:
    verb, *rest = words
    code, text = run(verb, plan, *rest)
    assert said in text
    assert code == (10 if "--max-cost" in rest else 0), text


def test_validate_reports_its_own_problems(plan: str, run: Run) -> None:
    assert run("validate", plan) == (0, "ok  toy.yaml  a toy\n")
    code, text = run("validate", plan, "--set", "types=[no.such]", "--set", "run.hours=5")
    assert (code, "no.such has no price" in text) == (2, True)
    code, text = run("validate", plan, "--set", "run.hours=2000")
    assert (code, "more than 1,000" in text) == (2, True)


def test_what_it_does_not_take_is_refused(plan: str, run: Run) -> None:
    for words, why in (
        (("quote", plan, "--vs", "on-demand"), "quote compares training runs"),
        (("report", plan, "--bill", "x.csv"), "a toy has no bill"),
    ):
        code, text = run(*words)
        assert (code, why in text) == (2, True)


def test_a_stack_is_written_and_checked(plan: str, run: Run) -> None:
    assert "Stack toy" in run("stack", plan, "-o", ".")[1]
    assert "matches" in run("stack", plan, "--check")[1]
    assert Path("Pulumi.toy.yaml").is_file()


def test_in_python(plan: str, run: Run) -> None:
    found: Any = planner.compare(planner.load(plan), draws=10)
    frame: Any = planner.to_frame(found)
    assert frame == ["workers/g5.2xlarge/on-demand", "workers/p4d.24xlarge/on-demand"]
    assert planner.explain(found, "best", "cost_usd") == found.best.cost_usd.plan
    assert "a toy" in planner.render_html(found)
    assert json.loads(run("compare", plan, "-f", "json", "--draws", "10")[1])["draws"] == 10


def test_it_is_small() -> None:
    folder = Path(__file__).parent / "toy"
    assert sum(bool(line.strip()) for path in folder.glob("*.py") for line in path.read_text().splitlines()) < 300
