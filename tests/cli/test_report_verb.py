"""The report verb as a person or a script meets it: the picture of the stack, and what stands there without one."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from planner.cli.report import command as report

SMALL = str(Path(__file__).parents[2] / "examples" / "small.yaml")
FEW = ("--set", "purchase.options=[on-demand, spot]", "--set", "storage.layouts=[s3-stream]", "--draws", "50")


def page(*words: str) -> str:
    done = CliRunner().invoke(report, [SMALL, "-o", "-", *FEW, *words], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def section(text: str) -> str:
    return text[text.index('<section id="stack"') :].partition("</section>")[0]


@pytest.mark.thorough
def test_the_answer_s_stack_is_drawn_unless_asked_not_to() -> None:
    assert "GPU fleet: " in section(page())
    assert 'id="stack"' not in page("--no-architecture")


def test_without_the_program_the_page_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "infra"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pulumi", None)
    assert "run `make deploy`" in section(page())


def test_without_a_recommendation_nothing_is_drawn() -> None:
    """Seven nodes are three Capacity Blocks, which nobody can count on."""
    assert 'id="stack"' not in page("--set", "fleet.nodes=7", "--set", "purchase.options=[capacity-block]")
