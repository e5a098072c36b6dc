"""What a short table leaves out, in a line each: commitments, and why other choices have no row."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from planner.answer.measure import cost_of
from planner.answer.row import Row
from planner.decide.commitments import CommitmentFamily
from planner.decide.comparison import Comparison
from planner.decide.leaders import without_node_price
from planner.decide.shortlist import Shortlist
from planner.estimate.result import Scenario
from planner.report.wording import evidence, figures
from planner.report.wording.eligibility import held_back
from planner.report.wording.figures import FAMILIES
from planner.report.wording.line import Kind, Line

NOT_IN_THE_TABLE = "Not in the table (--all shows them)"
MISSES = {
    "finish": "never finishes",
    "block": "outlasts its Capacity Block",
    "deadline": "misses the deadline",
    "assumed limit": "takes longer than the assumed limit",
    "budget": "costs more than the budget",
    "delivery": "delivers too few node-hours",
    "reading": "reads more slowly than training needs",
}
LATE = MISSES | {"deadline": "late", "assumed limit": "late"}  # where there is room for a line
OF_THE_OUTCOMES = " of the outcomes"
READING = "data.read_mb_per_s_per_gpu"
NAMES = 2  # purchase options or layouts that are named; more are only counted
REASONS = 4  # groups that are named
ON_DEMAND = "on-demand"


def commitments(families: Sequence[CommitmentFamily]) -> list[Line]:
    """`SP 1y inst (12, from $48.9M): pays off after 5,554 h (2027-05-24) or 92% reuse`, a line each."""
    return [Line(f"{_title(family)}: {pays_off(family)}") for family in families]


def commitments_in_full(families: Sequence[CommitmentFamily]) -> list[Line]:
    """The same in sentences, for where there is room."""
    return [Line(_in_full(family)) for family in families]


def _in_full(family: CommitmentFamily) -> str:
    cost = family.first.cost_usd
    assert cost is not None
    count = figures.many(len(family.scenarios), "choice")
    text = f"{FAMILIES[family.family]} ({count}, from {figures.usd(cost.p50)}): "
    text += figures.purchase_words(family.first.option)
    if family.break_even_hours is None:
        text += " never costs less than On-Demand"
    else:
        day = f" (until {family.break_even_day} without a pause)" if family.break_even_day else ""
        text += f" costs less than On-Demand after {family.break_even_hours:,.0f} hours of use in the term{day}"
    if family.reuse_fraction is None:
        return f"{text}; it is not the cheapest choice even if other work uses all of the unused part."
    share = figures.percent(family.reuse_fraction)
    return f"{text}, and is the cheapest choice if other work uses {share} of the unused part."


def _title(family: CommitmentFamily) -> str:
    cost = family.first.cost_usd
    assert cost is not None
    name = figures.short_purchase(family.first.option)
    return f"{name} ({len(family.scenarios)}, from {figures.usd(cost.p50)})"


def pays_off(family: CommitmentFamily) -> str:
    """After which use of a term it costs less than On-Demand, and at which reuse of the rest less than the answer."""
    if family.break_even_hours is None:
        text = "never costs less than On-Demand"
    else:
        day = f" ({family.break_even_day})" if family.break_even_day else ""
        text = f"pays off after {family.break_even_hours:,.0f} h{day}"
    if family.reuse_fraction is None:
        return f"{text}; never by reuse"
    return f"{text} or {figures.percent(family.reuse_fraction)} reuse"


def others(shortlist: Shortlist, title: str = NOT_IN_THE_TABLE) -> list[Line]:
    """A title and a line for each reason; empty if every choice has a row or is folded."""
    without = _without_a_row(shortlist)
    left = [s for s in shortlist.not_eligible if s.layout not in without]
    lines = [Line(_layout(found, shortlist.best), Kind.ITEM) for found in without.values()]
    lines += _reasons(shortlist, left)
    return [Line(f"{title}:"), *lines] if lines else []


def storage(shortlist: Shortlist, comparison: Comparison) -> list[Line]:
    """`s3-stream: $354k, late in 15%`, each layout without a row, so that every storage is seen; and On-Demand
    nodes, which most people would take."""
    layouts = list(_without_a_row(shortlist).values())
    groups = [group for group in (_on_demand_without_a_row(shortlist), *layouts) if group]
    said = [_missing_limit(group, shortlist.best, LATE)[1].removesuffix(OF_THE_OUTCOMES) for group in groups]
    found = [Line(f"Not eligible: {'; '.join(said)}")] if said else []
    return [*found, *(reading(comparison) if layouts else [])]


def _on_demand_without_a_row(shortlist: Shortlist) -> list[Scenario]:
    best, rows = shortlist.best, [s for _, s in shortlist.rows]
    if best is None or any(s.option.family == ON_DEMAND for s in (*rows, *shortlist.other_counts)):
        return []
    return [s for s in shortlist.not_eligible if s.option.family == ON_DEMAND and s.layout == best.layout]


def reading(comparison: Comparison) -> list[Line]:
    """Said beside layouts that are late, and where nothing is in time: what decides it, if the plan leaves it open."""
    found = [each for each in comparison.assumptions if each.key == READING and each.origin == "default"]
    return [
        Line(
            f"The read rate decides this: set data.read_per_gpu (assumed {each.value:g} MB/s, {each.low:g} to "
            f"{each.high:g})."
        )
        for each in found
    ]


def _without_a_row(shortlist: Shortlist) -> dict[str, list[Scenario]]:
    there, found = {s.layout for _, s in shortlist.rows}, dict[str, list[Scenario]]()
    for scenario in shortlist.not_eligible:
        if scenario.layout not in there:
            found.setdefault(scenario.layout, []).append(scenario)
    return found


def _reasons(shortlist: Shortlist, not_eligible: Sequence[Scenario]) -> list[Line]:
    groups = [
        *_grouped(not_eligible, _shortfalls),
        *_grouped(shortlist.unpriced, _missing),
        *_grouped(shortlist.infeasible, lambda s: s.why_not),
    ]
    lines = [f"{_which(scenarios)}: {text}" for scenarios, text in groups[:REASONS]]
    left = sum(len(scenarios) for scenarios, _ in groups[REASONS:])
    lines += [f"{figures.many(left, 'choice')} for other reasons"] if left else []
    counts = len(shortlist.other_counts)
    lines += [f"other node counts ({figures.many(counts, 'choice')})"] if counts else []
    return [Line(text, Kind.ITEM) for text in lines]


def _layout(found: Sequence[Scenario], best: Scenario | None) -> str:
    """`s3-stream on capacity-block: $279k, misses the deadline in 20% of the outcomes (20 x p5; 91 choices)`"""
    one, said = _missing_limit(found, best)
    return f"{said} ({figures.fleet(one)}; {figures.many(len(found), 'choice')})"


def _missing_limit(
    found: Sequence[Scenario], best: Scenario | None, words: Mapping[str, str] = MISSES
) -> tuple[Scenario, str]:
    """What a layout costs and misses on the recommended nodes, so that only the storage differs; where it has no such
    choice, or nothing is recommended, the choice that misses its limits in the fewest outcomes."""
    same = [] if best is None else [s for s in found if _differs_in_one(s, best)]
    one = min(same or found, key=_how_far)
    name = figures.layout_name(one)
    if best is None or one.option != best.option:
        name += f" on {figures.short_purchase(one.option)}"
    return one, f"{name}: {figures.usd(cost_of(one, 'p50'))}, {'; '.join(misses([one], words) or _shortfalls(one))}"


def _differs_in_one(one: Scenario, best: Scenario) -> bool:
    """Whether it is of the same nodes, and either bought or stored in the same way."""
    same_nodes = (one.nodes, one.instance_type) == (best.nodes, best.instance_type)
    return same_nodes and (one.option == best.option or (one.layout, one.variant) == (best.layout, best.variant))


def _how_far(scenario: Scenario) -> tuple[float, float]:
    """The share of the outcomes in which it misses a limit, to the percent; then its cost."""
    return round(max((1 - each.fraction for each in scenario.shortfalls), default=0.0), 2), cost_of(scenario, "p50")


def _grouped(
    scenarios: Sequence[Scenario], reason: Callable[[Scenario], Sequence[str]]
) -> list[tuple[list[Scenario], str]]:
    """Scenarios by reason, with its text."""
    found: dict[tuple[str, ...], list[Scenario]] = {}
    for scenario in scenarios:
        found.setdefault(tuple(reason(scenario)), []).append(scenario)
    return [
        (group, "; ".join(misses(group) if key and key[0] in MISSES else key) or "does not meet the limits")
        for key, group in found.items()
    ]


def _shortfalls(scenario: Scenario) -> list[str]:
    return [entry.kind for entry in scenario.shortfalls] or [held_back(scenario)]


def misses(scenarios: Sequence[Row], words: Mapping[str, str] = MISSES) -> list[str]:
    """What they miss, and in which share of the outcomes."""
    kinds = [entry.kind for entry in scenarios[0].shortfalls]
    missed = {kind: [1 - e.fraction for s in scenarios for e in s.shortfalls if e.kind == kind] for kind in kinds}
    return [f"{words[kind]} in {figures.shares(shares)}{OF_THE_OUTCOMES}" for kind, shares in missed.items()]


def _missing(scenario: Scenario) -> list[str]:
    """Without the names of what is near, which -v has."""
    if without_node_price(scenario):
        return ["no price for the GPU nodes"]
    return list(dict.fromkeys(f"{entry.line}: {evidence.no_price(entry)}" for entry in scenario.unpriced))


def _which(scenarios: Sequence[Scenario]) -> str:
    """`spot (4 choices)`: the purchase options or layouts they share, if these are few."""
    count = figures.many(len(scenarios), "choice")
    purchases = list(dict.fromkeys(figures.short_purchase(s.option) for s in scenarios))
    layouts = list(dict.fromkeys(map(figures.layout_name, scenarios)))
    for names in sorted((purchases, layouts), key=len):
        if len(names) <= NAMES:
            return f"{' and '.join(names)} ({count})"
    return count
