"""What would make a choice of a worker pool eligible where none is: limits moved as far as it needs, or more nodes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from planner.answer.compared import Relaxation
from planner.answer.measure import ranked
from planner.answer.row import Shortfall
from planner.models.number import rounded
from planner.plan.load import LoadedPool
from planner.plan.worker_pool_types import MOST_NODES, WorkerPoolPlan
from planner.worker_pool.compare import DEAD_LETTERS, compare_pool
from planner.worker_pool.result import PoolComparison, PoolScenario
from pricing.book import PriceBook

RUNS = 40  # of each choice at another size, which differs by more than these runs do
SIZES = 3  # that are tried
GROWTH = 1.3  # at least, after the first: long jobs end in rounds, so a few more nodes change nothing
DIGITS = 3
WORTH = 0.99  # of the cost with the nearest limits: farther ones are named if they cost less

Limits = dict[str, float]  # by kind of shortfall: days, USD or jobs


def with_relaxations(found: PoolComparison, loaded: LoadedPool, book: PriceBook) -> PoolComparison:
    """The comparison with the changes of its plan that let a choice be recommended; the same where one is.

    Another limit changes no run, so limits are exact: all but those of choices that leave spot by the deadline. Sizes
    are simulated, as many as SIZES.
    """
    if found.best is not None:
        return found
    judged = [s for s in found.complete if not s.held_back and s.shortfalls and s.choice.tail_price is None]
    return replace(found, relaxations=(*_limits(found, judged), *_nodes(found, judged, loaded, book)))


def _limits(found: PoolComparison, judged: list[PoolScenario]) -> Iterator[Relaxation]:
    """Of the choices that miss the fewest limits, those of the nearest one, then of the cheapest."""
    able = [(s, limits) for s in judged if (limits := _needed(s)) is not None]
    fewest = min((len(limits) for _, limits in able), default=0)
    able = [(s, limits) for s, limits in able if len(limits) == fewest]
    if not able:
        return
    first = _relaxed(found, judged, min(able, key=lambda one: (_far(one[0]), ranked(one[0], "p50")))[1])
    last = _relaxed(found, judged, min(able, key=lambda one: ranked(one[0], "p50"))[1])
    yield first
    if last.cost_usd < WORTH * first.cost_usd:
        yield last


def _needed(scenario: PoolScenario) -> Limits | None:
    """The limits with which it would be eligible; None if none is high enough."""
    if any(each.kind == "finish" or math.isinf(each.needed) for each in scenario.shortfalls):
        return None
    return {
        each.kind: math.ceil(each.needed) if each.kind == DEAD_LETTERS else rounded(each.needed, DIGITS, up=True)
        for each in scenario.shortfalls
    }


def _far(scenario: PoolScenario) -> float:
    """The factor by which the limit that it misses most has to grow."""
    return max(each.needed / each.limit if each.limit else math.inf for each in scenario.shortfalls)


def _relaxed(found: PoolComparison, judged: list[PoolScenario], limits: Limits) -> Relaxation:
    """The cheapest choice that meets these limits."""

    def meets(entry: Shortfall) -> bool:
        return entry.needed <= limits.get(entry.kind, -math.inf)

    by = found.answer.rank_by
    best = min((s for s in judged if all(map(meets, s.shortfalls))), key=lambda s: (ranked(s, by), s.id))
    settings = [text for kind, value in limits.items() for text in _settings(found.plan, kind, value)]
    return _of(best, tuple(settings))


def _settings(plan: WorkerPoolPlan, kind: str, value: float) -> Iterator[str]:
    if kind == DEAD_LETTERS:
        yield f"constraints.max_dead_letters={value:.15g}"
    elif kind == "budget":
        yield f"constraints.max_cost_usd={value:.15g}"
    else:
        if plan.run.deadline_hours is not None and plan.run.deadline_hours / 24 < value:
            yield f"run.deadline={value:.15g}d"
        if plan.constraints.max_days is not None and plan.constraints.max_days < value:
            yield f"constraints.max_days={value:.15g}"


def _of(scenario: PoolScenario, settings: tuple[str, ...]) -> Relaxation:
    assert scenario.cost_usd is not None  # it was simulated and has every price
    assert scenario.days is not None
    return Relaxation(
        settings=settings, scenario=scenario.id, cost_usd=scenario.cost_usd.p50, days=scenario.days.p50, complete=True
    )


def _nodes(
    found: PoolComparison, judged: list[PoolScenario], loaded: LoadedPool, book: PriceBook
) -> Iterator[Relaxation]:
    """More nodes, where time is all that a choice lacks: as many times more as it is too late, simulated."""
    pool, jobs = loaded.plan.pool, loaded.plan.jobs.count
    most = min(math.ceil(jobs / pool.jobs_per_node), MOST_NODES)
    nodes, at, least = pool.max, judged, 1.0
    for _ in range(SIZES):
        late = [_far(s) for s in at if all(each.kind == "deadline" for each in s.shortfalls)]
        if not late or nodes >= most or math.isinf(min(late)):
            return
        nodes, least = min(math.ceil(nodes * max(min(late), least)), most), GROWTH
        larger = loaded.plan.model_copy(update={"pool": pool.model_copy(update={"max": nodes})})
        then = compare_pool(replace(loaded, plan=larger), book, runs=min(found.draws, RUNS), seed=found.seed)
        if then.best is not None:
            yield _of(then.best, (f"pool.max={nodes}",))
            return
        at = [s for s in then.complete if not s.held_back and s.shortfalls]
