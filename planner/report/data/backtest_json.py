"""The result of `backtest` as a JSON document."""

from __future__ import annotations

import math
from typing import Any

from planner.evidence.replay import VERDICTS, Backtest, Result
from planner.report.data.compared_json import SCHEMA_VERSION
from planner.report.data.encoding import json_text
from planner.report.data.provenance import made_by


def document(found: Backtest) -> dict[str, Any]:
    """The whole result as plain data."""
    return {
        "schema_version": SCHEMA_VERSION,
        "planner": made_by(),
        "counts": {verdict.replace(" ", "_"): found.count(verdict) for verdict in VERDICTS},
        "coverage": {"inside": found.informed.inside, "of": found.informed.of},
        "coverage_from_flop_and_fleet": {
            "inside": found.bare.inside,
            "of": found.bare.of,
            "inside_by_the_others": found.bare.by_the_others,
            "median_published_over_p50": found.bare.ratio,
        },
        "cases": [_case(result) for result in found.results],
    }


def _case(result: Result) -> dict[str, Any]:
    """published: a number, or the text of a range, a bound or a refusal. computed: at central values, the lower end
    where inputs have alternatives."""
    case = result.case
    return {
        "id": case.id,
        "story": case.story,
        "quantity": case.quantity,
        "published": case.published.low if case.published.is_figure else case.published.text,
        "computed": result.low,
        "computed_high": result.high,
        "p10": result.p10,
        "p90": None if result.p90 is None or math.isinf(result.p90) else result.p90,
        "inside_p10_p90": result.covered if result.counted else None,
        "unit": case.unit,
        "tolerance": case.published.tolerance,
        "verdict": result.verdict,
        "equation": result.equation,
        "inputs": case.inputs,
        "date": case.date.isoformat() if case.date else None,
        "prices": case.prices or None,
        "said": result.said,
        "why": result.why,
        "source": case.source,
    }


def render(found: Backtest) -> str:
    return json_text(document(found))
