"""What a comparison amounts to: which scenarios to look at, how sure they are, what they rest on, in sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from planner.decide.result import Comparison, Scenario
from planner.report import words

P90_OPEN = 0.1  # with this share of unfinished draws the 90th percentile is among them, hence only a floor


def open_ended(scenario: Scenario) -> bool:
    """Whether P90 is only a floor, because so many draws do not finish."""
    return scenario.unfinished_fraction >= P90_OPEN


def may_not_finish(scenario: Scenario) -> bool:
    """Whether the draws that do not finish are worth a flag; the warning has the same threshold."""
    return scenario.unfinished_fraction >= 0.005


def without_nodes(scenario: Scenario) -> bool:
    """Whether the GPU nodes themselves have no price: the rest of such a bill says nothing of its total."""
    return any(entry.line == "fleet.compute" for entry in scenario.unpriced)


def lowest_p90(scenarios: Sequence[Scenario]) -> Scenario | None:
    """The complete scenario whose 90th percentile of cost is lowest."""
    complete = [s for s in scenarios if s.feasible and s.complete and s.cost_usd]
    return min(complete, key=lambda s: (s.cost_usd.p90 if s.cost_usd else 0.0, s.id), default=None)


def lowest_risk(comparison: Comparison) -> Scenario | None:
    return lowest_p90(comparison.scenarios)


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
    said = [] if over is None else [f"{words.percent(over)} of the draws cost more"]
    if scenario.on_time_fraction is not None:
        said.append(f"on time in {words.percent(scenario.on_time_fraction)} of the draws")
    return said


def stale(comparison: Comparison) -> list[str]:
    """Old prices by line and date: the purchase options of the GPU nodes that are of one day are one entry."""
    groups: dict[str, list[str]] = {}
    for entry in comparison.stale:
        what, _, fact = entry.partition(": ")
        groups.setdefault(fact, []).append(what)
    bought = {s.purchase for s in comparison.scenarios}
    found = []
    for fact, things in groups.items():
        nodes = [words.short_purchase(thing) for thing in things if thing in bought]
        names = [thing for thing in things if thing not in bought]
        found += [f"{thing}: {fact}" for thing in names]
        found += [f"fleet.compute ({', '.join(nodes)}): {fact}"] if nodes else []
    return found


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
            f"#{rank} is planned at ${words.money(cost.plan)}, {_side(cost.p90, budget, 'P90')}"
            for rank, s, cost, _ in there
            if cost is not None
        ]
        found.append("; ".join([f"Budget ${words.money(budget)}: no scenario above it counts as feasible", *said]))
    known = [(longest, "constraints.max_days"), (deadline / 24 if deadline else None, "run.deadline")]
    ends = [(value, name) for value, name in known if isinstance(value, int | float)]
    for value, name in ends:
        said = [
            f"#{rank} is planned at {words.days(run.plan)} days"
            + (
                f", on time in {words.percent(s.on_time_fraction)} of the draws"
                if s.on_time_fraction is not None
                else ""
            )
            for rank, s, _, run in there
            if run is not None
        ]
        if len(ends) > 1:
            said = said if value == min(end for end, _ in ends) else []
        found.append("; ".join([f"At most {value:g} days ({name})", *said]))
    return found


def reuse(comparison: Comparison) -> float:
    """What the plan says the unused rest of a commitment is worth to others, as a share."""
    purchase = comparison.plan.get("purchase")
    value = purchase.get("reuse_value") if isinstance(purchase, Mapping) else None
    return float(value) if isinstance(value, int | float) else 0.0


def commitments(comparison: Comparison, shown: Sequence[Scenario]) -> str:
    """What a Reserved Instance or a Savings Plan among them is charged."""
    if not any(words.family(s.purchase) in ("ri", "sp") for s in shown):
        return ""
    if reuse(comparison):
        share = words.percent(reuse(comparison))
        return f"the whole term is charged, less {share} of its unused rest (purchase.reuse_value)"
    return "the whole term is charged; purchase.reuse_value gives the unused rest a value"


def _side(value: float, limit: float, name: str) -> str:
    return f"its {name} of ${words.money(value)} is {'above' if value > limit else 'within'} the budget"


def staff(comparison: Comparison) -> list[str]:
    """Salaries that are in the totals, with the assumption behind them."""
    for scenario in picks(comparison):
        for line in scenario.bill:
            if line.line == "people.staff":
                return [
                    f"Staff is in the totals: {words.quantity(line.quantity)} {line.unit} at "
                    f"${words.money(line.effective_unit_price)}, ${words.money(line.effective_cost)} in "
                    f"#{rank_of(comparison, scenario)} (assumed: {line.price_source})"
                ]
    return []


def answer(comparison: Comparison) -> list[str]:
    """The answer in a few sentences: cheapest planned, and the one that holds up when things go wrong."""
    best, safe = comparison.best, lowest_risk(comparison)
    if best is None or safe is None or best.cost_usd is None or safe.cost_usd is None:
        return ["No scenario is both feasible and completely priced: there is no total to sign."]
    if safe.id == best.id:
        return [_sentence(comparison, "Lowest planned cost, and lowest in bad luck (P90)", best), *_doubt(best)]
    lines = [_sentence(comparison, "Lowest planned cost", best), *_doubt(best)]
    lines.append(_sentence(comparison, "Lowest in bad luck (P90)", safe))
    return [*lines, *_doubt(safe)]


def trade(best: Scenario, safe: Scenario) -> str:
    """What the safer choice costs and what it saves."""
    assert best.cost_usd is not None and safe.cost_usd is not None  # noqa: PT018
    more, less = safe.cost_usd.plan - best.cost_usd.plan, best.cost_usd.p90 - safe.cost_usd.p90
    least = "at least " if open_ended(best) else ""
    return f"${words.dollars(more)} more as planned, {least}${words.dollars(less)} less at P90"


def rank_of(comparison: Comparison, scenario: Scenario) -> int:
    return next(rank for rank, entry in enumerate(comparison.scenarios, 1) if entry.id == scenario.id)


def _sentence(comparison: Comparison, what: str, scenario: Scenario) -> str:
    assert scenario.cost_usd is not None and scenario.days is not None  # noqa: PT018
    cost, run = scenario.cost_usd, scenario.days
    floor = ">" if open_ended(scenario) else ""
    place = "" if words.only_fleet(comparison.scenarios) else f" on {words.fleet(scenario)}"
    return (
        f"{what}: #{rank_of(comparison, scenario)} {words.layout_name(scenario)}, {scenario.purchase}{place}: "
        f"${words.dollars(cost.plan)} planned (P10-P90 ${words.dollars(cost.p10)} to "
        f"{floor}${words.dollars(cost.p90)}), "
        f"{words.days(run.plan)} days ({words.days(run.p10)} to {words.days(run.p90)})"
        + "".join(f"; {chance}" for chance in chances(scenario))
        + "."
    )


def _doubt(scenario: Scenario) -> list[str]:
    """What must stand beside the answer, not under it."""
    if not may_not_finish(scenario):
        return []
    return [f"  ! It may not finish: in {scenario.unfinished_fraction:.1%} of the draws it never does."]
