"""A comparison as the JSON document of design 3.3: plain numbers, no clock, the same bytes for the same input."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from typing import Any

from planner.decide.result import Comparison, Scenario
from planner.decide.uncertainty import Range
from planner.models.bill import SERVICES, Line
from planner.report.words import plan_usd

SCHEMA_VERSION = "1"


def usd(value: float | None) -> float | None:
    """Dollars to a micro-dollar, as paper has them."""
    return None if value is None else round(value, 6)


def number(value: float | None) -> float | None:
    """Any other number, to twelve significant digits."""
    return None if value is None or not math.isfinite(value) else float(f"{value:.12g}")


def _range(value: Range | None, convert=number) -> dict[str, Any] | None:
    return None if value is None else {key: convert(part) for key, part in asdict(value).items()}


def bill_line(line: Line) -> dict[str, Any]:
    """One line of a bill; every format shows the same keys."""
    name, category = SERVICES[line.service]
    return {
        "line": line.line,
        "service_name": name,
        "service_category": category,
        "charge_category": line.charge_category,
        "pricing_category": line.pricing_category,
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
        "carried_back": line.carried_back,
        "note": line.note or line.price_note,
    }


def _cost(scenario: Scenario) -> dict[str, Any] | None:
    if scenario.cost_usd is None:
        return None
    cost = _range(scenario.cost_usd, usd)
    assert cost is not None
    # the printed lines add up to the printed total, whatever rounding did to each of them
    cost["plan"] = plan_usd(scenario)
    cost["plan_percentile"] = number(scenario.cost_plan_percentile)
    return cost


def _storage(scenario: Scenario) -> dict[str, Any] | None:
    if scenario.storage is None:
        return None
    facts = asdict(scenario.storage)
    return {key: number(value) if isinstance(value, float) else value for key, value in facts.items()}


def scenario_document(scenario: Scenario) -> dict[str, Any]:
    return {
        "id": scenario.id,
        "layout": scenario.layout,
        "variant": scenario.variant,
        "instance_type": scenario.instance_type,
        "nodes": scenario.nodes,
        "gpus": scenario.gpus,
        "purchase": scenario.purchase,
        "feasible": scenario.feasible,
        "why_not": list(scenario.why_not),
        "days": _range(scenario.days),
        "days_at_full_speed": number(scenario.days_at_full_speed),
        "cost_usd": _cost(scenario),
        "complete": scenario.complete,
        "extrapolated": scenario.extrapolated,
        "usd_per_useful_gpu_hour": _range(scenario.usd_per_useful_gpu_hour),
        "useful_gpu_hours": number(scenario.useful_gpu_hours),
        "unfinished_fraction": number(scenario.unfinished_fraction),
        "on_time_fraction": number(scenario.on_time_fraction),
        "goodput": None
        if scenario.goodput is None
        else {key: number(value) for key, value in asdict(scenario.goodput).items()},
        "storage": _storage(scenario),
        "ingest_days": number(scenario.ingest_days),
        "cash": [{"due": entry.due, "usd": usd(entry.usd), "what": entry.what} for entry in scenario.cash],
        "bill": [bill_line(line) for line in scenario.bill],
        "warnings": list(scenario.warnings),
    }


def document(comparison: Comparison) -> dict[str, Any]:
    """The whole comparison as plain data."""
    prices = comparison.prices
    return {
        "schema_version": SCHEMA_VERSION,
        "plan": {"name": comparison.plan_name, "sha256": comparison.plan_sha256, "region": comparison.region},
        "prices": {
            "as_of": prices.as_of.isoformat(),
            "age_days": prices.age_days,
            "sha256": prices.sha256,
            "intact": prices.intact,
        },
        "seed": comparison.seed,
        "draws": comparison.draws,
        "scenarios": [scenario_document(scenario) for scenario in comparison.scenarios],
        "unpriced": [
            {"scenario": scenario.id, "line": entry.line, "what": entry.what, "nearest": list(entry.nearest)}
            for scenario in comparison.scenarios
            for entry in scenario.unpriced
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
        "stale": list(comparison.stale),
    }


def render(comparison: Comparison) -> str:
    text = json.dumps(document(comparison), indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    # half of a surrogate pair cannot be written as UTF-8; its escape is what JSON itself has for it
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
