"""A worker-pool plan against a price book: instance types and kinds of GPU."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from planner.errors import PlanProblems
from planner.plan.finding import Finding
from planner.plan.load import LoadedPool
from planner.plan.wording import did_you_mean, listed, shown
from planner.plan.worker_pool_types import Worker, WorkerPoolPlan
from planner.worker_pool.facts import gpu_of
from pricing.book import PriceBook
from pricing.catalog import InstanceType


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
        yield from _other_gpu(worker, index, known)
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


def _other_gpu(worker: Worker, index: int, known: Mapping[str, InstanceType]) -> Iterator[Finding]:
    """A kind of GPU that the instance type does not have; of a type without facts, that none of its family has."""
    own = worker.instance_type or ""
    alike = [known[own]] if own in known else [one for name, one in known.items() if _family(name) == _family(own)]
    kinds = {one.gpu_name.upper() for one in alike}
    if worker.gpu is None or not kinds or worker.gpu.upper() in kinds:
        return
    there = listed(sorted(kinds - {""})) or "no GPUs"
    message = f"gpu is {shown(worker.gpu)[1:-1]}, and {own} has {there}, so its jobs would be timed on other hardware"
    remedy = f"remove gpu; a speed of {worker.id} alone belongs in jobs.seconds_per_step as {worker.id}: SECONDS"
    yield ("workers", index, "gpu"), message, remedy


def _family(name: str) -> str:
    return name.partition(".")[0]
