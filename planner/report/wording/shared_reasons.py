"""What many scenarios have in common, said once: sources of prices, reasons why not, lines without a price."""

from __future__ import annotations

from collections.abc import Sequence

from planner.estimate.result import Scenario


def sources_of(scenarios: Sequence[Scenario]) -> dict[str, int]:
    """Every source of a price, numbered in the order of the bills: a row names its number, the text stands once."""
    found = dict.fromkeys(line.price_source for s in scenarios if s.feasible for line in s.bill)
    return {source: number for number, source in enumerate(found, 1)}


def infeasible_of(scenarios: Sequence[Scenario]) -> list[tuple[tuple[str, ...], list[Scenario]]]:
    """Scenarios by the reasons why not."""
    found: dict[tuple[str, ...], list[Scenario]] = {}
    for scenario in scenarios:
        if not scenario.feasible:
            found.setdefault(scenario.why_not, []).append(scenario)
    return list(found.items())


def unpriced_of(scenarios: Sequence[Scenario]) -> list[tuple[str, str, tuple[str, ...], list[str]]]:
    """(line, what has no price, what is near, the scenarios it is missing in)."""
    found: dict[tuple[str, str, tuple[str, ...]], list[str]] = {}
    for scenario in scenarios:
        for entry in scenario.unpriced:
            found.setdefault((entry.line, entry.what, entry.nearest), []).append(scenario.id)
    return [(*key, ids) for key, ids in found.items()]
