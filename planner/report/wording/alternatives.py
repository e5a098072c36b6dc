"""What is not recommended: the alternatives, On-Demand, what is often the cheapest; each with its figures and the
reason."""

from __future__ import annotations

import math
from collections.abc import Sequence

from planner.answer.ranges import Range
from planner.decide import leaders
from planner.decide.comparison import Comparison
from planner.estimate.result import Scenario
from planner.report.wording import eligibility, figures, futures, held, left_out, rounding, spoken, spoken_choice

SAFEST, SAFEST_PROVEN = "Safer", "Safer, of the proven ones"
CONDITIONAL = {"cheaper-if": "Cheaper", "shorter-if": "Shorter"}


def not_chosen(comparison: Comparison, *, rules: bool = True) -> list[str]:
    """Each alternative with its figures and what makes it right. rules: with what to do while it runs."""
    return [
        f"{title}: {named(comparison, scenario)}: {figures_of(comparison, scenario)}. {text}"
        for scenario, title, text in alternatives(comparison, rules=rules)
    ]


def on_demand(comparison: Comparison, best: Scenario) -> list[str]:
    """The first that is bought without any commitment, where the answer does not name it: what most people would do."""
    named_ones = {s.option.family for s in leaders.leaders_of(comparison)}
    found = leaders.first_on_demand(comparison)
    if found is None or "on-demand" in named_ones:
        return []
    assert found.cost_usd is not None and best.cost_usd is not None  # noqa: PT018  they are priced
    if not found.eligible:
        cost = f"about {figures.usd(found.cost_usd.p50)} (P90 {figures.usd(found.cost_usd.p90)})"
        why = " ".join(
            filter(None, [f"{'; '.join(left_out.misses([found]))}.", _in_a_sentence(eligibility.guarantee(found))])
        )
        return [f"On-Demand: {named(comparison, found)}: {cost}, {why}"]
    apart = _apart(best.cost_usd, found.cost_usd)
    return [f"On-Demand: {named(comparison, found)}: {figures_of(comparison, found)}. {apart}."]


def _in_a_sentence(guarantee: str) -> str:
    """Without what to type where one has them reserved."""
    return f"{guarantee.partition('. ')[0].removesuffix('.')}." if guarantee else ""


def alternatives(comparison: Comparison, *, rules: bool = True) -> list[tuple[Scenario, str, str]]:
    """(scenario, title, sentence that makes it right) of each alternative."""
    best, found = comparison.best, []
    for scenario, entry in zip(leaders.leaders_of(comparison)[1:], comparison.answer.alternatives, strict=False):
        if entry.kind in CONDITIONAL:
            why = eligibility.cheaper_if(scenario, best, rule=rules)
            found.append((scenario, CONDITIONAL[entry.kind], f"{_often(scenario)}{why}."))
        elif best is not None and best.cost_usd is not None and scenario.cost_usd is not None:
            below = any(one.cost_usd and one.cost_usd.p90 < scenario.cost_usd.p90 for one, *_ in found)
            title = SAFEST_PROVEN if below else SAFEST
            found.append((scenario, title, f"{_apart(best.cost_usd, scenario.cost_usd)}."))
    return found


def _often(scenario: Scenario) -> str:
    """How often one of two futures beats the recommended choice."""
    below = scenario.below_best_fraction
    return (
        f"It costs less than the recommended choice in {figures.percent(below)} of the outcomes. "
        if scenario.futures and below
        else ""
    )


def _apart(best: Range, other: Range) -> str:
    """`$95k more at P50, $12k less at P90`; a P90 is without end where just 9 of 10 outcomes finish."""
    middle = f"{rounding.usd_apart(best.p50, other.p50)} {_more(best.p50, other.p50)} at P50"
    if math.isinf(best.p90):
        return f"{middle}, {figures.usd(other.p90)} at P90, where the recommended choice does not finish"
    return f"{middle}, {rounding.usd_apart(best.p90, other.p90)} {_more(best.p90, other.p90)} at P90"


def _more(one: float, other: float) -> str:
    return "more" if other >= one else "less"


def cheapest_most_often(comparison: Comparison, found: Sequence[Scenario]) -> str:
    """How often each of these is the cheapest of all, and why it is not recommended although it is."""
    parts = [
        f"{named(comparison, s)} in {figures.percent(s.cheapest_fraction or 0.0)} ({beside(comparison, s)})"
        for s in found
    ]
    return f"Cheapest in most outcomes, whatever its risk: {'; '.join(parts)}."


def beside(comparison: Comparison, scenario: Scenario) -> str:
    """Why a choice that is often the cheapest is not recommended, in a few words; `recommended` for the one that is."""
    best = comparison.best
    if best is not None and scenario.id == best.id:
        return "recommended"
    missed = left_out.misses([scenario]) if scenario.shortfalls else []
    if missed or scenario.held_back:
        return "; ".join(
            [*missed, *filter(None, [eligibility.held_back(scenario).partition(":")[0].removeprefix("is ")])]
        )
    if best is None or best.cost_usd is None or scenario.cost_usd is None:
        return "nothing is recommended"
    below = scenario.below_best_fraction or 0.0
    if scenario.cost_usd.p90 > best.cost_usd.p90:
        bad = "never" if math.isinf(scenario.cost_usd.p90) else figures.usd(scenario.cost_usd.p90)
        return f"P90 {bad}, against {figures.usd(best.cost_usd.p90)}"
    if below < 0.5:
        return f"costs more than the recommended choice in {figures.percent(1 - below)} of the outcomes"
    return (
        "ties with the recommended choice" if scenario.id in comparison.answer.tied else "takes more effort to operate"
    )


def figures_of(comparison: Comparison, scenario: Scenario) -> str:
    """`about $5.1M and 66 days, 9 of 10 below $35M`."""
    assert scenario.cost_usd is not None and scenario.days is not None  # noqa: PT018  it is priced
    cost, run = scenario.cost_usd, scenario.days
    if not comparison.draws:
        return f"planned at {figures.usd(cost.plan)} and {spoken.run_days(run.plan)}"
    if math.isinf(cost.p50):
        return "does not finish in more than half of the outcomes"
    if scenario.is_held:
        month = figures.usd(held.usd_per_month(scenario))
        return f"about {figures.usd(cost.p50)}, {month} a month (P90 {figures.usd(cost.p90)})"
    below = (
        "no P90"
        if math.isinf(cost.p90)
        else f"P90 {figures.usd(cost.p90)}, {spoken.run_days(run.p90)}{_late(scenario)}"
    )
    joined = "; " if scenario.futures else " and "
    return f"{futures.about(scenario)}{joined}{spoken.run_days(run.p50)} ({below})"


def _late(scenario: Scenario) -> str:
    """`, late in 5%`, where the plan has a deadline."""
    late = figures.percent(scenario.late_fraction)
    return "" if late == "0%" else f", late in {late}"


def named(comparison: Comparison, scenario: Scenario, *, place: bool = True) -> str:
    """`#5 pooled NVMe on a Capacity Block`; place: with its fleet where they differ."""
    differ = place and not figures.only_fleet(comparison.scenarios)
    where = f", {figures.fleet(scenario)}" if differ else ""
    return f"#{leaders.rank_of(comparison, scenario)} {spoken_choice.spoken(scenario)}{where}"
