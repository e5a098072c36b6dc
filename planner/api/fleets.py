"""Fleets from Python: a comparison of choices, one number of one, a table."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING, Any

from planner.api.arguments import age_limit, day_of, named, numbered, whole_number
from planner.api.books import Prices, book_for
from planner.api.parallel import in_processes
from planner.errors import UsageProblem
from planner.estimate.defaults import MAX_SEED
from planner.fleet import result
from planner.fleet.check import check_book
from planner.fleet.compare import MOST_RUNS, compare_fleet
from planner.plan.load import LoadedFleet
from planner.report.wording.fleet_explained import number_of

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True, kw_only=True, repr=False)
class FleetComparison(result.FleetComparison):
    """Every choice of a fleet, simulated and bought. A choice by id, by rank (`"#2"`) or as `"best"`, or by its number
    from 0. loaded: the plan."""

    loaded: LoadedFleet = field(compare=False)

    def __getitem__(self, scenario: str | int) -> result.FleetScenario:
        return named(self, scenario) if isinstance(scenario, str) else numbered(self.scenarios, scenario)

    def __repr__(self) -> str:
        best = self.best
        return f"FleetComparison(plan={self.plan_name!r}, scenarios={len(self.scenarios)}, best={best and best.id!r})"

    def to_dict(self) -> dict[str, Any]:
        """The document of `planner compare -f json`, as plain data."""
        from planner.report.data.fleet_json import document

        return document(self)


def compare(
    plan: LoadedFleet,
    prices: Prices,
    draws: int | None,
    seed: int,
    as_of: str | date | None,
    max_price_age_days: int | None,
) -> FleetComparison:
    """What `planner.compare` gives for a fleet. draws: simulated outcomes of each choice."""
    runs = None if draws is None else whole_number(draws, "draws", MOST_RUNS, 1)
    seed, day = whole_number(seed, "seed", MAX_SEED), None if as_of is None else day_of(as_of, "as_of")
    book = book_for(prices, plan.plan.price_date, day=day or plan.plan.start)
    check_book(plan, book)
    age = age_limit(max_price_age_days)
    found = compare_fleet(plan, book, runs=runs, seed=seed, as_of=day, max_price_age_days=age, each=in_processes)
    return FleetComparison(**vars(found), loaded=plan)


def optimize(
    plan: LoadedFleet, minimize: str, prices: Prices, draws: int | None, seed: int, as_of: str | date | None
) -> FleetComparison:
    """What `planner.optimize` gives for a fleet: the comparison of the counts that its ranges leave open. Raises
    UsageProblem for time."""
    if minimize == "time":
        raise UsageProblem("a fleet has no duration to minimize: waiting.usd_per_gpu_hour says what waiting is worth")
    return compare(plan, prices, draws, seed, as_of, None)


def explain(comparison: FleetComparison, scenario: str | int | result.FleetScenario, number: str) -> float | None:
    """What `planner.explain` gives for a fleet: the value of one number. Raises UsageProblem."""
    one = scenario if isinstance(scenario, result.FleetScenario) else comparison[scenario]
    return number_of(one, number)[0]


def to_frame(comparison: FleetComparison, *, bills: bool) -> pandas.DataFrame:
    """A DataFrame with a row a choice, or with bills=True a row a line of every bill. Raises UsageProblem where pandas
    is not installed."""
    from planner.api.frames import flat, pandas_for
    from planner.report.data.compared_json import bill_line
    from planner.report.data.fleet_json import scenario_document

    pandas = pandas_for("to_frame")
    if bills:
        rows = [{"scenario": one.id, **bill_line(line)} for one in comparison.scenarios for line in one.bill]
        return pandas.DataFrame(rows)
    documents = (scenario_document(one) for one in comparison.scenarios)
    # lists have rows of their own: in the frame of bills, and in the JSON
    return pandas.DataFrame([flat({k: v for k, v in one.items() if not isinstance(v, list)}) for one in documents])
