"""What the JSON documents of comparisons share, whatever kind of plan they are of."""

from __future__ import annotations

import math
from datetime import date
from typing import Any

from planner.answer.compared import Compared
from planner.answer.row import R, Row
from planner.models.bill import SERVICES, PlannedLine
from planner.models.formula import written
from planner.report.data.provenance import made_by
from planner.report.wording.eligibility import held_back
from planner.report.wording.stale_prices import json_texts

SCHEMA_VERSION = "1"


def usd(value: float | None) -> float | None:
    """Dollars to a micro-dollar, as paper has them."""
    return None if value is None else round(value, 6)


def percentile_usd(value: float | None) -> float | None:
    """A percentile of costs in dollars: to a micro-dollar, and to twelve significant digits, since more of them depend
    on the processor that added the draws up."""
    return number(usd(value))


def number(value: float | None) -> float | None:
    """Any other number, to twelve significant digits."""
    return None if value is None or not math.isfinite(value) else float(f"{value:.12g}")


def given(value: Any) -> float | str | None:
    """An input of an equation: a number, or a table of tiers or a day as `planner calc` takes them."""
    return written(value) if isinstance(value, (tuple, date)) else number(value)


def bill_line(line: PlannedLine) -> dict[str, Any]:
    """One line of a bill; every format shows the same keys."""
    name, category = SERVICES[line.service]
    return {
        "line": line.line,
        "service_name": name,
        "service_category": category,
        "charge_category": line.charge_category,
        "pricing_category": line.pricing_category,
        "commitment_discount_status": line.commitment_status,
        "equation": line.equation,
        "pricing_quantity": number(line.quantity),
        "pricing_unit": line.unit,
        "list_unit_price": number(line.list_unit_price),
        "effective_unit_price": number(line.effective_unit_price),
        "list_cost": usd(line.list_cost),
        "effective_cost": usd(line.effective_cost),
        "usd_per_hour": usd(line.usd_per_hour),
        "price_source": line.price_source,
        "price_date": str(line.price_date),
        "price_grade": line.price_grade,
        "price_basis": line.basis,
        "effective_unit_price_low": number(line.bounds_usd[0]) if line.bounds_usd else None,
        "effective_unit_price_high": number(line.bounds_usd[1]) if line.bounds_usd else None,
        "carried_back": line.carried_back,
        "note": line.note or line.price_note,
        "inputs": {entry.name: given(entry.value) for entry in line.inputs},
    }


def row_document(row: Row) -> dict[str, Any]:
    """What the decision rule says of a choice."""
    return {
        "effort_usd": usd(row.effort_usd) if row.cost_usd else None,
        "mean_cost_usd": percentile_usd(row.mean_cost_usd),
        "worst_tenth_usd": percentile_usd(row.worst_tenth_usd),
        "finish_fraction": number(row.finish_fraction),
        "limit_days": number(row.limit_days),
        "on_time_fraction": number(row.on_time_fraction),
        "in_budget_fraction": number(row.in_budget_fraction),
        "cheapest_fraction": number(row.cheapest_fraction),
        "below_best_fraction": number(row.below_best_fraction),
        "held_back": held_back(row),
        "futures": [
            {
                "fraction": number(one.fraction),
                "cost_usd": {
                    part: percentile_usd(getattr(one, f"{part}_usd")) for part in ("p10", "p50", "p90", "mean")
                },
            }
            for one in row.futures
        ],
    }


def remedies_document(comparison: Compared[R]) -> list[dict[str, Any]]:
    """The changes that would make a choice eligible where none is."""
    return [
        {
            "set": list(remedy.settings),
            "scenario": remedy.scenario,
            "cost_usd": usd(remedy.cost_usd),
            "days": number(remedy.days),
            "lower_bound": not remedy.complete,
        }
        for remedy in comparison.relaxations
    ]


def price_document(comparison: Compared[R]) -> dict[str, Any]:
    """The price book."""
    prices = comparison.prices
    return {
        "as_of": prices.as_of.isoformat(),
        "age_days": prices.age_days,
        "sha256": prices.sha256,
        "intact": prices.intact,
    }


def head_document(comparison: Compared[R]) -> dict[str, Any]:
    """The program, the plan and the prices."""
    return {
        "schema_version": SCHEMA_VERSION,
        "planner": made_by(),
        "plan": {"name": comparison.plan_name, "sha256": comparison.plan_sha256, "region": comparison.region},
        "prices": price_document(comparison),
        "seed": comparison.seed,
    }


def tail_document(comparison: Compared[R]) -> dict[str, Any]:
    """What the figures rest on."""
    return {
        "unpriced": [
            {"scenario": row.id, "line": entry.line, "what": entry.what, "nearest": list(entry.nearest)}
            for row in comparison.scenarios
            for entry in row.unpriced
        ],
        "assumptions": [
            {
                "key": entry.key,
                "value": entry.value,
                "low": entry.low,
                "high": entry.high,
                "unit": entry.unit,
                "year": entry.year,
                "source": entry.source,
                "origin": entry.origin,
            }
            for entry in comparison.assumptions
        ],
        "notes": list(comparison.notes),
        "stale": json_texts(comparison.stale),
    }
