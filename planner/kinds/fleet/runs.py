"""What `simulate` replays of a fleet: its queue, with as many outcomes as are asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from planner.errors import UsageProblem
from planner.kinds.asking import Ask, Look, Watch
from planner.kinds.fleet import pages
from planner.kinds.fleet.answers import compared


def replayed(
    ask: Ask,
    scenario: str | None,
    recordings: Sequence[str],
    policies: str | None,
    starts: Sequence[int] | int | None,
    style: str,
    look: Look,
    watch: Watch,
) -> str:
    """In a format. starts: simulated outcomes of each choice. Raises UsageProblem."""
    if recordings:
        raise UsageProblem("recordings cover spot gangs; a fleet's jobs come from its plan")
    if style == "svg":
        raise UsageProblem("-f svg: a fleet has no one run to draw; `planner report` has its tables")
    if starts is not None and not isinstance(starts, int):
        raise UsageProblem("--starts of a fleet is a number of outcomes")
    found = compared(replace(ask, draws=starts if starts is not None else ask.draws), watch)
    return pages.written(found, style, replace(look, verbose=True), watch)
