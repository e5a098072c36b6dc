"""What stands under the table in a terminal: what the signs mean, what is missing, what the picks hide."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from planner.decide.comparison import Comparison
from planner.estimate.facts import unfinished_warning
from planner.estimate.result import Scenario
from planner.report.terminal.columns import wrap
from planner.report.wording import figures, recommendation, stale_prices

MOST = 4  # entries of one kind before the rest is counted
MAY_NOT_FINISH = "!"


def remarks(comparison: Comparison, shown: Sequence[Scenario]) -> list[str]:
    """What the signs mean, what is wrong with what the answer names, what is left out: short, and each thing once."""
    found = pressing(comparison, shown)
    reasons: dict[tuple[str, ...], list[str]] = {}
    for scenario in comparison.scenarios:
        if not scenario.feasible:
            reasons.setdefault(scenario.why_not, []).append(scenario.id)
    for why, ids in list(reasons.items())[:MOST]:
        others = f" and {len(ids) - 1} more" if len(ids) > 1 else ""
        which = f"all {len(ids)} scenarios" if 1 < len(ids) == len(comparison.scenarios) else ids[0] + others
        found.append(f"Not feasible: {which}: {'; '.join(why)}")
    if len(reasons) > MOST:
        left = sum(len(ids) for ids in list(reasons.values())[MOST:])
        found.append(f"Not feasible: {left} more, each with its reason in -f json")
    old = stale_prices.sentences(comparison.stale)
    if old:
        rest = f", and {len(old) - 1} more: -f json lists them" if len(old) > 1 else ""
        found.append(f"Stale: {figures.many(len(old), 'price')}: {old[0]}{rest}")
    count = figures.many(len(comparison.assumptions), "assumption")
    rests = f"Note: this rests on {count}, each with range and source: -v, -f json or the report lists them"
    return [*found, *(f"Note: {note}" for note in comparison.notes), rests]


def pressing(comparison: Comparison, shown: Sequence[Scenario], folded: Sequence[Scenario] = ()) -> list[str]:
    """What must not be folded away: what the signs mean, what has no price, what is wrong with what is named.

    folded: rows of a longer table further down, whose signs are told here, too."""
    return [*_legend(comparison, [*shown, *folded]), *_unpriced(comparison, shown), *_caveats(comparison)]


def heading(comparison: Comparison) -> tuple[str, str]:
    """Where the run stands and on which fleet; then which prices, and how the ranges came about."""
    prices = comparison.prices
    facts = [comparison.region]
    fleet = figures.only_fleet(comparison.scenarios)
    if fleet:
        facts.append(f"{fleet}, {comparison.scenarios[0].gpus:,} GPUs train")
    else:
        facts += dict.fromkeys(s.instance_type for s in comparison.scenarios)
    draws = (
        f"P10-P90 of {comparison.draws:,} draws, seed {comparison.seed}" if comparison.draws else "no draws, no range"
    )
    return ", ".join([*facts, "USD before tax"]), f"prices of {prices.as_of}{aged(comparison)}; {draws}"


def aged(comparison: Comparison) -> str:
    """`, 34 days old on 2026-10-05`: the run's start or --as-of, not today, which no model knows; nothing without."""
    days = comparison.prices.age_days
    if days is None:
        return ""
    day = comparison.prices.as_of + timedelta(days=days)
    return f", {days} days old on {day}" if days >= 0 else f", {-days} days younger than {day}"


def assumptions(comparison: Comparison, width: int) -> list[str]:
    """Every assumption used: value, 5th and 95th percentile, unit, source; the plan's own are marked."""
    lines = ["", "Assumptions: value (5th to 95th percentile) unit; source"]
    for entry in comparison.assumptions:
        own = ", of the plan" if entry.origin == "plan" else ""
        year = f" ({entry.year})" if entry.year else ""
        text = f"{entry.key}{own}: {entry.value:g} ({entry.low:g} to {entry.high:g}) {entry.unit}; {entry.source}{year}"
        lines += wrap(figures.visible(text), width, indent="  ")
    return [*lines, ""]


def _legend(comparison: Comparison, shown: Sequence[Scenario]) -> list[str]:
    """What the signs in the table mean."""
    found: list[str] = []
    if any(recommendation.may_not_finish(s) for s in shown):
        text = f"{MAY_NOT_FINISH}  may not finish: in some draws interruptions come faster than work is saved"
        floor = any(recommendation.open_ended(s) for s in shown)
        found.append(text + ("; its P90 (>) is only a floor" if floor else ""))
    if any(s.extrapolated for s in shown):
        found.append("*  beyond the measured rows of the throughput table: extrapolated, with a wider range")
    term = recommendation.commitments(comparison, shown)
    found += [f"RI, SP: {term}"] if term else []
    return found


def _unpriced(comparison: Comparison, shown: Sequence[Scenario]) -> list[str]:
    """What has no price, the most frequent first, and in how many rows."""
    here = {s.id for s in shown}
    missing: dict[tuple[str, str], list[Scenario]] = {}
    for scenario in comparison.scenarios:
        for entry in scenario.unpriced if scenario.feasible else ():
            near = f" (nearest: {entry.nearest[0]})" if entry.nearest else ""
            missing.setdefault((entry.line, entry.what + near), []).append(scenario)
    found = []
    most = sorted(missing.items(), key=lambda item: -len(item[1]))
    for (line, what), scenarios in most[:MOST]:
        count = sum(s.id in here for s in scenarios)
        parts = [(count, "shown"), (len(scenarios) - count, "not shown")]
        where = " and ".join(f"{figures.many(number, 'row')} {which}" for number, which in parts if number)
        if all(map(recommendation.without_nodes, scenarios)):
            found.append(f"no price, in {where}: {line}: {what}")
        else:
            found.append(f">= a lower bound, in {where}: {line}: no price for {what}")
    if len(most) > MOST:
        found.append(f"and {figures.many(len(most) - MOST, 'more price', 'more prices')} unknown: -f json lists them")
    return found


def _caveats(comparison: Comparison) -> list[str]:
    """The warnings of what the answer names: those of both once. That one may not finish stands in the answer."""
    named: dict[str, list[str]] = {}
    for scenario in recommendation.picks(comparison):
        said = unfinished_warning(scenario.unfinished_fraction)
        for warning in scenario.warnings:
            if warning not in said:
                named.setdefault(warning, []).append(f"#{recommendation.rank_of(comparison, scenario)}")
    groups: dict[str, list[str]] = {}
    for warning, ranks in named.items():
        groups.setdefault(" and ".join(dict.fromkeys(ranks)), []).append(warning)
    return [line for ranks, texts in groups.items() for line in (f"On {ranks}:", *(f"  - {text}" for text in texts))]
