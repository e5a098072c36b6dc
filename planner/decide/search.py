"""The best choice of many fleets: each one priced in draws, and the decision rule over all of them.

Nothing is estimated: a commitment is left out only where its nodes alone cost too much to matter, and the answer is
that of a comparison of every fleet.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from planner.answer.recommend import is_near, is_unsure, others_of, ranked_of, settled_tie
from planner.decide.candidates import Candidate, FleetPricer, PassedOver
from planner.estimate.choice import FleetSize
from planner.estimate.request import Request
from planner.estimate.result import Scenario

Each = Callable[[Callable[[Any], Any], Sequence[Any]], Iterable[Any]]  # applies a function to each thing, in order


@dataclass(frozen=True, kw_only=True)
class Found:
    """Every candidate of a search, and those that the answer names: the recommended one, None without one, the first in
    rank, which it ties with or is, and its alternatives with their kinds."""

    candidates: tuple[Candidate, ...]
    passed_over: tuple[PassedOver, ...]
    recommended: Candidate | None
    first: Candidate | None
    alternatives: tuple[tuple[Candidate, str], ...]

    @property
    def evaluated(self) -> int:
        return len(self.candidates) + len(self.passed_over)

    @property
    def named(self) -> tuple[Candidate, ...]:
        """The candidates of the answer, each once."""
        found = [c for c in (self.recommended, self.first, *(c for c, _ in self.alternatives)) if c is not None]
        return tuple({id(c): c for c in found}.values())


def search(
    request: Request, sizes: Sequence[FleetSize], each: Each = map, only: Collection[str] | None = None
) -> Found:
    """The answer over these fleets. each: applies a function to every fleet in order, as `map` does; another one may do
    so in several processes. only: ids of the choices to judge, None for all."""
    pricer = FleetPricer(request, only)
    priced = list(each(pricer, sizes))
    candidates = tuple(candidate for fleet in priced for candidate in fleet.candidates)
    of = {id(candidate.scenario): candidate for candidate in candidates}
    rank_by = request.plan.decision.rank_by
    complete = [c.scenario for c in candidates if c.scenario.feasible and c.scenario.complete]
    ranked = ranked_of(complete, rank_by)
    first = ranked[0] if ranked else None
    chosen = first and _chosen(pricer, ranked, of, rank_by)
    others = others_of(complete, chosen, rank_by) if chosen else []
    return Found(
        candidates=candidates,
        passed_over=tuple(entry for fleet in priced for entry in fleet.passed_over),
        recommended=of[id(chosen)] if chosen else None,
        first=of[id(first)] if first else None,
        alternatives=tuple((of[id(other)], kind) for other, kind in others),
    )


def _chosen(pricer: FleetPricer, ranked: Sequence[Scenario], of: dict[int, Candidate], rank_by: str) -> Scenario:
    """What the rule for a tie leaves of those that tie with the first: the draws are needed of few."""
    first = ranked[0]
    leading = cache(lambda: pricer.outcomes(of[id(first)]))  # an evaluation, which most answers need not

    def ties(other: Scenario) -> bool:
        if other is first or not is_near(other, first):
            return other is first
        return is_unsure(pricer.outcomes(of[id(other)]), leading(), other.unit / first.unit)

    return settled_tie(ranked, ties, rank_by)[0]
