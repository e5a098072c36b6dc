"""Checks of the assumptions that a plan of any kind overrides: keys, order, allowed ranges."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from planner.plan.assumptions import default_assumptions
from planner.plan.finding import Finding
from planner.plan.types import Assumption
from planner.plan.wording import did_you_mean, listed, shown
from planner.plan.yamlfile import Path


def assumption_findings(overrides: Mapping[str, float | Assumption]) -> Iterator[Finding]:
    """Every finding; the allowed range of each assumption is in assumptions.csv."""
    table = default_assumptions()
    for key, override in overrides.items():
        at: Path = ("assumptions", key)
        entry = table.get(key)
        if entry is None:
            yield at, f"unknown assumption {shown(key)}", did_you_mean(key, table) or f"known: {listed(table, 12)}"
            continue
        given = {"value": override} if isinstance(override, int | float) else _numbers(override)
        for name, number in given.items():
            if not entry.least <= number <= entry.most:
                where: Path = at if name == "value" else (*at, name)
                said = key if name == "value" else f"{name} of {key}"
                allowed = f"{_plain(entry.least)} and {_plain(entry.most)} ({entry.unit})"
                message = f"{said} is {number:.15g}; it has to be between {allowed}"
                yield where, message, f"the default is {_plain(entry.value)}"
        numbers = [given[name] for name in ("low", "value", "high") if name in given]
        if numbers != sorted(numbers):
            bounds = " <= ".join(f"{number:g}" for number in numbers)
            yield at, f"low, value and high are not in order: {bounds} is false", "write low <= value <= high"


def _numbers(override: Assumption) -> dict[str, float]:
    given = {"value": override.value, "low": override.low, "high": override.high}
    return {name: number for name, number in given.items() if number is not None}


def _plain(number: float) -> str:
    return f"{number:,.10g}" if number == 0 or abs(number) >= 1e-4 else f"{number:.10f}".rstrip("0")
