"""The choices of a worker-pool plan: each kind of node by each way to buy it, as numbers for the simulation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

import numpy as np

from planner.models.bill import Unpriced
from planner.models.bill_lines import COMPUTE
from planner.models.number import each_draw
from planner.models.values import Values
from planner.plan.worker_pool_types import Worker, WorkerPoolPlan
from planner.worker_pool.facts import Quoted, gpu_of, gpus_of, jobs_of, network_of, nodes_of, price_of
from planner.worker_pool.model import Jobs, Market, Nodes, Rules, Supply
from pricing.book import PriceBook, PriceNotFound
from pricing.offers import PurchaseOption

SPOT, ON_DEMAND, FALLBACK = "spot", "on-demand", "spot-fallback"


@dataclass(frozen=True, kw_only=True)
class Member:
    """A market that nodes of a choice come from. zone_id: empty where the book knows no zone of the Region."""

    worker: Worker
    zone_id: str


@dataclass(frozen=True, kw_only=True)
class Choice:
    """One kind of node bought one way, or several in one pool. gpu: its kind; gpus: of a node, 1 of a price list's.
    jobs: with planned values, on the first market. supplies: of each run. members: of a pool that takes its nodes from
    several markets, one for each of them. tail_price, tail_worker: of the On-Demand nodes that such a choice ends with.
    why_not: why it cannot be simulated; then there are no supplies. unpriced: what has no price.
    interruptions_observed: the day of Spot Advisor's band that it uses."""

    id: str
    worker: Worker
    purchase: str  # spot, on-demand, spot-fallback or list
    gpu: str
    gpus: int
    jobs: Jobs | None
    supplies: tuple[Supply, ...]
    price: Quoted | None
    boot_billed: bool
    interruptions_said: str
    members: tuple[Member, ...] = ()
    tail_price: Quoted | None = None
    tail_worker: Worker | None = None
    why_not: tuple[str, ...] = ()
    unpriced: tuple[Unpriced, ...] = ()
    interruptions_observed: date | None = None

    @property
    def option(self) -> PurchaseOption | None:
        """None for a price list of the plan."""
        return PurchaseOption.parse(self.purchase) if self.on_ec2 else None

    @property
    def on_ec2(self) -> bool:
        """Whether volumes and S3 come on top of the nodes."""
        return self.worker.instance_type is not None

    @property
    def nodes(self) -> tuple[Nodes, ...]:
        """Of the first market, in each run."""
        return tuple(one.markets[0].nodes for one in self.supplies)


def choices_of(plan: WorkerPoolPlan, book: PriceBook, central: Values, drawn: Values) -> Iterator[Choice]:
    """Every choice of one market, in the order of the plan. central, drawn: assumptions; drawn.draws is the number of
    runs."""
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


def step_seconds_of(plan: WorkerPoolPlan, worker: Worker, book: PriceBook) -> float | None:
    """Of one step on a node of that kind; None if the plan does not say it."""
    speeds = plan.jobs.seconds_per_step
    return speeds.get(worker.id, speeds.get(gpu_of(worker, book) or ""))


def markets_of(
    plan: WorkerPoolPlan, nodes: tuple[Nodes, ...], worker: Worker, step: float, usd: Quoted | None, drawn: Values
) -> tuple[Market, ...]:
    """The market of one kind of node in each run. Without a price it costs 0 there, and its bill is incomplete."""
    network = each_draw(network_of(worker, drawn), drawn.draws)
    prices = np.zeros(drawn.draws) if usd is None else usd.draws
    return tuple(
        Market(nodes=one, jobs=jobs_of(plan, step, float(mb_per_s)), usd_per_hour=float(price))
        for one, mb_per_s, price in zip(nodes, network, prices, strict=True)
    )


def _choice(
    plan: WorkerPoolPlan, book: PriceBook, worker: Worker, purchase: str, central: Values, drawn: Values
) -> Choice:
    gpu, step = gpu_of(worker, book) or "", step_seconds_of(plan, worker, book)
    price, why_not, unpriced, advised = None, [], [], None
    try:
        price = price_of(plan, book, worker, purchase, central, drawn)
    except PriceNotFound as error:
        unpriced.append(Unpriced(line=COMPUTE, what=error.asked, nearest=error.nearest))
    try:
        nodes, said = nodes_of(plan, book, worker, purchase, drawn)
        if purchase == SPOT and worker.interruptions is None:
            advised = book.interruption(worker.instance_type or "", plan.region).observed
    except PriceNotFound:
        nodes, said = (), ""
        why_not.append(
            f"the book of {book.as_of} does not say how often {worker.id} is interrupted in {plan.region}; write "
            f"interruptions: {{mean_life: 48h}} for it"
        )
    if step is None:
        why_not.append(f"jobs.seconds_per_step has neither {gpu or 'its GPU'} nor {worker.id}")
    found = () if why_not or step is None else markets_of(plan, nodes, worker, step, price, drawn)
    return Choice(
        id=f"workers/{worker.id}/{purchase}",
        worker=worker,
        purchase=purchase,
        gpu=gpu,
        gpus=gpus_of(worker, book),
        jobs=None if step is None else jobs_of(plan, step, float(np.median(network_of(worker, central)))),
        supplies=tuple(Supply(markets=(market,)) for market in found),
        price=price,
        boot_billed=worker.instance_type is not None if worker.boot_billed is None else worker.boot_billed,
        interruptions_said=said,
        why_not=tuple(why_not),
        unpriced=tuple(unpriced),
        interruptions_observed=advised,
    )
