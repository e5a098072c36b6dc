"""What would make an infeasible plan feasible, as people read it: the settings to type, and what then leads."""

from __future__ import annotations

from planner.decide.comparison import Comparison, Relaxation
from planner.report.wording import figures


def sentences(comparison: Comparison) -> list[str]:
    """A title, and a line for each change; nothing where nobody asked or nothing was found."""
    found = [f"  {remedy.options}: {outcome(remedy)}" for remedy in comparison.relaxations]
    return [f"{title(comparison)}:", *found] if found else []


def title(comparison: Comparison) -> str:
    if comparison.best is not None:
        return "As planned no run ends. Nearest changes with which one does, each planned again"
    if any(scenario.feasible for scenario in comparison.scenarios):
        return "Nearest changes that make one feasible whose nodes have a price, each planned again"
    return "Nearest changes that make one feasible, each planned again"


def outcome(remedy: Relaxation, floor: str = ">=") -> str:
    """`converged/p4d.24xlarge/spot, $5,047, 5.3 days`; floor: before a cost that is only a lower bound."""
    cost = f"{'' if remedy.complete else floor}${figures.dollars(remedy.cost_usd)}"
    return f"{remedy.scenario}, {cost}, {figures.days(remedy.days)} days"
