"""What a short table leaves out, in a line each: commitments, and why other choices have no row."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from planner.decide.commitments import CommitmentFamily
from planner.decide.leaders import without_node_price
from planner.decide.shortlist import Shortlist
from planner.estimate.result import Scenario
from planner.report.wording import evidence, figures
from planner.report.wording.eligibility import held_back
from planner.report.wording.figures import FAMILIES
from planner.report.wording.line import Kind, Line

NAMES = 2  # purchase options or layouts that are named; more are only counted
REASONS = 4  # groups that are named


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


def others(shortlist: Shortlist, title: str = "Not in the table (--all shows them)") -> list[Line]:
    """A title and a line for each reason; empty if every choice has a row or is folded."""
    groups = [
        *_grouped(shortlist.not_eligible, _shortfalls),
        *_grouped(shortlist.unpriced, _missing),
        *_grouped(shortlist.infeasible, lambda s: s.why_not),
    ]
    if not groups:
        return []
    lines = [Line(f"{_which(scenarios)}: {text}", Kind.ITEM) for scenarios, text in groups[:REASONS]]
    left = sum(len(scenarios) for scenarios, _ in groups[REASONS:])
    if left:
        lines.append(Line(f"{figures.many(left, 'choice')} for other reasons", Kind.ITEM))
    return [Line(f"{title}:"), *lines]


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


MISSES = {
    "finish": "never finishes",
    "block": "outlasts its Capacity Block",
    "deadline": "misses the deadline",
    "assumed limit": "takes longer than the assumed limit",
    "budget": "costs more than the budget",
    "delivery": "delivers too few node-hours",
    "reading": "reads more slowly than training needs",
}


def _shortfalls(scenario: Scenario) -> list[str]:
    return [entry.kind for entry in scenario.shortfalls] or [held_back(scenario)]


def misses(scenarios: Sequence[Scenario]) -> list[str]:
    """What they miss, and in which share of the outcomes."""
    kinds = [entry.kind for entry in scenarios[0].shortfalls]
    return [
        f"{MISSES[kind]} in "
        f"{figures.shares([1 - e.fraction for s in scenarios for e in s.shortfalls if e.kind == kind])} of the outcomes"
        for kind in kinds
    ]


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
