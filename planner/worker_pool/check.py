"""A worker-pool plan against a price book: instance types, kinds of GPU, keys of assumptions."""

from __future__ import annotations

from collections.abc import Iterator

from planner.errors import PlanProblems
from planner.plan.assumptions import default_assumptions
from planner.plan.finding import Finding
from planner.plan.load import LoadedPool
from planner.plan.wording import did_you_mean, listed, shown
from planner.plan.worker_pool_types import WorkerPoolPlan
from planner.worker_pool.facts import gpu_of
from pricing.book import PriceBook


def check_against_book(loaded: LoadedPool, book: PriceBook) -> None:
    """Raises PlanProblems with everything that the book does not know."""
    found = [loaded.problem_at(*finding) for finding in _findings(loaded.plan, book)]
    if found:
        raise PlanProblems(tuple(found))


def _findings(plan: WorkerPoolPlan, book: PriceBook) -> Iterator[Finding]:
    # types without hardware facts in the catalogue still have prices
    priced = {row["instance_type"] for row in book.rows("on_demand") if row["region"] == plan.region}
    known = {instance.name: instance for instance in book.instances()}
    names = sorted(priced | known.keys())
    if not priced and any(worker.instance_type for worker in plan.workers) and plan.region not in book.regions():
        message = f"no price of any instance type in {plan.region} is in the book of {book.as_of}"
        yield ("region",), message, did_you_mean(plan.region, book.regions()) or f"known: {listed(book.regions())}"
        return
    for index, worker in enumerate(plan.workers):
        if worker.instance_type is None:
            continue
        if worker.instance_type not in names:
            message = f"{shown(worker.instance_type)} is not an instance type in the price book"
            near = did_you_mean(worker.instance_type, names) or f"types with prices in {plan.region}: {len(priced)}"
            yield ("workers", index, "instance_type"), message, near
            continue
        gpu = gpu_of(worker, book)
        if gpu is None:
            message = f"the kind of GPU of {worker.instance_type} is not in the price book"
            kinds = listed([name for name in plan.jobs.seconds_per_step if name != worker.id])
            remedy = f"write gpu: and one of the kinds in jobs.seconds_per_step: {kinds}"
            yield ("workers", index, "instance_type"), message, remedy
        elif not gpu and worker.id not in plan.jobs.seconds_per_step:
            message = f"{worker.instance_type} has no GPUs"
            yield ("workers", index, "instance_type"), message, f"add {worker.id} to jobs.seconds_per_step"
        elif worker.id not in plan.jobs.seconds_per_step and gpu not in plan.jobs.seconds_per_step:
            message = f"jobs.seconds_per_step has neither {gpu} nor {worker.id}"
            yield ("jobs", "seconds_per_step"), message, f"add {gpu}: seconds of one step on it"
    table = default_assumptions()
    for key in plan.assumptions:
        if key not in table:
            yield (
                ("assumptions", key),
                f"unknown assumption {shown(key)}",
                did_you_mean(key, table) or listed(table, 12),
            )
