"""The pages that the browser opens: examples that differ in what a page shows, by the real command, and four that are
hard to show. The other examples' pages have the same parts; their bytes are golden files.

A page is made once a session and kept in a folder that all workers share.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from planner.report.html import page
from tests.report.scenes import HOSTILE, named, sixty

ROOT = Path(__file__).parents[2]
EXAMPLES = {
    name: [f"examples/{name}.yaml"]
    for name in ("llama-70b-p5", "multimodal-p5", "small", "stability-converged", "standing-fleet")
}
COMMANDS = {
    **EXAMPLES,
    "infeasible": ["examples/small.yaml", "--set", "constraints.max_cost_usd=1"],
    "unpriced": ["examples/small.yaml", "--set", "region=eu-west-1"],
}


def _hostile() -> str:
    """A page on which the name, a note and a key of the plan are everything that was ever meant to break one."""
    text = "\n".join(HOSTILE.values())
    return page.render(replace(named(text), notes=(text,), plan={text: text}))


SCENES: dict[str, Callable[[], str]] = {"hostile": _hostile, "sixty": lambda: page.render(sixty())}
NAMES = [*COMMANDS, *SCENES]


def page_file(name: str, folder: Path) -> Path:
    """The page of that name in `folder`, made where it is not there yet. Two workers at once write the same bytes."""
    path = folder / f"{name}.html"
    if path.exists():
        return path
    mine = folder / f"{name}.{os.getpid()}"
    if name in SCENES:
        mine.write_text(SCENES[name](), encoding="utf-8")
    else:
        planner = str(Path(sys.executable).with_name("planner"))
        command = [planner, "report", *COMMANDS[name], "-o", str(mine)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    mine.replace(path)
    return path
