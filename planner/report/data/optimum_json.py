"""The result of `optimize` as a JSON document: the answer as in `compare`, the frontier, the rejected families."""

from __future__ import annotations

from typing import Any

from planner.answer.ranges import Range
from planner.decide.candidates import Candidate
from planner.decide.optimize import Optimum
from planner.report.data.compared_json import SCHEMA_VERSION, number, percentile_usd, price_document
from planner.report.data.comparison_json import answer_document
from planner.report.data.encoding import json_text
from planner.report.data.provenance import made_by
from planner.report.wording import answer as words
from planner.report.wording import optimum
from planner.report.wording.optimum import family, settings, why


def document(found: Optimum) -> dict[str, Any]:
    """The whole result as plain data."""
    comparison = found.comparison
    return {
        "schema_version": SCHEMA_VERSION,
        "planner": made_by(),
        "plan": {"name": comparison.plan_name, "sha256": comparison.plan_sha256, "region": comparison.region},
        "prices": price_document(comparison),
        "seed": comparison.seed,
        "draws": comparison.draws,
        "minimize": found.minimize,
        "searched": {
            "low": found.grid.low,
            "high": found.grid.high,
            "stated": found.grid.stated,
            "most_spares": found.grid.spares[-1],
        },
        "answer": {
            **answer_document(comparison),
            "reason": " ".join(optimum.reasons(found)) if found.recommended else words.nothing(comparison),
            "best": _point(found.recommended) if found.recommended else None,
            "cheapest": _point(found.cheapest) if found.cheapest else None,
            "set": list(settings(found.recommended)) if found.recommended else [],
        },
        "frontier": [_point(candidate) for candidate in found.frontier],
        "rejected": [
            {
                "kind": entry.kind,
                "family": entry.family,
                "name": family(entry),
                "why": why(found, entry),
                "best": entry.id,
            }
            for entry in found.rejected
        ],
        "evaluated": found.evaluated,
    }


def _point(candidate: Candidate) -> dict[str, Any]:
    """A choice of the frontier: its fleet, days and cost."""
    s = candidate.scenario
    assert s.days is not None and s.cost_usd is not None  # noqa: PT018  it is eligible
    return {
        "id": s.id,
        "nodes": candidate.size.nodes,
        "spares": candidate.size.spares,
        "days": _range(s.days, number),
        "cost_usd": _range(s.cost_usd, percentile_usd),
        "deployable": not s.priced_only,
        "why_not_deployable": s.priced_only,
        "unproven": s.unproven,
    }


def _range(value: Range, convert: Any) -> dict[str, float | None]:
    return {key: convert(part) for key, part in vars(value).items()}


def render(found: Optimum) -> str:
    return json_text(document(found))
