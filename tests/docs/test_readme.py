"""The README is true: what it shows is what the commands print, and every command in it runs."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tools.readme import ROOT, filled

README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = [
    line.removeprefix("$ ")
    for block in re.findall(r"```console\n(.*?)```", README, flags=re.DOTALL)
    for line in block.splitlines()
    if line.startswith("$ .venv/bin/planner")
]


def test_plan_and_output_are_what_the_command_prints() -> None:
    assert filled(README) == README, "run tools/readme.py"


def test_there_are_commands_to_try() -> None:
    assert len(COMMANDS) >= 6


def test_every_command_runs_in_order(tmp_path: Path) -> None:
    planner = Path(sys.executable).with_name("planner")
    for command in COMMANDS:
        words = [str(planner), *shlex.split(command)[1:]]
        done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, encoding="utf-8", check=False)
        assert done.returncode == 0, (command, done.stderr)


@pytest.mark.parametrize("name", re.findall(r"^\| `([a-z0-9-]+)` \|", README, flags=re.MULTILINE))
def test_every_example_named_is_there(name: str) -> None:
    assert (ROOT / "examples" / f"{name}.yaml").is_file()


def test_every_example_is_named() -> None:
    for path in (ROOT / "examples").glob("*.yaml"):
        assert f"`{path.stem}`" in README


def test_the_first_screen_has_plan_command_and_output() -> None:
    first = README.splitlines()[:45]
    assert any(line.startswith("apiVersion:") for line in first)
    assert "$ make plan" in first
