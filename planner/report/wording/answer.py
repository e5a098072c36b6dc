"""The answer in sentences: what is recommended and what it costs, under which condition, at which risk; and the
alternatives."""

from __future__ import annotations

import math
from collections.abc import Sequence

from planner.answer.measure import per_unit, ranked
from planner.answer.recommend import SURE, is_better
from planner.decide import leaders
from planner.decide.comparison import Comparison
from planner.estimate.result import Scenario
from planner.models.bill_lines import COMPUTE
from planner.report.wording import (
    alternatives,
    block,
    breakdown,
    eligibility,
    figures,
    futures,
    held,
    left_out,
    proposals,
    relaxations,
    rounding,
    spoken,
    stale_prices,
    steps,
)
from planner.report.wording.alternatives import figures_of, named
from planner.report.wording.line import Kind, Line
from planner.report.wording.preferred import apart_though_tied, chosen_for

FAR = 1.05  # of the P90, from which on the average beyond it is worth a word
_UNKNOWN_RISK = "The risk is not known: no outcomes were simulated (--draws)."
NEAREST = 3  # scenarios that are named where none is recommended
RECOMMENDED = "Recommended"


def sentences(comparison: Comparison, *, brief: bool = False) -> list[Line]:
    """What is recommended, why, and what else to consider; or why nothing is, and what would change that. brief: as
    much as a screen has room for."""
    best = comparison.best
    if best is None:
        late = any(entry.kind == "deadline" for s in comparison.complete for entry in s.shortfalls)
        decides = left_out.reading(comparison) if late else []
        return [Line(nothing(comparison)), *_nearest(comparison), *decides, *relaxations.sentences(comparison)]
    lines = [Line(f"{RECOMMENDED}: {choice(comparison, best)}")]
    parts = () if brief else (_breakdown(best),)
    lines += [Line(text, Kind.DETAIL) for text in (*reasons(comparison, best, brief=brief), *parts)]
    return [*lines, *others(comparison)]


def others(comparison: Comparison) -> list[Line]:
    """What else to consider: alternatives, changes of the plan, phases that pay off."""
    lines = [Line(text) for text in alternatives.not_chosen(comparison, rules=False)]
    return [*lines, *proposals.sentences(comparison), *steps.sentences(comparison)]


def nothing(comparison: Comparison) -> str:
    """The answer where there is none."""
    first = next(
        (s for s in comparison.complete if s.option.family == "on-demand" and (s.on_time_fraction or 0.0) > 0.5), None
    )
    nodes = eligibility.guarantee(first) if first else ""
    return " ".join([_nothing(comparison), *filter(None, [nodes]), *stale_prices.warnings(comparison.stale)])


def _nothing(comparison: Comparison) -> str:
    if not comparison.complete:
        feasible = [scenario for scenario in comparison.scenarios if scenario.feasible]
        if not feasible:
            return "No scenario is feasible: there is no total and no recommendation."
        return f"No choice has a price for all that it needs, so nothing is recommended. {_missing(feasible)}"
    limit = eligibility.limit_words(comparison.complete[0])
    share = spoken.in_ten(comparison.answer.confidence)
    held = next((s for s in comparison.complete if s.eligible), None)
    if held is not None:
        return f"No scenario is recommended: what {limit} in at least {share} outcomes {eligibility.held_back(held)}."
    return f"No scenario is recommended: none {limit} in at least {share} outcomes."


def _missing(choices: Sequence[Scenario]) -> str:
    """What has no price: nodes On-Demand, which all else is compared with, where they are asked for; whether there are
    other ways to buy, which then have none either; and the two ways on."""
    nodes = {s.purchase: one for s in reversed(choices) for one in s.unpriced if one.line == COMPUTE}
    first = next((one for one in choices[0].unpriced if one.line == COMPUTE), choices[0].unpriced[0])
    entry = nodes.get("on-demand", first)
    near = f" (known: {', '.join(entry.nearest)})" if entry.nearest else ""
    nor = ", nor for any other way to buy nodes that the plan allows" if len(nodes) > 1 else ""
    own = "enter the price that AWS offers you under prices.own"
    return f"The price book has no price for {entry.what}{near}{nor}. Choose a Region that has one, or {own}."


def _nearest(comparison: Comparison) -> list[Line]:
    """The first complete scenario of each storage and way to buy, and why it is not recommended."""
    firsts = {s.way: s.id for s in reversed(comparison.complete)}.values()
    first = [s for s in comparison.complete if s.id in firsts]
    return [
        Line(f"{named(comparison, s)}: {figures_of(comparison, s)}; {'; '.join(eligibility.why_not(s))}.", Kind.DETAIL)
        for s in first[:NEAREST]
    ]


def choice(comparison: Comparison, best: Scenario) -> str:
    """What to buy, what it costs and how long it takes, in two sentences."""
    return f"{named(comparison, best, place=False)}, {_nodes(best)}. {costs(comparison, best)}"


def bought(scenario: Scenario) -> str:
    """`400 x p4d.24xlarge, On-Demand; storage: FSx for Lustre`; of several Capacity Blocks how many."""
    after = ", then On-Demand" if scenario.after_commitment else ""
    purchase = figures.purchase_words(scenario.option) + after
    purchase = f"{scenario.blocks} {purchase}s" if scenario.blocks > 1 else purchase
    return f"{_nodes(scenario)}, {purchase}; storage: {figures.layout_words(scenario)}"


def _nodes(scenario: Scenario) -> str:
    spare = f" ({figures.many(scenario.spares, 'spare')})" if scenario.spares else ""
    return figures.fleet(scenario) + spare


def costs(comparison: Comparison, best: Scenario) -> str:
    """`It costs about $9.0M and takes 42 days.`"""
    assert best.cost_usd is not None and best.days is not None  # noqa: PT018  it is priced
    cost, run = best.cost_usd, best.days
    if best.is_held:
        return held.costs(comparison, best)
    if not comparison.draws:
        return f"It is planned at {figures.usd(cost.plan)} and {spoken.run_days(run.plan)}."
    return f"It costs {futures.about(best)} and takes {spoken.run_days(run.p50)}."


def reasons(comparison: Comparison, best: Scenario, *, brief: bool = False) -> list[str]:
    """Under which condition it is recommended, and at which risk. brief: without a block's other length."""
    open_totals = eligibility.without_total(comparison.scenarios)
    return [
        *stale_prices.warnings(comparison.stale),
        condition(comparison, best),
        *passed_over(comparison, best),
        *([f"Rule: {rule}"] if (rule := eligibility.duty(best)) else []),
        *([f"Capacity Block: {block.short(best.block_plan, brief=brief)}"] if best.block_plan else []),
        risk(comparison, best),
        *aged(comparison, best),
        *_searched(comparison),
        *open_totals,
    ]


def condition(comparison: Comparison, best: Scenario) -> str:
    """`It is the cheapest choice that finishes within 92 days in 9 of 10 outcomes (assumed limit; run.deadline sets
    it); ...`: the limit and the lead, or the tie."""
    answer, keeps = comparison.answer, kept(comparison, best)
    others = [s for s in comparison.scenarios if s.id in answer.tied and s.id != best.id and not _is_costlier(s, best)]
    proven, deployed = _among(comparison)
    if answer.compared == 1:
        return f"It is the only choice with a complete price; it {keeps}."
    if others:
        apart = apart_though_tied(answer, best, others, lambda s: named(comparison, s), "outcomes")
        why = chosen_for(best, others, answer.rank_by)
        tied = f"{_listed(comparison, others)} within the uncertainty{apart}"
        return f"It {keeps}. It costs as much as {tied}, and is chosen for {why}."
    cost = per_unit(best, answer.rank_by)
    eligible = [s for s in comparison.scenarios if s.eligible and not s.held_back]
    rivals = [s for s in eligible if s.id != best.id and ranked(s, answer.rank_by) > ranked(best, answer.rank_by)]
    if not rivals:
        return f"It is the only {proven}choice that {deployed}{keeps}."
    second = rivals[0]
    other = per_unit(second, answer.rank_by)
    per = " a GPU-hour" if best.is_held else ""
    if other < cost:
        return (
            f"Including the effort of operating it, it is the cheapest {proven}choice that {deployed}{keeps}; the "
            f"next, {named(comparison, second)}, costs {rounding.less_in_full(cost, other)}{per} and takes "
            f"${figures.money(second.effort_usd - best.effort_usd)} more of an engineer's time."
        )
    sure = _how_sure(second, best)
    return (
        f"It is the cheapest {proven}choice that {deployed}{keeps}; the next, {named(comparison, second)}, costs "
        f"{rounding.usd_apart(cost, other)} ({rounding.share_apart(cost, other)}) more{per}{sure}."
    )


def passed_over(comparison: Comparison, best: Scenario) -> list[str]:
    """Why the cheapest one that is better in every figure of the table is not recommended, unless an alternative says
    it."""
    rank_by = comparison.answer.rank_by
    said = {one.option.id for one in leaders.leaders_of(comparison)[1:]}
    better = [
        s for s in comparison.complete
        if s.eligible and s.held_back and s.option.id not in said and is_better(s, best, rank_by)
    ]  # fmt: skip
    if not better:
        return []
    one = min(better, key=lambda s: ranked(s, rank_by))
    return [f"Not {named(comparison, one)}, though it costs less and ends earlier: it {eligibility.held_back(one)}."]


def _how_sure(second: Scenario, best: Scenario) -> str:
    """How often the next one is costlier, and what speaks against it where that is not often."""
    below = second.below_best_fraction
    if below is None:
        return ""
    if below <= 0.5 or second.cost_usd is None or best.cost_usd is None or second.cost_usd.p90 <= best.cost_usd.p90:
        return f" and {spoken.costlier_in(second, 'outcomes')}"
    more = rounding.usd_apart(best.cost_usd.p90, second.cost_usd.p90)
    return (
        f"; that one is cheaper in {figures.percent(below)} of the outcomes, and costs {more} more in a bad case (P90)"
    )


def _is_costlier(other: Scenario, best: Scenario) -> bool:
    """Whether a scenario that ties with the first in rank costs more than the recommended one in most outcomes."""
    more = ranked(other, "p50") > ranked(best, "p50")
    return more and other.above_best_fraction is not None and other.above_best_fraction > SURE


def aged(comparison: Comparison, best: Scenario) -> list[str]:
    """The day of the price that most of the cost comes from, where it is out of date."""
    for entry in comparison.stale:
        if entry.line == COMPUTE and best.option in entry.purchases:
            return [f"The price of its nodes is from {entry.price_date}, {entry.age_days:,} days old: check today's."]
    return []


def _among(comparison: Comparison) -> tuple[str, str]:
    """What the choices that are held back lack, as words before `choice` and before what the recommended one does."""
    eligible = [s for s in comparison.scenarios if s.eligible]
    return (
        "proven " if any(s.unproven for s in eligible) else "",
        "can be deployed and " if any(s.priced_only for s in eligible) else "",
    )


def kept(comparison: Comparison, best: Scenario) -> str:
    """The limits that make a scenario eligible, and in how many outcomes they must hold."""
    if best.is_held:
        return held.kept(best, spoken.in_ten(comparison.answer.confidence))
    limits = [] if best.limit_days is None else [f"within {spoken.run_days(best.limit_days)}"]
    limits += [] if best.budget_usd is None else [f"for at most ${figures.money(best.budget_usd)}"]
    text = (
        f"finishes {' and '.join(limits)}".rstrip()
        + f" in at least {spoken.in_ten(comparison.answer.confidence)} outcomes"
    )
    if best.limit_is_assumed and best.limit_days is not None:
        return f"{text} (assumed limit: the plan has no run.deadline)"
    return text


def _listed(comparison: Comparison, others: Sequence[Scenario]) -> str:
    """The first two by name, the others by number."""
    names, more = [f"{named(comparison, s)} ({_figures(s)})" for s in others[:2]], len(others) - 2
    return f"{', '.join(names)} and {more} more" if more > 0 else " and ".join(names)


def _figures(scenario: Scenario) -> str:
    """`$252k, P90 $392k`"""
    assert scenario.cost_usd is not None  # it ties
    return f"{figures.usd(scenario.cost_usd.p50)}, P90 {figures.usd(scenario.cost_usd.p90)}"


def risk(comparison: Comparison, best: Scenario) -> str:
    """`Risk: 1 in 10 outcomes costs more than $13.2M; 1 in 10 takes more than 62 days.`"""
    assert best.cost_usd is not None and best.days is not None  # noqa: PT018  it is priced
    cost, run = best.cost_usd, best.days
    if best.is_held:
        return f"Risk: {'; '.join(held.risks(comparison, best))}." if comparison.draws else _UNKNOWN_RISK
    if not comparison.draws:
        return _UNKNOWN_RISK
    if few := spoken.risk_of_few(comparison.draws, "--draws"):
        return few
    parts = []
    if not math.isinf(cost.p90):
        worst = best.worst_tenth_usd or 0.0
        beyond = f" (these {figures.usd(worst)} on average)" if worst > FAR * cost.p90 else ""
        parts.append(f"1 in 10 outcomes costs more than {figures.usd(cost.p90)}{beyond}")
        parts.append(f"1 in 10 takes more than {spoken.run_days(run.p90)}")
    unfinished = best.unfinished_fraction if leaders.may_not_finish(best) else 0.0
    if unfinished:
        what = "outlast the Capacity Block" if best.option.family == "capacity-block" else "never finish"
        parts.append(f"{figures.percent(unfinished)} {what}")
    late = rounding.number(figures.percent(best.late_fraction).removesuffix("%"))
    late -= rounding.number(figures.percent(unfinished).removesuffix("%"))
    if late > 0:
        parts.append(f"{late:.0f}% {'more ' if unfinished else ''}miss the deadline")
    return f"Risk: {'; '.join(parts)}."


def _searched(comparison: Comparison) -> list[str]:
    """How many node counts were priced, where not all are listed."""
    found = comparison.searched
    if found is None:
        return []
    listed = len({s.nodes for s in comparison.scenarios})
    return [
        f"Every node count from {found.low:,} to {found.high:,} was priced ({found.choices:,} choices); "
        f"{listed} of the {found.counts:,} counts are listed."
    ]


def _breakdown(scenario: Scenario) -> str:
    assert scenario.cost_usd is not None  # it is priced
    weighs = scenario.effort_usd >= breakdown.SMALL * scenario.cost_usd.plan
    effort = f"; effort of operating it, not billed: {figures.usd(scenario.effort_usd)}" if weighs else ""
    return f"{breakdown.TITLE}: {breakdown.sentence(scenario)}{effort}."


def unpriced(lines: int, scenarios: int) -> tuple[str, str]:
    """Which totals lack a price: the first words, which may be a link, and the rest."""
    totals = f"the totals of {figures.many(scenarios, 'scenario')} are lower bounds or missing"
    return "No price", f" for {figures.many(lines, 'line')}: {totals}"


def out_of_date(prices: int) -> str:
    """What is said behind `4 prices`."""
    return " is out of date" if prices == 1 else " are out of date"
