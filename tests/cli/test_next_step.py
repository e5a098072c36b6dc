"""After an answer comes one line with the next command, which runs; beside what a machine reads there is none."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from planner.cli.main import command as planner

PLAN, DRAWS = "examples/small.yaml", ("--draws", "200")


def said(*words: str) -> str:
    """The line; "" for none."""
    done = CliRunner().invoke(planner, words)
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("Next")] or [""]
    assert "Next, " not in done.stdout
    return line


@pytest.mark.parametrize(
    ("words", "step"),
    [
        (("compare", PLAN, *DRAWS), "Next, to approve it: planner report"),
        (("explain", PLAN, "best", *DRAWS), "Next, to approve it: planner report"),
        (("explain", PLAN, "best", "storage.s3.standard", *DRAWS), "Next, to approve it: planner report"),
        (("optimize", PLAN, *DRAWS), "Next, to approve it: planner report"),
        (("preview", PLAN, *DRAWS), "Next, to deploy it: planner stack"),
        (("compare", "examples/worker-pool.yaml", "--draws", "20"), "Next, to approve it: planner report"),
    ],
)
def test_every_answer_ends_with_the_next_command(words: tuple[str, ...], step: str) -> None:
    assert said(*words).startswith(step)


def test_what_is_approved_is_deployed_and_its_block_bought(tmp_path: Path) -> None:
    line = said("report", PLAN, *DRAWS, "--sheet", "-o", str(tmp_path / "sheet.html"))
    assert line.endswith("--scenario best")


def test_the_command_repeats_what_was_asked_and_runs(tmp_path: Path) -> None:
    line = said("compare", PLAN, *DRAWS, "--set", "name=o'clock", "--seed", "7")
    _, verb, *words = shlex.split(line.split(": ", 1)[1])
    assert {"--seed", "7", "name=o'clock"} <= set(words)
    done = CliRunner().invoke(planner, [verb, *words[:-1], str(tmp_path / words[-1])])
    assert done.exit_code == 0, done.output
    assert "o&#39;clock" in (tmp_path / "sheet.html").read_text(encoding="utf-8")


def test_without_a_recommendation_it_is_the_smallest_change() -> None:
    line = said("compare", PLAN, *DRAWS, "--set", "constraints.max_cost_usd=1")
    assert line.startswith("Next, to try the cheapest of these changes: planner compare")
    assert line.count("--set constraints.max_cost_usd=") == 1
    assert "--set constraints.max_cost_usd=1 " not in f"{line} "


@pytest.mark.parametrize("words", [("compare", PLAN, "--draws", "0"), ("validate", PLAN)])
def test_of_a_path_that_is_set_twice_the_last_is_taken_and_a_warning_says_so(words: tuple[str, ...]) -> None:
    twice = CliRunner().invoke(planner, [*words, "--set", "run.deadline=20d", "--set", "run.deadline=30d"])
    said = " ".join(twice.stderr.split())
    assert "warning: --set run.deadline is given twice: run.deadline=20d is left out, run.deadline=30d is used" in said
    same = CliRunner().invoke(planner, [*words, "--set", "run.deadline=20d", "--set", "run.deadline=20d"])
    assert "given twice" not in same.stderr


@pytest.mark.parametrize("style", ["json", "csv", "focus"])
def test_machine_formats_have_none(style: str) -> None:
    assert said("compare", PLAN, *DRAWS, "-f", style) == ""


def test_quiet_has_none() -> None:
    assert said("compare", PLAN, *DRAWS, "-q") == ""
