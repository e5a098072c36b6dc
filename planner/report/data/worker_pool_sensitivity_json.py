"""What a worker pool's cost depends on, as plain data: the document of `sensitivity` of a training plan.

Its lists of break-evens and shares are empty: neither is searched for a pool.
"""

from __future__ import annotations

from typing import Any

from planner.report.data.encoding import json_text
from planner.report.data.provenance import made_by
from planner.report.data.sensitivity_json import SCHEMA_VERSION
from planner.report.data.worker_pool_json import rounded
from planner.worker_pool.sensitivity import PoolEnd, PoolStudy


def document(study: PoolStudy) -> dict[str, Any]:
    """The study as plain data; means over the runs, null if not every run finishes."""
    found, scenario = study.planned, study.scenario
    return {
        "schema_version": SCHEMA_VERSION,
        "planner": made_by(),
        "plan": {"name": found.plan_name, "sha256": found.plan_sha256, "region": found.region},
        "prices": {"as_of": found.prices.as_of.isoformat(), "sha256": found.prices.sha256},
        "seed": found.seed,
        "draws": found.draws,
        "scenario": scenario.id,
        "cost_usd": rounded(scenario.mean_cost_usd),
        "days": rounded(scenario.days.plan) if scenario.days else None,
        "swings": [
            {
                "key": one.parameter.key,
                "unit": one.parameter.unit,
                "planned": rounded(one.parameter.value),
                "of": "mean",
                "low": _end(one.low),
                "high": _end(one.high),
                "source": one.parameter.source,
            }
            for one in study.swings
        ],
        "leader": found.best.id if found.best else None,
        "searches": [],
        "odds": [],
        "pair": None,
    }


def render(study: PoolStudy) -> str:
    return json_text(document(study))


def _end(end: PoolEnd) -> dict[str, Any]:
    return {"value": rounded(end.at), "cost_usd": rounded(end.cost_usd), "days": rounded(end.days), "first": end.first}
