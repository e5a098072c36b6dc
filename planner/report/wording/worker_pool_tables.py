"""The tables of one choice of a worker pool: its distributions, its bill, its most interrupted job."""

from __future__ import annotations

import math
from collections.abc import Sequence

from planner.models.bill import PlannedLine
from planner.models.bill_lines import COMPUTE, COMPUTE_FALLBACK
from planner.report.wording import figures, rounding
from planner.report.wording import worker_pool as words
from planner.report.wording.table import Column
from planner.worker_pool.result import PoolComparison, PoolScenario, Spread, of_range

WHAT = {
    COMPUTE: "nodes that work",
    "fleet.compute-repeated": "work done again after interruptions",
    "fleet.compute-loading": "downloads of models and checkpoints",
    "fleet.compute-checkpoints": "uploads of checkpoints, which work waits for",
    "fleet.compute-failed": "jobs until they failed",
    "fleet.compute-idle": "nodes without a job",
    "fleet.compute-boot": "nodes that boot",
    COMPUTE_FALLBACK: "On-Demand nodes at the end, whatever they do",
    "fleet.ebs": "root volumes of the nodes",
    "fleet.logs": "output of the jobs",
    "guard.alarms": "alarms",
    "network.flow-logs": "flow logs",
    "network.nat-data": "data of started nodes through the NAT gateway",
    "network.nat-gateway": "NAT gateway",
    "network.public-ipv4": "its address",
    "storage.kms.key": "key of the buckets",
    "storage.s3.standard": "the jobs' records, and the model that nodes download, in S3 until the last job ends",
    "storage.s3.checkpoints": "the newest checkpoints of each job in S3 until the last job ends, and older ones for as "
    "long as the bucket keeps what was removed",
    "storage.s3.put-requests": "heartbeats, records and checkpoints written to S3",
    "storage.s3.get-requests": "records, checkpoints and models read from S3",
}
ALL, PAID = "all lines", "paid node time: "
PARTS = (("Mean", "mean"), ("P10", "p10"), ("P50", "p50"), ("P90", "p90"))


def spread_columns(scenario: PoolScenario) -> list[Column]:
    """Everything that was simulated, as mean, P10, P50 and P90."""
    rows = _measured(scenario)
    of_use = {f"{PAID}{words.USES[name]}": share for name, share in words.shares(scenario).items()}
    return [
        Column(title="", values=[name for name, _, _ in rows], text=True),
        *(
            Column(
                title=title,
                values=[
                    (of_use.get(name) if part == "mean" else None) or shown(float(getattr(spread, part)))
                    for name, spread, shown in rows
                ],
            )
            for title, part in PARTS
        ),
    ]


def _measured(scenario: PoolScenario) -> list[tuple[str, Spread, words.Shown]]:
    rows: list[tuple[str, Spread | None, words.Shown]] = [
        ("cost of all jobs, $", scenario.cost_usd and of_range(scenario.cost_usd), figures.dollars),
        ("cost of a job, $", scenario.per_job, _each),
        ("cost of a step, $", scenario.per_step, _each),
        ("days until the last job ends", scenario.days and of_range(scenario.days), _digits),
        ("wait in the queue, h (jobs)", scenario.wait_hours, _digits),
        ("time on nodes, h (jobs)", scenario.job_hours, _digits),
        ("billed by heartbeats, $ (jobs)", scenario.job_usd, _each),
        ("lost per interruption, min", scenario.loss_minutes, _digits),
        ("dead letters", scenario.dead_letters, _digits),
        *(
            (f"{PAID}{words.USES[name]}", spread, figures.share)
            for name, spread in scenario.shares.items()
            if spread.mean > 0
        ),
    ]
    return [(name, spread, shown) for name, spread, shown in rows if spread is not None and not math.isnan(spread.mean)]


def _each(value: float) -> str:
    return words.usd_each(value).removeprefix("$")


def _digits(value: float) -> str:
    return figures.plain(value, 4) if math.isfinite(value) else figures.NEVER


def bill_columns(bill: Sequence[PlannedLine]) -> list[Column]:
    """The lines of a bill, the means over the runs, and their sum."""
    total = math.fsum(line.effective_cost for line in bill)
    costs = rounding.cents([line.effective_cost for line in bill], total)
    return [
        Column(title="Bill (mean)", values=[*(line.line for line in bill), ALL], text=True, code=True),
        Column(title="Quantity", values=[*(figures.quantity(line.quantity) for line in bill), ""]),
        Column(title="Unit", values=[*(line.unit for line in bill), ""], text=True),
        Column(title="$ each", values=[*(figures.plain(line.effective_unit_price) for line in bill), ""]),
        Column(title="$", values=[f"{usd:,.2f}" for usd in (*costs, total)]),
        Column(title="Price of", values=[*(str(line.price_date) for line in bill), ""], text=True, keep=1),
    ]


def bill_sources(scenario: PoolScenario) -> list[str]:
    """Where the prices of its bill come from."""
    found = dict.fromkeys(f"{line.unit}: {line.price_source}" for line in scenario.bill if line.price_source)
    return list(found)


def story(scenario: PoolScenario) -> list[str]:
    """The most interrupted job: a title, then a line for each attempt."""
    job = scenario.interrupted
    if job is None:
        return ["No job was interrupted in any run."]
    lines = [
        f"The most interrupted job of all runs: number {job.job + 1:,}, {words.hours(job.wait_hours)} in the queue, "
        f"{figures.many(job.interruptions, 'interruption')}, {words.usd_each(job.usd)}."
    ]
    for attempt in job.attempts:
        lost = f", {words.minutes(attempt.lost_hours * 60)} of work lost" if attempt.how == "interrupted" else ""
        length = words.minutes((attempt.end - attempt.start) * 60)
        lines.append(f"after {attempt.start:.3f} h, node {attempt.node + 1:,}: {attempt.how} after {length}{lost}")
    return lines


def assumed(found: PoolComparison) -> list[str]:
    """Each assumption that was used."""
    return [
        f"{one.key} = {figures.plain(one.value)} {one.unit} ({figures.plain(one.low)} to {figures.plain(one.high)}), "
        f"{one.origin}: {one.source} ({one.year})"
        for one in found.assumptions
    ]
