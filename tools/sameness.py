"""Whether a rebuilt house still says the same numbers: capture two checkouts, then compare the captures.

    python -m tools.sameness capture CHECKOUT FOLDER    run every example of CHECKOUT, write what it says to FOLDER
    python -m tools.sameness compare BEFORE AFTER       exit 1 and name each difference

Captured for each plan in CHECKOUT/examples: `compare -f json`, `compare -f csv`, and the stack file and resource
graph of one scenario of each layout and purchase family that a stack takes. Compared after normalising what may
change in a rewording: sentences (any text with a space in it), hashes, and the name, hash and install lines of the
pool's bundle. Numbers, ids, keys, units, dates, their order: all exact, but for the digits of a
percentile that differ between processors.
"""

from __future__ import annotations

import base64
import contextlib
import csv
import io
import json
import math
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

HASH = re.compile(r"\b[0-9a-f]{12,64}\b")
BUNDLE = re.compile(r"[\w./-]*(?:planner-pool\.pyz|bundle)[\w./-]*")
ROUNDING = 1e-11  # relative: percentiles have 12 significant digits, the rest depends on the processor
PURCHASES = ("on-demand", "capacity-block", "spot")


def capture(checkout: Path, folder: Path) -> None:
    """Everything that the examples of a checkout say, as files in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    plans = sorted((checkout / "examples").glob("*.yaml"))
    for plan in (plan for plan in plans if "kind: " not in plan.read_text(encoding="utf-8")):
        document = _planner(checkout, "compare", plan, "-f", "json")
        (folder / f"{plan.stem}.json").write_text(document, encoding="utf-8")
        (folder / f"{plan.stem}.csv").write_text(_planner(checkout, "compare", plan, "-f", "csv"), encoding="utf-8")
        for scenario in _one_of_each(json.loads(document)["scenarios"]):
            name = f"{plan.stem}.{scenario.replace('/', '_')}"
            stack = _planner(checkout, "stack", plan, "--scenario", scenario, "--stack", "same", "-o", "-")
            graph = _planner(checkout, "preview", plan, "--scenario", scenario, "-f", "json")
            (folder / f"{name}.stack.yaml").write_text(stack, encoding="utf-8")
            (folder / f"{name}.graph.json").write_text(graph, encoding="utf-8")


def _one_of_each(scenarios: list[dict[str, Any]]) -> list[str]:
    found: dict[tuple[str, str], str] = {}
    for scenario in scenarios:
        if scenario["feasible"] and scenario["purchase"] in PURCHASES:
            found.setdefault((scenario["layout"], scenario["purchase"]), scenario["id"])
    return sorted(found.values())


def _planner(checkout: Path, *words: object) -> str:
    path = os.pathsep.join((str(checkout), str(checkout / "pool")))
    done = subprocess.run(
        [sys.executable, "-m", "planner", *map(str, words)],
        cwd=checkout,
        env={**os.environ, "PYTHONPATH": path, "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout if done.returncode == 0 else f"exit {done.returncode}"


def differences(before: Path, after: Path) -> list[str]:
    """Every difference between two captures, a line each."""
    names = {path.name for folder in (before, after) for path in folder.iterdir()}
    found: list[str] = []
    for name in sorted(names):
        kept, now = before / name, after / name
        if not (kept.is_file() and now.is_file()):
            found.append(f"{name}: only in {'before' if kept.is_file() else 'after'}")
            continue
        found += [f"{name}: {line}" for line in _unlike(_read(kept), _read(now), "")]
    return found


def _read(path: Path) -> Any:
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".json" and not text.startswith("exit "):
        return json.loads(text)
    if path.suffix == ".csv" and not text.startswith("exit "):
        return list(csv.DictReader(io.StringIO(text)))
    return [line for line in text.splitlines() if not line.lstrip().startswith("#")]


def _unlike(kept: Any, now: Any, place: str) -> list[str]:
    if isinstance(kept, dict) and isinstance(now, dict):
        added = [f"{place}.{key}: {'gone' if key in kept else 'new'}" for key in kept.keys() ^ now.keys()]
        return sorted(added) + [
            line for key in kept if key in now for line in _unlike(kept[key], now[key], f"{place}.{key}")
        ]
    if isinstance(kept, list) and isinstance(now, list):
        if len(kept) != len(now):
            return [f"{place}: {len(kept)} entries before, {len(now)} after"]
        return [line for n, (a, b) in enumerate(zip(kept, now, strict=True)) for line in _unlike(a, b, f"{place}[{n}]")]
    if isinstance(kept, float) and isinstance(now, float | int) and math.isclose(kept, now, rel_tol=ROUNDING):
        return []
    if isinstance(kept, str) and isinstance(now, str):
        kept, now = _plain(kept), _plain(now)
    return [] if kept == now else [f"{place}: {str(kept)[:90]!r} before, {str(now)[:90]!r} after"]


def _plain(text: str) -> str | float:
    """A text without what may be reworded: sentences, hashes, names of the bundle; a number as such."""
    try:
        return float(f"{float(text):.12g}")
    except ValueError:
        pass
    if len(text) > 200 and " " not in text:  # user data is base64 of text
        with contextlib.suppress(ValueError):
            return _script(base64.b64decode(text, validate=True).decode("utf-8"))
    if " " in text.strip():
        return "<words>"
    return HASH.sub("<hash>", BUNDLE.sub("<bundle>", text))


def _script(text: str) -> str:
    """User data without comments, messages, hashes and the bundle's install lines."""
    lines = (line.strip() for line in text.splitlines())
    kept = (line for line in lines if not line.startswith("#") and "bundle" not in line and 'echo "' not in line)
    return HASH.sub("<hash>", "\n".join(kept))


def main(words: list[str]) -> int:
    if len(words) != 3 or words[0] not in ("capture", "compare"):
        print(__doc__, file=sys.stderr)
        return 2
    first, second = Path(words[1]).resolve(), Path(words[2]).resolve()
    if words[0] == "capture":
        capture(first, second)
        return 0
    found = differences(first, second)
    print("\n".join(found) or f"the same: {len(list(first.iterdir()))} files")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
