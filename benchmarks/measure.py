"""Whole processes measured from outside: wall seconds and peak memory, medians over alternating runs."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PYTHON = sys.executable
PLANNER = str(Path(PYTHON).with_name("planner"))
# a user's Python writes byte code on its first run; one that may not would measure the compiler each time
ENVIRONMENT = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}

BARE, GOAL_PYTHON_SECONDS = "python -c pass", 0.008


@dataclass(frozen=True, kw_only=True)
class Figure:
    """Median wall time and peak resident memory of one command."""

    name: str
    seconds: float
    peak_mib: float


def once(command: list[str]) -> tuple[float, float]:
    """Wall seconds and peak MiB of one run. Raises RuntimeError where the command fails."""
    with Path(os.devnull).open("w") as nowhere:
        start = time.perf_counter()
        process = subprocess.Popen(command, cwd=ROOT, stdout=nowhere, stderr=nowhere, env=ENVIRONMENT)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}")
    return seconds, usage.ru_maxrss / 1024


def alternate(commands: dict[str, list[str]], runs: int = 9) -> dict[str, Figure]:
    """Run the commands in turn, A B C A B C ..., after one warm-up each, so that drift hits all alike."""
    for command in commands.values():
        once(command)
    seen: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
    for _ in range(runs):
        for name, command in commands.items():
            seen[name].append(once(command))
    return {
        name: Figure(
            name=name,
            seconds=statistics.median(s for s, _ in pairs),
            peak_mib=statistics.median(m for _, m in pairs),
        )
        for name, pairs in seen.items()
    }


def table(figures: dict[str, Figure], reference: str, goals: dict[str, float]) -> str:
    """A line a figure: milliseconds, peak memory, ratio to the reference, and the goal where there is one.

    The goals are of a machine on which `python -c pass` takes 8 ms. On another one the time that counts is scaled by
    its own, which ran in turn with the rest, and stands before the goal.
    """
    base = figures[reference].seconds
    pace = GOAL_PYTHON_SECONDS / base if reference == BARE else 1.0
    lines = [f"{'command':<34}{'ms':>8}{'MiB':>8}{'ratio':>8}  ms there, goal"]
    for figure in figures.values():
        goal, there = goals.get(figure.name), figure.seconds * pace
        told = "" if goal is None else f"{there * 1e3:.0f}, {goal * 1e3:.0f} {'met' if there <= goal else 'MISSED'}"
        ratio = figure.seconds / base
        lines.append(f"{figure.name:<34}{figure.seconds * 1e3:>8.0f}{figure.peak_mib:>8.0f}{ratio:>8.2f}  {told}")
    return "\n".join(lines)
