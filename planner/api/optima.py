"""A search from Python: the best node count, spares, instance type, layout and purchase of a plan."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any, overload

from planner.api.arguments import python_of
from planner.api.books import Prices
from planner.api.comparisons import request_of
from planner.api.parallel import in_processes
from planner.decide import optimize as optimizing
from planner.decide.search import Each
from planner.errors import UsageProblem
from planner.estimate.defaults import DEFAULT_SEED
from planner.estimate.request import Request
from planner.plan.load import LoadedPlan, LoadedPool
from pricing.snapshot import BrokenBook

if TYPE_CHECKING:
    from planner.api.pools import PoolOptimum


@dataclass(frozen=True, kw_only=True, repr=False)
class Optimum(optimizing.Optimum):
    """The best choice of a plan's fleets.

    recommended: it, with its fleet (`size`) and figures (`scenario`), or None. frontier: what else can be had, the
    shortest run first. rejected: the best of each other layout, purchase and instance type. comparison: every choice on
    the fleets that the answer names.
    """

    def __repr__(self) -> str:
        best = self.recommended
        fleet = f"{best.size.nodes} nodes, {best.size.spares} spare" if best else None
        return f"Optimum(best={best.scenario.id if best else None!r}, fleet={fleet!r}, evaluated={self.evaluated})"

    def _repr_html_(self) -> str:
        from planner.report.html.notebook import optimum_html

        return optimum_html(self)

    def to_dict(self) -> dict[str, Any]:
        """The document of `planner optimize -f json`, as plain data: USD and days."""
        from planner.report.data.optimum_json import document

        return document(self)


@overload
def optimize(
    plan: LoadedPlan,
    minimize: str = "cost",
    *,
    prices: Prices = None,
    draws: int | None = None,
    seed: int = DEFAULT_SEED,
    as_of: str | date | None = None,
) -> Optimum: ...
@overload
def optimize(
    plan: LoadedPool,
    minimize: str = "cost",
    *,
    prices: Prices = None,
    draws: int | None = None,
    seed: int = DEFAULT_SEED,
    as_of: str | date | None = None,
) -> PoolOptimum: ...
def optimize(
    plan: LoadedPlan | LoadedPool,
    minimize: str = "cost",
    *,
    prices: Prices = None,
    draws: int | None = None,
    seed: int = DEFAULT_SEED,
    as_of: str | date | None = None,
) -> Optimum | PoolOptimum:
    """Search every node count of a plan's range, or around its only one, with up to two spares, on each of its instance
    types, layouts and purchase options.

    minimize: "cost", by the plan's decision.rank_by, or "time", the P50 days to the finish. The plan's deadline and
    budget (`load(path, set={"run.deadline": "30d"})`) are kept in 9 of 10 simulated outcomes (decision.confidence).
    prices, draws, seed, as_of: as for `compare`. Of a worker pool the search is for `pool.max`, by default with 20 runs
    of each size.

    Raises PlanProblems for what the price book does not know; UsageProblem for arguments that cannot be used.
    """
    if minimize not in (optimizing.COST, optimizing.TIME):
        raise UsageProblem(f"minimize must be 'cost' or 'time', not {minimize!r}")
    return python_of(plan).optimize(plan, minimize, prices, draws, seed, as_of)


def optimize_training(
    plan: LoadedPlan, minimize: str, prices: Prices, draws: int | None, seed: int, as_of: str | date | None
) -> Optimum:
    """What `optimize` gives for a training plan."""
    request = request_of("optimize", plan, prices, draws, seed, as_of)
    try:
        return optimum_of(request, minimize)
    except BrokenBook as error:  # tables are read when they are first asked for
        raise UsageProblem(str(error)) from error


def optimum_of(request: Request, minimize: str, each: Each = in_processes) -> Optimum:
    """What `optimize` gives for a request; `planner optimize` prints it. each: see `planner.decide.search`."""
    return Optimum(**vars(optimizing.optimize(request, minimize, each)))
