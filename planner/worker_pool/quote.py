"""A worker pool's choice against the way of today: the same jobs, the same prices, the same runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from planner.answer.quote import ON_DEMAND, Quote, Side, first_of, saving_of
from planner.errors import UsageProblem
from planner.plan.load import LoadedPool
from planner.worker_pool.compare import outcomes_in
from planner.worker_pool.result import PoolComparison, PoolScenario
from planner.worker_pool.simulated import Step
from pricing.book import PriceBook

Compare = Callable[[LoadedPool], PoolComparison]
Way = tuple[LoadedPool, Side[PoolScenario]]


def on_demand(loaded: LoadedPool, chosen: PoolScenario, compare: Compare) -> Way:
    """On-Demand nodes of the types of a choice: of several the one that costs least. The choice of a price list has no
    type of AWS: then of any type of the plan. Raises UsageProblem where none has a price."""
    types = {worker.instance_type for worker in (chosen.choice.worker, *(one.worker for one in chosen.choice.members))}
    workers = [
        one for one in loaded.plan.workers if one.instance_type and (types == {None} or one.instance_type in types)
    ]
    if not workers:
        raise UsageProblem("--vs on-demand: no node of this plan is of EC2; --vs FILE takes the plan of your way today")
    only = tuple(one.model_copy(update={"purchase": (ON_DEMAND,)}) for one in workers)
    loaded = replace(loaded, plan=loaded.plan.model_copy(update={"workers": only}))
    found = compare(loaded)
    first = first_of(found)
    if first is None:
        raise UsageProblem("--vs on-demand: no On-Demand choice of this plan has a price; `planner compare` says why")
    return loaded, Side(scenario=first, comparison=found)


def quote(old: Way, new: Way, book: PriceBook, step: Step = lambda: None) -> Quote[PoolScenario]:
    """Both have the same runs and seed. Raises UsageProblem where a range cannot be had."""
    found = []
    for loaded, side in (old, new):
        if not (side.scenario.feasible and side.scenario.complete):
            raise UsageProblem(f"{side.scenario.id} lacks a price or cannot be simulated: `planner compare` says why")
        runs, seed = side.comparison.draws, side.comparison.seed
        found.append(outcomes_in(loaded, book, side.scenario.id, runs=runs, seed=seed, step=step))
    return Quote(old=old[1], new=new[1], saving=saving_of(*found))


def check_comparable(old: LoadedPool, new: LoadedPool) -> None:
    """Raises UsageProblem where two plans are not of the same jobs."""
    before, after = ((one.plan.jobs.count, one.plan.jobs.steps) for one in (old, new))
    if before != after:
        raise UsageProblem(
            f"not comparable: {before[0]:,} jobs of {before[1]:,} steps today and {after[0]:,} of {after[1]:,} in this "
            "plan\n    a saving can be stated only for the same work"
        )
