"""A comparison as the JSON document of design 3.3: plain numbers, no clock, the same bytes for the same input."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from planner.answer.ranges import Range
from planner.decide.comparison import Comparison, Electricity, Proposal, Step
from planner.estimate.bounds import bounded, reason
from planner.estimate.result import Scenario
from planner.report.data.compared_json import (
    bill_line,
    head_document,
    number,
    percentile_usd,
    remedies_document,
    row_document,
    tail_document,
    usd,
)
from planner.report.data.encoding import json_text
from planner.report.wording.alternatives import alternatives
from planner.report.wording.answer import nothing, reasons
from planner.report.wording.eligibility import limit_basis, why_not
from planner.report.wording.figures import plan_usd
from planner.report.wording.own_prices import pairs
from planner.report.wording.proposals import why
from planner.report.wording.steps import text as step_text


def _range(scenario: Scenario, id: str, value: Range | None, convert=number) -> dict[str, Any] | None:
    """A planned figure and its percentiles; of a lower bound they are bounds too, and no range."""
    if value is None:
        return None
    return {key: convert(part) for key, part in asdict(value).items()} | {"lower_bound": bounded(scenario, id)}


def _cost(scenario: Scenario) -> dict[str, Any] | None:
    if scenario.cost_usd is None:
        return None
    cost = _range(scenario, "cost_usd", scenario.cost_usd, percentile_usd)
    assert cost is not None
    # the printed lines add up to the printed total, whatever rounding did to each of them
    cost["plan"] = plan_usd(scenario)
    cost["plan_percentile"] = None if cost["lower_bound"] else number(scenario.cost_plan_percentile)
    return cost


def _block_plan(scenario: Scenario) -> dict[str, Any] | None:
    plan = scenario.block_plan
    if plan is None:
        return None
    return {
        "days": number(plan.days),
        "usd": usd(plan.usd),
        "sold_from": plan.sold_from.isoformat(),
        "tail": plan.tail,
        "outlast_fraction": number(plan.outlast_fraction),
        "decide_day": plan.decide_day,
        "decide_on": plan.decide_on.isoformat(),
        "ask_from": plan.ask_from.isoformat(),
        "parts": list(plan.parts),
        "nearly": plan.nearly
        and {
            "days": number(plan.nearly.days),
            "usd_less": usd(plan.nearly.usd_less),
            "on_time_fraction": number(plan.nearly.on_time_fraction),
        },
        "first_alone": plan.first_alone
        and {
            "fraction": number(plan.first_alone.fraction),
            "mean_usd": usd(plan.first_alone.mean_usd),
            "p90_usd": usd(plan.first_alone.p90_usd),
        },
        "done_fraction": number(plan.done_fraction),
        "left_days": number(plan.left_days),
        "extension_days": number(plan.extension_days),
        "extension_usd": usd(plan.extension_usd),
        "extension_p90_days": number(plan.extension_p90_days),
        "extension_p90_usd": usd(plan.extension_p90_usd),
        "on_demand_usd": usd(plan.on_demand_usd),
        "outlast_mean_usd": usd(plan.outlast_mean_usd),
    }


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
        "spares": scenario.spares,
        "purchase": scenario.purchase,
        "feasible": scenario.feasible,
        "why_not": list(scenario.why_not),
        "days": _range(scenario, "days", scenario.days),
        "days_at_full_speed": number(scenario.days_at_full_speed),
        "cost_usd": _cost(scenario),
        "complete": scenario.complete,
        "lower_bound": reason(scenario) or None,
        "bounded_fraction": number(scenario.bounded_fraction),
        "extrapolated": scenario.extrapolated,
        "usd_per_useful_gpu_hour": _range(scenario, "usd_per_useful_gpu_hour", scenario.usd_per_useful_gpu_hour),
        "useful_gpu_hours": number(scenario.useful_gpu_hours),
        "delivered_fraction": number(scenario.delivered_fraction),
        "eligible": scenario.eligible,
        "why_not_eligible": [] if scenario.eligible else why_not(scenario),
        **row_document(scenario),
        "unfinished_fraction": number(scenario.unfinished_fraction),
        "block_plan": _block_plan(scenario),
        "goodput": None
        if scenario.goodput is None
        else {key: number(value) for key, value in asdict(scenario.goodput).items()},
        "storage": _storage(scenario),
        "ingest_days": number(scenario.ingest_days),
        "fallback_rule": scenario.rule or None,
        "fallback_fraction": number(scenario.fallback_fraction),
        "cash": [
            {"due": entry.due, "usd": usd(entry.usd), "what": entry.what, "lower_bound": entry.at_least}
            for entry in scenario.cash
        ],
        "bill": [bill_line(line) for line in scenario.bill],
        "warnings": list(scenario.all_warnings),
    }


def answer_document(comparison: Comparison) -> dict[str, Any]:
    """What is recommended, by which rule, and the alternatives."""
    answer, best = comparison.answer, comparison.best
    judged = best or next(iter(comparison.complete), None)
    return {
        "rule": {
            "confidence": number(answer.confidence),
            "rank_by": answer.rank_by,
            "limit_days": number(judged.limit_days) if judged else None,
            "limit_basis": limit_basis(judged) if judged else None,
        },
        "recommended": answer.recommended or None,
        "reason": nothing(comparison) if best is None else " ".join(reasons(comparison, best)),
        "tied": list(answer.tied),
        "alternatives": [
            {"id": scenario.id, "kind": entry.kind, "condition": text}
            for entry, (scenario, _, text) in zip(answer.alternatives, alternatives(comparison), strict=True)
        ],
        "proposals": [_proposal(comparison, entry) for entry in comparison.proposals],
        "steps": [_step(comparison, entry) for entry in comparison.steps],
        "electricity": _electricity(comparison.electricity) if comparison.electricity else None,
    }


def _electricity(found: Electricity) -> dict[str, Any]:
    """kWh and kg of CO2 of the GPU nodes of a scenario."""
    ranges = {"kwh": found.kwh, "kg_co2": found.kg_co2}
    return {
        "scenario": found.scenario.id,
        **{
            name: {"plan": number(of.plan), "p10": number(of.p10), "p50": number(of.p50), "p90": number(of.p90)}
            for name, of in ranges.items()
        },
    }


def _step(comparison: Comparison, step: Step) -> dict[str, Any]:
    """A phase that speeds up later ones: one scenario with it, without it, and as if it had been done before."""
    ways = {"done": step.done, "left_out": step.left_out, "free": step.free}
    return {
        "phase": step.name,
        "position": step.number,
        "speedup": step.speedup,
        "scenario": step.done.id,
        "cost_usd": {name: percentile_usd(found.cost_usd.p50) for name, found in ways.items() if found.cost_usd},
        "days": {name: number(found.days.p50) for name, found in ways.items() if found.days},
        "why": step_text(comparison, step),
    }


def _proposal(comparison: Comparison, proposal: Proposal) -> dict[str, Any]:
    """A change worth acting on, and the scenario after it."""
    cost, days = proposal.scenario.cost_usd, proposal.scenario.days
    assert cost is not None and days is not None  # noqa: PT018  it is eligible
    return {
        "set": proposal.setting,
        "scenario": proposal.scenario.id,
        "cost_usd": {
            "plan": plan_usd(proposal.scenario),
            "p50": percentile_usd(cost.p50),
            "p90": percentile_usd(cost.p90),
        },
        "days": number(days.p50),
        "why": why(comparison, proposal),
    }


def document(comparison: Comparison, listed: Comparison | None = None) -> dict[str, Any]:
    """The whole comparison as plain data. listed: the same plan at list prices, where own prices were used."""
    return {
        **head_document(comparison),
        "draws": comparison.draws,
        "answer": answer_document(comparison),
        "searched": None if comparison.searched is None else asdict(comparison.searched),
        "scenarios": [scenario_document(scenario) for scenario in comparison.scenarios],
        "own_prices": [] if listed is None else _beside_list(listed, comparison),
        **tail_document(comparison),
        "remedies": remedies_document(comparison),
    }


def _beside_list(listed: Comparison, own: Comparison) -> list[dict[str, Any]]:
    """Planned totals at list prices and at one's own; null where the list lacks a price."""
    return [
        {"scenario": after.id, "list_cost_usd": plan_usd(before) if before else None, "own_cost_usd": plan_usd(after)}
        for before, after in pairs(listed, own)
    ]


def render(comparison: Comparison, listed: Comparison | None = None) -> str:
    """The document as text. listed: see `document`."""
    return json_text(document(comparison, listed))
