"""A comparison and what would change it: everything that the report and `planner sensitivity` say about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from planner.decide.break_evens import BreakEven, Search, search, sides
from planner.decide.compare import recommended_at
from planner.decide.comparison import Comparison
from planner.decide.narrow import as_listed
from planner.decide.parameters import STREAM_OF, Parameter, nodes_of, parameters_of, plan_parameters_of, with_parameter
from planner.decide.ranking import RankedScenario
from planner.decide.repricing import RankingCache, contenders_of
from planner.decide.search import Each
from planner.decide.sensitivity import Swing, swings
from planner.decide.what_if import AXES, WhatIf, axes_of, what_if
from planner.estimate.request import Request
from planner.estimate.result import Scenario


@dataclass(frozen=True, kw_only=True)
class Study:
    """The effects on one scenario, and what would change the ranking.

    swings: the largest in cost first. searches: of every parameter that has a value, also those that change nothing.
    unsearched: streams of draws that a plan cannot set. ranking: as planned. plans_priced: the number of plans that
    were evaluated. tried: the number of scenarios in each of them.
    """

    scenario: Scenario
    ranking: tuple[RankedScenario, ...]
    swings: tuple[Swing, ...]
    searches: tuple[Search, ...]
    unsearched: tuple[Parameter, ...]
    what_if: WhatIf | None
    plans_priced: int
    tried: int


def study(
    request: Request,
    comparison: Comparison,
    scenario_id: str | None = None,
    *,
    grid: bool = True,
    each: Each = map,
) -> Study | None:
    """Vary every parameter around a scenario, by default the recommended one.

    None if that scenario is not feasible and completely priced. grid: whether to evaluate the combinations of a few
    numbers for the what-if. each: see `planner.decide.search`.
    """
    scenario = comparison.best
    if scenario_id is not None:
        scenario = next((s for s in comparison.scenarios if s.id == scenario_id), None)
    if scenario is None or not (scenario.feasible and scenario.complete):
        return None
    request = as_listed(request, [s.nodes for s in comparison.scenarios])
    ranking_cache = RankingCache(request, comparison, always=(scenario.id,))
    parameters = parameters_of(request, comparison.assumptions)
    ranking = ranking_cache.at()
    choices = plan_parameters_of(request)
    searches = settled(request, comparison, search(ranking_cache, [*choices, *parameters], each), each)
    found = swings(ranking_cache, parameters, scenario.id)
    stood_for = {STREAM_OF[choice.key] for choice in choices if choice.key in STREAM_OF}
    cells = _what_if(request, ranking_cache, choices, found, scenario.purchase) if grid else None
    return Study(
        scenario=scenario,
        ranking=ranking,
        swings=found,
        searches=searches,
        unsearched=tuple(swing.parameter for swing in found if _unsearched(swing, ranking[0].id, stood_for)),
        what_if=cells,
        plans_priced=ranking_cache.priced,
        tried=ranking_cache.scenarios,
    )


def settled(
    request: Request, comparison: Comparison, searches: Sequence[Search], each: Each = map
) -> tuple[Search, ...]:
    """The same, with what is recommended at the nearest changes where everything is decided again: a search ranks
    planned costs and keeps the blocks as they are."""
    if comparison.best is None:
        return tuple(searches)
    # nobody reads where these numbers come from
    settle = partial(_settled, replace(request, derivations=False), contenders_of(comparison))
    asked = [break_even for entry in searches for break_even in sides(entry)]
    found = dict(zip(asked, each(settle, asked), strict=True))
    return tuple(
        replace(entry, break_evens=tuple(found.get(one, one) for one in entry.break_evens)) for entry in searches
    )


def _settled(request: Request, only: frozenset[str] | None, break_even: BreakEven) -> BreakEven:
    best = recommended_at(with_parameter(request, break_even.parameter, break_even.value), only)
    usd = None if best is None or best.cost_usd is None else best.cost_usd.plan
    return replace(break_even, then="" if best is None else best.id, then_usd=usd)


def _what_if(
    request: Request, ranking_cache: RankingCache, stated: Sequence[Parameter], found: Sequence[Swing], purchase: str
) -> WhatIf | None:
    nodes = nodes_of(request)
    axes = axes_of([*([nodes] if nodes else []), *stated], [swing.parameter for swing in found[:AXES]], purchase)
    return what_if(ranking_cache, axes) if axes else None


def _unsearched(swing: Swing, leader: str, stood_for: set[str]) -> bool:
    """Whether it has an effect, but neither a value to search nor a number of the plan that replaces it."""
    moves = bool(swing.spread("cost_usd")) or {swing.low.first, swing.high.first} != {leader}
    return moves and not swing.parameter.path and swing.parameter.key not in stood_for
