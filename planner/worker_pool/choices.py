"""The choices of a worker-pool plan: each kind of node by each way to buy it, as numbers for the simulation.

Prices, interruptions and scarcity of spot nodes are drawn together, one market a run, as for training plans.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

import numpy as np
from numpy.typing import NDArray

from planner.estimate.spot import advised_market, spot_offer, spot_price
from planner.models.number import Number, each_draw
from planner.models.shares import worker_price
from planner.models.values import Values
from planner.plan.worker_pool_types import Worker, WorkerPoolPlan
from planner.worker_pool.model import Jobs, Nodes, Rules
from pricing.book import PriceBook, PriceNotFound
from pricing.offers import InterruptionBand, Price

HOURS_PER_DAY = 24
OWN = "the plan"


@dataclass(frozen=True, kw_only=True)
class Quoted:
    """One price with its source. usd: planned; draws: of each run."""

    usd: float
    draws: NDArray[np.float64]
    unit: str
    source: str
    observed: date | None
    grade: str


@dataclass(frozen=True, kw_only=True)
class Choice:
    """One kind of node bought one way. gpu: its kind; gpus: of a node, 1 of a price list's. why_not: why it
    cannot be simulated; then there are no nodes. unpriced: what has no price, with the nearest known one."""

    id: str
    worker: Worker
    purchase: str  # spot, on-demand or list
    gpu: str
    gpus: int
    jobs: Jobs | None
    nodes: tuple[Nodes, ...]
    price: Quoted | None
    network_mb_per_s: NDArray[np.float64]
    boot_billed: bool
    interruptions_said: str
    why_not: tuple[str, ...] = ()
    unpriced: tuple[str, ...] = ()

    @property
    def on_ec2(self) -> bool:
        """Whether volumes and S3 come on top of the nodes."""
        return self.worker.instance_type is not None


def choices_of(plan: WorkerPoolPlan, book: PriceBook, central: Values, drawn: Values) -> Iterator[Choice]:
    """Every choice, in the order of the plan. central, drawn: assumptions; drawn.draws is the number of runs."""
    for worker in plan.workers:
        for purchase in ("list",) if worker.instance_type is None else worker.purchase:
            yield _choice(plan, book, worker, purchase, central, drawn)


def rules_of(plan: WorkerPoolPlan) -> Rules:
    """What the pool's control does, as the plan says."""
    pool = plan.pool
    return Rules(
        least=pool.min,
        most=pool.max,
        jobs_per_node=pool.jobs_per_node,
        every_hours=pool.interval_hours,
        cool_down_hours=pool.cool_down_hours,
        heartbeat_hours=pool.heartbeat_hours,
        stalled_hours=pool.stalled_after_hours,
        max_failures=pool.max_failures,
        node_failures=pool.node_failures,
        bad_first=pool.bad_nodes,
        bad_fraction=pool.bad_fraction,
        fail_hours=pool.fails_after_hours,
        saves_on_notice=pool.saves_on_notice,
    )


def gpu_of(worker: Worker, book: PriceBook) -> str | None:
    """The kind of GPU of a worker; None if neither the plan nor the catalogue knows it."""
    if worker.gpu is not None or worker.instance_type is None:
        return worker.gpu
    try:
        return book.instance(worker.instance_type).gpu_name.upper()
    except LookupError:
        return None


def _gpus(worker: Worker, book: PriceBook) -> int:
    try:
        return max(1 if worker.instance_type is None else book.instance(worker.instance_type).gpu_count, 1)
    except LookupError:
        return 1


def _choice(
    plan: WorkerPoolPlan, book: PriceBook, worker: Worker, purchase: str, central: Values, drawn: Values
) -> Choice:
    runs, gpu = drawn.draws, gpu_of(worker, book) or ""
    speeds = plan.jobs.seconds_per_step
    step = speeds.get(worker.id, speeds.get(gpu))
    price, why_not, unpriced = None, [], []
    try:
        price = _price(plan, book, worker, purchase, central, drawn)
    except PriceNotFound as error:
        unpriced.append(str(error))
    try:
        nodes, said = _nodes(plan, book, worker, purchase, drawn)
    except PriceNotFound:
        nodes, said = (), ""
        why_not.append(
            f"the book of {book.as_of} does not say how often {worker.id} is interrupted in {plan.region}; write "
            f"interruptions: {{mean_life: 48h}} for it"
        )
    if step is None:
        why_not.append(f"jobs.seconds_per_step has neither {gpu or 'its GPU'} nor {worker.id}")
    network = each_draw(_network(worker, drawn), runs)
    jobs = _jobs(plan, step, _middle(_network(worker, central))) if step is not None else None
    return Choice(
        id=f"workers/{worker.id}/{purchase}",
        worker=worker,
        purchase=purchase,
        gpu=gpu,
        gpus=_gpus(worker, book),
        jobs=jobs,
        nodes=() if why_not else nodes,
        price=price,
        network_mb_per_s=network,
        boot_billed=worker.instance_type is not None if worker.boot_billed is None else worker.boot_billed,
        interruptions_said=said,
        why_not=tuple(why_not),
        unpriced=tuple(unpriced),
    )


def jobs_of_run(choice: Choice, plan: WorkerPoolPlan, run: int) -> Jobs:
    """The jobs with the network of one run."""
    assert choice.jobs is not None  # it is feasible
    return _with_network(choice.jobs, plan, float(choice.network_mb_per_s[run]))


def _jobs(plan: WorkerPoolPlan, step_seconds: float, network_mb_per_s: float) -> Jobs:
    jobs = plan.jobs
    bare = Jobs(
        count=jobs.count,
        work_hours=jobs.steps * step_seconds / 3600,
        segment_hours=jobs.checkpoint_steps * step_seconds / 3600,
        broken_fraction=jobs.broken,
    )
    return _with_network(bare, plan, network_mb_per_s)


def _with_network(bare: Jobs, plan: WorkerPoolPlan, network_mb_per_s: float) -> Jobs:
    checkpoint = (plan.jobs.checkpoint_bytes or 0.0) / 1e6 / network_mb_per_s / 3600
    return Jobs(
        count=bare.count,
        work_hours=bare.work_hours,
        segment_hours=bare.segment_hours,
        write_hours=checkpoint,
        resume_hours=checkpoint,
        model_hours=(plan.jobs.model_bytes or 0.0) / 1e6 / network_mb_per_s / 3600,
        broken_fraction=bare.broken_fraction,
    )


def _network(worker: Worker, values: Values) -> Number:
    """MB/s of one node."""
    own = worker.network_bytes_per_second
    return values["workers.network_mb_per_s"] if own is None else own / 1e6


def _middle(value: Number) -> float:
    return float(np.median(value))


def _price(
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
        return Quoted(
            usd=usd, draws=np.full(runs, usd), unit="Hrs", source=worker.source, observed=worker.observed, grade=""
        )
    if purchase == "on-demand":
        return _of_book(book.on_demand(worker.instance_type, plan.region), runs)
    offer = spot_offer(book, worker.instance_type, plan.region, worker.zone_id)
    if offer is None and own is None:
        book.spot(worker.instance_type, plan.region, worker.zone_id)  # raises, with the nearest price
    planned = float(np.asarray(spot_price(offer, central, own)))
    draws = each_draw(spot_price(offer, drawn, own), runs)
    if own is not None:
        source = worker.source or f"{OWN}, spot_usd_per_hour"
        return Quoted(usd=own, draws=draws, unit="Hrs", source=source, observed=worker.observed, grade="")
    assert offer is not None  # own is None, so book.spot would have raised
    seen = offer.planned
    return Quoted(
        usd=planned, draws=draws, unit=seen.unit, source=seen.source, observed=seen.observed, grade=seen.grade
    )


def _of_book(price: Price, runs: int) -> Quoted:
    return Quoted(
        usd=price.usd,
        draws=np.full(runs, price.usd),
        unit=price.unit,
        source=price.source,
        observed=price.observed,
        grade=price.grade,
    )


def _nodes(
    plan: WorkerPoolPlan, book: PriceBook, worker: Worker, purchase: str, drawn: Values
) -> tuple[tuple[Nodes, ...], str]:
    """(the nodes of each run, what interrupts them in words). Raises PriceNotFound."""
    runs = drawn.draws
    rate, shape, outages, wait, first, said = _interruptions(plan, book, worker, purchase, drawn)
    image = (plan.jobs.image_bytes or 0.0) / 1e6 / each_draw(_network(worker, drawn), runs) / 3600
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
