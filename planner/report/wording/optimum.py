"""The result of `optimize` in words: the answer, the frontier, and a reason against each rejected family."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from planner.answer.measure import cost_of, ranked
from planner.answer.recommend import SMALL
from planner.decide.candidates import Candidate
from planner.decide.frontier import days_of
from planner.decide.narrow import spread_over
from planner.decide.optimize import TIME, Optimum
from planner.decide.rejected import Rejected
from planner.estimate.bounds import reason
from planner.estimate.result import Scenario
from planner.models.bill import without_nodes
from planner.report.wording import (
    alternatives,
    answer,
    eligibility,
    figures,
    rounding,
    spoken,
    spoken_choice,
    stale_prices,
)
from planner.report.wording.line import Kind, Line
from planner.report.wording.preferred import MEASURES, preferred_for
from planner.report.wording.table import Column

FRONTIER, REJECTED = (
    "From the shortest to the cheapest run (cost-time frontier)",
    "Rejected, with the best choice of each",
)
ALIKE = 0.005  # costs or days that differ by less are said to be the same
BY_HAND = "+"  # marks a choice that is never recommended


def sentences(optimum: Optimum) -> list[Line]:
    """What is recommended, among how many choices, at which risk; and what else to consider."""
    best = optimum.comparison.best
    if best is None or optimum.recommended is None:
        texts = [*_nearest(optimum), searched(optimum)]
        return [Line(answer.nothing(optimum.comparison)), *(Line(text, Kind.DETAIL) for text in texts)]
    lines = [
        Line(f"{answer.RECOMMENDED}: {recommended(optimum)}"),
        *(Line(text, Kind.DETAIL) for text in reasons(optimum)),
    ]
    chosen = {(c.scenario.id, c.size.spares): c for c in optimum.alternatives}
    for candidate, (scenario, title, text) in zip(
        chosen.values(), alternatives.alternatives(optimum.comparison), strict=False
    ):
        lines.append(Line(f"{title}: {bought(candidate)}: {_figures(scenario)}. {text}"))
    return lines


def _nearest(optimum: Optimum) -> list[str]:
    """How long the shortest run takes, where nothing keeps the limits."""
    found = optimum.nearest
    if found is None or found.scenario.days is None:
        return []
    days = spoken.run_days(found.scenario.days.p90)
    return [f"The shortest run takes up to {days} in 9 of 10 outcomes: {bought(found)}, {_figures(found.scenario)}."]


def warnings(optimum: Optimum) -> list[Line]:
    """What to know about the recommended choice before acting on it."""
    best = optimum.comparison.best
    if best is None or not best.warnings:
        return []
    return [Line("On the recommended choice:"), *(Line(text, Kind.WARNING) for text in best.warnings)]


def recommended(optimum: Optimum) -> str:
    """What to buy, what it costs and how long it takes, in two sentences."""
    assert optimum.recommended is not None and optimum.comparison.best is not None  # noqa: PT018  there is an answer
    best = optimum.comparison.best
    storage = f"storage: {figures.layout_words(best)}"
    return f"{_fleet(optimum.recommended)}, {figures.purchase_words(best.option)}; {storage}. " + answer.costs(
        optimum.comparison, best
    )


def reasons(optimum: Optimum) -> list[str]:
    """Why it is recommended, its risk, and what was searched."""
    best, chosen = optimum.comparison.best, optimum.recommended
    assert best is not None and chosen is not None  # noqa: PT018  there is an answer
    kept = answer.kept(optimum.comparison, best)
    if optimum.minimize == TIME:
        why = f"It is the shortest run that {kept}, or the cheapest of those within {SMALL:.0%} of it."
    elif optimum.first is chosen or optimum.first is None:
        why = f"It has the lowest {MEASURES[optimum.comparison.answer.rank_by]} of all choices that can be "
        why += f"deployed and whose run {kept}."
    else:
        why = (
            f"Its run {kept}. It costs as much as the lowest, {bought(optimum.first)}, within the uncertainty, and is "
            f"chosen for {preferred_for(best, optimum.first.scenario, optimum.comparison.answer.rank_by)}."
        )
    return [
        *stale_prices.warnings(optimum.comparison.stale),
        why,
        answer.risk(optimum.comparison, best),
        searched(optimum),
        *_at_the_end(optimum, chosen),
    ]


def searched(optimum: Optimum) -> str:
    """`13,824 choices were priced: every count from 64 to 128 nodes, with 0 to 2 spares.`"""
    grid = optimum.grid
    around = "" if grid.stated else " (around the plan's; fleet.nodes=LOW..HIGH sets the range)"
    spares = f"{grid.spares[0]} to {grid.spares[-1]} of them spare"
    counts = f"every count from {grid.low:,} to {grid.high:,} nodes{around}"
    return f"{optimum.evaluated:,} choices were priced: {counts}, {spares}."


def _at_the_end(optimum: Optimum, chosen: Candidate) -> list[str]:
    """That the answer is at an end of the range, so that the best may lie beyond it."""
    for end, nodes in (("lower", optimum.grid.low), ("upper", optimum.grid.high)):
        if chosen.size.nodes == nodes and optimum.grid.low < optimum.grid.high:
            limits = chosen.scenario.limit_is_assumed and end == "lower"
            more = "a deadline (--deadline) or a wider range may change it" if limits else "the best may lie beyond it"
            return [f"It is at the {end} end of the searched range: {more}."]
    return []


def settings(candidate: Candidate) -> tuple[str, ...]:
    """`path=value` of a candidate's fleet, as in `--set`."""
    return f"fleet.nodes={candidate.size.nodes}", f"fleet.spares={candidate.size.spares}"


def bought(candidate: Candidate) -> str:
    """`72 x p5.48xlarge (1 spare), S3 streaming on a Capacity Block`."""
    return f"{_fleet(candidate)}, {spoken_choice.spoken(candidate.scenario)}"


def _fleet(candidate: Candidate) -> str:
    spares = candidate.size.spares
    return figures.fleet(candidate.scenario) + (f" ({figures.many(spares, 'spare')})" if spares else "")


def _figures(scenario: Scenario) -> str:
    assert scenario.cost_usd is not None and scenario.days is not None  # noqa: PT018  it is priced
    cost = scenario.cost_usd
    if math.isinf(cost.p50):
        return "does not finish in more than half of the outcomes"
    below = "no P90" if math.isinf(cost.p90) else f"P90 {figures.usd(cost.p90)}"
    return f"about {figures.usd(cost.p50)} and {spoken.run_days(scenario.days.p50)} ({below})"


def frontier_rows(optimum: Optimum, top: int) -> list[Candidate]:
    """The candidates of the frontier that a table has; top: how many, 0 for all.

    The ends, the recommended one, and those that cost at least SMALL less than the one before, of all and of those that
    a stack can deploy: a longer run at the same cost is no choice.
    """
    frontier, chosen = _as_printed(optimum), optimum.recommended
    if not top or not frontier:
        return frontier
    able = [c for c in frontier if not c.scenario.held_back]
    steps = [*_steps(frontier, optimum.comparison.answer.rank_by), *_steps(able, optimum.comparison.answer.rank_by)]
    shown = [c for c in frontier if any(c is step for step in steps)]
    shown = [shown[place] for place in spread_over(range(len(shown)), top)]
    return [c for c in frontier if c is chosen or any(c is other for other in shown)]


def _as_printed(optimum: Optimum) -> list[Candidate]:
    """The frontier without what another row beats, or equals, in its printed days and cost. One that is never
    recommended beats no other."""
    by, chosen = optimum.comparison.answer.rank_by, optimum.recommended
    found: list[tuple[Candidate, float, float]] = []
    for c in sorted(optimum.frontier, key=lambda c: c is not chosen):
        cost = rounding.printed(cost_of(c.scenario, by), figures.dollars)
        days = rounding.printed(days_of(c), figures.days)
        beaten = any(
            other_cost <= cost and other_days <= days and (c.scenario.held_back or not other.scenario.held_back)
            for other, other_cost, other_days in found
        )
        if not beaten:
            found.append((c, cost, days))
    return [c for c in optimum.frontier if any(c is kept for kept, _, _ in found)]


def _steps(candidates: Sequence[Candidate], rank_by: str) -> list[Candidate]:
    found: list[Candidate] = []
    for candidate in candidates:
        cost = cost_of(candidate.scenario, rank_by)
        if not found or cost <= cost_of(found[-1].scenario, rank_by) * (1 - SMALL):
            found.append(candidate)
    return found


def frontier_columns(rows: Sequence[Candidate], recommended: Candidate | None) -> list[Column]:
    """Every column of the frontier's table."""
    types = figures.short_types([c.scenario for c in rows])

    def column(title: str, values: list[str], *, text: bool = False, keep: int = 0) -> Column:
        return Column(title=title, values=values, text=text, keep=keep)

    cost = [c.scenario.cost_usd for c in rows]
    days = [c.scenario.days for c in rows]
    return [
        column("", ["*" if c is recommended else BY_HAND if c.scenario.held_back else "" for c in rows]),
        column("Nodes", [str(c.size.nodes) for c in rows]),
        column("Spares", [str(c.size.spares) for c in rows]),
        *([column("Type", [types[c.scenario.instance_type] for c in rows], text=True)] if len(types) > 1 else []),
        column("Layout", [figures.layout_name(c.scenario) for c in rows], text=True),
        column("Buy", [figures.short_purchase(c.scenario.option) for c in rows], text=True),
        column("Days", [figures.days(value.p50) if value else "-" for value in days]),
        column("Days P90", [figures.days(value.p90) if value else "-" for value in days], keep=1),
        column("P50 $", [figures.dollars(value.p50) if value else "-" for value in cost]),
        column("P90 $", [figures.dollars(value.p90) if value else "-" for value in cost]),
    ]


def frontier_legend(optimum: Optimum, rows: Sequence[Candidate]) -> list[str]:
    """What the marks mean, and how many rows are left out."""
    chosen = optimum.recommended
    there = chosen is None or any(c is chosen for c in rows)
    found = [*(["* recommended"] if chosen and there else []), *([] if there else [_not_on_it(optimum)])]
    reasons = dict.fromkeys(
        _without_count(eligibility.held_back(c.scenario)).removeprefix("is ") for c in rows if c.scenario.held_back
    )
    found += [f"{BY_HAND} never recommended: {'; '.join(reasons)}"] if reasons else []
    left = sum(all(c is not row for row in rows) for c in _as_printed(optimum))
    return found + ([f"{left} more between them (--top 0 shows all)"] if left else [])


def _not_on_it(optimum: Optimum) -> str:
    """Why the recommended choice has no row, where another costs no more and is no longer."""
    best, first = optimum.comparison.best, optimum.first
    if best is None or first is None or first is optimum.recommended:
        return "The recommended choice is as good as the nearest of these, within the uncertainty."
    return (
        f"The recommended choice ties with {bought(first)}, within the uncertainty, and is chosen for "
        f"{preferred_for(best, first.scenario, optimum.comparison.answer.rank_by)}."
    )


def _without_count(text: str) -> str:
    """`more than 2 Capacity Blocks` in a sentence about several counts."""
    return re.sub(r"[0-9,]+ nodes are ", "", text)


def rejections(optimum: Optimum) -> list[Line]:
    """A line for each family that is not recommended."""
    return [Line(f"{family(entry)}: {why(optimum, entry)}", Kind.ITEM) for entry in optimum.rejected]


def family(entry: Rejected) -> str:
    """The family as people name it: `fsx-lustre`, `Capacity Block`."""
    return figures.FAMILIES.get(entry.family, entry.family) if entry.kind == "purchase" else entry.family


def why(optimum: Optimum, entry: Rejected) -> str:
    """The reason against a family: that of its best choice."""
    if entry.passed_over:
        least = figures.usd(entry.passed_over.least_usd)
        return f"costs at least {least}, because the whole term is charged"
    if entry.best is None:
        return "nothing to compare"
    s, name = entry.best.scenario, f"at best {bought(entry.best)}"
    if not s.feasible:
        return "; ".join(s.why_not)
    if not s.complete:
        return "no price for the GPU nodes" if without_nodes(s.unpriced) else reason(s)
    if not s.eligible:
        return f"{'; '.join(eligibility.why_not(s))}; {name}, {_figures(s)}"
    more = _more(optimum, entry.best) + _although(optimum, s)
    lacks = f"; it {eligibility.held_back(s)}" if s.held_back else ""
    return f"{more}; {name}, {_figures(s)}{lacks}"


def _although(optimum: Optimum, other: Scenario) -> str:
    """Why a choice that costs or takes no more than the recommended one is rejected all the same; "" if it costs or
    takes more, or is never recommended."""
    best, by = optimum.comparison.best, optimum.comparison.answer.rank_by
    if best is None or other.held_back:
        return ""
    if optimum.minimize == TIME:
        shorter = best.days and other.days and other.days.p50 <= best.days.p50
        return f", and costs more for less than {SMALL:.0%} of the time" if shorter else ""
    if cost_of(other, by) > cost_of(best, by) * (1 + ALIKE):
        return ""
    if ranked(other, by) > ranked(best, by) and other.effort_usd > best.effort_usd:
        return f", but takes {figures.usd(other.effort_usd - best.effort_usd)} more of an engineer's time"
    return f", within the uncertainty; the recommended choice is preferred for {preferred_for(best, other, by)}"


def _more(optimum: Optimum, other: Candidate) -> str:
    """`costs 10% more`, or how much longer it takes."""
    if optimum.recommended is None:
        return "eligible"
    best, rank_by = optimum.recommended, optimum.comparison.answer.rank_by
    if optimum.minimize == TIME:
        share, what, unit = days_of(other) / days_of(best) - 1, "takes", "longer"
    else:
        share, what, unit = cost_of(other.scenario, rank_by) / cost_of(best.scenario, rank_by) - 1, "costs", "more"
    if abs(share) < ALIKE:
        return f"{what} as much" if what == "costs" else f"{what} as long"
    if what == "takes":
        return f"{what} {figures.percent(abs(share))} {unit if share > 0 else 'shorter'}"
    apart = rounding.share_apart(cost_of(best.scenario, rank_by), cost_of(other.scenario, rank_by))
    return f"{what} {apart} {unit if share > 0 else 'less'}"
