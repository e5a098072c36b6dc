"""What one kind of node is, bought one way: its price, its life and its jobs, planned and in each simulated run.

Prices, interruptions and scarcity of spot nodes are drawn together, one market a run, as for training plans.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

import numpy as np
from numpy.typing import NDArray

from planner.estimate.spot import advised_market, spot_offer, spot_price
from planner.models.number import Number, each_draw
from planner.models.shares import worker_price
from planner.models.values import Values
from planner.plan.wording import listed
from planner.plan.worker_pool_types import Worker, WorkerPoolPlan
from planner.worker_pool.model import Jobs, Nodes
from pricing.book import PriceBook
from pricing.offers import InterruptionBand, Price

HOURS_PER_DAY = 24
MIB_PER_GB = 1e9 / 2**20
OWN = "the plan"


@dataclass(frozen=True, kw_only=True)
class Quoted:
    """One price with its source. usd: planned; draws: of each run; of_book: the book's, None for one of the plan."""

    usd: float
    draws: NDArray[np.float64]
    source: str
    observed: date | None
    of_book: Price | None = None


def gpu_of(worker: Worker, book: PriceBook) -> str | None:
    """The kind of GPU of a worker; None if neither the plan nor the catalogue knows it."""
    if worker.gpu is not None or worker.instance_type is None:
        return worker.gpu
    try:
        return book.instance(worker.instance_type).gpu_name.upper()
    except LookupError:
        return None


def gpus_of(worker: Worker, book: PriceBook) -> int:
    try:
        return max(1 if worker.instance_type is None else book.instance(worker.instance_type).gpu_count, 1)
    except LookupError:
        return 1


def vcpus_of(worker: Worker, book: PriceBook) -> float:
    """By the price book, else by the plan; 0 if neither knows them."""
    size = size_of(worker, book)
    return worker.vcpus if size is None else size.vcpu


@dataclass(frozen=True, kw_only=True)
class Size:
    """Of an instance type, which a job asks AWS Batch for."""

    vcpu: int
    memory_mib: float
    drives: int


def size_of(worker: Worker, book: PriceBook) -> Size | None:
    """By the price book, else by the plan; None if neither knows it, and for a price list."""
    if worker.instance_type is None:
        return None
    try:
        known = book.instance(worker.instance_type)
        return Size(vcpu=known.vcpu, memory_mib=known.memory_mib, drives=known.nvme_drives)
    except LookupError:
        if worker.vcpus and worker.memory_gb:
            return Size(vcpu=int(worker.vcpus), memory_mib=worker.memory_gb * MIB_PER_GB, drives=0)
        return None


def sizeless(workers: Iterable[Worker], book: PriceBook) -> str:
    """Why nodes of these instance types cannot be deployed, and what to do; empty where they can be."""
    lacking = (one.instance_type or "" for one in workers if one.instance_type and size_of(one, book) is None)
    missing = listed(dict.fromkeys(lacking))
    return missing and (
        f"the price book has no vCPU and memory of {missing}, which a job asks AWS Batch for; write both in the plan "
        "(vcpus, memory_gb), as EC2's page of the type has them"
    )


def jobs_of(plan: WorkerPoolPlan, step_seconds: float, network_mb_per_s: float) -> Jobs:
    """The jobs on nodes of this speed and network."""
    checkpoint = (plan.jobs.checkpoint_bytes or 0.0) / 1e6 / network_mb_per_s / 3600
    return Jobs(
        count=plan.jobs.count,
        work_hours=plan.jobs.steps * step_seconds / 3600,
        segment_hours=plan.jobs.checkpoint_steps * step_seconds / 3600,
        write_hours=checkpoint,
        resume_hours=checkpoint,
        model_hours=(plan.jobs.model_bytes or 0.0) / 1e6 / network_mb_per_s / 3600,
        broken_fraction=plan.jobs.broken,
    )


def network_of(worker: Worker, values: Values) -> Number:
    """MB/s of one node."""
    own = worker.network_bytes_per_second
    return values["workers.network_mb_per_s"] if own is None else own / 1e6


def price_of(
    plan: WorkerPoolPlan, book: PriceBook, worker: Worker, purchase: str, central: Values, drawn: Values
) -> Quoted:
    """USD an hour of one node. Raises PriceNotFound."""
    runs, own = drawn.draws, worker.spot_usd_per_hour
    if worker.instance_type is None:
        usd = float(
            worker_price(
                gpu_usd_per_hour=worker.usd_per_gpu_hour or 0.0,
                vcpus=worker.vcpus,
                usd_per_vcpu_hour=worker.usd_per_vcpu_hour,
                memory_gb=worker.memory_gb,
                usd_per_gb_hour=worker.usd_per_gb_hour,
            )
        )
        return Quoted(usd=usd, draws=np.full(runs, usd), source=worker.source or OWN, observed=worker.observed)
    if purchase == "on-demand":
        return _of_book(book.on_demand(worker.instance_type, plan.region), runs)
    offer = spot_offer(book, worker.instance_type, plan.region, worker.zone_id)
    if offer is None and own is None:
        book.spot(worker.instance_type, plan.region, worker.zone_id)  # raises, with the nearest price
    planned = float(np.asarray(spot_price(offer, central, own)))
    draws = each_draw(spot_price(offer, drawn, own), runs)
    if own is not None:
        source = worker.source or f"{OWN}, spot_usd_per_hour"
        return Quoted(usd=own, draws=draws, source=source, observed=worker.observed)
    assert offer is not None  # own is None, so book.spot would have raised
    seen = offer.planned
    return Quoted(usd=planned, draws=draws, source=seen.source, observed=seen.observed, of_book=seen)


def _of_book(price: Price, runs: int) -> Quoted:
    return Quoted(
        usd=price.usd, draws=np.full(runs, price.usd), source=price.source, observed=price.observed, of_book=price
    )


def nodes_of(
    plan: WorkerPoolPlan, book: PriceBook, worker: Worker, purchase: str, drawn: Values
) -> tuple[tuple[Nodes, ...], str]:
    """(the nodes of each run, what interrupts them in words). Raises PriceNotFound."""
    runs = drawn.draws
    rate, shape, outages, wait, first, said = _interruptions(plan, book, worker, purchase, drawn)
    image = (plan.jobs.image_bytes or 0.0) / 1e6 / each_draw(network_of(worker, drawn), runs) / 3600
    median = each_draw(drawn["workers.boot_minutes"] / 60 if worker.boot_hours is None else worker.boot_hours, runs)
    spread = (worker.boot_p90_hours or 0.0) / worker.boot_hours if worker.boot_hours else 0.0
    notice = each_draw(drawn["workers.notice_minutes"] / 60 if purchase == "spot" else 0.0, runs)
    columns = (each_draw(one, runs) for one in (rate, outages, wait, first))
    return tuple(
        Nodes(
            interruptions_per_hour=float(own_rate),
            shape=shape,
            boot_hours=float(boot + pull),
            boot_p90_hours=float(boot * spread + pull) if spread else 0.0,
            outages_per_hour=float(all_lost),
            outage_hours=float(none),
            first_wait_hours=float(none_at_first),
            notice_hours=float(told),
        )
        for own_rate, all_lost, none, none_at_first, boot, pull, told in zip(
            *columns, median, image, notice, strict=True
        )
    ), said


_Rates = tuple[Number, float, Number, Number, Number, str]


def _interruptions(plan: WorkerPoolPlan, book: PriceBook, worker: Worker, purchase: str, drawn: Values) -> _Rates:
    """(interruptions per node and hour, shape, outages per hour, hours of one, of the first one, in words)."""
    own = worker.interruptions
    if own is not None:
        law = "at a constant rate" if own.shape == 1 else f"by a Weibull law of shape {own.shape:g}"
        said = f"a node lives {own.mean_life_hours:.4g} h on average, {law} (the plan)"
        return 1 / own.mean_life_hours, own.shape, 0.0, 0.0, 0.0, said
    if purchase == "list":
        return 0.0, 1.0, 0.0, 0.0, 0.0, "the plan gives no interruptions, so there are none"
    if purchase == "on-demand":
        rate = drawn["goodput.failures_per_1000_node_days"] / 1000 / HOURS_PER_DAY
        return rate, 1.0, 0.0, 0.0, 0.0, "nodes fail as often as those of large clusters"
    assert worker.instance_type is not None  # only instance types are bought on spot
    band = book.interruption(worker.instance_type, plan.region)
    market = advised_market(band, drawn)
    return market.node_hazard[0], 1.0, market.gang_rate[0], market.gang_wait[0], market.first_wait[0], _band(band)


def _band(band: InterruptionBand) -> str:
    return (
        f"AWS Spot Advisor ({band.observed}): {band.label} of instances interrupted per month; in scarce markets all "
        "nodes at once, as in public traces"
    )
