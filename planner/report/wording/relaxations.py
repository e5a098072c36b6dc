"""What would make an infeasible plan feasible, in words: the settings to type, and the cheapest scenario then."""

from __future__ import annotations

from planner.decide.comparison import Comparison, Relaxation
from planner.report.wording import figures
from planner.report.wording.line import Kind, Line


def sentences(comparison: Comparison) -> list[Line]:
    """A title and a line for each change; empty if there is none."""
    found = [Line(f"{change.options}: {outcome(change)}", Kind.SETTING) for change in comparison.relaxations]
    return [Line(f"{title(comparison)}:"), *found] if found else []


def title(comparison: Comparison) -> str:
    if comparison.best is not None:
        return "No run finishes as planned. The smallest changes with which one does, each recalculated"
    if any(scenario.feasible for scenario in comparison.scenarios):
        return "The smallest changes that make one feasible whose nodes have a price, each recalculated"
    return "The smallest changes that make one feasible, each recalculated"


def outcome(relaxation: Relaxation, floor: str = ">=") -> str:
    """`converged/p4d.24xlarge/spot, $5,047, 5.3 days`; floor: before a cost that is only a lower bound."""
    cost = f"{'' if relaxation.complete else floor}${figures.dollars(relaxation.cost_usd)}"
    return f"{relaxation.scenario}, {cost}, {figures.days(relaxation.days)} days"
