"""The bill of a worker pool: node hours by what they were used for and, on EC2, volumes, S3 and the stack around."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from planner.models.number import each_draw
from planner.models.values import Values
from planner.plan.training_types import HOURS_PER_MONTH
from planner.plan.worker_pool_types import WorkerPoolPlan
from planner.worker_pool.choices import Choice
from planner.worker_pool.facts import Quoted
from planner.worker_pool.model import checkpoints
from planner.worker_pool.result import Floats, PoolLine
from planner.worker_pool.run import BOOT, FAILED, JOB_USES, LOAD, READY, REPEATED, WORK, WRITE, PoolRun
from planner.worker_pool.standing import BY_HOUR, HOURS_PER_DAY, standing
from planner.worker_pool.standing import WHAT as OF_STACK
from pricing.book import PriceBook, PriceNotFound

GIB = 2.0**30
NODE_HOURS, NODE_LINE, ON_DEMAND_LINE = "C1", "fleet.compute", "fleet.compute-on-demand"
LINES = {
    NODE_LINE: WORK,
    "fleet.compute-repeated": REPEATED,
    "fleet.compute-loading": LOAD,
    "fleet.compute-checkpoints": WRITE,
    "fleet.compute-failed": FAILED,
    "fleet.compute-idle": READY,
    "fleet.compute-boot": BOOT,
}
WHAT = {
    "fleet.compute": "nodes that work",
    "fleet.compute-repeated": "work done again after interruptions",
    "fleet.compute-loading": "downloads of models and checkpoints",
    "fleet.compute-checkpoints": "uploads of checkpoints, which work waits for",
    "fleet.compute-failed": "jobs until they failed",
    "fleet.compute-idle": "nodes without a job",
    "fleet.compute-boot": "nodes that boot",
    ON_DEMAND_LINE: "On-Demand nodes at the end, whatever they do",
    "fleet.ebs": "root volumes of the nodes",
    "storage.s3.standard": "the jobs' records, and the model that nodes download, in S3 until the last job ends",
    "storage.s3.checkpoints": "the newest checkpoints of each job in S3 until the last job ends, and older ones for as "
    "long as the bucket keeps what was removed",
    "storage.s3.put-requests": "heartbeats, records and checkpoints written to S3",
    "storage.s3.get-requests": "records, checkpoints and models read from S3",
    **OF_STACK,
}
EQUATIONS = {
    "fleet.ebs": "T5",
    "storage.s3.standard": "S6",
    "storage.s3.checkpoints": "S6",
    "storage.s3.put-requests": "T2",
    "storage.s3.get-requests": "T2",
    "network.nat-gateway": "T3",
    "network.public-ipv4": "T3",
    "guard.alarms": "T6",
    "storage.kms.key": "T6",
    "network.nat-data": "T11",
    "network.flow-logs": "T12",
    "fleet.logs": "T12",
}
HOURLY = {line: share for line, _, _, share in BY_HOUR}
# of the worker's wrapper: its try, its end, the job's result and two marks of the machine; the list and the records
PUTS_PER_TRY, GETS_PER_TRY, RECORD_BYTES = 5, 4, 4096
# and of its saves: pieces of one PUT each; a COMMIT and two listings; each COMMIT that stays is read
PIECE_BYTES, PUTS_PER_SAVE, GETS_PER_SAVE, SAVES_KEPT = 32 * 2**20, 3, 2, 2
OLD_VERSION_DAYS = 7  # of the stack's buckets: what was removed can be restored, and is billed
OWN_LIST = "price list of the plan"


@dataclass(frozen=True, kw_only=True)
class PoolBill:
    """usd: of each run, the sum of the lines; a lower bound where something has no price. lines: means.
    unpriced_lines: names of the lines of `unpriced`. node_usd_per_hour: what nodes of
    several prices cost on average in each run; None where they have one, or none."""

    usd: Floats
    lines: tuple[PoolLine, ...]
    node_usd_per_hour: Floats | None
    unpriced: tuple[str, ...]
    unpriced_lines: tuple[str, ...] = ()


def bill_of(choice: Choice, plan: WorkerPoolPlan, book: PriceBook, drawn: Values, found: Sequence[PoolRun]) -> PoolBill:
    """Of all runs. Runs that never finish are billed until the simulation gave up."""
    lines: list[PoolLine] = []
    total, unpriced, without = np.zeros(len(found)), [], []
    paid = np.zeros(len(found))
    for line, quoted, hours, usd in _node_hours(choice, found):
        total += usd
        paid += hours
        if not hours.any():
            continue
        lines.append(
            PoolLine(
                line=line,
                service="AmazonEC2" if choice.on_ec2 else OWN_LIST,
                equation=NODE_HOURS,
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
    each = None
    if choice.price is not None and len(choice.supplies[0].every) > 1:
        each = np.divide(total, paid, out=choice.price.draws.copy(), where=paid > 0)
    for line, item, quantity in _metered(choice, plan, drawn, found) if choice.on_ec2 else ():
        if not quantity.any():
            continue
        try:
            price = book.metered(*item, plan.region).tiers[0]
        except PriceNotFound as error:
            unpriced.append(str(error))
            without.append(line)
            continue
        total += quantity * price.usd
        lines.append(
            PoolLine(
                line=line,
                service=item[0],
                equation=EQUATIONS[line],
                what=WHAT[line],
                quantity=float(quantity.mean()),
                unit=price.unit,
                usd_per_unit=price.usd,
                usd=float(quantity.mean() * price.usd),
                usd_per_hour=price.usd * HOURLY[line] if line in HOURLY else None,
                source=price.source,
                observed=price.observed,
                grade=price.grade,
            )
        )
    return PoolBill(
        usd=total,
        lines=tuple(lines),
        node_usd_per_hour=each,
        unpriced=tuple(unpriced),
        unpriced_lines=tuple(without),
    )


def _node_hours(choice: Choice, found: Sequence[PoolRun]) -> Iterator[tuple[str, Quoted, Floats, Floats]]:
    """(line, price, hours, USD of each run): by use on the markets of a choice, then its On-Demand nodes at the end."""
    if choice.price is None:
        return
    hours = np.array([run.hours for run in found])  # by run, market and use
    hours[:, :, READY] -= hours[:, :, JOB_USES].sum(axis=2)  # what remains of it is idle
    if not choice.boot_billed:
        hours[:, :, BOOT] = 0.0
    prices = np.array([[one.usd_per_hour for one in supply.every] for supply in choice.supplies])
    usd, tail = hours * prices[:, :, None], len(choice.supplies[0].markets)
    for line, use in LINES.items():
        yield line, choice.price, hours[:, :tail, use].sum(axis=1), usd[:, :tail, use].sum(axis=1)
    if choice.tail_price is not None:
        yield ON_DEMAND_LINE, choice.tail_price, hours[:, tail:].sum(axis=(1, 2)), usd[:, tail:].sum(axis=(1, 2))


def _metered(
    choice: Choice, plan: WorkerPoolPlan, drawn: Values, found: Sequence[PoolRun]
) -> list[tuple[str, tuple[str, str], Floats]]:
    """(line, (service, item), quantity in the unit of its price) of what comes with EC2 nodes."""
    assert choice.jobs is not None  # it was simulated
    up = np.array([run.node_hours + run.boot_hours for run in found])
    months = up * each_draw(drawn["fleet.root_volume_gib"], len(found)) / HOURS_PER_MONTH
    spans = np.array([run.makespan if math.isfinite(run.makespan) else 0.0 for run in found])
    done = np.array([run.done for run in found], dtype=float)
    tries = done + np.array([float(run.interruptions.sum()) for run in found])
    on_nodes = np.array([run.work_hours + run.repeated_hours + run.load_hours + run.write_hours for run in found])
    # each heartbeat is a write, and a look at which try is the newest (pool/fleet_pool/worker)
    puts = 2 * on_nodes / plan.pool.heartbeat_hours + PUTS_PER_TRY * tries
    gets = GETS_PER_TRY * tries
    kept = (plan.jobs.model_bytes or 0.0) + RECORD_BYTES * plan.jobs.count
    found_lines = [
        ("fleet.ebs", ("AmazonEBS", "gp3 storage"), months),
        *standing(drawn, found),
        ("storage.s3.standard", ("AmazonS3", "S3 Standard storage"), kept / GIB * spans / HOURS_PER_MONTH),
    ]
    size = plan.jobs.checkpoint_bytes
    if size is not None:
        each, pieces = checkpoints(choice.jobs.work_hours, choice.jobs.segment_hours), math.ceil(size / PIECE_BYTES)
        newest = min(SAVES_KEPT, each)
        # jobs end evenly over the makespan, so what stays lies there for half of it
        hours = newest * spans / 2 + (each - newest) * OLD_VERSION_DAYS * HOURS_PER_DAY
        stored = done * size / GIB * hours / HOURS_PER_MONTH
        found_lines.append(("storage.s3.checkpoints", ("AmazonS3", "S3 Standard storage"), stored))
        resumed = tries - done
        puts = puts + done * each * (pieces + PUTS_PER_SAVE) + resumed * (pieces + PUTS_PER_SAVE)
        gets = gets + done * each * GETS_PER_SAVE + resumed * 2 * pieces
    if plan.jobs.model_bytes:
        gets = gets + np.array([float(run.nodes_started) for run in found])
    return [
        *found_lines,
        ("storage.s3.put-requests", ("AmazonS3", "S3 Standard PUT/COPY/POST/LIST"), puts / 1000),
        ("storage.s3.get-requests", ("AmazonS3", "S3 Standard GET and all other"), gets / 1000),
    ]
