"""The answer in sentences: what is cheapest as planned, what is safest, how certain each is."""

from __future__ import annotations

from collections.abc import Sequence

from planner.decide import leaders
from planner.decide.comparison import Comparison
from planner.estimate.ranges import Range
from planner.estimate.result import Scenario
from planner.report.wording import breakdown, figures, recommendation, relaxations
from planner.report.wording.line import Kind, Line

CLOSE = 0.02  # a lead below this share of the cost is a small one
TOSS_UP = 0.25  # a small lead is noise where the second costs less in this share of the draws


def sentences(comparison: Comparison) -> list[Line]:
    """The answer in a few sentences: cheapest planned, and the one that holds up when things go wrong."""
    best, safe = comparison.best, leaders.safest(comparison)
    if best is None or safe is None or best.cost_usd is None or safe.cost_usd is None:
        return [Line(nothing(comparison)), *relaxations.sentences(comparison)]
    title = first_title(comparison)
    lines = [Line(_sentence(comparison, title, best)), *_toss_up(comparison), *_may_not_finish(best), _breakdown(best)]
    if safe.id == best.id:
        return [*lines, *relaxations.sentences(comparison)]
    lines.append(Line(_sentence(comparison, p90_title(comparison, safe), safe)))
    if safe.cost_usd.p90 > best.cost_usd.p90:
        lines.append(Line(f"It costs more at P90 too, and is chosen because it {_finishes(safe)}.", Kind.DETAIL))
    return [*lines, *_may_not_finish(safe), _breakdown(safe), *relaxations.sentences(comparison)]


def nothing(comparison: Comparison) -> str:
    """The answer where there is none."""
    feasible = any(scenario.feasible for scenario in comparison.scenarios)
    which = "both feasible and completely priced" if feasible else "feasible"
    return f"No scenario is {which}: there is no total."


def first_title(comparison: Comparison) -> str:
    """The lowest planned cost, and the lowest P90 where it is that too."""
    best, safe = comparison.best, leaders.safest(comparison)
    if best is None or safe is None or best.id != safe.id or not comparison.draws:
        return "Lowest planned cost"
    return f"Lowest planned cost, and l{p90_title(comparison, safe)[1:]}"


def _finishes(scenario: Scenario) -> str:
    share = 1 - scenario.unfinished_fraction
    return "finishes in every outcome" if share == 1 else f"finishes in {figures.percent(share)} of the outcomes"


def _toss_up(comparison: Comparison) -> list[Line]:
    """That the lead is noise: it is small and the draws do not confirm it, or most of them contradict it."""
    ranked = leaders.complete_scenarios(comparison.scenarios)
    if len(ranked) < 2 or ranked[0].cost_usd is None or ranked[1].cost_usd is None:
        return []
    first, second = ranked[0].cost_usd.plan, ranked[1].cost_usd.plan
    share = (second - first) / first if first else 0.0
    below = ranked[1].below_best_fraction
    lead = f"It leads {_named(comparison, ranked[1])} by ${figures.dollars(second - first)} ({share:.1%})"
    if below is None:
        return [Line(f"{lead}: a small lead.", Kind.DETAIL)] if share < CLOSE else []
    if below < (TOSS_UP if share < CLOSE else 0.5):
        return []
    noise = ": the difference is noise, pick the simpler one to operate" if share < CLOSE else ""
    return [Line(f"{lead}, which costs less in {figures.percent(below)} of the outcomes{noise}.", Kind.DETAIL)]


def _breakdown(scenario: Scenario) -> Line:
    return Line(f"Breakdown: {breakdown.sentence(scenario)}.", Kind.DETAIL)


def p90_title(comparison: Comparison, safe: Scenario) -> str:
    """What `leaders.safest` found: the lowest P90 of all, unless one that may not finish has a lower one."""
    found = [s.cost_usd.p90 for s in leaders.complete_scenarios(comparison.scenarios) if s.cost_usd]
    lowest = safe.cost_usd is None or safe.cost_usd.p90 <= min(found)
    return "Lowest P90" if lowest else "Lowest P90 of those that finish"


def trade(best: Scenario, safe: Scenario) -> str:
    """What the safer choice costs and what it saves."""
    assert best.cost_usd is not None and safe.cost_usd is not None  # noqa: PT018  both are priced
    more, less = safe.cost_usd.plan - best.cost_usd.plan, best.cost_usd.p90 - safe.cost_usd.p90
    planned = f"${figures.dollars(more)} more as planned"
    if less < 0:
        return f"{planned} and ${figures.dollars(-less)} more at P90 too; chosen because it {_finishes(safe)}"
    least = "at least " if leaders.p90_is_floor(best) else ""
    ends = ", and it finishes" if leaders.may_not_finish(best) and not leaders.may_not_finish(safe) else ""
    return f"{planned}, {least}${figures.dollars(less)} less at P90{ends}"


def trade_sentence(best: Scenario, safe: Scenario) -> str:
    return f"The second against the first: {trade(best, safe)}."


def cost_range(cost: Range) -> str:
    return f"P10 ${figures.money(cost.p10)}, median ${figures.money(cost.p50)}"


def cheapest_of_all(likeliest: Sequence[tuple[str, str]]) -> str:
    """likeliest: (scenario, share of the outcomes)."""
    return "Cheapest of all: " + ", ".join(f"{name} in {share} of the outcomes" for name, share in likeliest)


def unpriced(lines: int, scenarios: int) -> tuple[str, str]:
    """Which totals lack a price: the first words, which may be a link, and the rest."""
    totals = f"the totals of {figures.many(scenarios, 'scenario')} are lower bounds or missing"
    return "No price", f" for {figures.many(lines, 'line')}: {totals}"


def out_of_date(prices: int) -> str:
    """What is said behind `4 prices`."""
    return " is out of date" if prices == 1 else " are out of date"


def _named(comparison: Comparison, scenario: Scenario) -> str:
    """`#5 converged, on-demand`, with its fleet where they differ."""
    place = "" if figures.only_fleet(comparison.scenarios) else f" on {figures.fleet(scenario)}"
    return f"#{leaders.rank_of(comparison, scenario)} {figures.layout_name(scenario)}, {scenario.purchase}{place}"


def _sentence(comparison: Comparison, what: str, scenario: Scenario) -> str:
    assert scenario.cost_usd is not None and scenario.days is not None  # noqa: PT018  it is priced
    cost, run = scenario.cost_usd, scenario.days
    floor = ">" if leaders.p90_is_floor(scenario) else ""
    usd_range = f" (P10-P90 ${figures.dollars(cost.p10)} to {floor}${figures.dollars(cost.p90)})"
    days_range = f" ({figures.days(run.p10)} to {figures.days(run.p90)})"
    return (
        f"{what}: {_named(comparison, scenario)}: "
        f"${figures.dollars(cost.plan)} planned{usd_range if comparison.draws else ''}, "
        f"{figures.days(run.plan)} days{days_range if comparison.draws else ''}"
        + "".join(f"; {chance}" for chance in recommendation.chances(scenario))
        + "."
    )


def _may_not_finish(scenario: Scenario) -> list[Line]:
    """Said beside the answer, not below it."""
    if not leaders.may_not_finish(scenario):
        return []
    text = f"! It may not finish: in {scenario.unfinished_fraction:.1%} of the simulated outcomes it never does."
    return [Line(text, Kind.DETAIL)]
