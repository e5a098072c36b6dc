"""The HTML page as `report` and `compare -f html` write it: the comparison, what would change it, and what stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planner.cli.stack_shared import graph_of
from planner.errors import PlanProblems, UsageProblem

if TYPE_CHECKING:
    from planner.estimate.request import Request
    from planner.estimate.result import Comparison, Scenario
    from planner.plan.load import LoadedPlan
    from planner.report.html.architecture import StackView
    from pricing.book import PriceBook


def page_of(loaded: LoadedPlan, request: Request, comparison: Comparison, *, architecture: bool = True) -> str:
    """The page of a comparison. architecture: with the picture of the stack behind the answer."""
    from planner.decide.spreads import spreads_of
    from planner.decide.study import study
    from planner.report.html.page import render
    from planner.report.wording.recommendation import picks

    best = comparison.best if architecture else None
    stack = drawn_stack(loaded, comparison, best, request.book) if best else None
    spreads = {scenario.id: spreads_of(request, scenario) for scenario in picks(comparison)}
    return render(comparison, study(request, comparison), stack, spreads)


def drawn_stack(loaded: LoadedPlan, comparison: Comparison, scenario: Scenario, book: PriceBook) -> StackView:
    """The stack of a scenario as the report shows it, or why it cannot: not a reason for having no report."""
    from planner.report.html.architecture import StackView, view
    from planner.report.wording.breakdown import stored_usd_per_hour
    from planner.stack.choose import spec_of

    try:
        graph = graph_of(spec_of(loaded, comparison, scenario, book), "the picture of the stack needs")
        return view(graph, stored_usd_per_hour(scenario))
    except UsageProblem as problem:
        return StackView(scenario=scenario.id, why_not=str(problem))
    except PlanProblems as problems:
        return StackView(scenario=scenario.id, why_not="; ".join(problem.message for problem in problems.problems))
