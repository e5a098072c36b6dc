"""What decides between choices that tie, in words."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from planner.answer.measure import per_unit
from planner.answer.recommend import MORE_AT_P90, SMALL, Answer, settled, steps_of
from planner.answer.row import R, Row
from planner.report.wording import figures, rounding

MEASURES = {"p50": "P50", "p90": "P90", "mean": "mean cost", "planned": "planned cost"}
P90 = "its lower P90"
NAME = "nothing but its name: they differ too little, and either may be bought"
EFFORT = "less to operate ({mine} of an engineer's time instead of {theirs})"
RULE = (
    f"without those whose P90 is over {MORE_AT_P90:.0%} above the lowest, the one with the lower commitment, then with "
    f"fewer Capacity Blocks; then, where they differ by more than {SMALL:.0%}, with the lower P90 and the lower cost; "
    "then the one that is less to operate, as it is simpler or over earlier"
)


def preferred_for(best: Row, other: Row, rank_by: str, effort: str = EFFORT) -> str:
    """What decides between two that tie. One that is preferred and yet not chosen has a far higher P90. effort: words
    for what is less of it, with {mine} and {theirs} in USD."""
    if (other.commitment, other.blocks) < (best.commitment, best.blocks):
        return P90
    step = next((step for step in steps_of(rank_by)[1:] if not step.keeps(other, best)), None)
    return NAME if step is None else _reason(step.reason, best, other, rank_by, effort)


def _reason(step: str, best: Row, other: Row, rank_by: str, effort: str) -> str:
    """A reason that a reader finds in the figures as printed."""
    if step == "blocks":
        return f"fewer Capacity Blocks ({best.blocks} instead of {other.blocks}, each bought by itself)"
    if step == "effort":
        return _effort(best, other, effort)
    named = {"commitment": "the lower commitment", "p90": P90, "cost": f"its lower {MEASURES[rank_by]}"}
    return named.get(step, NAME)


def _effort(best: Row, other: Row, effort: str) -> str:
    mine, theirs = figures.usd(best.effort_usd), figures.usd(other.effort_usd)
    if mine == theirs:
        return NAME
    if best.days and other.days and best.days.p50 < other.days.p50:
        days = [figures.days(one.days.p50) for one in (best, other) if one.days]
        if days[0] != days[1]:
            return f"its earlier end ({days[0]} days instead of {days[1]}), which is also less to operate"
    return effort.format(mine=mine, theirs=theirs)


def chosen_for(best: R, others: Sequence[R], rank_by: str, effort: str = EFFORT) -> str:
    """What decides between it and the one that the rule would choose of the others."""
    return preferred_for(best, settled(others, rank_by), rank_by, effort)


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
