"""Every choice of a worker-pool plan simulated, billed and ranked."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from planner.models.values import Values
from planner.models.worker_pool import worker_job_hours
from planner.plan.assumptions import resolve
from planner.plan.load import LoadedPool
from planner.plan.worker_pool_types import WorkerPoolPlan
from planner.worker_pool.alone import sampled_hours
from planner.worker_pool.bill import NODE_LINE, bill_of
from planner.worker_pool.choices import SPOT, Choice, choices_of, rules_of
from planner.worker_pool.diversified import pools_of
from planner.worker_pool.model import Rules
from planner.worker_pool.result import (
    Alone,
    Floats,
    Interrupted,
    PoolComparison,
    PoolScenario,
    segments_of,
    spread_of,
    typical,
    within,
)
from planner.worker_pool.run import PoolRun
from planner.worker_pool.simulation import simulate_supply
from pricing.book import PriceBook

DEFAULT_RUNS, FEWEST_RUNS, MOST_RUNS = 200, 20, 2000
JOBS_IN_ALL = 400_000  # simulated by default for one choice
ALONE = 4000  # runs of one job
Step = Callable[[], None]
Vary = Callable[[Choice], Choice]


def runs_for(jobs: int, asked: int | None) -> int:
    """How many runs to simulate: as asked, else 200, fewer of very many jobs."""
    if asked is not None:
        return min(max(asked, 1), MOST_RUNS)
    return max(FEWEST_RUNS, min(DEFAULT_RUNS, JOBS_IN_ALL // jobs))


def choices_in(plan: WorkerPoolPlan, book: PriceBook) -> int:
    """How many choices a plan has, those included that turn out to lack a price."""
    central = Values(table=resolve(plan.assumptions), recording=False)
    return len(_choices(plan, book, central, Values(table=central.table, draws=1, recording=False)))


def compare_pool(
    loaded: LoadedPool,
    book: PriceBook,
    *,
    runs: int | None = None,
    seed: int = 0,
    step: Step = lambda: None,
    vary: Vary = lambda choice: choice,
) -> PoolComparison:
    """Simulate every choice. runs: simulated outcomes of each, None for as many as suit the number of jobs. step:
    called after each one. vary: changes the numbers of a choice before it is simulated."""
    plan = loaded.plan
    count = runs_for(plan.jobs.count, runs)
    central = Values(table=resolve(plan.assumptions), recording=False)
    drawn = Values(table=central.table, draws=count, seed=seed, used=central.used, recording=False)
    choices = [vary(choice) for choice in _choices(plan, book, central, drawn)]
    found = [_scenario(choice, loaded, book, drawn, seed, step) for choice in choices]
    return PoolComparison(
        plan=plan,
        plan_sha256=loaded.sha256,
        prices_as_of=book.as_of,
        seed=seed,
        runs=count,
        scenarios=_recommended_first(sorted(found, key=lambda s: _rank(s, plan.decision.rank_by))),
        assumptions=tuple(central.table[key] for key in sorted(central.used)),
        notes=tuple(_notes(found)),
    )


def _choices(plan: WorkerPoolPlan, book: PriceBook, central: Values, drawn: Values) -> list[Choice]:
    singles = list(choices_of(plan, book, central, drawn))
    return [*singles, *pools_of(plan, book, singles, central, drawn)]


def _recommended_first(ranked: list[PoolScenario]) -> tuple[PoolScenario, ...]:
    """What cannot be deployed, like a price list, is only a reference beside the first choice that can, as with
    training plans."""
    first = next((one for one in ranked if one.eligible and one.choice.deployable), None)
    return tuple(ranked if first is None else [first, *(one for one in ranked if one is not first)])


def _rank(scenario: PoolScenario, by: str) -> tuple[int, float, str]:
    group = 0 if scenario.eligible else 1 if scenario.complete else 2 if scenario.feasible else 3
    cost = math.inf if scenario.cost is None else scenario.cost.at(by)
    return group, math.inf if math.isnan(cost) else cost, scenario.id


def _scenario(
    choice: Choice, loaded: LoadedPool, book: PriceBook, drawn: Values, seed: int, step: Step
) -> PoolScenario:
    plan, rules = loaded.plan, rules_of(loaded.plan)
    if not choice.supplies:
        return PoolScenario(choice=choice, runs=0)
    found: list[PoolRun] = []
    for at in range(drawn.draws):
        found.append(_run(choice, rules, seed, at))
        step()
    bill = bill_of(choice, plan, book, drawn, found)
    done = np.array([run.done for run in found], dtype=float)
    finished = np.array([run.finished for run in found])
    # what never finishes has no end and costs without end
    cost = np.where(finished, bill.usd, math.inf)
    days = np.array([run.makespan for run in found]) / 24
    with np.errstate(divide="ignore", invalid="ignore"):
        per_job = np.where(done > 0, cost / done, math.inf)
    dead = np.array([run.dead_letters for run in found], dtype=float)
    waits = np.concatenate([run.wait[np.isfinite(run.wait)] for run in found])
    busy = np.concatenate([run.busy[np.isfinite(run.end)] for run in found])
    if bill.node_usd_per_hour is not None:
        assert choice.price is not None  # of nodes without a price nothing is known
        choice = replace(choice, price=replace(choice.price, draws=bill.node_usd_per_hour))
    price = choice.price.draws if choice.price else np.full(len(found), math.nan)
    job_usd = np.concatenate([run.busy[np.isfinite(run.end)] * usd for run, usd in zip(found, price, strict=True)])
    counts = np.concatenate([run.interruptions for run in found])
    scenario = PoolScenario(
        choice=replace(choice, unpriced=(*choice.unpriced, *bill.unpriced)),
        runs=len(found),
        cost=spread_of(cost),
        days=spread_of(days),
        per_job=spread_of(per_job),
        per_step=spread_of(per_job / plan.jobs.steps),
        price=spread_of(price),
        dead_letters=spread_of(dead),
        wait_hours=spread_of(waits),
        job_hours=spread_of(busy),
        job_usd=spread_of(job_usd),
        loss_minutes=spread_of(np.concatenate([run.losses for run in found]) * 60),
        interruptions=float(counts.mean()),
        interrupted_fraction=float((counts > 0).mean()),
        shares={name: spread_of(values) for name, values in _shares(choice, found).items()},
        bill=bill.lines,
        unpriced_lines=(*(NODE_LINE for _ in choice.unpriced), *bill.unpriced_lines),
        finish_fraction=float(finished.mean()),
        on_time_fraction=within(days, plan.limit_days) if plan.limit_days else float(finished.mean()),
        nodes_lost=float(np.mean([run.nodes_lost for run in found])),
        nodes_replaced=float(np.mean([run.nodes_replaced for run in found])),
        most_nodes=max(run.most_nodes for run in found),
        events=sum(run.events for run in found),
        alone=_alone(choice, seed),
        left_spot_fraction=float(np.isfinite([run.left_spot for run in found]).mean()),
        interrupted=_most_interrupted(choice, rules, seed, found),
    )
    return replace(scenario, shortfalls=tuple(_shortfalls(loaded, cost, days, dead)))


def _run(choice: Choice, rules: Rules, seed: int, at: int, watched: frozenset[int] = frozenset()) -> PoolRun:
    """One run: every choice meets the same stream of random numbers in it."""
    rng = np.random.default_rng([seed, at])
    return simulate_supply(choice.supplies[at], rules, rng, watched=watched)


def _shares(choice: Choice, found: Sequence[PoolRun]) -> dict[str, Floats]:
    """Of the node hours that are paid: what they were used for, in each run."""
    boot = np.array([run.boot_hours if choice.boot_billed else 0.0 for run in found])
    parts = {
        "work": np.array([run.work_hours for run in found]),
        "repeated": np.array([run.repeated_hours for run in found]),
        "loading": np.array([run.load_hours for run in found]),
        "checkpoints": np.array([run.write_hours for run in found]),
        "failed": np.array([run.failed_hours for run in found]),
        "idle": np.array([run.idle_hours for run in found]),
        "boot": boot,
    }
    paid = np.maximum(np.array([run.node_hours for run in found]) + boot, 1e-12)
    return {name: values / paid for name, values in parts.items()}


def _shortfalls(loaded: LoadedPool, cost: Floats, days: Floats, dead: Floats) -> Iterator[str]:
    """Why a choice may not be recommended."""
    plan = loaded.plan
    confidence, limits = plan.decision.confidence, plan.constraints
    finished = float(np.isfinite(days).mean())
    if finished < confidence:
        yield f"does not finish in {1 - finished:.0%} of the runs"
    elif plan.limit_days is not None and (share := within(days, plan.limit_days)) < confidence:
        yield f"takes longer than {plan.limit_days:g} days in {1 - share:.0%} of the runs"
    if limits.max_cost_usd is not None and (share := within(cost, limits.max_cost_usd)) < confidence:
        yield f"costs more than ${limits.max_cost_usd:,.0f} in {1 - share:.0%} of the runs"
    if (share := within(dead, float(limits.max_dead_letters))) < confidence:
        allowed = f"more than {limits.max_dead_letters:,}" if limits.max_dead_letters else "some"
        yield f"{allowed} jobs fail for good in {1 - share:.0%} of the runs"


def _alone(choice: Choice, seed: int) -> Alone:
    """One job with a node always at hand."""
    assert choice.jobs is not None  # it was simulated
    jobs, nodes = choice.jobs, typical(choice.nodes)
    if not nodes.interruptions_per_hour or nodes.shape != 1 or len(choice.members) > 1:
        return Alone(mtbf_hours=None, closed_hours=None, sampled=None, uninterrupted_hours=jobs.alone_hours)
    mtbf = 1 / nodes.interruptions_per_hour
    closed = worker_job_hours(
        segments=segments_of(jobs),
        segment_hours=jobs.segment_hours,
        write_hours=jobs.write_hours,
        load_hours=jobs.model_hours,
        resume_hours=jobs.resume_hours,
        mtbf_hours=mtbf,
    )
    try:
        sampled = spread_of(sampled_hours(jobs, mtbf, ALONE, np.random.default_rng(seed)))
    except ValueError:  # it does not end, which the pool says too
        sampled = None
    return Alone(mtbf_hours=mtbf, closed_hours=float(closed), sampled=sampled, uninterrupted_hours=jobs.alone_hours)


def _most_interrupted(choice: Choice, rules: Rules, seed: int, found: Sequence[PoolRun]) -> Interrupted | None:
    """The job with the most interruptions that ended, of the first run that has it; its run is simulated again."""
    most = [int(np.where(np.isfinite(run.end), run.interruptions, -1).max()) for run in found]
    at = int(np.argmax(most))
    if most[at] < 1:
        return None
    first = found[at]
    job = int(np.argmax(np.where(np.isfinite(first.end), first.interruptions, -1)))
    again = _run(choice, rules, seed, at, frozenset([job]))
    price = choice.price.draws[at] if choice.price else math.nan
    jobs = choice.supplies[at].markets[0].jobs
    return Interrupted(
        job=job,
        run=at,
        wait_hours=float(again.wait[job]),
        stalled_hours=rules.stalled_hours,
        checkpoint_hours=jobs.segment_hours + jobs.write_hours,
        interruptions=most[at],
        attempts=again.attempts,
        usd=float(again.busy[job] * price),
    )


def _notes(found: Sequence[PoolScenario]) -> Iterator[str]:
    lists = [s.choice.worker.id for s in found if s.choice.purchase == "list"]
    if lists:
        yield f"{', '.join(lists)}: storage and data transfer are not in this price list, so they are not in its cost"
    if any(s.choice.purchase == SPOT for s in found):
        yield (
            "no public trace shows how a pool of single spot nodes fares: markets are drawn from AWS Spot Advisor and "
            "from traces of gangs of up to 16 nodes"
        )
