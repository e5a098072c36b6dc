"""What decides between choices that tie, in words."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from planner.answer.measure import per_unit
from planner.answer.recommend import SMALL, Answer, preference
from planner.answer.row import R, Row
from planner.report.wording import figures, rounding

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


def apart_though_tied(answer: Answer, best: R, others: Sequence[R], name: Callable[[R], str], outcomes: str) -> str:
    """What is said of a tie whose first choice costs clearly less than the recommended one: ` (A costs 5% less at P50,
    and less in 62% of the runs)`; "" where it does not. others: that tie with it. outcomes: what they are called."""
    first = next((one for one in others if one.id == answer.first), None)
    if first is None or first.below_best_fraction is None:
        return ""
    ends = per_unit(best, answer.rank_by), per_unit(first, answer.rank_by)
    if ends[1] >= ends[0] * (1 - SMALL):
        return ""
    it, less = name(first) if len(others) > 1 else "that one", rounding.share_apart(*ends)
    share = figures.percent(first.below_best_fraction)
    return f" ({it} costs {less} less at {answer.rank_by.upper()}, and less in {share} of the {outcomes})"
