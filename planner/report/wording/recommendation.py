"""What a comparison amounts to: which scenarios to look at, how sure they are, what they rest on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from planner.decide.comparison import Comparison
from planner.estimate import bounds
from planner.estimate.facts import MAY_NOT_FINISH, P90_OPEN
from planner.estimate.result import Scenario
from planner.report.wording import figures


def open_ended(scenario: Scenario) -> bool:
    """Whether P90 is only a floor, because so many draws do not finish."""
    return scenario.unfinished_fraction >= P90_OPEN


def may_not_finish(scenario: Scenario) -> bool:
    """Whether the draws that do not finish are worth a flag."""
    return scenario.unfinished_fraction >= MAY_NOT_FINISH


def without_nodes(scenario: Scenario) -> bool:
    """Whether the GPU nodes themselves have no price."""
    return bounds.without_nodes(scenario.unpriced)


def complete(scenarios: Sequence[Scenario]) -> list[Scenario]:
    """Those that have a total."""
    return [s for s in scenarios if s.feasible and s.complete and s.cost_usd]


def lowest_p90(scenarios: Sequence[Scenario]) -> Scenario | None:
    """The complete scenario whose 90th percentile of cost is lowest, of those that finish: the P90 of a run that may
    never end says nothing of its worst luck. Of all where none is sure to finish."""
    found = complete(scenarios)
    finish = [s for s in found if not may_not_finish(s)]
    return min(finish or found, key=lambda s: (s.cost_usd.p90 if s.cost_usd else 0.0, s.id), default=None)


def lowest_risk(comparison: Comparison) -> Scenario | None:
    """The one with the lowest P90; without draws nothing is known of bad luck, and the best stands for it."""
    return lowest_p90(comparison.scenarios) if comparison.draws else comparison.best


def picks(comparison: Comparison) -> list[Scenario]:
    """What the answer names: the lowest planned cost, and the lowest P90 where that is another scenario."""
    found = {s.id: s for s in (comparison.best, lowest_risk(comparison)) if s}
    return list(found.values())


def dearer(scenario: Scenario) -> float | None:
    """The share of the draws that cost more than planned; None without a range."""
    cost = scenario.cost_usd
    if cost is None or scenario.cost_plan_percentile is None or cost.p10 == cost.p90:
        return None
    return 1 - scenario.cost_plan_percentile / 100


def chances(scenario: Scenario) -> list[str]:
    """How the draws judge what is planned."""
    over = dearer(scenario)
    said = [] if over is None else [f"{figures.percent(over)} of the draws cost more"]
    if scenario.on_time_fraction is not None:
        said.append(f"on time in {figures.percent(scenario.on_time_fraction)} of the draws")
    return said


def limits(comparison: Comparison) -> list[str]:
    """The budget and the deadline of the plan against what the answer names."""
    constraints = comparison.plan.get("constraints")
    run = comparison.plan.get("run")
    constraints = constraints if isinstance(constraints, Mapping) else {}
    run = run if isinstance(run, Mapping) else {}
    budget, longest, deadline = constraints.get("max_cost_usd"), constraints.get("max_days"), run.get("deadline")
    there = [(rank_of(comparison, s), s, s.cost_usd, s.days) for s in picks(comparison)]
    found = []
    if isinstance(budget, int | float):
        said = [
            f"#{rank} is planned at ${figures.money(cost.plan)}, {_side(cost.p90, budget, 'P90')}"
            for rank, s, cost, _ in there
            if cost is not None
        ]
        found.append("; ".join([f"Budget ${figures.money(budget)}: no scenario above it counts as feasible", *said]))
    known = [(longest, "constraints.max_days"), (deadline / 24 if deadline else None, "run.deadline")]
    ends = [(value, name) for value, name in known if isinstance(value, int | float)]
    for value, name in ends:
        said = [
            f"#{rank} is planned at {figures.days(run.plan)} days"
            + (
                f", on time in {figures.percent(s.on_time_fraction)} of the draws"
                if s.on_time_fraction is not None
                else ""
            )
            for rank, s, _, run in there
            if run is not None
        ]
        if len(ends) > 1:
            said = said if value == min(end for end, _ in ends) else []
        found.append("; ".join([f"At most {value:g} day{'' if value == 1 else 's'} ({name})", *said]))
    return found


def reuse(comparison: Comparison) -> float:
    """What the plan says the unused rest of a commitment is worth to others, as a share."""
    purchase = comparison.plan.get("purchase")
    value = purchase.get("reuse_value") if isinstance(purchase, Mapping) else None
    return float(value) if isinstance(value, int | float) else 0.0


def commitments(comparison: Comparison, shown: Sequence[Scenario]) -> str:
    """What a Reserved Instance or a Savings Plan among them is charged."""
    if not any(figures.family(s.purchase) in ("ri", "sp") for s in shown):
        return ""
    if reuse(comparison):
        share = figures.percent(reuse(comparison))
        return f"the whole term is charged, less {share} of its unused rest (purchase.reuse_value)"
    return "the whole term is charged; purchase.reuse_value gives the unused rest a value"


def _side(value: float, limit: float, name: str) -> str:
    return f"its {name} of ${figures.money(value)} is {'above' if value > limit else 'within'} the budget"


def staff(comparison: Comparison) -> list[str]:
    """Salaries that are in the totals, with the assumption behind them."""
    for scenario in picks(comparison):
        for line in scenario.bill:
            if line.line == "people.staff":
                return [
                    f"Staff is in the totals: {figures.quantity(line.quantity)} {line.unit} at "
                    f"${figures.money(line.effective_unit_price)}, ${figures.money(line.effective_cost)} in "
                    f"#{rank_of(comparison, scenario)} (assumed: {line.price_source})"
                ]
    return []


def rank_of(comparison: Comparison, scenario: Scenario) -> int:
    return next(rank for rank, entry in enumerate(comparison.scenarios, 1) if entry.id == scenario.id)
