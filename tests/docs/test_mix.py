"""Every command of docs/mix.md runs, on the file that the page describes."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/mix.md").read_text(encoding="utf-8")


def test_the_commands_run(tmp_path):
    pytest.importorskip("highspy", reason="needs highspy: make .venv/.dev")
    rows = re.search(r"```csv\n(.*?)```", PAGE, flags=re.DOTALL)[1].splitlines()
    lines = [
        row.replace("-01T00:", f"-{day:02}T{hour:02}:") for day in range(1, 9) for hour in range(24) for row in rows[1:]
    ]
    (tmp_path / "demand.csv").write_text("\n".join([rows[0], *lines]) + "\n")
    commands = [line[2:] for line in PAGE.splitlines() if line.startswith("$ planner")]
    assert len(commands) == 3
    for line in commands:
        words = [sys.executable, "-m", "planner", *shlex.split(line)[1:], "--draws", "20"]
        done = subprocess.run(
            words, cwd=tmp_path, capture_output=True, text=True, check=False, env={"PYTHONPATH": str(ROOT)}
        )
        assert done.returncode == 0, (line, done.stderr)
    assert '"buy_now"' in (tmp_path / "mix.json").read_text()
