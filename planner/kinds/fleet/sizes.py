"""The search of `optimize` for a fleet: the choices of nodes that its ranges leave open."""

from __future__ import annotations

from collections.abc import Sequence

from planner.answer.row import Row
from planner.errors import UsageProblem
from planner.fleet.result import FleetComparison
from planner.kinds.asking import Ask, Look, Watch
from planner.kinds.fleet import pages
from planner.kinds.fleet.answers import compared

FORMATS = ("table", "json", "md")


def searched(ask: Ask, minimize: str, watch: Watch) -> FleetComparison:
    """minimize: "cost"; a fleet takes as long as its plan says. Raises UsageProblem."""
    if minimize == "time":
        raise UsageProblem(
            "a fleet has no duration to minimize: waiting.usd_per_gpu_hour says what less waiting is worth"
        )
    return compared(ask, watch)


def written(found: FleetComparison, style: str, look: Look) -> str:
    """In a format."""
    return pages.written(found, style, look, None)


def best(found: FleetComparison) -> tuple[Row | None, Sequence[str]]:
    """(the recommended choice or None, what it adds to the plan)."""
    if found.best is None:
        return None, ()
    return found.best, [f"groups[{at}].nodes={count}" for at, (_, count) in enumerate(found.best.nodes) if count]
