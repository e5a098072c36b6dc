"""What would change a decision, as plain data."""

from __future__ import annotations

from typing import Any

from planner.decide.break_evens import BreakEven, Search
from planner.decide.comparison import Comparison
from planner.decide.leaders import likeliest
from planner.decide.probability import LowerCostProbability
from planner.decide.sensitivity import End
from planner.decide.study import Study
from planner.report.data.compared_json import number, percentile_usd, usd
from planner.report.data.encoding import json_text
from planner.report.data.provenance import made_by
from planner.report.wording import figures
from planner.report.wording.break_evens import setting

SCHEMA_VERSION = "1"


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
        "first": break_even.then.id or None,
        "first_cost_usd": usd(break_even.then.usd),
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
        "block_days_at_low": number(entry.low.block_days),
        "block_days_at_high": number(entry.high.block_days),
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
                "of": "p50" if s.low.is_p50 else "plan",
                "source": s.parameter.source,
            }
            for s in study.swings
        ],
        "leader": study.searches[0].planned.id or None,
        "searches": [_search(entry) for entry in study.searches],
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


def render(comparison: Comparison, study: Study, pair: LowerCostProbability | None) -> str:
    return json_text(document(comparison, study, pair))
