"""The result of a worker pool as a JSON document and as CSV: every choice, its distributions and its bill."""

from __future__ import annotations

import csv
import io
import math
from typing import Any

from planner.answer.ranges import Range
from planner.models.bill import PlannedLine
from planner.models.bill_lines import COMPUTE
from planner.report.data.compared_json import bill_line, head_document, remedies_document, row_document, tail_document
from planner.report.data.encoding import json_text
from planner.report.wording import worker_pool as words
from planner.report.wording.worker_pool_tables import WHAT
from planner.worker_pool.result import PoolComparison, PoolScenario, Spread

SPREADS = (
    ("usd_per_job", "per_job"),
    ("usd_per_step", "per_step"),
    ("usd_per_node_hour", "price"),
    ("dead_letters", "dead_letters"),
    ("queue_wait_hours", "wait_hours"),
    ("job_node_hours", "job_hours"),
    ("job_billed_usd", "job_usd"),
    ("loss_per_interruption_minutes", "loss_minutes"),
)


def document(found: PoolComparison) -> dict[str, Any]:
    """The whole result as plain data. A figure beyond the runs that finish is null."""
    best = found.best
    return {
        **head_document(found),
        "kind": "worker-pool",
        "runs": found.draws,
        "jobs": found.plan.jobs.count,
        "steps": found.plan.jobs.steps,
        "answer": {
            "recommended": best.id if best else None,
            "reason": " ".join(words.answer(found)),
            "tied": list(found.answer.tied),
            "alternatives": [{"id": entry.id, "kind": entry.kind} for entry in found.answer.alternatives],
        },
        "scenarios": [scenario_document(one) for one in found.scenarios],
        **tail_document(found),
        "remedies": remedies_document(found),
    }


def scenario_document(one: PoolScenario) -> dict[str, Any]:
    """One choice as plain data."""
    alone, job = one.alone, one.interrupted
    return {
        "id": one.id,
        "layout": "workers",
        "worker": one.choice.worker.id,
        "purchase": one.choice.purchase,
        "gpu": one.choice.gpu,
        "feasible": one.feasible,
        "why_not": list(one.why_not),
        "complete": one.complete,
        "eligible": one.eligible,
        "why_not_eligible": list(words.reasons(one)),
        **{name: spread_json(getattr(one, attribute)) for name, attribute in SPREADS},
        "days": ranged(one.days, one.days and one.days.plan),
        "cost_usd": ranged(one.cost_usd, one.mean_cost_usd),
        "usd_per_useful_gpu_hour": _useful(one),
        "goodput": _goodput(one),
        **row_document(one),
        "interruptions_per_job": rounded(one.interruptions),
        "interrupted_job_fraction": rounded(one.interrupted_fraction),
        "nodes_lost": rounded(one.nodes_lost),
        "nodes_replaced": rounded(one.nodes_replaced),
        "most_nodes": one.most_nodes,
        "events": one.events,
        "utilisation": {name: spread_json(spread) for name, spread in one.shares.items()} or None,
        "bill": [line_document(line) for line in one.bill],
        "one_job_alone": None
        if alone is None
        else {
            "uninterrupted_hours": rounded(alone.uninterrupted_hours),
            "mean_hours_between_interruptions": rounded(alone.mtbf_hours),
            "closed_form_hours": rounded(alone.closed_hours),
            "sampled_hours": spread_json(alone.sampled),
        },
        "interrupted_job": None
        if job is None
        else {
            "job": job.job,
            "run": job.run,
            "queue_wait_hours": rounded(job.wait_hours),
            "interruptions": job.interruptions,
            "billed_usd": rounded(job.usd),
            "attempts": [
                {
                    "node": attempt.node,
                    "start_hours": rounded(attempt.start),
                    "end_hours": rounded(attempt.end),
                    "how": attempt.how,
                    "load_hours": rounded(attempt.load_hours),
                    "kept_hours": rounded(attempt.kept_hours),
                    "lost_hours": rounded(attempt.lost_hours),
                }
                for attempt in job.attempts
            ],
        },
    }


def ranged(found: Range | None, mean: float | None) -> dict[str, float | None] | None:
    """With the planned figure; null beyond the runs that finish. mean: over all runs."""
    if found is None:
        return None
    parts = {"plan": found.plan, "mean": mean, "p10": found.p10, "p50": found.p50, "p90": found.p90}
    return {name: rounded(value) for name, value in parts.items()}


def _useful(one: PoolScenario) -> dict[str, float | None] | None:
    """Dollars by GPU-hours of work that is kept: cost of all jobs by the work of all jobs that end."""
    hours = sum(line.quantity for line in one.bill if line.line == COMPUTE) * one.choice.gpus
    if one.cost_usd is None or not hours:
        return None
    parts = {"mean": one.mean_cost_usd, **{part: getattr(one.cost_usd, part) for part in ("p10", "p50", "p90")}}
    return {name: rounded(None if usd is None else usd / hours) for name, usd in parts.items()}


def _goodput(one: PoolScenario) -> dict[str, float | None] | None:
    """Node hours as training plans divide them: what waits for data, and what interruptions and idle nodes take."""
    if not one.shares:
        return None
    shares = {name: spread.mean for name, spread in one.shares.items()}
    total, work = sum(shares.values()), shares["work"]
    with_data = work + shares["loading"] + shares["checkpoints"]
    if not (math.isfinite(total) and total and work):
        return None
    return {
        "scaling_efficiency": 1.0,  # jobs do not depend on each other
        "input_fraction": rounded(work / with_data),
        "availability_fraction": rounded(with_data / total),
        "useful_fraction": rounded(work / total),
    }


def spread_json(spread: Spread | None) -> dict[str, float | None] | None:
    """Mean and percentiles; null beyond the runs that finish."""
    if spread is None:
        return None
    return {name: rounded(getattr(spread, name)) for name in ("mean", "p10", "p50", "p90")}


def rounded(value: float | None) -> float | None:
    """To nine decimals; null for what is not finite."""
    return None if value is None or not math.isfinite(value) else round(float(value), 9)


def line_document(line: PlannedLine) -> dict[str, Any]:
    """One line of a bill, the mean over the runs, with the keys of a training plan's."""
    return {"line": line.line, "what": WHAT[line.line], **bill_line(line)}


def render(found: PoolComparison) -> str:
    return json_text(document(found))


def render_csv(found: PoolComparison) -> str:
    """A row for each bill line of each choice, the means over the runs; P10 to P90 of its total beside it."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    names = ("line", "pricing_quantity", "pricing_unit", "effective_unit_price", "effective_cost", "price_date")
    writer.writerow(("scenario", "eligible", "cost_p10", "cost_p50", "cost_p90", "days_p50", *names))
    for one in found.scenarios:
        if one.cost_usd is None or one.days is None:
            continue
        total = [rounded(value) for value in (one.cost_usd.p10, one.cost_usd.p50, one.cost_usd.p90, one.days.p50)]
        for line in map(bill_line, one.bill):
            writer.writerow((one.id, str(one.eligible).lower(), *total, *(line[name] for name in names)))
    return text.getvalue()
