"""Why a scenario is not recommended, in words."""

from __future__ import annotations

from collections.abc import Sequence

from planner.answer.row import Row, Shortfall
from planner.estimate.bounded_prices import MOST_BOUNDED
from planner.estimate.result import Scenario
from planner.estimate.waiting import NO_GUARANTEE
from planner.report.wording import figures, futures, spoken


def why_not(scenario: Scenario) -> list[str]:
    """What the scenario lacks to be recommended; empty if nothing."""
    found = [f"{_kept(entry)} in {figures.percent(entry.fraction)} of the outcomes" for entry in scenario.shortfalls]
    return [*found, *filter(None, [held_back(scenario)])]


def held_back(scenario: Row) -> str:
    """Why it is never recommended, after the name of the choice; empty if it may be."""
    if scenario.priced_only:
        return f"cannot be deployed as priced: {scenario.priced_only}"
    return f"is unproven: {scenario.unproven}" if scenario.unproven else ""


def guarantee(scenario: Scenario) -> str:
    """How likely its On-Demand nodes are there on the first day, as a sentence; empty where that is not in question."""
    said = next((text for text in scenario.warnings if text.startswith(NO_GUARANTEE)), "")
    return f"{said[:1].upper()}{said[1:]}." if said else ""


def _kept(entry: Shortfall) -> str:
    if entry.kind == "reading":
        return "reads as fast as training needs"
    if entry.kind == "delivery" and entry.limit is not None:
        return f"delivers {figures.percent(entry.limit)} of the node-hours"
    if entry.kind == "finish" or entry.limit is None:
        return "finishes"
    if entry.kind == "budget":
        return f"costs at most ${figures.money(entry.limit)}"
    if entry.kind == "block":
        return f"finishes within its Capacity Block of {entry.limit:g} days"
    assumed = " (assumed limit)" if entry.kind == "assumed limit" else ""
    return f"takes at most {spoken.run_days(entry.limit)}{assumed}"


def limit_words(scenario: Scenario) -> str:
    """`finishes within 30 days and $1,000,000`: what is required of every scenario of its fleet."""
    parts = []
    if scenario.limit_days is not None:
        parts.append(f"{spoken.run_days(scenario.limit_days)}{' (assumed)' if scenario.limit_is_assumed else ''}")
    budget = next((entry.limit for entry in scenario.shortfalls if entry.kind == "budget"), None)
    if budget is not None:
        parts.append(f"${figures.money(budget)}")
    return "finishes" + (f" within {' and '.join(parts)}" if parts else "")


def limit_basis(scenario: Scenario) -> str:
    """Where the limit of its days comes from."""
    return "assumed: decision.slack x the shortest P90" if scenario.limit_is_assumed else "the plan's deadline"


def cheaper_if(scenario: Scenario, best: Scenario | None, *, rule: bool = True) -> str:
    """`you accept that it does not finish in 11% of the outcomes`; of what rests on an assumption how far that may be
    wrong. best: the recommended one. rule: with what to do while it runs."""
    found = []
    for entry in scenario.shortfalls:
        miss = figures.percent(1 - entry.fraction)
        if entry.kind == "reading":
            found.append(f"Right if training may wait for data, as in {miss} of the outcomes")
        elif entry.kind == "delivery":
            found.append(f"Right if {figures.percent(entry.needed)} of the node-hours are enough")
        elif entry.kind == "finish":
            found.append(f"Right if you accept that it does not finish in {miss} of the outcomes")
        elif entry.kind == "block" and entry.limit is not None:
            suffice = f"{entry.limit:g} days suffice in {figures.percent(entry.fraction)} of the outcomes"
            longer = f"buy {entry.needed:g} (purchase.capacity_block.days)" if entry.needed < float("inf") else ""
            found.append("; ".join(filter(None, (f"Its Capacity Block may be too short: {suffice}", longer))))
        elif entry.kind == "assumed limit" and entry.limit is not None and entry.needed < float("inf"):
            found.append(f"Right if you can wait {spoken.run_days(entry.needed)}")
        elif entry.kind == "budget" and entry.limit is not None:
            found.append(f"Right if it may cost more than ${figures.money(entry.limit)}, as in {miss} of the outcomes")
        elif entry.limit is not None:
            found.append(f"Right if it may take more than {spoken.run_days(entry.limit)}, as in {miss} of the outcomes")
    if scenario.held_back:
        found.append(f"It {held_back(scenario)}")
        found += filter(None, [futures.may_be_wrong(scenario, best) if best and scenario.unproven else ""])
    if scenario.rule and rule:
        found.append(f"Rule: {scenario.rule.rstrip('.')}")
    return ". ".join(found)


def duty(scenario: Scenario, watch: str = "planner spot watch") -> str:
    """The rule of a scenario that may leave spot, and who makes it hold; empty for the others. watch: the command."""
    if not scenario.rule or scenario.returns:
        return scenario.rule
    return (
        f"{scenario.rule.rstrip('.')}. Run {watch} every day. If nobody checks daily, the cost can exceed this range."
    )


def without_total(scenarios: Sequence[Scenario]) -> list[str]:
    """A sentence for each layout that no scenario gives a total for, because prices of other Regions leave it open."""
    found = []
    ranked = {s.layout for s in scenarios if s.feasible and s.complete}
    for layout in dict.fromkeys(s.layout for s in scenarios if s.feasible and s.layout not in ranked):
        bounded = [s for s in scenarios if s.layout == layout and s.unpriced and all(e.elsewhere for e in s.unpriced)]
        lines = dict.fromkeys(entry.line for s in bounded for entry in s.unpriced)
        if lines:
            found.append(
                f"{layout} has no total: this Region's price of {', '.join(lines)} is not known, and those of other "
                f"Regions leave at least {MOST_BOUNDED:.0%} of it open."
            )
    return found
