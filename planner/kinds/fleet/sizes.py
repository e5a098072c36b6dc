"""The search of `optimize` for a fleet: the choices of nodes that its ranges leave open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from planner.answer.row import Row
from planner.errors import UsageProblem
from planner.fleet.result import FleetComparison
from planner.kinds.asking import Ask, Look, Watch
from planner.kinds.fleet import pages
from planner.kinds.fleet.answers import compared

FORMATS = ("table", "json", "md")


@dataclass(frozen=True)
class Searched:
    comparison: FleetComparison


def searched(ask: Ask, minimize: str, watch: Watch) -> Searched:
    """minimize: "cost"; a fleet takes as long as its plan says. Raises UsageProblem."""
    if minimize == "time":
        raise UsageProblem(
            "a fleet has no duration to minimize: waiting.usd_per_gpu_hour says what less waiting is worth"
        )
    return Searched(compared(ask, watch))


def written(found: Searched, style: str, look: Look) -> str:
    """In a format."""
    return pages.written(found.comparison, style, look, None)


def best(found: Searched) -> tuple[Row | None, Sequence[str]]:
    """(the recommended choice or None, what it adds to the plan)."""
    chosen = found.comparison.best
    if chosen is None:
        return None, ()
    return chosen, [f"groups.{at}.nodes={count}" for at, (_, count) in enumerate(chosen.nodes) if count]
