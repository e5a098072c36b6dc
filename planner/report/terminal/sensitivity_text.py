"""What would change a decision, as text for a terminal and as JSON."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Any

from planner.decide.break_evens import BreakEven, Search
from planner.decide.comparison import Comparison
from planner.decide.probability import LowerCostProbability
from planner.decide.sensitivity import End, Swing
from planner.decide.study import Study
from planner.estimate.result import Scenario
from planner.report.data.comparison_json import number, percentile_usd, usd
from planner.report.data.encoding import json_text
from planner.report.data.provenance import made_by
from planner.report.terminal.columns import Column, command, cut, fitted, rows, wrap
from planner.report.wording import figures, recommendation
from planner.report.wording.break_evens import (
    break_even_sentence,
    end_of,
    lead,
    name,
    setting,
    short_id,
    unit_of,
    unmoved,
    untried,
    value,
    with_break_evens,
)

SCHEMA_VERSION = "1"
TABLE_FROM, NARROWEST = 80, 32
ODDS_SHOWN = 8


def render(
    comparison: Comparison,
    study: Study,
    pair: LowerCostProbability | None,
    *,
    width: int,
    ascii_only: bool,
    top: int,
    of: str,
    plan_path: str = "PLAN",
    again: Sequence[str] = (),
) -> str:
    """Lines of at most `width` cells (at least 32). top: rows of the table, 0 for all. of: "cost_usd" or "days".

    again: options that the next command must repeat.
    """
    width = max(width, NARROWEST)
    more = "..." if ascii_only else "…"
    fleet = figures.only_fleet(comparison.scenarios)
    scenario = study.scenario
    assert scenario.cost_usd is not None and scenario.days is not None  # noqa: PT018  a study has a priced scenario
    lines = [
        cut(" ".join(figures.visible(comparison.plan_name).split()), width, more),
        *wrap(
            f"#{recommendation.rank_of(comparison, scenario)} {scenario.id}: "
            f"${figures.dollars(scenario.cost_usd.plan)}"
            f" planned in {figures.days(scenario.days.plan)} days; "
            f"{figures.many(study.plans_priced, 'plan')} priced for this page",
            width,
            indent="  ",
        ),
        "",
        *wrap(
            "What moves it: planned again at the low and the high end of each assumption, the others as planned", width
        ),
    ]
    lines += _tornado(study, width, ascii_only, top, of)
    lines += ["", *wrap(f"What flips the decision. {lead(study, fleet)}", width)]
    for entry in with_break_evens(study):
        lines += wrap(f"  {break_even_sentence(entry, fleet)}", width, indent="      ")
    lines += wrap(f"  {_still(study)}", width, indent="  ")
    lines += wrap(f"  {untried(study)}", width, indent="  ")
    lines += ["", *_lower_cost(comparison, study, pair, width, fleet)]
    example = next((break_even for entry in with_break_evens(study) for break_even in entry.break_evens), None)
    if example:
        asked = " ".join(shlex.quote(figures.visible(word)) for word in (plan_path, *again))
        lines += ["", "Such a value can be tried:"]
        lines += command(f"planner compare {asked} {setting(example.parameter, example.value)}", width)
    text = "\n".join(line.rstrip() for line in lines) + "\n"
    return text.encode("ascii" if ascii_only else "utf-8", "replace").decode()


def _tornado(study: Study, width: int, ascii_only: bool, top: int, of: str) -> list[str]:
    moving = sorted((s for s in study.swings if s.spread(of)), key=lambda s: (-s.spread(of), s.parameter.key))
    if not moving:
        return ["  nothing: no assumption with a range moves it"]
    first = moving[: top or None]

    def end(entry: End) -> str:
        if entry.cost_usd is None or entry.days is None:
            return "infeasible"
        return figures.dollars(entry.cost_usd) if of == "cost_usd" else figures.days(entry.days)

    unit = "$" if of == "cost_usd" else "days"
    columns = [
        Column(title="Assumption", values=[name(s.parameter) for s in first], text=True),
        Column(title="Low", values=[end_of(s.parameter, 0) for s in first]),
        Column(
            title="Planned",
            values=[figures.plain(s.parameter.value, 4) if s.parameter.path else "-" for s in first],
            keep=2,
        ),
        Column(title="High", values=[end_of(s.parameter, 1) for s in first]),
        Column(title="Unit", values=[unit_of(s.parameter) for s in first], text=True, keep=3),
        Column(title=f"{unit} at low", values=[end(s.low) for s in first]),
        Column(title=f"{unit} at high", values=[end(s.high) for s in first]),
        Column(title="Leader changes", values=[_changes(study, s) for s in first], text=True, keep=1),
    ]
    placed = fitted(columns, width) if width >= TABLE_FROM else None
    if placed:
        lines = rows(placed, rule="-" if ascii_only else "─", more="..." if ascii_only else "…")
    else:
        lines = []
        for s in first:
            lines += wrap(f"{name(s.parameter)}", width, indent="  ")
            lines += wrap(f"  low {value(s.parameter, s.low.at)}: {unit} {end(s.low)}", width, indent="    ")
            lines += wrap(f"  high {value(s.parameter, s.high.at)}: {unit} {end(s.high)}", width, indent="    ")
    still = len(study.swings) - len(moving)
    if len(first) < len(moving):
        lines += wrap(f"... and {len(moving) - len(first)} that move it less: --top 0 shows all", width)
    if still:
        lines += wrap(f"{figures.many(still, 'assumption')} with a range do not move it at all", width)
    return lines


def _changes(study: Study, swing: Swing) -> str:
    """At which ends another scenario leads."""
    leader = study.ranking[0].id
    there = [word for word, end in (("low", swing.low), ("high", swing.high)) if end.first != leader]
    return "at " + " and ".join(there) if there else "no"


def _still(study: Study) -> str:
    entries = unmoved(study)
    if not entries:
        return "Every number that was tried changes it somewhere."
    runs = sum(entry.runs for entry in entries)
    names = "1 more number" if len(entries) == 1 else f"{len(entries)} more numbers"
    return (
        f"{names} change nothing, tried at {runs:,} values from a quarter of their low end to four times their high "
        "end: -f json lists them."
    )


def _lower_cost(
    comparison: Comparison, study: Study, pair: LowerCostProbability | None, width: int, fleet: str
) -> list[str]:
    if pair is not None:
        a, b = short_id(pair.a, fleet), short_id(pair.b, fleet)
        same = f", the same in {pair.same_fraction:.1%}" if pair.same_fraction else ""
        return wrap(
            f"{a} costs less than {b} in {pair.below_fraction:.1%} of {comparison.draws:,} draws{same}. In the "
            f"middle draw it {_saves(pair.saves_usd_p50)}; at P10 it {_saves(pair.saves_usd_p10)}, at P90 "
            f"it {_saves(pair.saves_usd_p90)}.",
            width,
            indent="  ",
        )
    likely = likeliest(comparison)
    if not likely:
        return ["How sure: nothing was drawn (--draws), so there are no shares."]
    lines = wrap(f"How sure: cheapest of all, in {comparison.draws:,} draws with everything varied at once", width)
    for scenario in likely[:ODDS_SHOWN]:
        rank = recommendation.rank_of(comparison, scenario)
        against = scenario.below_best_fraction
        beats = "" if against is None else f"; costs less than the planned best in {against:.1%}"
        text = f"  {scenario.cheapest_fraction:6.1%}  #{rank} {short_id(scenario.id, fleet)}{beats}"
        lines += wrap(text, width, indent="          ")
    return lines


def _saves(usd_saved: float) -> str:
    usd = figures.dollars(abs(usd_saved))
    return f"saves ${usd}" if usd_saved >= 0 else f"costs ${usd} more"


def likeliest(comparison: Comparison) -> list[Scenario]:
    """Scenarios by the share of the draws in which they are the cheapest, those that are in one of a thousand."""
    there = [s for s in comparison.scenarios if (s.cheapest_fraction or 0.0) >= 0.0005]
    return sorted(there, key=lambda s: (-(s.cheapest_fraction or 0.0), s.id))


def _end(entry: End) -> dict[str, Any]:
    return {
        "value": number(entry.at),
        "cost_usd": usd(entry.cost_usd),
        "days": number(entry.days),
        "first": entry.first,
    }


def _break_even(break_even: BreakEven) -> dict[str, Any]:
    return {
        "value": number(break_even.value),
        "keeps": number(break_even.keeps),
        "before": break_even.before or None,
        "first": break_even.first or None,
        "first_cost_usd": usd(break_even.first_usd),
        "before_cost_usd": usd(break_even.before_usd),
        "inside_range": break_even.inside,
        "set": setting(break_even.parameter, break_even.value),
    }


def _search(entry: Search) -> dict[str, Any]:
    return {
        "key": entry.parameter.key,
        "unit": entry.parameter.unit,
        "planned": number(entry.parameter.value),
        "tried_from": number(entry.lowest),
        "tried_to": number(entry.highest),
        "plans_priced": entry.runs,
        "flips": [_break_even(break_even) for break_even in entry.break_evens],
    }


def document(comparison: Comparison, study: Study, pair: LowerCostProbability | None) -> dict[str, Any]:
    """The study as plain data."""
    scenario = study.scenario
    assert scenario.cost_usd is not None and scenario.days is not None  # noqa: PT018  a study has a priced scenario
    return {
        "schema_version": SCHEMA_VERSION,
        "planner": made_by(),
        "plan": {"name": comparison.plan_name, "sha256": comparison.plan_sha256, "region": comparison.region},
        "prices": {"as_of": comparison.prices.as_of.isoformat(), "sha256": comparison.prices.sha256},
        "seed": comparison.seed,
        "draws": comparison.draws,
        "scenario": scenario.id,
        "cost_usd": usd(figures.plan_usd(scenario)),
        "days": number(scenario.days.plan),
        "swings": [
            {
                "key": s.parameter.key,
                "unit": s.parameter.unit,
                "planned": number(s.parameter.value) if s.parameter.path else None,
                "low": _end(s.low),
                "high": _end(s.high),
                "source": s.parameter.source,
            }
            for s in study.swings
        ],
        "leader": study.ranking[0].id,
        "searches": [_search(entry) for entry in study.searches],
        "unsearched": [parameter.key for parameter in study.unsearched],
        "odds": [
            {
                "scenario": s.id,
                "cheapest_fraction": number(s.cheapest_fraction),
                "below_best_fraction": number(s.below_best_fraction),
            }
            for s in likeliest(comparison)
        ],
        "pair": None
        if pair is None
        else {
            "a": pair.a,
            "b": pair.b,
            "below_fraction": number(pair.below_fraction),
            "same_fraction": number(pair.same_fraction),
            "above_fraction": number(pair.above_fraction),
            "saves_usd": {
                "p10": percentile_usd(pair.saves_usd_p10),
                "p50": percentile_usd(pair.saves_usd_p50),
                "p90": percentile_usd(pair.saves_usd_p90),
            },
        },
    }


def render_json(comparison: Comparison, study: Study, pair: LowerCostProbability | None) -> str:
    return json_text(document(comparison, study, pair))
