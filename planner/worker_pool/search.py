"""How many nodes a pool should have: every choice simulated at several sizes, from a few nodes to one for each job."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date

from planner.answer.measure import cost_of, ranked
from planner.plan.load import LoadedPool
from planner.plan.worker_pool_types import MOST_NODES
from planner.worker_pool.compare import choices_in, compare_pool
from planner.worker_pool.result import PoolComparison, PoolScenario
from pricing.book import PriceBook

RUNS = 20  # of each size: sizes differ by far more than runs of one size
STEPS = (1, 2, 5)
SIZES = 10  # at most


@dataclass(frozen=True, kw_only=True)
class Sized:
    """The first choice at one size. nodes: pool.max."""

    nodes: int
    scenario: PoolScenario


@dataclass(frozen=True, kw_only=True)
class PoolSearch:
    """Every size, from the smallest. best: the recommended one, which a stack can be of if any can; None if nothing
    meets the limits. nearest: then the choice that misses its limits by least, at the size at which it does. beside:
    what is better, but cannot be deployed. comparison: at the recommended size, else at the largest. evaluated: how
    many choices were simulated."""

    loaded: LoadedPool
    comparison: PoolComparison
    seed: int
    sizes: tuple[Sized, ...]
    best: Sized | None
    nearest: Sized | None
    beside: Sized | None
    minimize: str
    runs: int
    evaluated: int


def sizes_of(loaded: LoadedPool) -> list[int]:
    """1, 2, 5, 10 ... up to one node for each job, at most ten of them, and the plan's own."""
    pool, jobs = loaded.plan.pool, loaded.plan.jobs.count
    top = min(math.ceil(jobs / pool.jobs_per_node), MOST_NODES)
    fails = jobs and (loaded.plan.jobs.broken or pool.bad_nodes or pool.bad_fraction)
    least = max(pool.min, 1, pool.max_failures if fails else 1, pool.bad_nodes + 1 if pool.bad_nodes else 1)
    steps = [step * 10**power for power in range(6) for step in STEPS]
    grid = [size for size in (*steps, top) if least <= size <= top]
    return sorted({*sorted(grid)[-SIZES:], pool.max})


def search_pool(
    loaded: LoadedPool,
    book: PriceBook,
    minimize: str = "cost",
    *,
    runs: int = RUNS,
    seed: int = 0,
    as_of: date | None = None,
    step: Callable[[], None] = lambda: None,
) -> PoolSearch:
    """Each size simulated. minimize: cost or time, among what meets the limits of the plan in enough of the runs. runs:
    of each choice at each size. as_of: as in `compare_pool`. step: called after each run of a choice."""
    found: list[Sized] = []
    lists: list[Sized] = []
    missing: list[Sized] = []
    compared: dict[int, PoolComparison] = {}
    by = loaded.plan.decision.rank_by
    for nodes in sizes_of(loaded):
        pool = loaded.plan.pool.model_copy(update={"max": nodes})
        changed = replace(loaded, plan=loaded.plan.model_copy(update={"pool": pool}))
        at = compare_pool(changed, book, runs=runs, seed=seed, as_of=as_of, step=step)
        compared[nodes] = at
        found += [Sized(nodes=nodes, scenario=one) for one in _first(at.scenarios, minimize)]
        eligible = [one for one in at.scenarios if one.eligible]
        missing += [Sized(nodes=nodes, scenario=one) for one in at.complete if one.shortfalls]
        lists += [Sized(nodes=nodes, scenario=one) for one in eligible if one.held_back]

    def key(one: Sized) -> tuple[float, float]:
        days = one.scenario.days
        assert days is not None  # it is eligible
        cost = ranked(one.scenario, by)
        return (cost, days.p50) if minimize == "cost" else (days.p50, cost)

    sized = [one for one in found if one.scenario.eligible]
    best = min([one for one in sized if not one.scenario.held_back] or sized, key=key, default=None)
    listed = min(lists, key=key, default=None)
    better = listed if best and listed and not best.scenario.held_back and key(listed) < key(best) else None
    return PoolSearch(
        loaded=loaded,
        comparison=compared[(best or found[-1]).nodes if best or found else max(compared)],
        seed=seed,
        sizes=tuple(found),
        best=best,
        nearest=None if best else min(missing, key=lambda one: _missed(one.scenario), default=None),
        beside=better,
        minimize=minimize,
        runs=runs,
        evaluated=len(sizes_of(loaded)) * choices_in(loaded.plan, book),
    )


def runs_in(loaded: LoadedPool, book: PriceBook, runs: int = RUNS) -> int:
    """How many runs a search takes in all."""
    return len(sizes_of(loaded)) * choices_in(loaded.plan, book) * runs


def _first(scenarios: Sequence[PoolScenario], minimize: str) -> list[PoolScenario]:
    """The best choice at a size: the first one that is eligible, or the shortest of these; else the first at all. One
    that can be deployed, if any is eligible."""
    eligible = [one for one in scenarios if one.eligible and one.days]
    eligible = [one for one in eligible if not one.held_back] or eligible
    if eligible and minimize == "time":
        return [min(eligible, key=lambda one: one.days.p50 if one.days else math.inf)]
    return (eligible or [one for one in scenarios if one.feasible])[:1]


def _missed(scenario: PoolScenario) -> tuple[float, float, float]:
    """By how much a choice misses the limit that it misses most, as a multiple of that limit; then in how many runs,
    and its cost."""
    worst = max(one.needed / one.limit if one.limit else math.inf for one in scenario.shortfalls)
    return worst, -min(one.fraction for one in scenario.shortfalls), cost_of(scenario, "p50")
