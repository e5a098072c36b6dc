"""D1, D2: rates out of one Region's EC2 offer file of 500 MB, beside json.load, ijson, csv, pandas and polars."""

from __future__ import annotations

import importlib.util
import subprocess
import tempfile
from pathlib import Path

from benchmarks.measure import PYTHON, ROOT, Figure, alternate
from benchmarks.offer_file import write

LIBRARIES = {"ijson": "ijson", "pandas": "pandas", "polars": "polars"}
JSON_METHODS = ("planner", "json_load", "ijson")
CSV_METHODS = ("planner", "csv_rows", "pandas", "polars")
GOAL_MIB = 64
GOALS = {"two types": 1.0, "whole catalogue": 3.0}
GOAL_OF_JSON_LOAD = {"two types": 0.15, "whole catalogue": float("inf")}


def main(runs: int = 3) -> str:
    with tempfile.TemporaryDirectory(prefix="offer-file-") as folder:
        files = dict(zip(("JSON", "CSV"), write(Path(folder)), strict=True))
        lines = [f"{name}: {path.stat().st_size / 1e6:.0f} MB" for name, path in files.items()]
        lines += [f"({name}: not installed, not measured)" for name in LIBRARIES if not _installed(name)]
        for task, words in (("two types", ()), ("whole catalogue", ("all",))):
            commands = {
                f"{method}, {form}": [PYTHON, "-m", "benchmarks.price_readers", method, str(files[form]), *words]
                for form, methods in (("JSON", JSON_METHODS), ("CSV", CSV_METHODS))
                for method in methods
                if method not in LIBRARIES or _installed(method)
            }
            counts = {
                subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()
                for command in commands.values()
            }
            if len(counts) != 1:
                raise RuntimeError(f"the methods do not find the same rates: {sorted(counts)}")
            lines += [
                "",
                f"{task}: {counts.pop()} rates, found by every method",
                *_table(alternate(commands, runs), task),
            ]
    return "\n".join(lines)


def _installed(name: str) -> bool:
    return importlib.util.find_spec(LIBRARIES[name]) is not None


def _table(figures: dict[str, Figure], task: str) -> list[str]:
    base = figures["json_load, JSON"].seconds
    lines = [f"{'way':<20}{'s':>8}{'MiB':>8}{'of json.load':>14}"]
    for name, one in figures.items():
        verdict = ""
        if name == "planner, JSON":
            met = (
                one.seconds <= GOALS[task]
                and one.peak_mib <= GOAL_MIB
                and one.seconds <= GOAL_OF_JSON_LOAD[task] * base
            )
            goal = f"{GOALS[task]:.0f} s, {GOAL_MIB} MiB, {GOAL_OF_JSON_LOAD[task]} of json.load"
            verdict = f"  (goal {goal}: {'met' if met else 'MISSED'})"
        lines.append(f"{name:<20}{one.seconds:>8.2f}{one.peak_mib:>8.0f}{one.seconds / base:>14.3f}{verdict}")
    return lines


if __name__ == "__main__":
    print(f"== {__doc__}\n{main()}\n")
