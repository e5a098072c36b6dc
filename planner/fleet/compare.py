"""Every choice of a fleet plan: simulated, bought, billed and ranked."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

import numpy as np

from planner.answer.compared import Prices
from planner.answer.eligible import judged, with_fractions
from planner.answer.measure import cost_of, order
from planner.answer.price_age import stale_prices
from planner.answer.recommend import answer_of
from planner.answer.row import Outcomes, Shortfall
from planner.demand.shown import jobs_shown
from planner.demand.weeks import WEEK_HOURS
from planner.fleet.beside import owned, stored
from planner.fleet.bill import around, cache_tb, hot_union, node_lines
from planner.fleet.bought import MIX, Shop, mix_or_reason
from planner.fleet.measured import of_queue, with_cost
from planner.fleet.model import Floats
from planner.fleet.past import Past, past_of
from planner.fleet.result import FleetComparison, FleetScenario, FromFile, Sharing
from planner.fleet.runs import UNLIMITED, Outcome, Task, counts_of, outcome_of, too_large
from planner.fleet.sharing import partitions, shared_or_not
from planner.fleet.spot import spot_bound
from planner.fleet.with_demand import ran_on
from planner.fleet.workload import MONTH_HOURS, Drawn, drawn_of, per_month
from planner.models.number import share_of, share_within
from planner.models.values import Values
from planner.plan.assumptions import resolve
from planner.plan.fleet_types import FleetPlan
from planner.plan.load import LoadedFleet
from planner.plan.types import BLOCK_MAX_DAYS
from pricing.book import PriceBook
from pricing.offers import PurchaseOption

FEWEST_RUNS, DEFAULT_RUNS, MOST_RUNS, RUNS_ALONE = 20, 50, 1_000, 5
JOBS_IN_ALL = 150_000  # simulated by default for one choice of nodes
Each = Callable[[Callable[[Any], Any], Sequence[Any]], Iterable[Any]]
BACKLOG, DEADLINES, WAIT = "backlog", "deadlines", "mean wait"


def runs_for(loaded: LoadedFleet, book: PriceBook, asked: int | None) -> int:
    """Simulated outcomes of each choice: as asked, else 50, fewer of very many jobs."""
    if asked is not None:
        return asked
    plan, weeks = loaded.plan, loaded.weeks
    gpus = gpus_of(plan, book)
    jobs = sum(sum(per_month(plan, one, stream, gpus)) for one in plan.projects for stream in one.jobs)
    if weeks is not None:
        jobs += len(weeks.jobs) / weeks.count * plan.run.months * MONTH_HOURS / WEEK_HOURS
    return max(FEWEST_RUNS, min(DEFAULT_RUNS, int(JOBS_IN_ALL / max(jobs, 1))))


def gpus_of(plan: FleetPlan, book: PriceBook) -> dict[str, int]:
    """GPUs of a node of each type."""
    return {name: book.instance(name).gpu_count for name in plan.types}


def ways_of(plan: FleetPlan) -> list[str]:
    """How nodes are bought, in the order of the plan; the mix last."""
    return [*plan.purchase.options, *([MIX] if plan.purchase.mix else [])]


def id_of(plan: FleetPlan, nodes: Sequence[int], way: str) -> str:
    """`fleet/p4d.24xlargex400+p5.48xlargex64/mix`; a group without a number has none."""
    named = [name if count == UNLIMITED else f"{name}x{count}" for name, count in zip(plan.types, nodes, strict=True)]
    return f"fleet/{'+'.join(named)}/{way}"


def ids_in(plan: FleetPlan) -> list[str]:
    """The ids of the choices, without simulating any."""
    return [id_of(plan, nodes, way) for nodes in counts_of(plan) for way in ways_of(plan)]


def compare_fleet(
    loaded: LoadedFleet,
    book: PriceBook,
    *,
    runs: int | None = None,
    seed: int = 0,
    as_of: date | None = None,
    max_price_age_days: int | None = None,
    each: Each = map,
) -> FleetComparison:
    """Simulate and price every choice. runs: simulated outcomes of each; None for as many as suit the number of jobs.
    each: applies a function to many things. Raises UsageProblem where a type has no On-Demand price."""
    plan = loaded.plan
    count, gpus = runs_for(loaded, book, runs), gpus_of(plan, book)
    past = past_of(loaded, gpus)
    central = Values(table=resolve(plan.assumptions), recording=False)
    drawn_values = Values(
        table=central.table, draws=count, seed=seed, used=central.used, recording=False, stratified=True
    )
    drawn, shop = drawn_of(plan, drawn_values), Shop(plan, book)
    lacking = {nodes: too_large(plan, nodes, past) for nodes in counts_of(plan)}
    sizes = [nodes for nodes, why in lacking.items() if not why]
    tasks = [
        Task(plan=plan, gpus=gpus, nodes=nodes, drawn=drawn, draw=draw, seed=seed, past=past)
        for nodes in sizes
        for draw in range(count)
    ]
    found = list(each(outcome_of, tasks))
    rows: list[FleetScenario] = []
    outcomes: dict[str, Outcomes] = {}
    for at, nodes in enumerate(sizes):
        of = found[at * count : (at + 1) * count]
        for row, one in _of_size(plan, book, shop, nodes, of, drawn_values):
            rows.append(row if one is None else _judged(plan, row, one, of))
            if one is not None:
                outcomes[row.id] = one
    for nodes, why in lacking.items():
        rows += [replace(_empty(plan, nodes, way), why_not=(why,)) for way in ways_of(plan) if why]
    answer = answer_of(plan.decision, rows, outcomes)
    rows = sorted(rows, key=lambda s: order(s, plan.decision.rank_by, answer.recommended))
    rows = with_fractions(rows, outcomes, answer.recommended or rows[0].id)
    best = next((row for row in rows if row.id == answer.recommended), None)
    as_of = as_of or plan.start
    places, own, spot = (), None, None
    if best is not None:
        places, own = stored(plan, book, best), owned(plan, book, best, drawn_values)
        spot = spot_bound(plan, book, best, drawn_values)
    return FleetComparison(
        plan_name=plan.name,
        plan_sha256=loaded.sha256,
        region=plan.region,
        prices=Prices.of(book, as_of),
        seed=seed,
        draws=count,
        scenarios=tuple(rows),
        answer=answer,
        assumptions=tuple(central.table[key] for key in sorted(central.used)),
        notes=tuple(_notes(plan, rows)),
        warnings=tuple(_warnings(plan, book, shop, best)),
        stale=stale_prices(rows, book.as_of, as_of, max_price_age_days),
        plan=plan,
        from_file=_from_file(loaded, past),
        sharing=_sharing(plan, gpus, best, drawn, seed, each, past),
        frontier=tuple(_frontier(rows)),
        stored=places,
        owned=own,
        spot=spot,
    )


def _from_file(loaded: LoadedFleet, past: Past | None) -> FromFile | None:
    plan, weeks = loaded.plan, loaded.weeks
    if past is None or weeks is None or plan.demand is None or plan.demand.sha256 is None:
        return None
    work: defaultdict[str, float] = defaultdict(float)
    for job in weeks.jobs:
        work[job.project] += weeks.work([job])
    return FromFile(
        file=plan.demand.file,
        sha256=plan.demand.sha256,
        weeks=weeks,
        shown=jobs_shown(weeks.found, weeks, plan.demand.zone),
        work=tuple((one.name, work[one.name]) for one in plan.projects if one.name in work),
        unmapped=sum(ran_on(plan.demand, job.gpu, job.partition) is None for job in weeks.jobs),
        parts=past.slots > 1,
    )


def _of_size(
    plan: FleetPlan,
    book: PriceBook,
    shop: Shop,
    nodes: tuple[int, ...],
    found: Sequence[Outcome],
    values: Values,
) -> Iterator[tuple[FleetScenario, Outcomes | None]]:
    """The rows of one choice of nodes; outcomes None for what cannot be bought."""
    busy = np.array([one.busy for one in found])
    peak = np.quantile(busy.max(axis=2), 0.9, axis=0)
    standing = [math.ceil(top) if count == UNLIMITED else count for top, count in zip(peak, nodes, strict=True)]
    demand = shop.demand(busy, standing)
    beside = around(plan, book, sum(standing), values)
    queue = of_queue(plan, found, busy, standing)
    for way in ways_of(plan):
        option = None if way == MIX else PurchaseOption.parse(way)
        empty = _empty(plan, nodes, way)
        bought = mix_or_reason(shop, demand) if option is None else shop.lots(option, standing)
        if isinstance(bought, str):
            yield replace(empty, why_not=(bought,)), None
            continue
        lots, purchases = bought if isinstance(bought, tuple) else (bought, ())
        paid = shop.paid(demand, lots, purchases)
        lines = (*node_lines(shop, paid), *beside.lines)
        row = replace(
            empty,
            **queue,
            feasible=True,
            complete=not beside.unpriced,
            bill=lines,
            unpriced=beside.unpriced,
            peak=tuple(float(top) for top in peak),
            term_years=max((lot.term // (12 * MONTH_HOURS) for lot in lots), default=0),
            unproven=_not_promised(plan) if way == "capacity-block" else "",
        )
        yield with_cost(plan, row, paid, beside.usd, found)


def _not_promised(plan: FleetPlan) -> str:
    """Why a fleet that lives on Capacity Blocks alone is not recommended; "" where one block lasts, or they are counted
    on."""
    if plan.purchase.blocks or plan.run.months * MONTH_HOURS <= BLOCK_MAX_DAYS * 24:
        return ""
    return (
        f"{plan.run.months} months take several blocks, and nobody promises the next one (purchase.blocks: true counts "
        "on them)"
    )


def _empty(plan: FleetPlan, nodes: Sequence[int], way: str) -> FleetScenario:
    """A choice before anything is known of it."""
    return FleetScenario(
        id=id_of(plan, nodes, way),
        nodes=tuple((n, 0 if c == UNLIMITED else c) for n, c in zip(plan.types, nodes, strict=True)),
        way=way,
        option=None if way == MIX else PurchaseOption.parse(way),
        feasible=False,
        why_not=(),
        complete=False,
    )


def _judged(plan: FleetPlan, row: FleetScenario, outcomes: Outcomes, found: Sequence[Outcome]) -> FleetScenario:
    """What the decision rule says of it; waits, deadlines and backlog are limits that only fleets have."""
    limits, confidence, others = plan.constraints, plan.decision.confidence, []
    backlog = np.array([one.backlog for one in found])
    means = np.array([one.mean_wait for one in found])
    late = np.array([1 - one.deadlines[0] / one.deadlines[1] if one.deadlines[1] else 0.0 for one in found])
    checks: list[tuple[str, Floats, float]] = [(BACKLOG, backlog, limits.max_backlog)]
    if limits.max_mean_wait_hours is not None:
        checks.append((WAIT, means, limits.max_mean_wait_hours))
    checks.append((DEADLINES, late, 1 - limits.deadlines_met))
    for kind, values, limit in checks:
        within = share_of(values <= limit + 1e-12)
        if within < confidence:
            needed = share_within(values, confidence)
            others.append(Shortfall(kind=kind, fraction=within, limit=limit, needed=needed))
    return judged(
        row,
        outcomes,
        confidence=confidence,
        limit_days=math.inf,
        limit_is_assumed=False,
        budget_usd=limits.max_cost_usd,
        others=others,
    )


def _frontier(rows: Sequence[FleetScenario]) -> Iterator[str]:
    least = math.inf
    for row in sorted((r for r in rows if r.eligible and not r.held_back), key=lambda r: (cost_of(r, "p50"), r.id)):
        assert row.wait_hours is not None  # it was simulated
        if row.wait_hours.plan < least - 1e-9:
            least = row.wait_hours.plan
            yield row.id


def _sharing(
    plan: FleetPlan,
    gpus: Mapping[str, int],
    best: FleetScenario | None,
    drawn: Drawn,
    seed: int,
    each: Each,
    past: Past | None,
) -> Sharing | None:
    if best is None or len(plan.projects) < 2 or any(not count for _, count in best.nodes):
        return None
    parts = partitions(plan, best)
    draws = min(drawn.draws, RUNS_ALONE)
    tasks = [
        Task(plan=plan, gpus=gpus, nodes=nodes, drawn=drawn, draw=draw, seed=seed, past=past, alone=at)
        for at, (_, nodes) in enumerate(parts)
        for draw in range(draws)
    ]
    return shared_or_not(plan, parts, list(each(outcome_of, tasks)), draws, past)


def _warnings(plan: FleetPlan, book: PriceBook, shop: Shop, best: FleetScenario | None) -> Iterator[str]:
    if plan.storage.layout == "converged" and best is not None:
        hot, room = float(hot_union(plan).max()) / 1e12, cache_tb(plan, book, tuple(n for _, n in best.nodes))
        if hot > room > 0:
            yield (
                f"The projects' hot data ({hot:,.0f} TB) is more than the cache of the nodes holds ({room:,.0f} TB): "
                "jobs read the rest from S3 each time, and that is not in these figures."
            )
    if shop.main.derived:
        options = shop.main.derived_words
        yield f"Derived prices, in no price list (grade C): {options}."


def _notes(plan: FleetPlan, rows: Sequence[FleetScenario]) -> Iterator[str]:
    yield "Reserved Instances and Savings Plans promise a price, not capacity; On-Demand promises neither."
    if any(row.way == "capacity-block" and row.feasible for row in rows) or plan.purchase.blocks:
        yield "A Capacity Block is sold up to eight weeks ahead; a later block of a chain is not promised."
    if plan.purchase.owned:
        yield "What you own already costs nothing more here."
