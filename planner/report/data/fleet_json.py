"""The result of a fleet as a JSON document and as CSV: every choice, its waits, its bill, what each project pays."""

from __future__ import annotations

import csv
import io
import math
from typing import Any

from planner.answer.ranges import Range
from planner.fleet.result import FleetComparison, FleetScenario, FromFile
from planner.fleet.workload import MONTH_HOURS
from planner.mix.advice import Purchase
from planner.mix.model import Kind
from planner.report.data.compared_json import (
    bill_line,
    head_document,
    number,
    remedies_document,
    row_document,
    tail_document,
    usd,
)
from planner.report.data.encoding import json_text
from planner.report.wording import fleet as words


def document(found: FleetComparison) -> dict[str, Any]:
    """The whole result as plain data. A figure of a queue that grows without end is null."""
    best, alone = found.best, found.sharing
    return {
        **head_document(found),
        "kind": "fleet",
        "draws": found.draws,
        "months": found.plan.run.months,
        "demand": found.from_file and _from_file(found.from_file),
        "answer": {
            "recommended": best.id if best else None,
            "reason": " ".join(words.answer(found)),
            "tied": list(found.answer.tied),
            "alternatives": [{"id": one.id, "kind": one.kind} for one in found.answer.alternatives],
            "frontier": list(found.frontier),
        },
        "sharing": alone
        and {
            "mean_wait_hours": number(alone.mean_wait_hours),
            "waited_gpu_hours": number(alone.waited_gpu_hours),
            "overloaded_fraction": number(alone.overloaded_fraction),
            "nodes": {name: list(nodes) for name, nodes in alone.nodes},
            "unable": list(alone.unable),
        },
        "stored": [
            {"layout": one.layout, "detail": one.detail, "usable_tb": number(one.usable_tb), "usd": number(one.usd)}
            for one in found.stored
        ],
        "owned": found.owned
        and {
            "usd": _range(found.owned.usd),
            "purchase_usd": _range(found.owned.purchase_usd),
            "utilisation_fraction": number(found.owned.utilisation),
        },
        "spot": found.spot
        and {
            "projects": list(found.spot.projects),
            "node_hours": number(found.spot.node_hours),
            "usd_per_node_hour": number(found.spot.usd_per_node_hour),
            "most_usd": number(found.spot.most_usd),
            "saved_usd": _range(found.spot.saved_usd),
            "elapsed_factor": number(found.spot.elapsed_factor),
            "interruptions_per_day": number(found.spot.interruptions_per_day),
        },
        "scenarios": [scenario_document(one) for one in found.scenarios],
        "remedies": remedies_document(found),
        **tail_document(found),
        "notes": [*found.warnings, *found.notes],
    }


def _from_file(one: FromFile) -> dict[str, Any]:
    return {
        "file": one.file,
        "sha256": one.sha256,
        "first_day": one.weeks.first_day.isoformat(),
        "weeks": one.weeks.count,
        "jobs": len(one.weeks.jobs),
        "unit": "GPU-hours" if one.weeks.found.counts_gpus else "node-hours",
        "work": {name: number(work) for name, work in one.work},
        "censored": one.shown.censored,
        "limited_fraction": number(one.shown.limited),
        "left_out": [
            {"why": left.why, "jobs": left.jobs, "node_hours": number(left.node_hours)} for left in one.weeks.left
        ],
    }


def scenario_document(one: FleetScenario) -> dict[str, Any]:
    """One choice as plain data."""
    return {
        "id": one.id,
        "layout": "fleet",
        "nodes": {name: count or None for name, count in one.nodes},
        "purchase": one.way,
        "feasible": one.feasible,
        "why_not": list(one.why_not),
        "complete": one.complete,
        "eligible": one.eligible,
        "why_not_eligible": words.reasons(one) if one.feasible else [],
        "cost_usd": _range(one.cost_usd),
        "days": _range(one.days),
        **row_document(one),
        "goodput": _goodput(one),
        "usd_per_useful_gpu_hour": _range(one.usd_per_useful),
        "useful_gpu_hours": number(one.useful_gpu_hours),
        "mean_wait_hours": _range(one.wait_hours),
        "p90_wait_hours": number(one.p90_wait_hours),
        "waits": [
            {
                "nodes_least": each.least,
                "nodes_most": each.most,
                "jobs": number(each.jobs),
                "mean_hours": number(each.mean_hours),
                "p90_hours": number(each.p90_hours),
            }
            for each in one.waits
        ],
        "utilisation": {name: number(each) for (name, _), each in zip(one.nodes, one.utilisation, strict=False)},
        "deadlines_met_fraction": number(one.deadlines_met),
        "backlog_fraction": number(one.backlog),
        "lost_node_hours": number(one.lost_node_hours),
        "failures": number(one.failures),
        "preempted": number(one.preempted),
        "unused_commitment_usd": usd(one.unused_usd),
        "after_horizon_usd": usd(one.after_usd),
        "purchases": [_purchase(each) for each in one.purchases],
        "months": [
            {
                "month": each.month,
                "accrued_usd": usd(each.accrued_usd),
                "cash_usd": usd(each.cash_usd),
                "nodes_busy": [number(n) for n in each.nodes_busy],
            }
            for each in one.months
        ],
        "show_back": [
            {
                "project": each.project,
                "usd": usd(each.usd),
                "node_hours": [number(h) for h in each.node_hours],
                "useful_gpu_hours": number(each.useful_gpu_hours),
            }
            for each in one.show_back
        ],
        "bill": [bill_line(line) for line in one.bill],
    }


def _goodput(one: FleetScenario) -> dict[str, float | None] | None:
    """Node-hours divided as in training plans: less idle time, and less the work that failures make repeat."""
    busy = [sum(month.nodes_busy[at] for month in one.months) * MONTH_HOURS for at in range(len(one.nodes))]
    hours = [(count * MONTH_HOURS * len(one.months)) or used for (_, count), used in zip(one.nodes, busy, strict=True)]
    kept = math.fsum(busy) - one.lost_node_hours
    if kept <= 0:
        return None
    useful = number(kept / math.fsum(hours))
    # a queue has no reading and no scaling: its jobs are of a size and a time
    return {
        "scaling_efficiency": 1.0,
        "input_fraction": 1.0,
        "availability_fraction": useful,
        "useful_fraction": useful,
    }


def _range(found: Range | None) -> dict[str, float | None] | None:
    return None if found is None else {name: number(value) for name, value in vars(found).items()}


def _purchase(one: Purchase) -> dict[str, Any]:
    reserved = one.offer.kind is Kind.RESERVED
    return {
        "offer": one.offer.name,
        "month": one.month + 1,
        "amount": number(one.amount),
        "unit": "instances" if reserved else "USD/h",
        "used_fraction": number(one.used),
    }


def render(found: FleetComparison) -> str:
    """As JSON."""
    return json_text(document(found))


def render_csv(found: FleetComparison) -> str:
    """A row a line of every bill, with its choice's figures."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    names = ("line", "service_name", "pricing_quantity", "pricing_unit", "effective_unit_price", "effective_cost")
    head = ("scenario", "eligible", "cost_usd_p50", "cost_usd_p90", "mean_wait_hours")
    writer.writerow((*head, *names))
    for one in found.scenarios:
        cost, wait = one.cost_usd, one.wait_hours
        if cost is None or wait is None:
            continue
        figures = (number(cost.p50), number(cost.p90), number(wait.plan))
        for line in map(bill_line, one.bill):
            writer.writerow((one.id, str(one.eligible).lower(), *figures, *(line[name] for name in names)))
    return text.getvalue()
