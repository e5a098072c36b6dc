"""The HTML page of a comparison: the comparison, what would change it, and what would be deployed."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from planner.api.arguments import checked_comparison, python_of
from planner.api.graphs import graph_of
from planner.api.parallel import beside, in_processes
from planner.decide.leaders import leaders_of
from planner.decide.spreads import spreads_of
from planner.decide.study import study
from planner.errors import PlanProblems, UsageProblem
from planner.report.data.stored import stored_usd_per_hour
from planner.report.html.architecture import StackView, not_drawn, view
from planner.report.html.page import render
from planner.stack.choose import spec_of

if TYPE_CHECKING:
    from planner.api.comparisons import Comparison
    from planner.api.pools import PoolComparison
    from planner.api.reconciliations import Reconciliation
    from planner.decide import comparison as comparisons
    from planner.decide.search import Each
    from planner.estimate.request import Request
    from planner.estimate.result import Scenario
    from planner.plan.load import LoadedPlan
    from pricing.book import PriceBook


def render_html(
    comparison: Comparison | PoolComparison, *, architecture: bool = True, reconciled: Reconciliation | None = None
) -> str:
    """One self-contained HTML page: the answer, every scenario, every bill and source, what would change the answer.

    architecture: with a picture of what would be deployed for the best scenario; where the extra `deploy` is not
    installed, the page says so in its place. reconciled: of `planner.reconcile`, for a section of plan and bill.
    """
    return python_of(comparison).render_html(comparison, architecture=architecture, reconciled=reconciled)


def page_of_training(comparison: Comparison, *, architecture: bool, reconciled: Reconciliation | None) -> str:
    """What `render_html` gives for a training plan."""
    checked_comparison(comparison, "render_html")
    return page_of(comparison.loaded, comparison.request, comparison, architecture=architecture, reconciled=reconciled)


def page_of(
    loaded: LoadedPlan,
    request: Request,
    comparison: comparisons.Comparison,
    *,
    architecture: bool = True,
    each: Each = in_processes,
    others: int = 0,
    reconciled: Reconciliation | None = None,
) -> str:
    """The page of a comparison. architecture: with the picture of the stack behind the answer. each: see
    `planner.decide.search`. others: see `planner.api.parallel`. reconciled: the plan beside its bill."""
    best = comparison.best if architecture else None
    drawn = beside(partial(drawn_stack, loaded, comparison, best, request.book), others=others) if best else None
    studied = study(request, comparison, each=each)
    # how far its numbers go is shown for the scenario whose calculations the page has
    spreads = {scenario.id: spreads_of(request, scenario) for scenario in leaders_of(comparison)[:1]}
    return render(comparison, studied, drawn() if drawn else None, spreads, reconciled.view() if reconciled else None)


def drawn_stack(
    loaded: LoadedPlan, comparison: comparisons.Comparison, scenario: Scenario, book: PriceBook
) -> StackView:
    """The stack of a scenario as the report shows it, or why it cannot: not a reason for having no report."""
    try:
        graph = graph_of(spec_of(loaded, comparison, scenario, book, preview=True), "the picture of the stack needs")
        return view(graph, stored_usd_per_hour(scenario))
    except UsageProblem as problem:
        return not_drawn(scenario.id, str(problem))
    except PlanProblems as problems:
        return not_drawn(scenario.id, "; ".join(problem.message for problem in problems.problems))
