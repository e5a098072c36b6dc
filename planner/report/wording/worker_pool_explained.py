"""Any number of a worker pool: what it is, the closed form beside the simulation, and commands that calculate it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from planner.models.bill import NODE_HOURS, PlannedLine
from planner.models.observed import interruption_loss
from planner.models.worker_pool import batch_wait_hours
from planner.report.data.worker_pool_json import SPREADS
from planner.report.wording import figures
from planner.report.wording.worker_pool import USES
from planner.report.wording.worker_pool_tables import WHAT
from planner.worker_pool.model import Jobs
from planner.worker_pool.result import PoolComparison, PoolScenario, Spread, of_range

UNITS = {
    "days": "days",
    "cost_usd": "USD",
    "usd_per_job": "USD",
    "usd_per_step": "USD",
    "usd_per_node_hour": "USD/h",
    "dead_letters": "jobs",
    "queue_wait_hours": "h",
    "job_node_hours": "h",
    "job_billed_usd": "USD",
    "loss_per_interruption_minutes": "min",
}


@dataclass(frozen=True, kw_only=True)
class Explained:
    """One number. value: over the runs, or over all jobs of all runs. closed: by an equation, in the same unit.
    commands: `planner calc ...`, which a reader can run."""

    id: str
    unit: str
    value: Spread | None
    lines: tuple[str, ...]
    closed: float | None = None
    equation: str = ""
    commands: tuple[str, ...] = ()


def ids_of(scenario: PoolScenario) -> list[str]:
    """The numbers that can be explained: lines of the bill first."""
    return [*(line.line for line in scenario.bill), *UNITS, *(f"utilisation.{name}" for name in scenario.shares)]


def explained(found: PoolComparison, scenario: PoolScenario, id: str) -> Explained | None:
    """None if there is no such number."""
    for line in scenario.bill:
        if line.line == id:
            return _line(scenario, line)
    name = id.removeprefix("utilisation.")
    if id.startswith("utilisation.") and name in scenario.shares:
        text = f"hours of nodes: {USES[name]}, divided by all that are paid, in each run"
        return Explained(id=id, unit="fraction", value=scenario.shares[name], lines=(text,))
    if id not in HOW:
        return None
    lines, closed, equation, commands = HOW[id](found, scenario)
    return Explained(
        id=id,
        unit=UNITS[id],
        value=_value(scenario, id),
        lines=tuple(lines),
        closed=closed,
        equation=equation,
        commands=tuple(commands),
    )


def _value(scenario: PoolScenario, id: str) -> Spread | None:
    ranges = {"days": scenario.days, "cost_usd": scenario.cost_usd}
    if id in ranges:
        found = ranges[id]
        return found and of_range(found)
    return getattr(scenario, dict(SPREADS)[id])


_How = tuple[list[str], float | None, str, list[str]]


def _line(scenario: PoolScenario, line: PlannedLine) -> Explained:
    worker, commands = scenario.choice.worker, []
    product = (
        f"planner calc instance-cost node_hours={line.quantity:.10g} usd_per_hour={line.effective_unit_price:.10g}"
    )
    if line.equation == NODE_HOURS:
        commands.append(product)
        if worker.instance_type is None:
            commands.append(
                f"planner calc worker-price gpu_usd_per_hour={worker.usd_per_gpu_hour:g} vcpus={worker.vcpus:g} "
                f"usd_per_vcpu_hour={worker.usd_per_vcpu_hour:g} memory_gb={worker.memory_gb:g} "
                f"usd_per_gb_hour={worker.usd_per_gb_hour:g}"
            )
    dated = f", {line.price_date}" if line.price_date else ""
    return Explained(
        id=line.line,
        unit="USD",
        value=None,
        lines=(
            f"{WHAT[line.line]}: {figures.quantity(line.quantity)} {line.unit} x "
            f"{figures.plain(line.effective_unit_price)} USD = "
            f"{figures.money(line.effective_cost)} USD, the mean of the runs",
            f"price: {line.price_source or 'the plan'}{dated}",
        ),
        commands=tuple(commands),
    )


def _cost(found: PoolComparison, scenario: PoolScenario) -> _How:
    parts = ", ".join(f"{line.line} {figures.money(line.effective_cost)}" for line in scenario.bill)
    return [f"the bill of each of {figures.many(found.draws, 'simulated run')}; its mean: {parts}"], None, "", []


def _per_job(found: PoolComparison, scenario: PoolScenario) -> _How:
    return (
        ["cost of all jobs divided by the jobs that ended, in each run: idle and booting nodes included"],
        None,
        "",
        [],
    )


def _per_step(found: PoolComparison, scenario: PoolScenario) -> _How:
    usd = scenario.per_job.mean if scenario.per_job else math.nan
    steps = found.plan.jobs.steps
    command = f"planner calc usd-per-step usd={usd:.10g} steps={steps}"
    return ["cost of a job divided by its steps"], usd / steps, "R5 usd-per-step", [command]


def _price(found: PoolComparison, scenario: PoolScenario) -> _How:
    price = scenario.choice.price
    if price is None:
        return [f"no price for {entry.what}" for entry in scenario.unpriced], None, "", []
    dated = f", {price.observed}" if price.observed else ""
    return [f"planned {figures.plain(price.usd)} USD: {price.source}{dated}"], price.usd, "", []


def _hours(found: PoolComparison, scenario: PoolScenario) -> _How:
    alone, jobs = scenario.alone, _jobs(scenario)
    work = f"{found.plan.jobs.steps:,} steps are {figures.plain(jobs.work_hours)} h of work"
    lines = [f"{work}; uninterrupted, with downloads and checkpoints, {figures.plain(jobs.alone_hours)} h"]
    if alone is None or alone.closed_hours is None or alone.mtbf_hours is None:
        lines.append("no closed form: interruptions are not at a constant rate, or there are none")
        return lines, None, "", []
    if alone.sampled is not None:
        lines.append(f"4,000 draws of one job alone: mean {figures.plain(alone.sampled.mean)} h")
    command = (
        f"planner calc worker-job-hours segments={jobs.work_hours / jobs.segment_hours:.10g} "
        f"segment_hours={jobs.segment_hours:.10g} write_hours={jobs.write_hours:.10g} "
        f"load_hours={jobs.model_hours:.10g} resume_hours={jobs.resume_hours:.10g} mtbf_hours={alone.mtbf_hours:.10g}"
    )
    lines.append("the closed form is of one job at the planned rate; simulated markets also take all nodes at once")
    return lines, alone.closed_hours, "G32 worker-job-hours", [command]


def _billed(found: PoolComparison, scenario: PoolScenario) -> _How:
    return (
        ["hours on nodes of a job that ended x price: what a bill by heartbeats counts, without idle nodes"],
        None,
        "",
        [],
    )


def _wait(found: PoolComparison, scenario: PoolScenario) -> _How:
    place, nodes, hours = _queue(found, scenario, found.plan.jobs.count / 2)
    closed = float(batch_wait_hours(place=place, nodes=nodes, job_hours=hours))
    command = f"planner calc batch-wait-hours place={place} nodes={nodes} job_hours={hours:.10g}"
    text = (
        "from the submission to the first start of each job; the closed form is of the job in the middle of the queue"
    )
    return [text, "nodes that boot and interruptions come on top"], closed, "G35 batch-wait-hours", [command]


def _days(found: PoolComparison, scenario: PoolScenario) -> _How:
    place, nodes, hours = _queue(found, scenario, found.plan.jobs.count)
    closed = (float(batch_wait_hours(place=place, nodes=nodes, job_hours=hours)) + hours) / 24
    command = f"planner calc batch-wait-hours place={place} nodes={nodes} job_hours={hours:.10g}"
    lines = [
        "until the last job ends or is a dead letter; the closed form is the wait of the last job and its own time",
        "nodes that boot and interruptions come on top",
    ]
    return lines, closed, "G35 batch-wait-hours", [command]


def _queue(found: PoolComparison, scenario: PoolScenario, place: float) -> tuple[int, int, float]:
    pool = found.plan.pool
    nodes = max(min(math.ceil(found.plan.jobs.count / pool.jobs_per_node), pool.max), pool.min, 1)
    return max(round(place), 1), nodes, _jobs(scenario).alone_hours


def _loss(found: PoolComparison, scenario: PoolScenario) -> _How:
    jobs, pool = _jobs(scenario), found.plan.pool
    interval = (jobs.segment_hours + jobs.write_hours) * 3600
    detection = (pool.stalled_after_hours - pool.heartbeat_hours / 2) * 3600
    seconds = float(interruption_loss(interruptions=1, detection_seconds=detection, interval_seconds=interval))
    command = (
        f"planner calc interruption-loss interruptions=1 detection_seconds={detection:.10g} "
        f"interval_seconds={interval:.10g}"
    )
    lines = [
        "from a job's last checkpoint until it is there again on another node",
        "the closed form has a free node at hand: stalled_after less half a heartbeat, and half a checkpoint interval; "
        "in a busy pool the job also waits for a node, and in a scarce market for all of them",
    ]
    if pool.saves_on_notice:
        return [lines[0], "with notice a job saves a checkpoint first and loses no work"], None, "", []
    return lines, seconds / 60, "G22 interruption-loss", [command]


def _dead(found: PoolComparison, scenario: PoolScenario) -> _How:
    most = found.plan.pool.max_failures
    return [f"jobs that failed {most} times, each time on another node; interruptions do not count"], None, "", []


def _jobs(scenario: PoolScenario) -> Jobs:
    assert scenario.choice.jobs is not None  # it was simulated
    return scenario.choice.jobs


HOW: Mapping[str, Callable[[PoolComparison, PoolScenario], _How]] = {
    "days": _days,
    "cost_usd": _cost,
    "usd_per_job": _per_job,
    "usd_per_step": _per_step,
    "usd_per_node_hour": _price,
    "dead_letters": _dead,
    "queue_wait_hours": _wait,
    "job_node_hours": _hours,
    "job_billed_usd": _billed,
    "loss_per_interruption_minutes": _loss,
}
