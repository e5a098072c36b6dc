"""A worker pool against the way of today."""

from __future__ import annotations

from dataclasses import replace

from planner.answer.compared import Compared
from planner.answer.quote import NO_DRAWS, Side, today
from planner.errors import UsageProblem
from planner.kinds.asking import REPLAYING, Ask, Watch
from planner.kinds.workers.answers import draws_for, named, plan_of, simulated
from planner.plan.load import LoadedPool
from planner.report.wording.quote import Card, card_of
from planner.report.wording.worker_pool import bought
from planner.worker_pool.compare import choices_in
from planner.worker_pool.quote import check_comparable, on_demand, quote
from planner.worker_pool.result import PoolComparison, PoolScenario


def quoted(ask: Ask, scenario: str, other: Ask | None, watch: Watch) -> tuple[Card, Compared[PoolScenario]]:
    """(the card, the comparison of the plan). other: the plan of today, None for On-Demand. Raises UsageProblem."""
    if ask.draws == 0:
        raise UsageProblem(NO_DRAWS)
    runs = draws_for(ask)
    ask = replace(ask, draws=runs)  # both sides the same runs

    def compare(loaded: LoadedPool) -> PoolComparison:
        with watch.steps(REPLAYING, choices_in(loaded.plan, ask.book) * runs) as step:
            return simulated(replace(ask, loaded=loaded), step)

    loaded, theirs = plan_of(ask), plan_of(other) if other else None
    if theirs is not None:
        check_comparable(theirs, loaded)
    found = compare(loaded)
    new = Side(scenario=named(found, scenario), comparison=found)
    old = on_demand(loaded, new.scenario, compare) if theirs is None else (theirs, today(compare(theirs)))
    with watch.steps(REPLAYING, 2 * runs) as step:
        made = quote(old, (loaded, new), ask.book, step)
    return card_of(made, bought), found
