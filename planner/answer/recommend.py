"""The recommendation: one eligible scenario, those that tie with it, and at most two alternatives."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

from planner.answer.measure import per_unit, ranked
from planner.answer.row import Outcomes, R, Row
from planner.models.number import share_of
from planner.plan.types import Decision

# a lead within NEAR is one only if it is kept in at least SURE of the draws
NEAR, SURE = 0.10, 0.70
SMALL = 0.02  # a difference that nobody would change a choice for: no alternative is named for less
SELDOM = 0.1  # draws in which a limit holds, below which nobody would take the chance
MOST_ALTERNATIVES = 2
MORE_AT_P90 = 0.05  # a tied scenario has a P90 that is at most this much higher


@dataclass(frozen=True, kw_only=True)
class Alternative:
    """Another scenario to consider. kind: "cheaper-if" or, where time is minimized, "shorter-if" (its shortfalls, or
    that it cannot be deployed, say if what), or "safest" (the lowest P90 of the eligible ones)."""

    id: str
    kind: str


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What is recommended.

    recommended: its id; "" if no scenario is eligible and can be deployed. first: the eligible one that ranks first,
    which the recommended one ties with or is. tied: all that tie, the recommended one included; empty without a tie.
    compared: how many scenarios are complete.
    """

    confidence: float
    rank_by: str
    recommended: str = ""
    first: str = ""
    tied: tuple[str, ...] = ()
    alternatives: tuple[Alternative, ...] = ()
    compared: int = 0


def answer_of(decision: Decision, scenarios: Sequence[R], outcomes: Mapping[str, Outcomes]) -> Answer:
    """scenarios: judged. outcomes: by id, of those that are feasible."""
    complete = [s for s in scenarios if s.feasible and s.complete]
    blank = Answer(confidence=decision.confidence, rank_by=decision.rank_by, compared=len(complete))
    ranked = ranked_of(complete, decision.rank_by)
    if not ranked:
        return blank
    first = ranked[0]
    chosen, ties = settled_tie(ranked, lambda s: s is first or _ties(s, first, outcomes), decision.rank_by)
    tied = [s for s in ranked if ties(s)]
    return Answer(
        confidence=decision.confidence,
        rank_by=decision.rank_by,
        recommended=chosen.id,
        first=first.id,
        tied=tuple(s.id for s in tied) if len(tied) > 1 else (),
        alternatives=tuple(
            Alternative(id=s.id, kind=kind) for s, kind in others_of(complete, chosen, decision.rank_by)
        ),
        compared=len(complete),
    )


def ranked_of(complete: Sequence[R], rank_by: str) -> list[R]:
    """Those that may be recommended, in order: eligible, and deployed as priced."""
    return sorted((s for s in complete if s.eligible and not s.held_back), key=lambda s: _rank(s, rank_by))


class Step(NamedTuple):
    """One step of the rule that settles a tie: of the rows left, those stay that are at most `near` above the least."""

    reason: str
    of: Callable[[Row], Any]
    near: float = 0.0

    def keeps(self, row: Row, least: Row) -> bool:
        limit = self.of(least)
        return self.of(row) <= (limit * (1 + self.near) if self.near else limit)


def steps_of(rank_by: str) -> tuple[Step, ...]:
    """What decides among tied rows, in order. The first bounds the risk, as another tied one may have a far lower P90;
    a difference within SMALL decides nothing."""
    return (
        Step("p90", _p90, MORE_AT_P90),
        Step("commitment", lambda s: s.commitment),
        Step("blocks", lambda s: s.blocks),
        Step("p90", _p90, SMALL),
        Step("cost", lambda s: ranked(s, rank_by), SMALL),
        Step("effort", lambda s: s.effort_usd),
        Step("id", lambda s: s.id),
    )


def settled(rows: Sequence[R], rank_by: str, ties: Callable[[R], bool] = lambda _: True) -> R:
    """The one that the steps leave of the rows that tie. ties: asked only of rows that could be it."""
    left = list(rows)
    for step in steps_of(rank_by):
        left.sort(key=step.of)
        least = next(filter(ties, left))
        left = [row for row in left if step.keeps(row, least)]
    return next(filter(ties, left))


def settled_tie(rows: Sequence[R], ties: Callable[[R], bool], rank_by: str) -> tuple[R, Callable[[R], bool]]:
    """The chosen one, and whether a row ties: also if it beats one that would win the tie, though the first one costs
    less than it in too many draws for a tie of these two. ties: asked once of a row, since it compares draws."""
    known = cache(lambda at: ties(rows[at]))
    places = {id(row): at for at, row in enumerate(rows)}

    def tied(row: R) -> bool:
        return known(places[id(row)])

    winner = settled(rows, rank_by, tied)
    better = {id(s) for s in rows if is_better(s, winner, rank_by)}

    def either(row: R) -> bool:
        return id(row) in better or tied(row)

    return (settled(rows, rank_by, either) if better else winner), either


def is_better(other: Row, one: Row, rank_by: str) -> bool:
    """Whether the other one costs less, has a lower P90 and is over earlier."""
    return ranked(other, rank_by) < ranked(one, rank_by) and _p90(other) < _p90(one) and _days(other) < _days(one)


def _days(scenario: Row) -> float:
    return math.inf if scenario.days is None else scenario.days.p50


def _rank(scenario: Row, rank_by: str) -> tuple[float, str]:
    return ranked(scenario, rank_by), scenario.id


def _p90(scenario: Row) -> float:
    return per_unit(scenario, "p90")


def is_near(other: Row, first: Row) -> bool:
    """Whether the first one leads by at most NEAR at P50, and by little at P90, so that it may tie."""
    return ranked(other, "p50") <= ranked(first, "p50") * (1 + NEAR) and _p90(other) <= _p90(first) * (1 + MORE_AT_P90)


def is_unsure(other: Outcomes, first: Outcomes, units: float = 1.0) -> bool:
    """Whether the first one costs less, with its effort, in too few of the same draws for its lead to count. units: of
    the other one for each of the first one, where units of a scenario are compared."""
    return share_of(other.cost_usd + other.effort_usd > (first.cost_usd + first.effort_usd) * units) < SURE


def _ties(other: Row, first: Row, outcomes: Mapping[str, Outcomes]) -> bool:
    """Whether the lead of the first one is too uncertain to decide."""
    return is_near(other, first) and is_unsure(outcomes[other.id], outcomes[first.id], other.unit / first.unit)


def others_of(complete: Sequence[R], chosen: R, rank_by: str) -> list[tuple[R, str]]:
    """At most two other scenarios to consider, each with its kind of alternative."""
    found = [(s, "cheaper-if") for s in _cheaper(complete, chosen, rank_by)]
    found += [(s, "safest") for s in _safest(ranked_of(complete, rank_by), chosen)]
    return found[:MOST_ALTERNATIVES]


def _cheaper(complete: Sequence[R], chosen: R, rank_by: str) -> list[R]:
    """The cheapest one that costs clearly less, but cannot be deployed by the stack; and of those that are not
    eligible the cheapest, if it costs less than that."""
    least = per_unit(chosen, rank_by) * (1 - SMALL)
    found = sorted((s for s in complete if per_unit(s, rank_by) < least), key=lambda s: _rank(s, rank_by))
    by_hand = [s for s in found if s.eligible and s.held_back][:1]
    below = found[: found.index(by_hand[0])] if by_hand else found
    clearly = per_unit(by_hand[0], rank_by) * (1 - SMALL) if by_hand else math.inf
    at_risk = [s for s in below if not s.eligible and not _is_no_choice(s) and per_unit(s, rank_by) < clearly][:1]
    return [*by_hand, *at_risk]


def _is_no_choice(scenario: Row) -> bool:
    """Whether a fleet that is held is there for less than half of the time, which is another fleet; or a limit of the
    plan is missed in practically every draw."""
    return any(
        (entry.kind == "delivery" and entry.needed < 0.5)
        or (entry.kind in ("deadline", "budget") and entry.fraction < SELDOM)
        for entry in scenario.shortfalls
    )


def _safest(ranked: Sequence[R], chosen: R) -> list[R]:
    """The lowest P90, if it is clearly lower than that of the recommended one."""
    safest = min(ranked, key=lambda s: (_p90(s), s.id))
    return [safest] if _p90(safest) < _p90(chosen) * (1 - SMALL) else []
