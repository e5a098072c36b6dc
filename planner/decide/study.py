"""A comparison and what would change it: everything that the report and `planner sensitivity` say about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from planner.decide.again import Decider
from planner.decide.break_evens import Search, search
from planner.decide.comparison import Comparison
from planner.decide.narrow import as_listed
from planner.decide.parameters import Parameter, nodes_of, parameters_of, plan_parameters_of
from planner.decide.ranking import RankedScenario
from planner.decide.repricing import Repricing
from planner.decide.search import Each
from planner.decide.sensitivity import Swing, swings
from planner.decide.what_if import AXES, WhatIf, axes_of, what_if
from planner.estimate.request import Request
from planner.estimate.result import Scenario


@dataclass(frozen=True, kw_only=True)
class Study:
    """The effects on one scenario, and what would change the decision.

    swings: the largest in cost first. searches: of every parameter, also those that change nothing. ranking: as
    planned. plans_priced: the number of plans that were evaluated. tried: in how many of them everything was decided
    again.
    """

    scenario: Scenario
    ranking: tuple[RankedScenario, ...]
    swings: tuple[Swing, ...]
    searches: tuple[Search, ...]
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
    listed = as_listed(request, [s.nodes for s in comparison.scenarios])
    repricing = Repricing(listed, comparison, always=(scenario.id,))
    parameters = parameters_of(listed, comparison.assumptions)
    choices = plan_parameters_of(listed)
    searches = search(Decider(request, comparison), [*choices, *parameters], each)
    found = swings(replace(request, derivations=False), repricing, parameters, scenario.id, searches)
    cells = _what_if(listed, repricing, choices, found, scenario.purchase) if grid else None
    return Study(
        scenario=scenario,
        ranking=repricing.at(),
        swings=found,
        searches=searches,
        what_if=cells,
        plans_priced=repricing.priced + sum(entry.runs for entry in searches),
        tried=sum(entry.runs for entry in searches),
    )


def _what_if(
    request: Request, repricing: Repricing, stated: Sequence[Parameter], found: Sequence[Swing], purchase: str
) -> WhatIf | None:
    nodes = nodes_of(request)
    axes = axes_of([*([nodes] if nodes else []), *stated], [swing.parameter for swing in found[:AXES]], purchase)
    return what_if(repricing, axes) if axes else None
