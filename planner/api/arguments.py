"""Text that names a day or a scenario, as it is typed or written in a notebook. It loads no model."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from planner.errors import UsageProblem

if TYPE_CHECKING:
    from planner.decide.comparison import Comparison
    from planner.estimate.result import Scenario


def day_of(text: str | date, option: str) -> date:
    """A day from YYYY-MM-DD. option: what gave it, for the message. Raises UsageProblem."""
    if isinstance(text, date):
        return text
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise UsageProblem(f"{option} {text!r} is not a day: write 2026-09-01") from None


def named(comparison: Comparison, text: str) -> Scenario:
    """The scenario of an id, of a rank (`3` or `#3`) or `best`. Raises UsageProblem."""
    from planner.plan.wording import did_you_mean

    if text == "best":
        if comparison.best is None:
            raise UsageProblem(
                "no scenario is both feasible and completely priced, so none is best: `planner compare` says why"
            )
        return comparison.best
    rank = text.removeprefix("#")
    if rank.isascii() and rank.isdigit() and 1 <= int(rank[:9]) <= len(comparison.scenarios):
        return comparison.scenarios[int(rank) - 1]
    found = next((s for s in comparison.scenarios if s.id == text), None)
    if found is None:
        near = did_you_mean(text, [s.id for s in comparison.scenarios])
        hint = near or f"ranks are 1 to {len(comparison.scenarios)}; `planner explain PLAN` lists the ids"
        raise UsageProblem(f"no scenario {text!r}: {hint}")
    return found
