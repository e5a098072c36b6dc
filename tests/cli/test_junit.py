"""`--junit`: the gates as JUnit XML, which CI systems show as tests."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from planner.answer.gates import FEASIBLE, LIMITS, Gates, Violation
from planner.cli.main import command as cli
from planner.errors import ExitCode
from planner.report.data.gates_junit import render

PLAN = ["compare", "examples/small.yaml", "--draws", "50", "-q"]


def cases(text: str) -> dict[str, str | None]:
    """Name of each case -> its failure, None where it passed; after the counts were checked."""
    top = ElementTree.fromstring(text)
    (suite,) = top
    found = {case.get("name"): getattr(case.find("failure"), "text", None) for case in suite}
    for element in (top, suite):
        assert element.get("tests") == str(len(found))
        assert element.get("failures") == str(sum(text is not None for text in found.values()))
    return found


def run(tmp_path, *words: str) -> tuple[int, dict[str, str | None]]:
    file = tmp_path / "gates.xml"
    done = CliRunner().invoke(cli, [*PLAN, *words, "--junit", str(file)], standalone_mode=False)
    return int(done.return_value), cases(file.read_text(encoding="utf-8"))


def test_without_gates_there_is_the_one_that_always_holds(tmp_path):
    assert run(tmp_path) == (0, {"a choice is feasible": None})


def test_each_gate_is_a_case_and_those_that_fail_say_why(tmp_path):
    code, found = run(tmp_path, "--max-cost", "1", "--max-days", "30", "--max-unpriced", "1000", "--at", "p90")
    assert code == 10
    assert found["--max-days 30 --at p90"] is None
    assert found["--max-unpriced 1000"] is None
    assert "above 1.00 (exit code 10)" in found["--max-cost 1 --at p90"]


def test_strict_is_two_cases(tmp_path):
    code, found = run(tmp_path, "--strict", "--max-price-age", "1")
    assert code == 11
    assert "out of date" in found["--strict: no price is out of date"]
    assert set(found) == {"a choice is feasible", "--strict: no price is out of date", "--strict: every price is firm"}


def test_without_an_eligible_choice_both_limits_fail():
    gates = Gates(max_cost_usd=5.0, max_days=6.0)
    for gate in (FEASIBLE, LIMITS):
        violation = Violation(code=ExitCode.GATE, message="no scenario is eligible", gate=gate)
        found = cases(render("a", gates, [violation]))
        assert found["--max-cost 5 --at p50"]
        assert found["--max-days 6 --at p50"]


def test_a_name_cannot_break_the_document():
    text = render('<a> & "b" \x00\x1b[31m', Gates(), [Violation(code=ExitCode.GATE, message="\x07 <b>")])
    assert cases(text)["a choice is feasible"]


@pytest.mark.parametrize("words", [["--junit", "-"], ["-o", "x.xml", "-f", "json", "--junit", "x.xml"]])
def test_it_has_a_file_of_its_own(words, tmp_path, monkeypatch):
    done = CliRunner().invoke(cli, [*PLAN, *words])
    assert "is where the result goes" in str(done.exception)


def test_a_worker_pool_has_gates_too(tmp_path):
    file = tmp_path / "gates.xml"
    words = ["compare", "examples/worker-pool.yaml", "-q", "--draws", "5", "--max-cost", "0.01", "--junit", str(file)]
    done = CliRunner().invoke(cli, words, standalone_mode=False)
    assert int(done.return_value) == 10
    assert any(text and "exit code 10" in text for text in cases(file.read_text()).values())


def test_a_large_limit_is_named_as_it_was_typed():
    assert "--max-cost 2000000 --at p50" in cases(render("a", Gates(max_cost_usd=2e6), []))
