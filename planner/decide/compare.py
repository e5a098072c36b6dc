"""The comparison of a plan: every scenario priced at central values and in draws, and ranked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from planner.decide.comparison import Comparison, Prices
from planner.decide.enumerate import evaluate
from planner.decide.notices import notes_of
from planner.decide.price_age import stale_prices
from planner.estimate.bounds import without_nodes
from planner.estimate.derivations import derived_of
from planner.estimate.evaluate import Evaluated
from planner.estimate.request import Request
from planner.estimate.result import Scenario
from planner.estimate.summary import cost_draws, scenario_of
from planner.models.sheet import Sheet

__all__ = ["Request", "compare"]


def compare(request: Request) -> Comparison:
    """Price every choice of the plan. The same plan, book, draws and seed give the same result."""
    plan, book = request.plan, request.book
    central = request.central(recording=request.derivations)
    evaluated = list(evaluate(request, central, request.drawn(central) if request.draws else None))
    sheets = [Sheet(recording=request.derivations) for _ in evaluated]
    scenarios = [scenario_of(request, *pair) for pair in zip(evaluated, sheets, strict=True)]
    scenarios = _with_cheapest_fractions(scenarios, evaluated, request.draws)
    complete = [
        replace(scenario, derived=derived_of(scenario, entry.planned, sheet, request.draws))
        if request.derivations and scenario.cost_usd and entry.planned
        else scenario
        for scenario, entry, sheet in zip(scenarios, evaluated, sheets, strict=True)
    ]
    as_of = request.as_of or plan.start
    return Comparison(
        plan_name=plan.name,
        plan_sha256=request.plan_sha256,
        region=plan.region,
        prices=Prices(
            as_of=book.as_of,
            age_days=(as_of - book.as_of).days if as_of else None,
            sha256=book.sha256,
            intact=book.intact,
        ),
        seed=request.seed,
        draws=request.draws,
        scenarios=tuple(sorted(complete, key=rank)),
        assumptions=tuple(central.table[key] for key in sorted(central.used)),
        notes=notes_of(plan, book, {key: central.table[key] for key in central.used}),
        stale=stale_prices(scenarios, as_of, request.max_price_age_days),
        plan=plan.canonical(),
    )


def rank(scenario: Scenario) -> tuple[int, float, str]:
    """Complete by planned cost, then incomplete, then infeasible.

    Incomplete scenarios without a price for the GPU nodes come last, because their lower bound says least.
    """
    group = 3 if not scenario.feasible else 0 if scenario.complete else 2 if without_nodes(scenario.unpriced) else 1
    return group, scenario.cost_usd.plan if scenario.cost_usd else 0.0, scenario.id


def _with_cheapest_fractions(
    scenarios: Sequence[Scenario], evaluated: Sequence[Evaluated], draws: int
) -> list[Scenario]:
    """Each complete scenario with the share of draws in which it is the cheapest, and in which it costs less than the
    one with the lowest planned cost.

    All scenarios share the draws, so the shares are of the same outcomes.
    """
    complete = [i for i, s in enumerate(scenarios) if s.feasible and s.complete]
    if not draws or not complete:
        return list(scenarios)
    first = min(complete, key=lambda i: rank(scenarios[i]))
    costs = {i: cost_draws(evaluated[i], draws) for i in complete}
    lowest = np.min(list(costs.values()), axis=0)
    # scenarios that tie for the lowest cost of a draw share it, so that the shares add up to one
    ties = sum((cost <= lowest).astype(float) for cost in costs.values())
    return [
        replace(
            s,
            cheapest_fraction=float(np.mean((costs[i] <= lowest) / ties)),
            below_best_fraction=None if i == first else float(np.mean(costs[i] < costs[first])),
        )
        if i in costs
        else s
        for i, s in enumerate(scenarios)
    ]
