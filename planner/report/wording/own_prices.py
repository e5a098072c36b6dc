"""What own prices change: the cost of each choice at list prices and at one's own, beside each other."""

from __future__ import annotations

from planner.decide.comparison import Comparison
from planner.estimate.result import Scenario

MOST_ROWS = 12


def pairs(listed: Comparison, own: Comparison) -> list[tuple[Scenario | None, Scenario]]:
    """(at list prices, at own prices) of every feasible choice whose total is known, in the order of the own prices."""
    by_id = {s.id: s for s in listed.scenarios if s.cost_usd and s.complete}
    return [(by_id.get(s.id), s) for s in own.scenarios if s.feasible and s.cost_usd and s.complete]


def beside(listed: Comparison, own: Comparison) -> list[str]:
    """A table in text: planned cost at list prices, at own prices, and the difference."""
    found = pairs(listed, own)
    rows = [(s.id, _usd(before), _usd(s), _change(before, s)) for before, s in found[:MOST_ROWS]]
    head = ("planned cost, USD", "list", "own", "change")
    widths = [max(len(row[column]) for row in (head, *rows)) for column in range(4)]
    lines = ["List and own prices:"]
    for row in (head, *rows):
        cells = [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        lines.append("  " + "  ".join(cells).rstrip())
    if len(found) > MOST_ROWS:
        lines.append(f"  ... and {len(found) - MOST_ROWS} more")
    before, after = listed.answer.recommended, own.answer.recommended
    if before != after:
        lines.append(f"  Recommended at list prices: {before or 'none'}")
    return lines


def _usd(scenario: Scenario | None) -> str:
    return f"{scenario.cost_usd.plan:,.0f}" if scenario and scenario.cost_usd else "no list price"


def _change(before: Scenario | None, after: Scenario) -> str:
    if before is None or not before.cost_usd or not after.cost_usd:
        return ""
    change = (after.cost_usd.plan / before.cost_usd.plan - 1) * 100
    if abs(change) >= 0.05:
        return f"{change:+.1f} %"
    return "none" if abs(change) < 1e-6 else "under 0.1 %"
