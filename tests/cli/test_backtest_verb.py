"""The backtest verb as a person meets it: a table in the width of the terminal, JSON, Markdown, and files of cases."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from planner.cli.backtest import command
from planner.errors import PlanProblems
from planner.evidence.case import shipped_cases
from tests.evidence.cases import row, text_of

MINE = text_of(
    row("ratio", "part=1; whole=4", "0.25") | {"id": "mine-1", "quantity": "a quarter", "unit": "fraction"},
    row("ratio", "part=1; whole=4", "0.5") | {"id": "mine-2", "comment": "Half of it is somewhere else."},
    row("survival", "events_per_hour=0.005..0.01..0.02; hours=100", "0.3") | {"id": "mine-3"},
    row("ratio", "part=1; whole=0", "refused") | {"id": "mine-4"},
    row("", "", "7") | {"id": "mine-5"},
)


def run(*words: str, columns: int = 80) -> str:
    done = CliRunner(env={"COLUMNS": str(columns)}).invoke(
        command, list(words), catch_exceptions=False, standalone_mode=False
    )
    return done.stdout


@pytest.fixture
def mine(tmp_path) -> str:
    path = tmp_path / "mine.csv"
    path.write_text(MINE, encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("columns", [40, 80, 160])
def test_every_case_is_in_the_table_of_any_width(columns):
    shown = run(columns=columns)
    assert max(map(len, shown.splitlines())) <= columns
    for case in shipped_cases():
        assert f"{case.id} " in f"{shown} ".replace("\n", " \n")
    said = " ".join(shown.split())
    assert "published outcomes lie inside P10-P90" in said
    assert "- M2-days: " in said.partition("Contradicted: ")[2]


def test_a_wide_table_says_what_each_figure_is():
    assert "days to train SD2-base at 512px" in run(columns=240)
    assert "days to train SD2-base at 512px" not in run(columns=80)


def test_json_has_each_case_with_its_verdict(mine):
    document = json.loads(run("--cases", mine, "-f", "json"))
    assert document["counts"] == {"reproduced": 2, "plausible": 1, "contradicted": 1, "not_asked": 1}
    assert document["coverage"] == {"inside": 1, "of": 1}
    first, second, third, fourth, fifth = document["cases"]
    assert (first["published"], first["computed"], first["verdict"]) == (0.25, 0.25, "reproduced")
    assert (second["verdict"], second["why"]) == ("contradicted", "Half of it is somewhere else.")
    assert third["p10"] < 0.3 < third["p90"]
    assert fourth["said"].startswith("refused: ")
    assert (fifth["verdict"], fifth["computed"]) == ("not asked", None)


def test_markdown_has_the_table_and_the_reasons(mine, tmp_path):
    out = tmp_path / "result.md"
    run("--cases", mine, "-o", str(out))
    text = out.read_text(encoding="utf-8")
    assert "5 published figures: 2 reproduced, 1 plausible, 1 contradicted, 1 not asked." in text
    assert "| `mine-2` |" in text
    assert "Half of it is somewhere else." in text


def test_a_mistake_in_a_file_is_named_with_its_line(tmp_path):
    path = tmp_path / "wrong.csv"
    path.write_text(text_of(row("rato", "part=1; whole=2", "0.5")), encoding="utf-8")
    with pytest.raises(PlanProblems, match=r"wrong\.csv:2 \(one\): there is no equation 'rato': did you mean ratio\?"):
        run("--cases", str(path))
