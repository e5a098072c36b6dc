"""A fleet simulated, bought and billed: every choice of nodes by each way to buy them."""

from __future__ import annotations

from typing import Any

from planner.api.arguments import named as named
from planner.api.arguments import whole_number
from planner.fleet.compare import MOST_RUNS, compare_fleet, ids_in, runs_for
from planner.fleet.result import FleetComparison
from planner.kinds.asking import REPLAYING, Ask, Watch
from planner.plan.load import LoadedFleet
from planner.report.data.fleet_json import document as document


def plan_of(ask: Ask) -> LoadedFleet:
    """The plan that is asked about."""
    assert isinstance(ask.loaded, LoadedFleet)  # its kind has this room
    return ask.loaded


def draws_for(ask: Ask) -> int:
    """Simulated outcomes of each choice. Raises UsageProblem."""
    given = None if ask.draws is None else whole_number(ask.draws, "--draws", MOST_RUNS, 1)
    return runs_for(plan_of(ask), ask.book, given)


def compared(ask: Ask, watch: Watch, *, derivations: bool = True) -> FleetComparison:
    """Every choice, ranked. derivations: of training. Raises UsageProblem."""
    with watch.each(REPLAYING) as each:
        return compare_fleet(
            plan_of(ask),
            ask.book,
            runs=draws_for(ask),
            seed=ask.seed,
            as_of=ask.as_of,
            max_price_age_days=ask.max_price_age_days,
            each=each,
        )


priced = compared


def ids(ask: Ask) -> list[str]:
    """The ids of the choices, without simulating any."""
    return ids_in(plan_of(ask).plan)


def settings(found: FleetComparison, ask: Ask) -> dict[str, Any]:
    """The plan beside it."""
    return plan_of(ask).plan.canonical()
