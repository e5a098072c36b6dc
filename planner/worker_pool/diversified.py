"""One pool on several markets: every type and zone of the plan's spot nodes, with scarcity that they partly share.

How tight each market is follows one factor that all share and one of its own (a Gaussian copula). The shared factor is
the draw that a pool of one market has alone, so that at correlation 1 every market is that one. While markets are
scarce the same correlation holds for their outages (equation G36).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from planner.estimate.spot import MARKET_STREAM, spot_offer
from planner.models.number import Number, each_draw
from planner.models.values import Values
from planner.models.worker_pool import shared_outage_fraction
from planner.plan.worker_pool_types import DIVERSIFIED, Worker, WorkerPoolPlan
from planner.worker_pool.choices import FALLBACK, ON_DEMAND, SPOT, Choice, Member, markets_of, step_seconds_of
from planner.worker_pool.facts import Quoted, gpu_of, gpus_of, nodes_of, price_of, vcpus_of
from planner.worker_pool.model import Market, Supply
from pricing.book import PriceBook, PriceNotFound

CORRELATION = "workers.market_correlation"
_NORMAL = NormalDist()


@dataclass
class MarketValues(Values):
    """Assumptions as one market has them: all those of the pool, and its own tightness."""

    tightness: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))

    def uniform(self, key: str) -> Number:
        """That of the pool, but for how tight the market is."""
        return self.tightness if key == MARKET_STREAM else super().uniform(key)


def pools_of(
    plan: WorkerPoolPlan, book: PriceBook, singles: Sequence[Choice], central: Values, drawn: Values
) -> Iterator[Choice]:
    """Beside the choices of one market: the diversified one, and each on spot with On-Demand as its tail."""
    many = _diversified(plan, book, singles, central, drawn)
    if many is not None:
        yield many
    if plan.limit_days is None:
        return
    for choice in (*singles, *([] if many is None else [many])):
        if choice.purchase == SPOT and (ends := _with_tail(choice, singles, plan.limit_days * 24)):
            yield ends


def members_of(plan: WorkerPoolPlan, book: PriceBook) -> tuple[Member, ...]:
    """The markets of a diversified pool; none unless there are two. One job takes a whole node of each: types with as
    many GPUs and vCPUs as most others in the plan, so that AWS Batch counts nodes as the plan does."""
    most = max(_alike(plan, book).values(), key=len, default=[])
    found = tuple(Member(worker=one, zone_id=zone) for one in most for zone in zones_of(plan, book, one))
    return found if len(found) > 1 else ()


def left_out(plan: WorkerPoolPlan, book: PriceBook) -> list[str]:
    """Names of the spot nodes that no diversified pool takes because they are of another size than most."""
    alike = _alike(plan, book)
    members = {member.worker.id for member in members_of(plan, book)}
    return [one.id for group in alike.values() for one in group if members and one.id not in members]


def _alike(plan: WorkerPoolPlan, book: PriceBook) -> dict[tuple[int, float], list[Worker]]:
    """The spot nodes whose figures are known, by GPUs and vCPUs."""
    found: dict[tuple[int, float], list[Worker]] = {}
    for worker in plan.workers:
        if worker.instance_type and SPOT in worker.purchase and _known(plan, book, worker):
            gpus = gpus_of(worker, book) if gpu_of(worker, book) else 0
            found.setdefault((gpus, vcpus_of(worker, book)), []).append(worker)
    return found


def zones_of(plan: WorkerPoolPlan, book: PriceBook, worker: Worker) -> list[str]:
    """The plan's zone; else those with spot prices of the type in the book; else those of any type in the Region."""
    if worker.zone_id:
        return [worker.zone_id]
    rows = [row for row in book.rows("spot") if row["region"] == plan.region and row["zone_id"]]
    own = {row["zone_id"] for row in rows if row["instance_type"] == worker.instance_type}
    return sorted(own or {row["zone_id"] for row in rows}) or [""]


def tightness_of(member: Member, correlation: NDArray[np.float64], drawn: Values) -> NDArray[np.float64]:
    """How tight a market is in each run, from 0 to 1. Any two of them have this correlation of their normal scores."""
    shared = each_draw(drawn.uniform(MARKET_STREAM), drawn.draws)
    factor = np.array([_NORMAL.inv_cdf(min(max(one, 1e-12), 1 - 1e-12)) for one in shared])
    own = each_draw(drawn.normal(f"{MARKET_STREAM} {member.worker.id} {member.zone_id}"), drawn.draws)
    score = np.sqrt(correlation) * factor + np.sqrt(1 - correlation) * own
    mixed = np.array([0.5 * math.erfc(-one / math.sqrt(2)) for one in score])
    return np.where(correlation >= 1, shared, np.minimum(mixed, 1 - 1e-12))


def _known(plan: WorkerPoolPlan, book: PriceBook, worker: Worker) -> bool:
    """Whether its price, its interruptions and its speed are."""
    try:
        if worker.spot_usd_per_hour is None:
            book.spot(worker.instance_type or "", plan.region, worker.zone_id)
        if worker.interruptions is None:
            book.interruption(worker.instance_type or "", plan.region)
    except PriceNotFound:
        return False
    return step_seconds_of(plan, worker, book) is not None


def _diversified(
    plan: WorkerPoolPlan, book: PriceBook, singles: Sequence[Choice], central: Values, drawn: Values
) -> Choice | None:
    members = members_of(plan, book)
    if not members:
        return None
    correlation = np.clip(each_draw(drawn[CORRELATION], drawn.draws), 0.0, 1.0)
    markets: list[tuple[Market, ...]] = []
    prices: list[Quoted] = []
    for member in members:
        seen = _values(drawn, tightness_of(member, correlation, drawn))
        usd = _price(plan, book, member, central, seen)
        step = step_seconds_of(plan, member.worker, book)
        assert step is not None  # members_of has looked
        nodes, _ = nodes_of(plan, book, member.worker, SPOT, seen)
        markets.append(markets_of(plan, nodes, member.worker, step, usd, seen))
        prices.append(usd)
    workers = list({member.worker.id: member.worker for member in members}.values())
    first = next(one for one in singles if one.worker.id == workers[0].id)
    cheapest = min(prices, key=lambda one: one.usd)
    zones = sorted({member.zone_id for member in members})
    return Choice(
        id=f"workers/{DIVERSIFIED}/{SPOT}",
        worker=workers[0].model_copy(update={"name": DIVERSIFIED}),
        purchase=SPOT,
        gpu=", ".join(dict.fromkeys(gpu_of(one, book) or "" for one in workers)),
        gpus=first.gpus,
        jobs=first.jobs,
        supplies=tuple(
            Supply(markets=run, shared=shared_of(run, float(alike)))
            for run, alike in zip(zip(*markets, strict=True), correlation, strict=True)
        ),
        price=_of_all(cheapest, prices),
        boot_billed=any(one.boot_billed is not False for one in workers),
        interruptions_said=(
            f"{len(members)} spot markets: {', '.join(one.instance_type or '' for one in workers)} in "
            f"{len(zones)} zone{'s' if len(zones) > 1 else ''}; each is scarce as often as it would be alone, partly "
            f"together ({CORRELATION}); a new node comes from the cheapest market that has one"
        ),
        members=members,
        interruptions_observed=min(
            (
                book.interruption(one.instance_type or "", plan.region).observed
                for one in workers
                if one.interruptions is None
            ),
            default=None,
        ),
    )


def _of_all(cheapest: Quoted, prices: Sequence[Quoted]) -> Quoted:
    """The cheapest price, with the sources of all."""
    source = "; ".join(dict.fromkeys(one.source for one in prices))
    of_book = cheapest.of_book and replace(cheapest.of_book, source=source)
    return replace(cheapest, source=source, of_book=of_book)


def shared_of(markets: Sequence[Market], correlation: float) -> float:
    """The share of outages that scarce markets have together, so that two of them have this correlation."""
    scarce = [one.nodes for one in markets if one.nodes.outages_per_hour]
    if len(scarce) < 2 or correlation >= 1:
        return 1.0
    down = max(one.outages_per_hour * one.outage_hours for one in scarce)
    return float(shared_outage_fraction(correlation=correlation, up_fraction=1 / (1 + down)))


def _values(drawn: Values, tightness: NDArray[np.float64]) -> MarketValues:
    return MarketValues(
        table=drawn.table, draws=drawn.draws, seed=drawn.seed, used=drawn.used, recording=False, tightness=tightness
    )


def _price(plan: WorkerPoolPlan, book: PriceBook, member: Member, central: Values, seen: Values) -> Quoted:
    """Of its zone if the book has one there, else of the Region."""
    worker, zone = member.worker, member.zone_id or None
    if spot_offer(book, worker.instance_type or "", plan.region, zone) is not None:
        worker = worker.model_copy(update={"zone_id": zone})
    return price_of(plan, book, worker, SPOT, central, seen)


def _with_tail(choice: Choice, singles: Sequence[Choice], deadline_hours: float) -> Choice | None:
    """The choice with On-Demand nodes of its own kinds at the end, those on which a job is cheapest; None if it has
    none, or lacks a price."""
    kinds = {member.worker.id for member in choice.members} or {choice.worker.id}
    ends = [
        one for one in singles if one.purchase == ON_DEMAND and one.worker.id in kinds and one.price and one.supplies
    ]
    if not ends or not choice.supplies or choice.price is None:
        return None
    tail = min(ends, key=lambda one: one.price.usd * one.jobs.work_hours if one.price and one.jobs else math.inf)
    supplies = (
        replace(one, tail=end.markets[0], deadline_hours=deadline_hours)
        for one, end in zip(choice.supplies, tail.supplies, strict=True)
    )
    return replace(
        choice,
        id=choice.id.removesuffix(SPOT) + FALLBACK,
        purchase=FALLBACK,
        supplies=tuple(supplies),
        tail_price=tail.price,
        tail_worker=tail.worker,
        interruptions_said=(
            f"{choice.interruptions_said}; new nodes are {tail.worker.instance_type} On-Demand once what is left would "
            "otherwise miss the deadline"
        ),
    )
