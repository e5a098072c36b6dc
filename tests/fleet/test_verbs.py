"""A fleet through the verbs and formats, and what its plan may not say."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import planner
from planner.cli import main
from planner.errors import PlanProblems
from planner.plan.load import load_any
from planner.plan.schema import FLEET_SCHEMA_FILE, fleet_schema, fleet_schema_text
from planner.plan.yamlfile import read_yaml
from planner.report.wording.wrapping import cells
from tests.examples import FLEETS
from tests.fleet.plans import PLAN, loaded

SMALL = ("--draws", "3", "--set", "run.months=1", "--set", "purchase.options=[on-demand]", "--prices", "2026-10-10")
SCHEMA = Path("planner/report/data/schemas/fleet.schema.json")


@pytest.fixture
def plan(tmp_path: Path) -> str:
    path = tmp_path / "fleet.yaml"
    path.write_text(PLAN)
    return str(path)


def ran(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    with pytest.raises(SystemExit) as end:
        main.run(list(words))
    out, err = capsys.readouterr()
    return int(end.value.code or 0), out if not end.value.code else err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("compare",), "Recommended: #1"),
        (("compare", "--set", "groups.0.nodes=[23, 24]"), "that the plan compares:"),
        (("compare", "-f", "md"), "Budget to approve"),
        (("compare", "-f", "html"), "What each project pays"),
        (("compare", "-f", "focus"), "BillingAccountId"),
        (("report", "-o", "-"), "Cost against waiting"),
        (("report", "--sheet", "-o", "-"), "Buy now"),
        (("optimize",), "Recommended: #1"),
        (("explain",), "fleet/p4d.24xlargex24/mix"),
        (("explain", "best", "show_back_usd"), "vision: $"),
        (("explain", "best", "-f", "json"), '"usd_per_useful_gpu_hour"'),
        (("simulate", "--starts", "2"), "What each project pays:"),
        (("diff", "--set-b", "projects.0.share=5"), "projects[0].share"),
    ],
)
def test_verbs(plan: str, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], said: str) -> None:
    options = [word for word in SMALL if words[0] != "simulate" or word not in ("--draws", "3")]
    code, text = ran(capsys, words[0], plan, *words[1:], *options)
    assert code == 0, text
    assert said in " ".join(text.split())


def test_json_and_csv(plan: str, capsys: pytest.CaptureFixture[str]) -> None:
    document = json.loads(ran(capsys, "compare", plan, "-f", "json", *SMALL)[1])
    jsonschema.validate(document, json.loads(SCHEMA.read_text(encoding="utf-8")))
    best = next(one for one in document["scenarios"] if one["id"] == document["answer"]["recommended"])
    assert sum(line["effective_cost"] for line in best["bill"]) == pytest.approx(best["cost_usd"]["plan"], abs=1e-4)
    rows = list(csv.DictReader(io.StringIO(ran(capsys, "compare", plan, "-f", "csv", *SMALL)[1])))
    mine = [float(one["effective_cost"]) for one in rows if one["scenario"] == best["id"]]
    assert sum(mine) == pytest.approx(best["cost_usd"]["plan"], abs=1e-4)


@pytest.mark.parametrize("verb", ["stack", "preview", "lint", "sensitivity", "quote"])
def test_what_it_does_not_take_says_what_to_do_instead(
    plan: str, capsys: pytest.CaptureFixture[str], verb: str
) -> None:
    code, text = ran(capsys, verb, plan, *(["--vs", "on-demand"] if verb == "quote" else []))
    assert code == 2
    assert "fleet" in text or "quote compares" in text


@pytest.mark.parametrize(
    ("override", "said"),
    [
        ("projects.0.types={p5.48xlarge: 2}", "vision can use none of the fleet's types"),
        ("projects.0.jobs.0.nodes=64", "never fits"),
        ("projects.0.jobs.0.count=3", "needs one of count, per_day"),
        ("projects.0.to_month=9", "are not all in the plan's 3"),
        ("projects.0.hot=900TB", "hot is more than data"),
        ("projects.1.name=vision", "is listed twice"),
        ("purchase.options=[spot]", "whose jobs are gangs"),
        ("purchase.options=[ri-2y]", "is no purchase option"),
        ("groups.0.nodes=many", "not a node count"),
        ("decision.slack=2", "is used only by training plans"),
        ("projects.0.priority=1", "queue"),
        ("start=1826-01-01", "is outside"),
    ],
)
def test_what_a_plan_may_not_say(override: str, said: str) -> None:
    with pytest.raises(PlanProblems) as problems:
        loaded(override)
    assert said in str(problems.value)
    assert "\n    " in str(problems.value)  # what to do


@pytest.mark.parametrize(
    ("override", "said"),
    [("groups.0.instance_type=p4d.12xlarge", "no instance type"), ("region=mx-central-1", "no price in mx-central-1")],
)
def test_what_the_book_does_not_know(plan: str, capsys: pytest.CaptureFixture[str], override: str, said: str) -> None:
    code, text = ran(capsys, "validate", plan, "--set", override)
    assert (code, said in text) == (2, True), text


def test_in_python(plan: str) -> None:
    found: Any = planner.compare(planner.load(plan, set={"run.months": 1}), draws=2)
    assert planner.explain(found, "best", "cost_usd") == found.best.cost_usd.plan
    assert len(planner.to_frame(found)) == len(found.scenarios)
    assert "What each project pays" in planner.render_html(found)


@pytest.mark.parametrize("path", FLEETS, ids=lambda path: path.stem)
def test_examples_meet_the_schema(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    jsonschema.Draft202012Validator(fleet_schema()).validate(
        json.loads(json.dumps(read_yaml(text, "x").data, default=str))
    )
    load_any(path)


def test_the_schema_is_current() -> None:
    assert FLEET_SCHEMA_FILE.read_text(encoding="utf-8") == fleet_schema_text(), "run python -m planner.plan.schema"


@pytest.mark.parametrize("path", FLEETS, ids=lambda path: path.stem)
def test_the_answer_fits_a_screen(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, text = ran(capsys, "compare", str(path), "--draws", "10")
    assert code == 0
    assert "Recommended: #1" in text
    assert "\n-v: " in text
    lines = text.splitlines()
    assert len(lines) <= 39  # and the next step
    assert all(cells(line) <= 80 for line in lines)
