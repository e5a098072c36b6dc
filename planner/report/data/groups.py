"""What scenarios have in common, grouped: sources of prices, reasons why not, lines without a price."""

from __future__ import annotations

from collections.abc import Sequence

from planner.estimate.result import Scenario
from planner.models.bill import Unpriced


def sources_of(scenarios: Sequence[Scenario]) -> dict[str, int]:
    """Every source of a price with its number, in the order of the bills."""
    found = dict.fromkeys(line.price_source for s in scenarios if s.feasible for line in s.bill)
    return {source: number for number, source in enumerate(found, 1)}


def price_notes_of(scenarios: Sequence[Scenario]) -> dict[str, list[tuple[str, str]]]:
    """By source of a price: (bill line, the price book's note on its price)."""
    found: dict[str, dict[tuple[str, str], None]] = {}
    for line in (line for s in scenarios if s.feasible for line in s.bill):
        if line.price_note:
            found.setdefault(line.price_source, {})[line.line, line.price_note] = None
    return {source: list(notes) for source, notes in found.items()}


def infeasible_of(scenarios: Sequence[Scenario]) -> list[tuple[tuple[str, ...], list[Scenario]]]:
    """Infeasible scenarios by their reasons."""
    found: dict[tuple[str, ...], list[Scenario]] = {}
    for scenario in scenarios:
        if not scenario.feasible:
            found.setdefault(scenario.why_not, []).append(scenario)
    return list(found.items())


def unpriced_of(scenarios: Sequence[Scenario]) -> list[tuple[Unpriced, list[str]]]:
    """Lines without a price, and the ids of the scenarios that lack it."""
    found: dict[tuple[str, str, tuple[str, ...]], tuple[Unpriced, list[str]]] = {}
    for scenario in scenarios:
        for entry in scenario.unpriced:
            found.setdefault((entry.line, entry.what, entry.nearest), (entry, []))[1].append(scenario.id)
    return list(found.values())
