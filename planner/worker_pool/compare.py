"""Every choice of a worker-pool plan simulated, billed and ranked."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from datetime import date

from planner.answer.compared import Prices
from planner.answer.eligible import judged, with_fractions
from planner.answer.measure import order
from planner.answer.price_age import stale_prices
from planner.answer.recommend import answer_of
from planner.answer.row import Shortfall
from planner.models.number import share_of, share_within
from planner.models.values import Values
from planner.plan.assumptions import resolve
from planner.plan.load import LoadedPool
from planner.plan.worker_pool_types import WorkerPoolPlan
from planner.worker_pool.choices import SPOT, Choice, choices_of
from planner.worker_pool.diversified import left_out, pools_of
from planner.worker_pool.result import PoolComparison, PoolScenario
from planner.worker_pool.simulated import PoolOutcomes, Step, simulated
from pricing.book import PriceBook

DEFAULT_RUNS, FEWEST_RUNS, MOST_RUNS = 200, 20, 2000
JOBS_IN_ALL = 400_000  # simulated by default for one choice
DEAD_LETTERS = "dead letters"
Vary = Callable[[Choice], Choice]


def runs_for(jobs: int, asked: int | None) -> int:
    """How many runs to simulate: as asked, else 200, fewer of very many jobs."""
    if asked is not None:
        return asked
    return max(FEWEST_RUNS, min(DEFAULT_RUNS, JOBS_IN_ALL // jobs))


def choices_in(plan: WorkerPoolPlan, book: PriceBook) -> int:
    """How many choices a plan has, those included that turn out to lack a price."""
    return len(ids_in(plan, book))


def ids_in(plan: WorkerPoolPlan, book: PriceBook) -> list[str]:
    """The ids of the choices, without simulating any."""
    central = Values(table=resolve(plan.assumptions), recording=False)
    return [one.id for one in _choices(plan, book, central, Values(table=central.table, draws=1, recording=False))]


def compare_pool(
    loaded: LoadedPool,
    book: PriceBook,
    *,
    runs: int | None = None,
    seed: int = 0,
    as_of: date | None = None,
    max_price_age_days: int | None = None,
    step: Step = lambda: None,
    vary: Vary = lambda choice: choice,
) -> PoolComparison:
    """Simulate every choice. runs: simulated outcomes of each, None for as many as suit the number of jobs. as_of: day
    from which the age of prices is counted, else the plan's start. step: called after each run. vary: changes the
    numbers of a choice before it is simulated."""
    plan = loaded.plan
    count = runs_for(plan.jobs.count, runs)
    central = Values(table=resolve(plan.assumptions), recording=False)
    drawn = Values(table=central.table, draws=count, seed=seed, used=central.used, recording=False)
    choices = [vary(choice) for choice in _choices(plan, book, central, drawn)]
    found = [simulated(choice, loaded, book, drawn, seed, step) for choice in choices]
    outcomes = {row.id: one for row, one in found if one is not None}
    rows = [row if one is None else _judged(plan, row, one) for row, one in found]
    answer = answer_of(plan.decision, rows, outcomes)
    rows = sorted(rows, key=lambda s: order(s, plan.decision.rank_by, answer.recommended))
    rows = with_fractions(rows, outcomes, rows[0].id)
    as_of = as_of or plan.start
    return PoolComparison(
        plan_name=plan.name,
        plan_sha256=loaded.sha256,
        region=plan.region,
        prices=Prices.of(book, as_of),
        seed=seed,
        draws=count,
        scenarios=tuple(rows),
        answer=answer,
        assumptions=tuple(central.table[key] for key in sorted(central.used)),
        notes=(*_idle_gpus(plan, rows), *_other_sizes(plan, book), *_notes(rows)),
        stale=stale_prices(rows, book.as_of, as_of, max_price_age_days),
        plan=plan,
    )


def outcomes_in(
    loaded: LoadedPool, book: PriceBook, id: str, *, runs: int, seed: int, step: Step = lambda: None
) -> PoolOutcomes:
    """The outcomes of one choice, as `compare_pool` has them with as many runs and that seed. The choice can be
    simulated."""
    central = Values(table=resolve(loaded.plan.assumptions), recording=False)
    drawn = Values(table=central.table, draws=runs, seed=seed, used=central.used, recording=False)
    (choice,) = (one for one in _choices(loaded.plan, book, central, drawn) if one.id == id)
    _, outcomes = simulated(choice, loaded, book, drawn, seed, step)
    assert outcomes is not None
    return outcomes


def _choices(plan: WorkerPoolPlan, book: PriceBook, central: Values, drawn: Values) -> list[Choice]:
    singles = list(choices_of(plan, book, central, drawn))
    return [*singles, *pools_of(plan, book, singles, central, drawn)]


def _judged(plan: WorkerPoolPlan, row: PoolScenario, outcomes: PoolOutcomes) -> PoolScenario:
    """What the decision rule says of it; dead letters are a limit that only pools have."""
    allowed, confidence = plan.constraints.max_dead_letters, plan.decision.confidence
    within = share_of(outcomes.dead_letters <= allowed)
    return judged(
        row,
        outcomes,
        confidence=confidence,
        limit_days=math.inf if plan.limit_days is None else plan.limit_days * (1 + 1e-12),
        limit_is_assumed=False,
        budget_usd=plan.constraints.max_cost_usd,
        others=[_dead_letters(allowed, within, outcomes, confidence)] if within < confidence else (),
    )


def _dead_letters(allowed: int, within: float, outcomes: PoolOutcomes, confidence: float) -> Shortfall:
    needed = share_within(outcomes.dead_letters, confidence)
    return Shortfall(kind=DEAD_LETTERS, fraction=within, limit=float(allowed), needed=needed)


def _idle_gpus(plan: WorkerPoolPlan, found: Sequence[PoolScenario]) -> Iterator[str]:
    """Nodes of several GPUs with the speed of their kind of GPU: a job that uses one of them leaves the others idle."""
    for name, s in {s.choice.worker.id: s for s in found if s.choice.jobs and not s.choice.members}.items():
        gpus, gpu = s.choice.gpus, s.choice.gpu
        if gpus > 1 and name not in plan.jobs.seconds_per_step:
            yield (
                f"{name}: each job has a node to itself, and its {gpus} GPUs; seconds_per_step of {gpu} counts as the "
                f"speed of the whole node. If a job uses one GPU, {gpus - 1} are idle and paid for: use a type with "
                f"one {gpu}. If it uses all, write seconds_per_step of {name}"
            )


def _other_sizes(plan: WorkerPoolPlan, book: PriceBook) -> Iterator[str]:
    if names := left_out(plan, book):
        yield (
            f"a diversified pool leaves out {', '.join(names)}, which have another number of GPUs or vCPUs than most: "
            "AWS Batch would put two jobs on a larger node. More types of one size in the plan are more markets"
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
