"""The choices with which a run cannot be both cheaper and shorter."""

from __future__ import annotations

import math
from collections.abc import Sequence

from planner.decide.candidates import Candidate
from planner.decide.measure import cost_of


def frontier_of(candidates: Sequence[Candidate], rank_by: str) -> tuple[Candidate, ...]:
    """Of those that may be recommended, each that no other one beats in both cost and P50 days; the shortest first."""
    eligible = [c for c in candidates if c.scenario.eligible and not c.scenario.priced_only]
    found: list[Candidate] = []
    least = math.inf
    for candidate in sorted(eligible, key=lambda c: (days_of(c), cost_of(c.scenario, rank_by), c.scenario.id)):
        cost = cost_of(candidate.scenario, rank_by)
        if cost < least:
            found.append(candidate)
            least = cost
    return tuple(found)


def days_of(candidate: Candidate) -> float:
    """P50 days."""
    return candidate.scenario.days.p50 if candidate.scenario.days else math.inf
