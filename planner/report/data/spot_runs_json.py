"""The result of `simulate PLAN` as a JSON document: dollars and days of every run by rule."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from planner.decide.spot_runs import RuleRuns, SpotRuns
from planner.report.data.compared_json import SCHEMA_VERSION
from planner.report.data.encoding import json_text
from planner.report.data.provenance import made_by
from planner.report.wording.spot_runs import quantile
from planner.spot.trace import SECONDS_PER_HOUR


def document(found: Sequence[SpotRuns]) -> dict[str, Any]:
    """The whole result as plain data. Days are null where the deadline passed."""
    return {
        "schema_version": SCHEMA_VERSION,
        "planner": made_by(),
        "scenario": found[0].scenario.id,
        "runs": [_series(one) for one in found],
    }


def _series(one: SpotRuns) -> dict[str, Any]:
    job = one.run.job
    return {
        "series": one.run.series,
        "work_h": job.work / SECONDS_PER_HOUR,
        "deadline_h": job.deadline / SECONDS_PER_HOUR,
        "changeover_h": job.changeover / SECONDS_PER_HOUR,
        "gap_seconds": job.gap,
        "price_ratio": round(job.price_ratio, 6),
        "starts": len(one.run.starts),
        "start_ticks": list(one.run.starts),
        "closed_form": None if one.closed is None else _rule(one.closed),
        "policies": {rule.policy: _rule(rule) for rule in one.rules},
    }


def _rule(rule: RuleRuns) -> dict[str, Any]:
    found: dict[str, Any] = {"mean_usd": round(float(rule.cost_usd.mean()), 2)}
    for share in (10, 50, 90):
        days = quantile(rule.days, share / 100)
        found[f"p{share}_usd"] = round(quantile(rule.cost_usd, share / 100), 2)
        found[f"p{share}_days"] = round(days, 4) if np.isfinite(days) else None
    return found | {
        "late_fraction": float(np.isinf(rule.days).mean()),
        "on_demand_fraction": float(rule.moved.mean()),
        "usd_per_run": [round(float(usd), 2) for usd in rule.cost_usd],
        "days_per_run": [round(float(days), 4) if np.isfinite(days) else None for days in rule.days],
    }


def render(found: Sequence[SpotRuns]) -> str:
    return json_text(document(found))
