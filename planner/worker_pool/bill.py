"""The bill of a worker pool: node hours by what they were used for and, on EC2, volumes, S3 and the stack around."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from planner.models.number import each_draw
from planner.models.values import Values
from planner.plan.training_types import HOURS_PER_MONTH
from planner.plan.worker_pool_types import WorkerPoolPlan
from planner.worker_pool.choices import Choice
from planner.worker_pool.model import checkpoints
from planner.worker_pool.result import Floats, PoolLine
from planner.worker_pool.run import PoolRun
from planner.worker_pool.standing import WHAT as OF_STACK
from planner.worker_pool.standing import standing
from pricing.book import PriceBook, PriceNotFound

GIB = 2.0**30
WHAT = {
    "compute.work": "nodes that work",
    "compute.repeated": "work done again after interruptions",
    "compute.loading": "downloads of models and checkpoints",
    "compute.checkpoints": "uploads of checkpoints, which work waits for",
    "compute.failed": "jobs until they failed",
    "compute.idle": "nodes without a job",
    "compute.boot": "nodes that boot",
    "storage.root": "root volumes of the nodes",
    "storage.checkpoints": "the newest checkpoint of each job in S3 until the last job ends",
    "requests.put": "uploads of checkpoints to S3",
    "requests.get": "downloads of checkpoints and models from S3",
    **OF_STACK,
}


@dataclass(frozen=True, kw_only=True)
class PoolBill:
    """usd: of each run, the sum of the lines; a lower bound where something has no price. lines: means."""

    usd: Floats
    lines: tuple[PoolLine, ...]
    unpriced: tuple[str, ...]


def bill_of(choice: Choice, plan: WorkerPoolPlan, book: PriceBook, drawn: Values, found: Sequence[PoolRun]) -> PoolBill:
    """Of all runs. Runs that never finish are billed until the simulation gave up."""
    lines: list[PoolLine] = []
    total, unpriced = np.zeros(len(found)), []
    quoted = choice.price
    for line, hours in _node_hours(choice, found).items() if quoted else ():
        assert quoted is not None  # there is nothing to loop over without it
        usd = hours * quoted.draws
        total += usd
        if not hours.any():
            continue
        lines.append(
            PoolLine(
                line=line,
                what=WHAT[line],
                quantity=float(hours.mean()),
                unit="node-hours",
                usd_per_unit=float(usd.mean() / hours.mean()),
                usd=float(usd.mean()),
                source=quoted.source,
                observed=quoted.observed,
                grade=quoted.grade,
            )
        )
    for line, item, quantity in _metered(choice, plan, drawn, found) if choice.on_ec2 else ():
        if not quantity.any():
            continue
        try:
            price = book.metered(*item, plan.region).tiers[0]
        except PriceNotFound as error:
            unpriced.append(str(error))
            continue
        total += quantity * price.usd
        lines.append(
            PoolLine(
                line=line,
                what=WHAT[line],
                quantity=float(quantity.mean()),
                unit=price.unit,
                usd_per_unit=price.usd,
                usd=float(quantity.mean() * price.usd),
                source=price.source,
                observed=price.observed,
                grade=price.grade,
            )
        )
    return PoolBill(usd=total, lines=tuple(lines), unpriced=tuple(unpriced))


def _node_hours(choice: Choice, found: Sequence[PoolRun]) -> dict[str, Floats]:
    parts = {
        "compute.work": [run.work_hours for run in found],
        "compute.repeated": [run.repeated_hours for run in found],
        "compute.loading": [run.load_hours for run in found],
        "compute.checkpoints": [run.write_hours for run in found],
        "compute.failed": [run.failed_hours for run in found],
        "compute.idle": [run.idle_hours for run in found],
        "compute.boot": [run.boot_hours if choice.boot_billed else 0.0 for run in found],
    }
    return {line: np.array(hours) for line, hours in parts.items()}


def _metered(
    choice: Choice, plan: WorkerPoolPlan, drawn: Values, found: Sequence[PoolRun]
) -> list[tuple[str, tuple[str, str], Floats]]:
    """(line, (service, item), quantity in the unit of its price) of what comes with EC2 nodes."""
    assert choice.jobs is not None  # it was simulated
    up = np.array([run.node_hours + run.boot_hours for run in found])
    months = up * each_draw(drawn["fleet.root_volume_gib"], len(found)) / HOURS_PER_MONTH
    found_lines = [("storage.root", ("AmazonEBS", "gp3 storage"), months), *standing(drawn, found)]
    size = plan.jobs.checkpoint_bytes
    if size is None:
        return found_lines
    spans = np.array([run.makespan if math.isfinite(run.makespan) else 0.0 for run in found])
    done = np.array([run.done for run in found], dtype=float)
    # jobs end evenly over the makespan, so the newest checkpoints lie there for half of it
    kept = done * size / GIB * spans / 2 / HOURS_PER_MONTH
    puts = done * checkpoints(choice.jobs.work_hours, choice.jobs.segment_hours)
    gets = np.array([float(run.interruptions.sum() + run.nodes_started) for run in found])
    return [
        *found_lines,
        ("storage.checkpoints", ("AmazonS3", "S3 Standard storage"), kept),
        ("requests.put", ("AmazonS3", "S3 Standard PUT/COPY/POST/LIST"), puts / 1000),
        ("requests.get", ("AmazonS3", "S3 Standard GET and all other"), gets / 1000),
    ]
