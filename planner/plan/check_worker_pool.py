"""Checks of a worker-pool plan that types cannot express. Needs no prices."""

from __future__ import annotations

from collections.abc import Iterator

from planner.plan.check import FIRST_DAY, LAST_DAY
from planner.plan.check_assumptions import assumption_findings
from planner.plan.finding import Finding, repeated
from planner.plan.wording import listed, shown
from planner.plan.worker_pool_types import DIVERSIFIED, Pool, Worker, WorkerPoolPlan
from planner.plan.yamlfile import Path
from planner.plan.zone_ids import zone_findings

LIST_KEYS = ("usd_per_gpu_hour", "usd_per_vcpu_hour", "usd_per_gb_hour")


def check_worker_pool(plan: WorkerPoolPlan) -> list[Finding]:
    """Every finding that needs only the plan itself."""
    found = [*_days(plan), *_jobs(plan), *_pool(plan.pool)]
    for index, worker in enumerate(plan.workers):
        at: Path = ("workers", index)
        found += [((*at, *path), message, remedy) for path, message, remedy in _worker(plan, worker)]
    names = repeated(("workers",), [worker.id for worker in plan.workers])
    return [*found, *names, *_decision(plan), *assumption_findings(plan.assumptions)]


def _days(plan: WorkerPoolPlan) -> Iterator[Finding]:
    for key, day in (("start", plan.start), ("prices", plan.prices)):
        if day is not None and not FIRST_DAY <= day <= LAST_DAY:
            yield (key,), f"{key}: {day} is outside {FIRST_DAY.year} to {LAST_DAY.year}", "check the year"


def _jobs(plan: WorkerPoolPlan) -> Iterator[Finding]:
    jobs, pool = plan.jobs, plan.pool
    if jobs.checkpoint_steps > jobs.steps:
        message = f"checkpoint_steps is {jobs.checkpoint_steps:,}, more than the {jobs.steps:,} steps of a job"
        yield ("jobs", "checkpoint_steps"), message, f"write {jobs.steps} for a checkpoint at the end alone"
    if jobs.broken >= 1:
        yield ("jobs", "broken"), "every job fails on every node", "write a share below 100%"
    fails = jobs.broken > 0 or pool.bad_nodes or pool.bad_fraction > 0
    if fails and pool.max < pool.max_failures:
        message = (
            f"max_failures is {pool.max_failures} and pool.max {pool.max}: a job that fails on every node is never a "
            "dead letter, since it does not return to a node on which it failed"
        )
        yield ("pool", "max_failures"), message, f"write {pool.max} or less, or allow more nodes"


def _pool(pool: Pool) -> Iterator[Finding]:
    if pool.min > pool.max:
        yield ("pool", "min"), f"min is {pool.min} and max {pool.max}", "write min <= max"
    if pool.stalled_after_hours < 2 * pool.heartbeat_hours - 1e-12:
        message = (
            f"stalled_after is {pool.stalled_after_hours * 3600:g} s and the heartbeat {pool.heartbeat_hours * 3600:g} "
            "s: one late heartbeat would give a running job to a second node"
        )
        yield ("pool", "stalled_after"), message, f"write {2 * pool.heartbeat_hours * 3600:g}s or more"
    if pool.bad_fraction >= 1:
        yield ("pool", "bad_fraction"), "every node fails every job", "write a share below 100%"
    if pool.bad_nodes >= pool.max and pool.node_failures is None:
        message = f"all {pool.max} nodes are bad and none is ever replaced"
        yield ("pool", "bad_nodes"), message, "write node_failures: 5, or fewer bad nodes"


def _worker(plan: WorkerPoolPlan, worker: Worker) -> Iterator[Finding]:
    yield from zone_findings(worker.zone_id, plan.region, ("zone_id",))
    if worker.name == DIVERSIFIED:
        yield ("name",), f"{DIVERSIFIED} is the name of the pool of all spot nodes", "write another name"
    listed_price = [key for key in LIST_KEYS if key in worker.model_fields_set]
    if worker.instance_type is None:
        yield from _of_list(worker)
    else:
        if listed_price:
            message = f"{listed_price[0]} is of a price list, and {worker.instance_type} has prices in the book"
            yield (listed_price[0],), message, "remove it, or remove instance_type and write a name"
        yield from repeated(("purchase",), worker.purchase)
        if worker.spot_usd_per_hour is not None and "spot" not in worker.purchase:
            yield ("spot_usd_per_hour",), "spot_usd_per_hour is used only with spot", "remove it"
    boot, p90 = worker.boot_hours, worker.boot_p90_hours
    if p90 is not None and boot is None:
        yield ("boot_p90",), "boot_p90 needs boot, the median", "write boot: 5m"
    elif p90 is not None and boot is not None and p90 < boot:
        yield ("boot_p90",), "boot_p90 is shorter than boot, the median", "write boot <= boot_p90"
    kind = worker.gpu
    known = plan.jobs.seconds_per_step
    if kind is not None and kind not in known and worker.id not in known:
        message = f"seconds_per_step has neither {shown(kind)} nor {shown(worker.id)}"
        yield ("gpu",), message, f"add it; there is {listed(list(known))}"


def _of_list(worker: Worker) -> Iterator[Finding]:
    """A worker of a fixed price list."""
    if worker.name is None:
        remedy = "write instance_type: g5.xlarge, or name: and the prices of a list"
        yield (), "a worker needs an instance_type or a name", remedy
    if worker.usd_per_gpu_hour is None:
        message = f"{worker.id or 'this worker'} has no instance_type, so its prices have to be here"
        yield (), message, "write usd_per_gpu_hour: 0.30"
    elif not worker.usd_per_gpu_hour + worker.vcpus * worker.usd_per_vcpu_hour:
        yield ("usd_per_gpu_hour",), "this worker costs nothing", "write its price"
    if worker.gpu is None:
        yield (), f"{worker.id or 'this worker'} has no gpu", "write gpu: RTX4090"
    if not worker.source:
        yield (), "prices of a list need their source", 'write source: "price page, 2025-06-01"'
    for key in ("purchase", "spot_usd_per_hour", "zone_id"):
        if key in worker.model_fields_set:
            yield (key,), f"{key} is used only with instance_type", "remove it"


def _decision(plan: WorkerPoolPlan) -> Iterator[Finding]:
    if not 0.5 <= plan.decision.confidence <= 0.999:
        message = f"decision.confidence is {plan.decision.confidence:.4g}: it has to be 50% to 99.9%"
        yield ("decision", "confidence"), message, "write 90%"
    for key in ("slack", "availability"):
        if key in plan.decision.model_fields_set:
            yield ("decision", key), f"{key} is used only by training plans", "remove it"
