"""The choices with which a run cannot be both cheaper and shorter."""

from __future__ import annotations

import math
from collections.abc import Sequence

from planner.answer.measure import per_unit
from planner.decide.candidates import Candidate


def frontier_of(candidates: Sequence[Candidate], rank_by: str) -> tuple[Candidate, ...]:
    """Of the eligible ones, each that no other one beats in both cost and P50 days; and the same of those that a stack
    can deploy. The shortest first."""
    eligible = [c for c in candidates if c.scenario.eligible]
    both = [*_unbeaten(eligible, rank_by), *_unbeaten([c for c in eligible if not c.scenario.held_back], rank_by)]
    return tuple(sorted({id(c): c for c in both}.values(), key=lambda c: (days_of(c), per_unit(c.scenario, rank_by))))


def _unbeaten(candidates: Sequence[Candidate], rank_by: str) -> list[Candidate]:
    found: list[Candidate] = []
    least = math.inf
    for candidate in sorted(candidates, key=lambda c: (days_of(c), per_unit(c.scenario, rank_by), c.scenario.id)):
        cost = per_unit(candidate.scenario, rank_by)
        if cost < least:
            found.append(candidate)
            least = cost
    return found


def days_of(candidate: Candidate) -> float:
    """P50 days."""
    return candidate.scenario.days.p50 if candidate.scenario.days else math.inf
