"""The result of `simulate` as a JSON document: costs as shares of the same work On-Demand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from planner.report.data.compared_json import SCHEMA_VERSION
from planner.report.data.encoding import json_text
from planner.report.data.provenance import made_by
from planner.spot.simulate import Result, Run
from planner.spot.trace import SECONDS_PER_HOUR

DIGITS = 9  # a cost is a ratio of whole ticks; more digits are noise of floats


def document(runs: Sequence[Run]) -> dict[str, Any]:
    """The whole result as plain data."""
    return {"schema_version": SCHEMA_VERSION, "planner": made_by(), "runs": [_run(run) for run in runs]}


def _run(run: Run) -> dict[str, Any]:
    job = run.job
    return {
        "series": run.series,
        "work_h": job.work / SECONDS_PER_HOUR,
        "deadline_h": job.deadline / SECONDS_PER_HOUR,
        "changeover_h": job.changeover / SECONDS_PER_HOUR,
        "gap_seconds": job.gap,
        "price_ratio": job.price_ratio,
        "on_demand_cost_fraction": round(job.on_demand_fraction, DIGITS),
        "starts": len(run.starts),
        "start_ticks": list(run.starts),
        "policies": {result.policy: _result(result, run) for result in run.results},
    }


def _result(result: Result, run: Run) -> dict[str, Any]:
    p10, p50, p90 = (round(float(x), DIGITS) for x in np.quantile(result.cost_fraction, (0.1, 0.5, 0.9)))
    found: dict[str, Any] = {
        "mean_cost_fraction": round(float(result.cost_fraction.mean()), DIGITS),
        "p10_cost_fraction": p10,
        "p50_cost_fraction": p50,
        "p90_cost_fraction": p90,
        "late": result.late,
        "per_start": [round(float(cost), DIGITS) for cost in result.cost_fraction],
    }
    outcomes = result.outcomes
    if outcomes is not None:
        hours = run.job.gap / SECONDS_PER_HOUR
        found |= {
            "mean_spot_hours": round(float(outcomes.spot_ticks.mean()) * hours, DIGITS),
            "mean_on_demand_hours": round(float(outcomes.on_demand_ticks.mean()) * hours, DIGITS),
            "mean_starts_of_instances": round(float(outcomes.starts.mean()), DIGITS),
            "end_hours_per_start": [round(float(end) * hours, 6) for end in outcomes.end],
        }
    return found


def render(runs: Sequence[Run]) -> str:
    return json_text(document(runs))
