"""What the cost of a worker pool depends on: everything simulated again with one number at its low and its high end.

Every simulation has the same seed and runs, and each random number its own stream, so that only what is varied differs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from planner.plan.load import LoadedPool
from planner.plan.types import Assumption as Override
from planner.plan.worker_pool_types import MOST_NODES
from planner.worker_pool.choices import Choice
from planner.worker_pool.compare import Step, Vary, choices_in, compare_pool
from planner.worker_pool.model import Market
from planner.worker_pool.result import PoolComparison, PoolScenario
from pricing.book import PriceBook

RUNS = 20  # of each choice at each end: both ends meet the same random numbers
POOL_MAX, LIFE, PRICE = "pool.max", "nodes.mean_life_hours", "nodes.usd_per_hour"
FACTOR = 2.0  # of what has no range of its own: half and twice
ON_NO_BILL = ("effort.", "people.")  # they decide between choices, and are in no cost
PRICE_SHARE = 0.1  # of a price that is the same in every run


@dataclass(frozen=True, kw_only=True)
class PoolParameter:
    """One number that is varied. value: as planned; an assumption is then drawn from its range. key: of an assumption,
    POOL_MAX, or LIFE and PRICE of the nodes of the choice alone."""

    key: str
    unit: str
    low: float
    value: float
    high: float
    source: str


@dataclass(frozen=True, kw_only=True)
class PoolEnd:
    """The choice with a number at one end: means over the runs, infinite if not every run finishes. first: the
    recommended choice there; None if none meets the limits."""

    at: float
    cost_usd: float
    days: float
    first: str | None


@dataclass(frozen=True, kw_only=True)
class PoolSwing:
    """A number with both ends, and the choice as planned."""

    parameter: PoolParameter
    planned: PoolEnd
    low: PoolEnd
    high: PoolEnd

    def spread(self, of: str) -> float:
        """From the least to the most of the three, in USD or days (of: "cost_usd" or "days")."""
        values = [getattr(end, of) for end in (self.planned, self.low, self.high)]
        return 0.0 if len(set(values)) == 1 else max(values) - min(values)


@dataclass(frozen=True, kw_only=True)
class PoolStudy:
    """swings: by their effect on the cost of all jobs, then on days. planned: the comparison that they start from."""

    planned: PoolComparison
    scenario: PoolScenario
    swings: tuple[PoolSwing, ...]
    fixed: tuple[str, ...]

    @property
    def simulated(self) -> int:
        """How many comparisons were simulated."""
        return 1 + 2 * len(self.swings)


def lacks(scenario: PoolScenario) -> str:
    """Why the mean cost of a choice is not known; empty if it is."""
    if not scenario.feasible:
        return "; ".join(scenario.choice.why_not)
    if not scenario.complete:
        return "; ".join(f"no price for {entry.what}" for entry in scenario.unpriced)
    return "" if scenario.finish_fraction == 1 else "not all of its runs finish"


def parameters_of(found: PoolComparison, scenario: PoolScenario) -> tuple[PoolParameter, ...]:
    """Everything that is varied: used assumptions with a range, then life and price of the nodes, and pool.max."""
    assumed = [
        PoolParameter(key=one.key, unit=one.unit, low=one.low, value=one.value, high=one.high, source=one.source)
        for one in found.assumptions
        if one.low < one.high and not one.key.startswith(ON_NO_BILL)
    ]
    return (*assumed, *_of_nodes(scenario.choice), *_of_pool(found))


def _of_nodes(choice: Choice) -> Iterator[PoolParameter]:
    rate = float(np.mean([one.interruptions_per_hour + one.outages_per_hour for one in choice.nodes]))
    if rate:
        source = f"half and twice as long as planned: {choice.interruptions_said}"
        yield PoolParameter(
            key=LIFE, unit="h", low=1 / rate / FACTOR, value=1 / rate, high=1 / rate * FACTOR, source=source
        )
    if choice.price is None or not choice.price.draws.any():
        return
    draws, mean = choice.price.draws, float(choice.price.draws.mean())
    low, high = (float(np.quantile(draws, at)) for at in (0.05, 0.95))
    source = f"5th and 95th percentile of the simulated prices: {choice.price.source}"
    if low == high:
        low, high = mean * (1 - PRICE_SHARE), mean * (1 + PRICE_SHARE)
        source = f"{PRICE_SHARE:.0%} less and more, since the price has no range: {choice.price.source}"
    yield PoolParameter(key=PRICE, unit="USD/h", low=low, value=mean, high=high, source=source)


def _of_pool(found: PoolComparison) -> Iterator[PoolParameter]:
    pool = found.plan.pool
    least = max(pool.min, 1)
    low, high = max(round(pool.max / FACTOR), least), min(round(pool.max * FACTOR), MOST_NODES)
    if low < high:
        source = "half and twice as many as in the plan"
        yield PoolParameter(key=POOL_MAX, unit="nodes", low=low, value=pool.max, high=high, source=source)


def study_pool(
    loaded: LoadedPool,
    book: PriceBook,
    found: PoolComparison,
    scenario: PoolScenario,
    parameters: Sequence[PoolParameter],
    *,
    step: Step = lambda: None,
) -> PoolStudy:
    """Both ends of every parameter. found: the comparison as planned, whose seed and runs are those of all ends; its
    `scenario` has to be priced. step: called after each run of a choice."""
    planned = _end(found, scenario.id, math.nan)

    def at(parameter: PoolParameter, value: float) -> PoolEnd:
        plan, vary = _turned(loaded, parameter, value, scenario.id)
        again = compare_pool(plan, book, runs=found.draws, seed=found.seed, step=step, vary=vary)
        return _end(again, scenario.id, value)

    swings = [
        PoolSwing(parameter=one, planned=replace(planned, at=one.value), low=at(one, one.low), high=at(one, one.high))
        for one in parameters
    ]
    return PoolStudy(
        planned=found,
        scenario=scenario,
        swings=tuple(sorted(swings, key=lambda one: (-one.spread("cost_usd"), -one.spread("days"), one.parameter.key))),
        fixed=() if any(one.key == LIFE for one in parameters) else (scenario.choice.interruptions_said,),
    )


def runs_in_study(loaded: LoadedPool, book: PriceBook, parameters: Sequence[PoolParameter], runs: int) -> int:
    """How many runs the ends take in all."""
    return 2 * len(parameters) * choices_in(loaded.plan, book) * runs


def _end(found: PoolComparison, name: str, at: float) -> PoolEnd:
    one = next(scenario for scenario in found.scenarios if scenario.id == name)
    assert one.days is not None  # it was simulated as planned, and no end takes its nodes away
    mean = math.inf if one.mean_cost_usd is None else one.mean_cost_usd
    return PoolEnd(at=at, cost_usd=mean, days=one.days.plan, first=found.best.id if found.best else None)


def _turned(loaded: LoadedPool, parameter: PoolParameter, value: float, name: str) -> tuple[LoadedPool, Vary]:
    """(the plan, what changes its choices) with a parameter at a value."""
    if parameter.key in (LIFE, PRICE):
        change = _longer if parameter.key == LIFE else _priced
        # lives as a factor, since each run has its own; the price is then the same in every run
        number = value / parameter.value if parameter.key == LIFE else value
        return loaded, lambda choice: change(choice, number) if choice.id == name else choice
    if parameter.key == POOL_MAX:
        changed = {"pool": loaded.plan.pool.model_copy(update={"max": round(value)})}
    else:
        exact = Override(value=value, low=value, high=value, source=parameter.source)
        changed = {"assumptions": {**loaded.plan.assumptions, parameter.key: exact}}
    return replace(loaded, plan=loaded.plan.model_copy(update=changed)), lambda choice: choice


def _longer(choice: Choice, factor: float) -> Choice:
    def longer(market: Market) -> Market:
        nodes = replace(
            market.nodes,
            interruptions_per_hour=market.nodes.interruptions_per_hour / factor,
            outages_per_hour=market.nodes.outages_per_hour / factor,
        )
        return replace(market, nodes=nodes)

    return _each_market(choice, longer)


def _priced(choice: Choice, usd: float) -> Choice:
    assert choice.price is not None  # only a choice with a price has this parameter
    price = replace(choice.price, usd=usd, draws=np.full(len(choice.price.draws), usd))
    return replace(_each_market(choice, lambda market: replace(market, usd_per_hour=usd)), price=price)


def _each_market(choice: Choice, change: Callable[[Market], Market]) -> Choice:
    """All markets but the tail."""
    supplies = (replace(one, markets=tuple(map(change, one.markets))) for one in choice.supplies)
    return replace(choice, supplies=tuple(supplies))
