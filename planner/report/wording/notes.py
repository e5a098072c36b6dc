"""Notes on a comparison: the meaning of signs, missing prices, warnings, and which prices and draws were used."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from planner.decide.comparison import Comparison
from planner.decide.leaders import leaders_of, rank_of, without_node_price
from planner.estimate.block_purchase import PRICE_OF
from planner.estimate.result import Scenario
from planner.models.bill_lines import COMPUTE
from planner.report.data.groups import infeasible_of, unpriced_of
from planner.report.wording import evidence, figures, signs, stale_prices
from planner.report.wording.line import Kind, Line

BILLS_AND_SOURCES = "Bills and sources"
MOST = 4  # entries of one kind before the others are only counted


def details(comparison: Comparison, shown: Sequence[Scenario]) -> list[Line]:
    """What a screen has no room for: warnings about the alternatives, missing and out-of-date prices, what is not
    feasible, and the notes that hold for every total."""
    found = [*_unpriced(comparison, shown), *_infeasible(comparison)]
    old = stale_prices.sentences(comparison.stale)
    if old:
        found.append(f"{evidence.STALE} ({figures.many(len(old), 'price')}):")
    return [
        *_warnings(comparison, leaders_of(comparison)[1:]),
        *map(Line, found),
        *(Line(text, Kind.ITEM) for text in old),
        *(Line(f"Note: {note}") for note in comparison.notes),
    ]


def attention(comparison: Comparison, *, brief: bool = False) -> list[Line]:
    """Warnings about the recommended scenario. brief: without the date of a price that the answer calls old."""
    found = leaders_of(comparison)[:1]
    old = {option for entry in comparison.stale if entry.line == COMPUTE for option in entry.purchases}
    if brief and any(one.option in old for one in found):
        found = [replace(one, warnings=tuple(text for text in one.warnings if PRICE_OF not in text)) for one in found]
    return _warnings(comparison, found)


def more(comparison: Comparison, hidden: int, left: Sequence[str] = ()) -> Line:
    """What the options -v and --all add. hidden: choices without a row. left: parts that only -v shows."""
    old = len(stale_prices.sentences(comparison.stale))
    listed = [
        *left,
        figures.many(len(comparison.assumptions), "assumption"),
        figures.many(len(comparison.notes), "note"),
        *([figures.many(old, "old price")] if old else []),
    ]
    every = f"; --all: {hidden:,} more" if hidden else ""
    return Line(f"-v: {', '.join(listed)}{every}", Kind.CAUTION if old else Kind.SENTENCE)


def pressing(comparison: Comparison, shown: Sequence[Scenario], folded: Sequence[Scenario] = ()) -> list[Line]:
    """What a comment must always show: signs, missing prices, warnings about the scenarios of the answer.

    folded: rows of a longer table below, whose signs are explained here too."""
    found = [*signs.legend(comparison, [*shown, *folded]), *_unpriced(comparison, shown)]
    return [*map(Line, found), *_warnings(comparison, leaders_of(comparison))]


def _infeasible(comparison: Comparison) -> list[str]:
    groups = infeasible_of(comparison.scenarios)
    found = []
    for why, scenarios in groups[:MOST]:
        others = f" and {len(scenarios) - 1} more" if len(scenarios) > 1 else ""
        everything = 1 < len(scenarios) == len(comparison.scenarios)
        which = f"all {len(scenarios)} scenarios" if everything else scenarios[0].id + others
        found.append(f"{evidence.NOT_FEASIBLE}: {which}: {'; '.join(why)}")
    left = sum(len(scenarios) for _, scenarios in groups[MOST:])
    if left:
        found.append(f"{evidence.NOT_FEASIBLE}: {left} more; -f json has the reason for each")
    return found


def heading(comparison: Comparison) -> tuple[str, str]:
    """Region and fleet; then which prices, and where the ranges come from."""
    facts = [comparison.region]
    fleet = figures.only_fleet(comparison.scenarios)
    if fleet:
        facts.append(f"{fleet}, {comparison.scenarios[0].gpus:,} GPUs train")
    else:
        facts += dict.fromkeys(s.instance_type for s in comparison.scenarios)
    drawn = f"P10-P90 of {figures.many(comparison.draws, 'draw')}, seed {comparison.seed}"
    draws = drawn if comparison.draws else "no draws, no range"
    return ", ".join([*facts, "USD before tax"]), f"{prices(comparison)}; {draws}"


def prices(comparison: Comparison) -> str:
    return f"prices of {comparison.prices.as_of}{stale_prices.aged(comparison.prices)}"


def prices_and_draws(comparison: Comparison) -> tuple[str, str]:
    """Which prices and which draws, as separate facts."""
    return prices(comparison), f"{figures.many(comparison.draws, 'draw')}, seed {comparison.seed}"


def assumptions(comparison: Comparison) -> list[str]:
    """A title, then every assumption: value, 5th and 95th percentile, unit, source; those of the plan are marked."""
    lines = ["Assumptions: value (5th to 95th percentile) unit; source"]
    for entry in comparison.assumptions:
        own = " (set by the plan)" if entry.origin == "plan" else ""
        ends = f"{entry.value:g} ({entry.low:g} to {entry.high:g}) {entry.unit}"
        lines.append(f"{entry.key}{own}: {ends}; {evidence.sourced(entry)}")
    return lines


def _unpriced(comparison: Comparison, shown: Sequence[Scenario]) -> list[str]:
    """Lines without a price, the most frequent first, and in how many rows each is missing."""
    here = {s.id for s in shown}
    feasible = {s.id: s for s in comparison.scenarios if s.feasible}
    missing = [
        (entry, ids)
        for entry, ids in unpriced_of(list(feasible.values()))
        # what is small and known elsewhere is not why a row has no total that lacks another price
        if not entry.elsewhere or any(all(one.elsewhere for one in feasible[id].unpriced) for id in ids)
    ]
    found = []
    for entry, ids in sorted(missing, key=lambda item: -len(item[1]))[:MOST]:
        count = sum(id in here for id in ids)
        parts = [(count, "shown"), (len(ids) - count, "not shown")]
        where = " and ".join(f"{figures.many(number, 'row')} {which}" for number, which in parts if number)
        near = f" ({evidence.nearest(entry.nearest[:1])})" if entry.nearest else ""
        total = "no total" if all(without_node_price(feasible[id]) for id in ids) else "the total is a lower bound (>=)"
        found.append(f"{entry.line}: {evidence.no_price(entry)}{near}; {total} in {where}")
    if len(missing) > MOST:
        count = figures.many(len(missing) - MOST, "more price", "more prices")
        found.append(f"{count} unknown; -f json lists them")
    return found


def _warnings(comparison: Comparison, scenarios: Sequence[Scenario]) -> list[Line]:
    """The warnings about these scenarios, each once; the answer itself says which may not finish."""
    ranks_of: dict[str, list[str]] = {}
    for scenario in scenarios:
        for warning in scenario.warnings:
            ranks_of.setdefault(warning, []).append(f"#{rank_of(comparison, scenario)}")
    groups: dict[str, list[str]] = {}
    for warning, ranks in ranks_of.items():
        groups.setdefault(" and ".join(dict.fromkeys(ranks)), []).append(warning)
    return [
        line
        for ranks, texts in groups.items()
        for line in (Line(f"On {ranks}:"), *(Line(text, Kind.WARNING) for text in texts))
    ]
