"""The GPU nodes of a run rented, reserved and owned, as a JSON document."""

from __future__ import annotations

from typing import Any

from planner.answer.ranges import Range
from planner.decide.comparison import Comparison
from planner.decide.ways import Ways
from planner.report.data.compared_json import SCHEMA_VERSION, number
from planner.report.data.encoding import json_text
from planner.report.data.provenance import made_by


def document(comparison: Comparison, ways: Ways) -> dict[str, Any]:
    """The whole result as plain data; null for a percentile beyond the outcomes that finish."""
    owned = ways.owned
    return {
        "schema_version": SCHEMA_VERSION,
        "planner": made_by(),
        "plan": {"name": comparison.plan_name, "sha256": comparison.plan_sha256},
        "prices": {"as_of": comparison.prices.as_of.isoformat(), "sha256": comparison.prices.sha256},
        "draws": comparison.draws,
        "seed": comparison.seed,
        "scenario": ways.scenario.id,
        "gpu_hours": _range(ways.gpu_hours),
        "options": [
            {
                "scenario": paid.scenario.id,
                "purchase": paid.scenario.purchase,
                "used_usd": _range(paid.used_usd),
                "usd": _range(paid.usd),
            }
            for paid in ways.paid
        ],
        "owned": {
            "usd": _range(owned.usd),
            "parts_usd": {name: _range(value) for name, value in owned.parts},
            "purchase_usd": _range(owned.purchase_usd),
            "utilization_fraction": _range(owned.utilization_fraction),
        },
        "break_even": [
            {"purchase": found.scenario.purchase, "utilization_fraction": _range(found.utilization_fraction)}
            for found in ways.break_evens
        ],
        "energy_kwh": {"cloud": _range(ways.kwh_cloud), "owned": _range(ways.kwh_own)},
        "co2_kg": {"cloud": _range(ways.kg_co2_cloud), "owned": _range(ways.kg_co2_own)},
        "assumptions": [
            {
                "key": entry.key,
                "value": entry.value,
                "low": entry.low,
                "high": entry.high,
                "unit": entry.unit,
                "source": entry.source,
                "origin": entry.origin,
            }
            for entry in ways.assumptions
        ],
    }


def _range(value: Range) -> dict[str, float | None]:
    return {name: number(getattr(value, name)) for name in ("plan", "p10", "p50", "p90")}


def render(comparison: Comparison, ways: Ways) -> str:
    return json_text(document(comparison, ways))
