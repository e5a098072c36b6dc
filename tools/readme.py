"""Put the real plan and the real output into README.md: python tools/readme.py (with --check: only compare).

The README is never typed from memory: what it shows is what the command prints today.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PLAN = ROOT / "examples" / "multimodal-p5.yaml"


def plan_lines() -> str:
    """The example without its comments at the top."""
    lines = PLAN.read_text(encoding="utf-8").splitlines()
    return "\n".join(line for line in lines if not line.startswith("#"))


def output() -> str:
    """What `make plan` prints, at 80 columns and without colour."""
    planner = Path(sys.executable).with_name("planner")
    environment = {**os.environ, "NO_COLOR": "1", "COLUMNS": "80", "PYTHONUTF8": "1"}
    command = [str(planner), "compare", "examples/multimodal-p5.yaml"]
    return subprocess.run(
        command, cwd=ROOT, env=environment, check=True, capture_output=True, text=True, encoding="utf-8"
    ).stdout.rstrip("\n")


def filled(readme: str) -> str:
    """README.md with the first yaml block and the first console block made anew."""
    before, rest = readme.split("```yaml\n", 1)
    _, rest = rest.split("```", 1)
    between, rest = rest.split("```console\n$ make plan\n", 1)
    _, after = rest.split("```", 1)
    return f"{before}```yaml\n{plan_lines()}\n```{between}```console\n$ make plan\n{output()}\n```{after}"


def main() -> int:
    path = ROOT / "README.md"
    old = path.read_text(encoding="utf-8")
    new = filled(old)
    if "--check" in sys.argv:
        return int(old != new)
    path.write_text(new, encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
