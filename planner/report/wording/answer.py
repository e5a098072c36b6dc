"""The answer in sentences: what is recommended, how certain it is, and the alternatives."""

from __future__ import annotations

from collections.abc import Sequence

from planner.decide import leaders
from planner.decide.comparison import Comparison
from planner.decide.measure import cost_of
from planner.estimate.ranges import Range
from planner.estimate.result import Scenario
from planner.report.wording import breakdown, eligibility, figures, recommendation, relaxations
from planner.report.wording.line import Kind, Line

NEAREST = 3  # scenarios that are named where none is recommended
MEASURES = {"p50": "P50", "p90": "P90", "mean": "the mean", "planned": "central values"}


def sentences(comparison: Comparison) -> list[Line]:
    """What is recommended, why, and what else to consider; or why nothing is, and what would change that."""
    best = comparison.best
    if best is None:
        return [Line(nothing(comparison)), *_nearest(comparison), *relaxations.sentences(comparison)]
    lines = [Line(f"{RECOMMENDED}: {_named(comparison, best)}: {_figures(comparison, best)}.")]
    lines += [Line(text, Kind.DETAIL) for text in reasons(comparison, best)]
    lines.append(_breakdown(best))
    for scenario, title, text in alternatives(comparison):
        lines.append(Line(f"{title}: {_named(comparison, scenario)}: {_figures(comparison, scenario)}. {text}"))
    return lines


RECOMMENDED = "Recommended"


def nothing(comparison: Comparison) -> str:
    """The answer where there is none."""
    if not comparison.complete:
        feasible = any(scenario.feasible for scenario in comparison.scenarios)
        which = "both feasible and completely priced" if feasible else "feasible"
        return f"No scenario is {which}: there is no total and no recommendation."
    if any(s.eligible for s in comparison.complete):
        return "No scenario is recommended: those that are eligible cannot be deployed as priced."
    limit = eligibility.limit_words(comparison.complete[0])
    share = figures.percent(comparison.answer.confidence)
    return f"No scenario is recommended: none {limit} in {share} of the outcomes."


def _nearest(comparison: Comparison) -> list[Line]:
    """The first complete scenarios, and why each is not recommended."""
    return [
        Line(f"{_named(comparison, s)}: {_figures(comparison, s)}; {'; '.join(eligibility.why_not(s))}.", Kind.DETAIL)
        for s in comparison.complete[:NEAREST]
    ]


def reasons(comparison: Comparison, best: Scenario) -> list[str]:
    """Why the recommended scenario is: its lead or its tie, and the limit that it keeps."""
    return [*_lead(comparison, best), *_limit(comparison, best)]


def _lead(comparison: Comparison, best: Scenario) -> list[str]:
    answer = comparison.answer
    if answer.compared == 1:
        return ["It is the only scenario with a complete price."]
    if answer.tied:
        others = [s for s in comparison.scenarios if s.id in answer.tied and s.id != best.id]
        more = f" and {len(others) - 2} more" if len(others) > 2 else ""
        names = (
            " and ".join(_named(comparison, s) for s in others[:2])
            if not more
            else (", ".join(_named(comparison, s) for s in others[:2]))
        )
        return [f"Tied with {names}{more}: no clear difference in cost. It is chosen for {_chosen_for(best, others)}."]
    rivals = [s for s in comparison.scenarios if s.eligible and s.id != best.id]
    if not rivals:
        return ["No other scenario is eligible."]
    second = rivals[0]
    lead = cost_of(second, answer.rank_by) - cost_of(best, answer.rank_by)
    share = lead / cost_of(best, answer.rank_by)
    less = f"less than {_named(comparison, second)}"
    below = second.below_best_fraction
    sure = "" if below is None else f", and less in {figures.percent(1 - below)} of the outcomes"
    return [f"It costs ${figures.dollars(lead)} ({share:.0%}) {less} at {MEASURES[answer.rank_by]}{sure}."]


def _chosen_for(best: Scenario, others: Sequence[Scenario]) -> str:
    if any(s.layout != best.layout for s in others):
        return "having the least to operate"
    if any(s.option.years > best.option.years for s in others):
        return "the shortest commitment"
    return "the lowest P90"


def _limit(comparison: Comparison, best: Scenario) -> list[str]:
    """The limit that was assumed, because it decides who is eligible; a deadline is said with the figures."""
    if not best.limit_is_assumed or best.limit_days is None:
        return []
    slack = comparison.plan.get("decision")
    times = slack.get("slack", 1.5) if isinstance(slack, dict) else 1.5
    return [
        f"The plan has no deadline: {figures.days(best.limit_days)} days are assumed ({times:g} x the shortest P90); "
        f"run.deadline sets it."
    ]


def alternatives(comparison: Comparison) -> list[tuple[Scenario, str, str]]:
    """(scenario, title, sentence that makes it right) of each alternative."""
    best, found = comparison.best, []
    for scenario, entry in zip(leaders.leaders_of(comparison)[1:], comparison.answer.alternatives, strict=False):
        if entry.kind == "cheaper-if":
            found.append((scenario, "Cheaper if", f"{eligibility.cheaper_if(scenario)}."))
        elif best is not None and best.cost_usd is not None and scenario.cost_usd is not None:
            more = cost_of(scenario, "p50") - cost_of(best, "p50")
            less = best.cost_usd.p90 - scenario.cost_usd.p90
            text = f"${figures.dollars(more)} more at P50, ${figures.dollars(less)} less at P90."
            found.append((scenario, "Safest", text))
    return found


def _breakdown(scenario: Scenario) -> Line:
    return Line(f"Breakdown: {breakdown.sentence(scenario)}.", Kind.DETAIL)


def cost_range(cost: Range) -> str:
    return f"P10 {figures.usd(cost.p10)}, P50 {figures.usd(cost.p50)}, planned {figures.usd(cost.plan)}"


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


def _figures(comparison: Comparison, scenario: Scenario) -> str:
    """`$9.03M at P50 ($8.26M to $13.2M; $8.71M planned), 40.7 days (38.5 to 61.6)`."""
    assert scenario.cost_usd is not None and scenario.days is not None  # noqa: PT018  it is priced
    cost, run = scenario.cost_usd, scenario.days
    if not comparison.draws:
        return f"${figures.dollars(cost.plan)} planned, {figures.days(run.plan)} days"
    text = (
        f"{figures.usd(cost.p50)} at P50, {figures.usd(cost.p90)} at P90 (${figures.dollars(cost.plan)} planned); "
        f"{figures.days(run.p50)} days ({figures.days(run.p10)} to {figures.days(run.p90)})"
    )
    return text + "".join(f"; {chance}" for chance in recommendation.chances(scenario))
