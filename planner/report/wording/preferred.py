"""What decides between choices that tie, in words."""

from __future__ import annotations

from collections.abc import Sequence

from planner.answer.recommend import preference
from planner.answer.row import Row

PREFERRED_FOR = (
    "the lower commitment",
    "fewer Capacity Blocks",
    "its lower P90",
    "less to operate",
    "nothing but its name: either may be bought",
)


def preferred_for(best: Row, other: Row) -> str:
    """What decides between two that tie. One that is preferred and yet not chosen has a far higher P90."""
    if preference(other) < preference(best):
        return PREFERRED_FOR[2]
    pairs = zip(PREFERRED_FOR, preference(best), preference(other), strict=True)
    return next((words for words, mine, theirs in pairs if mine != theirs), PREFERRED_FOR[-1])


def chosen_for(best: Row, others: Sequence[Row]) -> str:
    """What decides between it and the one of the others that is preferred."""
    return preferred_for(best, min(others, key=preference))
