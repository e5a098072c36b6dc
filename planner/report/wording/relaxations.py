"""What would make a scenario eligible, in words: the settings to type, and the recommended scenario then."""

from __future__ import annotations

from planner.answer.compared import Relaxation
from planner.decide.comparison import Comparison
from planner.report.wording import figures
from planner.report.wording.line import Kind, Line
from planner.report.wording.spoken_choice import spoken_id

ORDER = "(the nearest of its kind that was tried, then farther ones that cost less)"


def sentences(comparison: Comparison) -> list[Line]:
    """A title and a line for each change; empty if there is none."""
    found = [Line(f"{change.options}: {outcome(change)}", Kind.SETTING) for change in comparison.relaxations]
    return [Line(f"{title(comparison)}:"), *found] if found else []


def title(comparison: Comparison) -> str:
    if any(s.feasible and s.complete for s in comparison.scenarios) or all(r.complete for r in comparison.relaxations):
        return f"Changes that lead to a recommendation, each recalculated {ORDER}"
    return f"Changes that make a choice with known node prices feasible, each recalculated {ORDER}"


def outcome(relaxation: Relaxation, floor: str = ">=") -> str:
    """`pooled NVMe on spot, p4d.24xlarge, $5,047, 5.3 days`; floor: before a cost that is only a lower bound."""
    cost = f"{'' if relaxation.complete else floor}${figures.dollars(relaxation.cost_usd)}"
    return f"{spoken_id(relaxation.scenario, place=True)}, {cost}, {figures.days(relaxation.days)} days"
