"""A comparison from Python: every layout and purchase option of a plan, priced and ranked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from planner.api.arguments import day_of, named
from planner.api.books import Prices, book_for, check_book
from planner.decide import comparison as comparisons
from planner.decide.compare import compare as priced
from planner.decide.infeasible import with_relaxations
from planner.errors import UsageProblem
from planner.estimate.defaults import DEFAULT_DRAWS, DEFAULT_SEED, MAX_DRAWS, MAX_SEED
from planner.estimate.request import Request
from planner.estimate.result import Scenario
from planner.plan.load import LoadedPlan
from pricing.snapshot import BrokenBook


@dataclass(frozen=True, kw_only=True, repr=False)
class Comparison(comparisons.Comparison):
    """Every scenario of a plan, ranked: complete by planned cost (USD), then those that lack a price, then infeasible.

    scenarios: all of them in order. best: the first that is feasible and completely priced, or None. A scenario by id,
    by rank (`"#3"`) or as `"best"`: `comparison["best"]`, which raises UsageProblem where there is none.
    loaded, request: the plan and everything else that the numbers come from.
    """

    loaded: LoadedPlan = field(compare=False)
    request: Request = field(compare=False)

    def __getitem__(self, scenario: str) -> Scenario:
        return named(self, scenario)

    def __iter__(self) -> Iterator[Scenario]:
        return iter(self.scenarios)

    def __len__(self) -> int:
        return len(self.scenarios)

    def __repr__(self) -> str:
        best = self.best
        return (
            f"Comparison(plan={self.plan_name!r}, prices={self.prices.as_of.isoformat()}, scenarios={len(self)}, "
            f"best={best.id if best else None!r})"
        )

    def to_dict(self) -> dict[str, Any]:
        """The document of `planner compare -f json`, as plain data: USD, days and decimal TB."""
        from planner.report.data.comparison_json import document

        return document(self)


def compare(
    plan: LoadedPlan,
    *,
    prices: Prices = None,
    draws: int = DEFAULT_DRAWS,
    seed: int = DEFAULT_SEED,
    as_of: str | date | None = None,
    max_price_age_days: int | None = None,
) -> Comparison:
    """Price every storage layout, purchase option and instance type of a plan, and rank them by planned cost.

    prices: a price book, its date (the book of that day, else the newest before it) or its folder; None: the plan's,
    else the newest bundled one. draws: simulated outcomes a range comes from, 0 for none. seed: of these draws; the
    same plan, book, draws and seed give the same result. as_of: the day that the age of prices is counted from; None:
    the plan's start. max_price_age_days: older prices are listed in `stale`; None: 120 of EC2, 1,095 of the rest.

    Raises PlanProblems for what the price book does not know; UsageProblem for arguments that cannot be used.
    """
    if not 0 <= draws <= MAX_DRAWS:
        raise UsageProblem(f"draws must be 0 to {MAX_DRAWS:,}, not {draws!r}")
    if not 0 <= seed <= MAX_SEED:
        raise UsageProblem(f"seed must be 0 to {MAX_SEED}, not {seed!r}")
    book = book_for(prices, plan.plan.prices)
    check_book(plan, book)
    request = Request(
        plan=plan.plan,
        plan_sha256=plan.sha256,
        book=book,
        draws=int(draws),
        seed=int(seed),
        as_of=None if as_of is None else day_of(as_of, "as_of"),
        max_price_age_days=max_price_age_days,
    )
    try:
        return Comparison(**vars(answered(request)), loaded=plan, request=request)
    except BrokenBook as error:  # tables are read when they are first asked for
        raise UsageProblem(str(error)) from error


def answered(request: Request) -> comparisons.Comparison:
    """The comparison that is asked for; where nothing is feasible, with the changes that would make it so."""
    return with_relaxations(request, priced(request))
