"""The planner as it is typed: the command of this Python, in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PLANNER = str(Path(sys.executable).with_name("planner"))
SMALL = str(ROOT / "examples" / "small.yaml")
FEW = ("--set", "purchase.options=[on-demand, spot]", "--set", "storage.layouts=[s3-stream, converged]")


def planner(
    *words: object, cwd: Path | None = None, given: str | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    """What it prints and how it ends. given: its standard input. environment: variables besides those of the tests."""
    return subprocess.run(
        [PLANNER, *map(str, words)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        cwd=cwd,
        input=given,
        env={**os.environ, **environment},
    )
