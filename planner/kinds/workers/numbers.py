"""What `explain` tells of a worker pool: its choices, the numbers of one, one number."""

from __future__ import annotations

from dataclasses import replace

from planner.api.pools import number_of
from planner.errors import UsageProblem
from planner.kinds.asking import Ask, Look, Watch
from planner.kinds.workers.answers import compared, named, simulated
from planner.report.terminal import worker_pool_explanation as text
from planner.report.wording.worker_pool_explained import ids_of
from planner.worker_pool.result import PoolComparison


def ids(ask: Ask, scenario: str) -> list[str]:
    """The ids of a choice's numbers. Raises UsageProblem."""
    return ids_of(named(simulated(replace(ask, draws=1)), scenario))


def told(
    ask: Ask, scenario: str | None, number: str | None, style: str, look: Look, watch: Watch
) -> tuple[str, PoolComparison]:
    """(text, the comparison). Without a number the numbers are listed, without a choice the choices; a number without a
    choice is the recommended one's. Raises UsageProblem."""
    found = compared(ask, watch)
    try:
        chosen = named(found, scenario) if scenario else None
    except UsageProblem:
        if number is not None or found.best is None or scenario not in ids_of(found.best):
            raise
        chosen, number = found.best, scenario
    if chosen is None or number is None:
        if style == "json":
            return text.listed_json(found, chosen), found
        return text.numbers(found, chosen, look.width) if chosen else text.scenarios(found, look.width), found
    one = number_of(found, chosen, number)
    return text.number_json(chosen, one) if style == "json" else text.number(chosen, one, look.width), found
