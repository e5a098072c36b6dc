"""A worker pool simulated: every kind of node by each way to buy it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from planner.api.pools import named as named
from planner.api.pools import runs_of as runs_of
from planner.kinds.asking import REPLAYING, Ask, Watch
from planner.plan.load import LoadedPool
from planner.report.data.worker_pool_json import document as document_of
from planner.worker_pool.compare import choices_in, compare_pool, ids_in, runs_for
from planner.worker_pool.relaxed import with_relaxations
from planner.worker_pool.result import PoolComparison, PoolScenario

if TYPE_CHECKING:
    from planner.worker_pool.simulated import Step


def plan_of(ask: Ask) -> LoadedPool:
    """The plan that is asked about."""
    assert isinstance(ask.loaded, LoadedPool)  # its kind has this room
    return ask.loaded


def draws_for(ask: Ask) -> int:
    """Runs of each choice: those that are asked for, else as many as suit the number of jobs. Raises UsageProblem."""
    given = None if ask.draws is None else runs_of(ask.draws, "--draws")
    return runs_for(plan_of(ask).plan.jobs.count, given)


def simulated(ask: Ask, step: Step = lambda: None) -> PoolComparison:
    """Every choice, with as many runs as are asked for."""
    return compare_pool(
        plan_of(ask),
        ask.book,
        runs=draws_for(ask),
        seed=ask.seed,
        as_of=ask.as_of,
        max_price_age_days=ask.max_price_age_days,
        step=step,
    )


def compared(ask: Ask, watch: Watch, *, derivations: bool = True) -> PoolComparison:
    """Every choice, ranked. derivations: of training. Raises UsageProblem."""
    total = choices_in(plan_of(ask).plan, ask.book) * draws_for(ask)
    with watch.steps(REPLAYING, total) as step:
        return with_relaxations(simulated(ask, step), plan_of(ask), ask.book)


priced = compared


def ids(ask: Ask) -> list[str]:
    """The ids of the choices, without simulating any."""
    return ids_in(plan_of(ask).plan, ask.book)


def named_or_first(found: PoolComparison, text: str | None) -> PoolScenario:
    """The same; without a name the recommended choice, else the first."""
    return named(found, text or ("best" if found.best else "#1"))


def document(found: PoolComparison) -> dict[str, Any]:
    """What differences are taken of: the document of `compare -f json`."""
    return {**document_of(found), "draws": found.draws}


def settings(found: PoolComparison, ask: Ask) -> dict[str, Any]:
    """The plan beside it."""
    return plan_of(ask).plan.canonical()
