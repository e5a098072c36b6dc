"""The recommendation: one eligible scenario, those that tie with it, and at most two alternatives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from planner.decide.measure import cost_of
from planner.estimate.outcomes import Outcomes
from planner.estimate.result import Scenario
from planner.layouts.registry import ROOMS
from planner.plan.types import Decision

# a lead within EQUAL is no lead; within NEAR, only if it costs less in at least SURE of the draws
EQUAL, NEAR, SURE = 0.02, 0.10, 0.70
MOST_ALTERNATIVES = 2
MORE_AT_P90 = 0.05  # a tied scenario has a P90 that is at most this much higher


@dataclass(frozen=True, kw_only=True)
class Alternative:
    """Another scenario to consider. kind: "cheaper-if" (its shortfalls, or that it cannot be deployed, say if what) or
    "safest" (the lowest P90 of the eligible ones)."""

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


def answer_of(decision: Decision, scenarios: Sequence[Scenario], outcomes: Mapping[str, Outcomes]) -> Answer:
    """scenarios: judged. outcomes: by id, of those that are feasible."""
    complete = [s for s in scenarios if s.feasible and s.complete]
    blank = Answer(confidence=decision.confidence, rank_by=decision.rank_by, compared=len(complete))
    ranked = sorted((s for s in complete if s.eligible and not s.priced_only), key=lambda s: _rank(s, decision.rank_by))
    if not ranked:
        return blank
    first = ranked[0]
    tied = [s for s in ranked if s is first or _ties(s, first, outcomes)]
    chosen = min(tied, key=lambda s: (_upkeep(s), _commitment(s), _p90(s), s.id))
    return Answer(
        confidence=decision.confidence,
        rank_by=decision.rank_by,
        recommended=chosen.id,
        first=first.id,
        tied=tuple(s.id for s in tied) if len(tied) > 1 else (),
        alternatives=(*_cheaper(complete, chosen, decision.rank_by), *_safest(ranked, chosen))[:MOST_ALTERNATIVES],
        compared=len(complete),
    )


def _rank(scenario: Scenario, rank_by: str) -> tuple[float, str]:
    return cost_of(scenario, rank_by), scenario.id


def _p90(scenario: Scenario) -> float:
    return cost_of(scenario, "p90")


def _upkeep(scenario: Scenario) -> int:
    return ROOMS[scenario.layout].upkeep


def _commitment(scenario: Scenario) -> tuple[int, bool]:
    """Years, then whether it is paid before it is used."""
    return scenario.option.years, scenario.option.family == "capacity-block"


def _ties(other: Scenario, first: Scenario, outcomes: Mapping[str, Outcomes]) -> bool:
    """Whether the lead of the first one is too small or too uncertain to decide."""
    more = cost_of(other, "p50") / cost_of(first, "p50") - 1
    above = float(np.mean(outcomes[other.id].cost_usd > outcomes[first.id].cost_usd))
    near = more <= EQUAL or (more <= NEAR and above < SURE)
    return near and _p90(other) <= _p90(first) * (1 + MORE_AT_P90)


def _cheaper(complete: Sequence[Scenario], chosen: Scenario, rank_by: str) -> list[Alternative]:
    """The cheapest one that costs less, beyond a tie, but cannot be deployed by the stack; the same of those that are
    not eligible."""
    least = cost_of(chosen, rank_by) * (1 - EQUAL)
    found = sorted((s for s in complete if cost_of(s, rank_by) < least), key=lambda s: _rank(s, rank_by))
    by_hand = [s for s in found if s.eligible and s.priced_only][:1]
    at_risk = [s for s in found if not s.eligible][:1]
    return [Alternative(id=s.id, kind="cheaper-if") for s in (*by_hand, *at_risk)]


def _safest(ranked: Sequence[Scenario], chosen: Scenario) -> list[Alternative]:
    """The lowest P90, if it is lower than that of the recommended one beyond a tie."""
    safest = min(ranked, key=lambda s: (_p90(s), s.id))
    return [Alternative(id=safest.id, kind="safest")] if _p90(safest) < _p90(chosen) * (1 - EQUAL) else []
