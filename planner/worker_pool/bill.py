"""The bill of a worker pool: node hours by what they were used for and, on EC2, volumes, S3 and the stack around."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from functools import partial

import numpy as np

from planner.estimate.bounded_prices import are_small, without_bounded
from planner.models.bill import NODE_HOURS, PlannedLine, Unpriced, mean_line
from planner.models.bill_lines import COMPUTE, COMPUTE_FALLBACK
from planner.models.calendar_months import calendar_months
from planner.models.ledger import Ledger
from planner.models.number import each_draw
from planner.models.quote import stored_unit_usd
from planner.models.sheet import UNRECORDED
from planner.models.values import Values
from planner.plan.worker_pool_types import WorkerPoolPlan
from planner.worker_pool.choices import FALLBACK, SPOT, Choice
from planner.worker_pool.facts import Quoted
from planner.worker_pool.model import checkpoints
from planner.worker_pool.result import Floats
from planner.worker_pool.run import BOOT, FAILED, JOB_USES, LOAD, READY, REPEATED, WORK, WRITE, PoolRun
from planner.worker_pool.standing import standing
from pricing.book import PriceBook

GIB, HOURS_PER_DAY = 2.0**30, 24.0
LINES = {
    COMPUTE: WORK,
    "fleet.compute-repeated": REPEATED,
    "fleet.compute-loading": LOAD,
    "fleet.compute-checkpoints": WRITE,
    "fleet.compute-failed": FAILED,
    "fleet.compute-idle": READY,
    "fleet.compute-boot": BOOT,
}
# of the worker's wrapper: its try, its end, the job's result and two marks of the machine; the list and the records
PUTS_PER_TRY, GETS_PER_TRY, RECORD_BYTES = 5, 4, 4096
# and of its saves: pieces of one PUT each; a COMMIT and two listings; each COMMIT that stays is read
PIECE_BYTES, PUTS_PER_SAVE, GETS_PER_SAVE, SAVES_KEPT = 32 * 2**20, 3, 2, 2
OLD_VERSION_DAYS = 7  # of the stack's buckets: what was removed can be restored, and is billed
PUTS, GETS = ("AmazonS3", "S3 Standard PUT/COPY/POST/LIST"), ("AmazonS3", "S3 Standard GET and all other")
OWN_LIST = "own-list"


@dataclass(frozen=True, kw_only=True)
class PoolBill:
    """usd: of each run, the sum of the lines; a lower bound where something has no price. lines: means.
    node_usd_per_hour: what nodes of several prices cost on average in each run; None where they have one, or none."""

    usd: Floats
    lines: tuple[PlannedLine, ...]
    node_usd_per_hour: Floats | None
    unpriced: tuple[Unpriced, ...]


@dataclass(frozen=True, kw_only=True)
class _Use:
    """What the runs used, in arrays of one entry a run. months: of the calendar, from the first job to the last."""

    start: date
    span_hours: Floats
    months: Floats
    node_hours: Floats
    done: Floats
    tries: Floats

    @property
    def months_per_hour(self) -> Floats:
        return np.divide(self.months, self.span_hours, out=np.zeros_like(self.months), where=self.span_hours > 0)


def bill_of(choice: Choice, plan: WorkerPoolPlan, book: PriceBook, drawn: Values, found: Sequence[PoolRun]) -> PoolBill:
    """Of all runs. Runs that never finish are billed until the simulation gave up."""
    ledger = Ledger(book=book, region=plan.region, sheet=UNRECORDED)
    each = _nodes(ledger, choice, found)
    if choice.on_ec2:
        use = _use_of(plan.start or book.as_of, found)
        months = use.node_hours * use.months_per_hour
        size = each_draw(drawn["fleet.root_volume_gib"], len(found))
        ledger.metered("fleet.ebs", ("AmazonEBS", "gp3 storage"), equation="T5", quantity=months * size, inputs={})
        standing(ledger, drawn, found, use.months)
        _s3(ledger, choice, plan, use, found)
    lines = tuple(line for line in ledger.lines if np.any(line.quantity))
    unpriced = (*choice.unpriced, *ledger.unpriced)
    if not are_small(lines):
        lines, unpriced = without_bounded(lines, unpriced, ledger.bounded)
    return PoolBill(
        usd=np.sum([each_draw(line.effective_cost, len(found)) for line in lines], axis=0) + np.zeros(len(found)),
        lines=tuple(map(mean_line, lines)),
        node_usd_per_hour=each,
        unpriced=unpriced,
    )


def _nodes(ledger: Ledger, choice: Choice, found: Sequence[PoolRun]) -> Floats | None:
    """Node hours by use, each at the price of its run; their mean price in each run where there are several."""
    total, paid = np.zeros(len(found)), np.zeros(len(found))
    for line, quoted, hours, usd, listed in _node_hours(ledger, choice, found):
        total += usd
        paid += hours
        if hours.any():
            each, list_usd = (
                np.divide(one, hours, out=np.full(len(found), quoted.usd), where=hours > 0) for one in (usd, listed)
            )
            _add_nodes(ledger, choice, line, quoted, hours, each, list_usd)
    if choice.price is None or len(choice.supplies[0].every) == 1:
        return None
    return np.divide(total, paid, out=choice.price.draws.copy(), where=paid > 0)


def _add_nodes(
    ledger: Ledger, choice: Choice, line: str, quoted: Quoted, hours: Floats, each: Floats, list_usd: Floats
) -> None:
    service = "AmazonEC2" if choice.on_ec2 else OWN_LIST
    category = "Dynamic" if choice.purchase in (SPOT, FALLBACK) and line != COMPUTE_FALLBACK else "Standard"
    if quoted.of_book is not None:
        ledger.add(
            line,
            service=service,
            equation=NODE_HOURS,
            quantity=hours,
            price=quoted.of_book,
            inputs={},
            unit="node-hours",
            usd=each,
            list_usd=list_usd,
            pricing_category=category,
        )
        return
    ledger.assumed(
        line,
        equation=NODE_HOURS,
        quantity=hours,
        unit="node-hours",
        usd=each,
        source=quoted.source,
        inputs={},
        year=quoted.observed or "",
        service=service,
        list_usd=list_usd,
        pricing_category=category,
    )


def _node_hours(
    ledger: Ledger, choice: Choice, found: Sequence[PoolRun]
) -> Iterator[tuple[str, Quoted, Floats, Floats, Floats]]:
    """(line, price, hours, USD of each run, USD at the list price): by use on the markets of a choice, then its
    On-Demand nodes at the end."""
    if choice.price is None:
        return
    hours = np.array([run.hours for run in found])  # by run, market and use
    hours[:, :, READY] -= hours[:, :, JOB_USES].sum(axis=2)  # what remains of it is idle
    if not choice.boot_billed:
        hours[:, :, BOOT] = 0.0
    prices = np.array([[one.usd_per_hour for one in supply.every] for supply in choice.supplies])
    costs = (hours, hours * prices[:, :, None], hours * _list_prices(ledger, choice, prices)[:, :, None])
    tail = len(choice.supplies[0].markets)
    for line, use in LINES.items():
        yield line, choice.price, *(one[:, :tail, use].sum(axis=1) for one in costs)
    if choice.tail_price is not None:
        yield COMPUTE_FALLBACK, choice.tail_price, *(one[:, tail:].sum(axis=(1, 2)) for one in costs)


def _list_prices(ledger: Ledger, choice: Choice, prices: Floats) -> Floats:
    """The On-Demand list price of each market's nodes; where it is unknown, and of a price list, what they cost."""
    listed = prices.copy()
    for at, worker in enumerate([member.worker for member in choice.members] or [choice.worker]):
        if worker.instance_type:
            with suppress(LookupError):
                listed[:, at] = ledger.book.listed_on_demand(worker.instance_type, ledger.region).usd
    return listed


def _use_of(start: date, found: Sequence[PoolRun]) -> _Use:
    spans = np.array([run.makespan if math.isfinite(run.makespan) else 0.0 for run in found])
    done = np.array([run.done for run in found], dtype=float)
    return _Use(
        start=start,
        span_hours=spans,
        months=np.asarray(calendar_months(start, spans), dtype=float),
        node_hours=np.array([run.node_hours + run.boot_hours for run in found]),
        done=done,
        tries=done + np.array([float(run.interruptions.sum()) for run in found]),
    )


def _s3(ledger: Ledger, choice: Choice, plan: WorkerPoolPlan, use: _Use, found: Sequence[PoolRun]) -> None:
    """Records, models and checkpoints, and the requests for them."""
    assert choice.jobs is not None  # it was simulated
    on_nodes = np.array([run.work_hours + run.repeated_hours + run.load_hours + run.write_hours for run in found])
    # each heartbeat is a write, and a look at which try is the newest (pool/fleet_pool/worker)
    puts = 2 * on_nodes / plan.pool.heartbeat_hours + PUTS_PER_TRY * use.tries
    gets = GETS_PER_TRY * use.tries
    kept_gb = ((plan.jobs.model_bytes or 0.0) + RECORD_BYTES * plan.jobs.count) / GIB
    _stored(ledger, "storage.s3.standard", kept_gb * use.span_hours, use, below_gb=0.0)
    size = plan.jobs.checkpoint_bytes
    if size is not None:
        each, pieces = checkpoints(choice.jobs.work_hours, choice.jobs.segment_hours), math.ceil(size / PIECE_BYTES)
        newest = min(SAVES_KEPT, each)
        # jobs end evenly over the makespan, so what stays lies there for half of it
        hours = newest * use.span_hours / 2 + (each - newest) * OLD_VERSION_DAYS * HOURS_PER_DAY
        _stored(ledger, "storage.s3.checkpoints", use.done * size / GIB * hours, use, below_gb=kept_gb)
        resumed = use.tries - use.done
        puts = puts + use.done * each * (pieces + PUTS_PER_SAVE) + resumed * (pieces + PUTS_PER_SAVE)
        gets = gets + use.done * each * GETS_PER_SAVE + resumed * 2 * pieces
    if plan.jobs.model_bytes:
        gets = gets + np.array([float(run.nodes_started) for run in found])
    ledger.metered("storage.s3.put-requests", PUTS, equation="T2", quantity=puts / 1000, inputs={})
    ledger.metered("storage.s3.get-requests", GETS, equation="T2", quantity=gets / 1000, inputs={})


def _stored(ledger: Ledger, line: str, gb_hours: Floats, use: _Use, *, below_gb: float) -> None:
    """GB-months in S3 Standard, in the tiers above what else is there. gb_hours: of each run."""
    months = gb_hours * use.months_per_hour
    mean_gb = float(np.mean(np.divide(gb_hours, use.span_hours, out=np.zeros_like(gb_hours), where=use.span_hours > 0)))
    if not mean_gb:
        return
    quote = ledger.quote(line, ("AmazonS3", "S3 Standard storage"), below_gb + mean_gb)
    if quote is None:
        return
    unit_usd = partial(stored_unit_usd, mean_gb, use.start, use.span_hours, mean_gb * use.months, below_gb)
    ledger.quoted(line, quote, equation="T10", quantity=months, inputs={}, cost=unit_usd, monthly=below_gb + mean_gb)
