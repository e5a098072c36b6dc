"""A comparison from Python: every layout and purchase option of a plan, priced and ranked."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING, Any, overload

from planner.api.arguments import age_limit, day_of, named, numbered, python_of, whole_number
from planner.api.books import Prices, book_for, check_book
from planner.api.parallel import in_processes
from planner.api.scenarios import Scenario, with_bill
from planner.decide import comparison as comparisons
from planner.decide.compare import compare as priced
from planner.decide.energy import with_energy
from planner.decide.nothing_eligible import with_relaxations
from planner.decide.proposals import with_proposals
from planner.decide.search import Each
from planner.decide.spares import with_spares
from planner.decide.steps import with_steps
from planner.errors import UsageProblem
from planner.estimate.defaults import DEFAULT_DRAWS, DEFAULT_SEED, MAX_DRAWS, MAX_SEED
from planner.estimate.request import Request
from planner.plan.load import LoadedPlan, LoadedPool
from pricing.snapshot import BrokenBook

if TYPE_CHECKING:
    import pandas

    from planner.api.pools import PoolComparison

WHY_NONE = "`why_not` and `unpriced` of each scenario say why"
LIST_IDS = "`[scenario.id for scenario in comparison]` lists the ids"


@dataclass(frozen=True, kw_only=True, repr=False)
class Comparison(comparisons.Comparison):
    """Every scenario of a plan: recommended, other eligible ones, complete ones, those that lack a price, infeasible.

    scenarios: all of them in order. best: the recommended one, or None. A scenario by id,
    by rank (`"#3"`) or as `"best"`: `comparison["best"]`, which raises UsageProblem where there is none. An integer
    counts from 0, as in `scenarios`: `comparison[0]`.
    loaded, request: the plan and everything else that the numbers come from.
    """

    scenarios: tuple[Scenario, ...]
    loaded: LoadedPlan = field(compare=False)
    request: Request = field(compare=False)

    @property
    def best(self) -> Scenario | None:
        """The recommended scenario."""
        return next((s for s in self.scenarios if s.id == self.answer.recommended), None)

    def __getitem__(self, scenario: str | int) -> Scenario:
        if isinstance(scenario, str):
            return self._named(scenario)
        return numbered(self.scenarios, scenario)

    def _named(self, scenario: str) -> Scenario:
        found = named(self, scenario, why=WHY_NONE, listing=LIST_IDS)
        return next(own for own in self.scenarios if own is found)

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

    def to_frame(self, *, bills: bool = False) -> pandas.DataFrame:
        """A DataFrame with a row a scenario, or with bills=True a row a line of every bill: see `planner.to_frame`.

        Raises UsageProblem where pandas is not installed: it comes with the extra `notebook`.
        """
        from planner.api.frames import to_frame

        return to_frame(self, bills=bills)

    def _repr_html_(self) -> str:
        from planner.report.html.notebook import comparison_html

        return comparison_html(self)


@overload
def compare(
    plan: LoadedPlan,
    *,
    prices: Prices = None,
    draws: int | None = None,
    seed: int = DEFAULT_SEED,
    as_of: str | date | None = None,
    max_price_age_days: int | None = None,
) -> Comparison: ...
@overload
def compare(
    plan: LoadedPool,
    *,
    prices: Prices = None,
    draws: int | None = None,
    seed: int = DEFAULT_SEED,
    as_of: str | date | None = None,
    max_price_age_days: int | None = None,
) -> PoolComparison: ...
def compare(
    plan: LoadedPlan | LoadedPool,
    *,
    prices: Prices = None,
    draws: int | None = None,
    seed: int = DEFAULT_SEED,
    as_of: str | date | None = None,
    max_price_age_days: int | None = None,
) -> Comparison | PoolComparison:
    """Price every storage layout, purchase option and instance type of a plan, and recommend one.

    prices: a price book, its date (the book of that day, else the newest before it) or its folder; None: the plan's,
    else the bundled one for `as_of` (docs/prices.md), else the newest. draws: simulated outcomes a range comes from, 0
    for none; None: 5,000. Of a worker pool they are runs of each choice: 1 to 2,000; None: 200, fewer of very many
    jobs. seed: of these draws; the same plan, book, draws and seed give the same result. as_of: the day that the
    prices are for; None: the plan's start. max_price_age_days: older prices are listed in `stale`; None: 120 of EC2,
    1,095 of the rest.

    Raises PlanProblems for what the price book does not know; UsageProblem for arguments that cannot be used.
    """
    return python_of(plan).compare(plan, prices, draws, seed, as_of, max_price_age_days)


def compare_training(
    plan: LoadedPlan,
    prices: Prices,
    draws: int | None,
    seed: int,
    as_of: str | date | None,
    max_price_age_days: int | None,
) -> Comparison:
    """What `compare` gives for a training plan."""
    request = request_of("compare", plan, prices, draws, seed, as_of, max_price_age_days)
    try:
        return comparison_of(plan, with_spares(request, in_processes))
    except BrokenBook as error:  # tables are read when they are first asked for
        raise UsageProblem(str(error)) from error


def request_of(
    caller: str,
    plan: LoadedPlan,
    prices: Prices,
    draws: int | None,
    seed: int,
    as_of: str | date | None,
    max_price_age_days: int | None = None,
) -> Request:
    """The request of these arguments. caller: the function that was called, for messages."""
    if not isinstance(plan, LoadedPlan):
        file = repr(os.fspath(plan)) if isinstance(plan, str | os.PathLike) else "FILE"
        raise UsageProblem(f"{caller} needs a loaded plan, not {plan!r}: planner.{caller}(planner.load({file}))")
    draws = whole_number(DEFAULT_DRAWS if draws is None else draws, "draws", MAX_DRAWS)
    seed, max_price_age_days = whole_number(seed, "seed", MAX_SEED), age_limit(max_price_age_days)
    counted_from = plan.plan.start if as_of is None else day_of(as_of, "as_of")
    book = book_for(prices, plan.plan.price_date, day=counted_from)
    check_book(plan, book)
    return Request(
        plan=plan.plan,
        plan_sha256=plan.sha256,
        book=book,
        draws=draws,
        seed=seed,
        as_of=None if as_of is None else day_of(as_of, "as_of"),
        max_price_age_days=max_price_age_days,
    )


def comparison_of(plan: LoadedPlan, request: Request, each: Each = in_processes) -> Comparison:
    """What `compare` gives for a request, with what is worth proposing; where nothing is eligible, with the changes
    that would make it so. `planner compare` and `planner report` print it. each: see `planner.decide.search`."""
    found = with_proposals(request, with_relaxations(request, priced(request, each)))
    values: dict[str, Any] = dict(vars(with_energy(request, with_steps(request, found))))
    values["scenarios"] = tuple(with_bill(scenario) for scenario in values["scenarios"])
    return Comparison(**values, loaded=plan, request=request)
