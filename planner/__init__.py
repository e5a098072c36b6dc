"""GPU fleet planner: what a finished training run on AWS costs, on every purchase option and storage layout.

    >>> import planner
    >>> plan = planner.load("examples/small.yaml", set={"fleet.nodes": 8})
    >>> comparison = planner.compare(plan)
    >>> best = comparison["best"]  # comparison.best, or an error that says why there is none

Names are loaded when they are first used, so that importing this package costs nothing; docs/api.md shows each.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from planner import prices as prices
    from planner.api.comparisons import Comparison, compare
    from planner.api.differences import Difference, diff
    from planner.api.explanations import Explanation, explain
    from planner.api.fleets import FleetComparison
    from planner.api.frames import to_frame
    from planner.api.optima import Optimum, optimize
    from planner.api.page import render_html
    from planner.api.plans import FleetPlan, Plan, PoolPlan, load
    from planner.api.pools import PoolComparison
    from planner.api.reconciliations import Reconciliation, reconcile
    from planner.api.scenarios import Bill
    from planner.api.sensitivities import Sensitivity, sensitivity
    from planner.api.simulations import SpotSimulation, simulate
    from planner.errors import PlannerError, PlanProblems, Problem, UsageProblem
    from planner.estimate.result import Scenario
    from pricing.book import PriceBook

_HOME = {
    "Bill": "planner.api.scenarios",
    "Comparison": "planner.api.comparisons",
    "Difference": "planner.api.differences",
    "Explanation": "planner.api.explanations",
    "FleetComparison": "planner.api.fleets",
    "FleetPlan": "planner.api.plans",
    "Optimum": "planner.api.optima",
    "Plan": "planner.api.plans",
    "PlanProblems": "planner.errors",
    "PlannerError": "planner.errors",
    "PoolComparison": "planner.api.pools",
    "PoolPlan": "planner.api.plans",
    "PriceBook": "pricing.book",
    "Problem": "planner.errors",
    "Reconciliation": "planner.api.reconciliations",
    "Scenario": "planner.estimate.result",
    "Sensitivity": "planner.api.sensitivities",
    "SpotSimulation": "planner.api.simulations",
    "UsageProblem": "planner.errors",
    "compare": "planner.api.comparisons",
    "diff": "planner.api.differences",
    "explain": "planner.api.explanations",
    "load": "planner.api.plans",
    "optimize": "planner.api.optima",
    "reconcile": "planner.api.reconciliations",
    "render_html": "planner.api.page",
    "sensitivity": "planner.api.sensitivities",
    "simulate": "planner.api.simulations",
    "to_frame": "planner.api.frames",
}

__all__ = [
    "Bill",
    "Comparison",
    "Difference",
    "Explanation",
    "FleetComparison",
    "FleetPlan",
    "Optimum",
    "Plan",
    "PlanProblems",
    "PlannerError",
    "PoolComparison",
    "PoolPlan",
    "PriceBook",
    "Problem",
    "Reconciliation",
    "Scenario",
    "Sensitivity",
    "SpotSimulation",
    "UsageProblem",
    "compare",
    "diff",
    "explain",
    "load",
    "optimize",
    "reconcile",
    "render_html",
    "sensitivity",
    "simulate",
    "to_frame",
]


def __getattr__(name: str) -> object:
    if name == "prices":
        return importlib.import_module("planner.prices")
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__", "prices"]
