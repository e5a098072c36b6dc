"""The best fleet, layout and purchase for a plan: the least cost under its limits, or the earliest finish."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from planner.answer.measure import per_unit, ranked
from planner.answer.recommend import SMALL, Alternative
from planner.decide.candidates import Candidate
from planner.decide.compare import compare
from planner.decide.comparison import Comparison
from planner.decide.frontier import days_of, frontier_of
from planner.decide.grid import Grid, grid_of
from planner.decide.rejected import Rejected, rejected_of
from planner.decide.search import Each, Found, search
from planner.estimate.choice import FleetSize
from planner.estimate.request import Request

COST, TIME = "cost", "time"


@dataclass(frozen=True, kw_only=True)
class Optimum:
    """The answer of a search.

    comparison: of the fleets that the answer names, in full; without an answer, of those that come nearest.
    recommended: None if nothing is eligible and can be deployed. first: the first in rank of these, which it ties with
    or is; cheapest: the lowest cost of all that are eligible, whether a stack can deploy it or not; nearest: the
    shortest complete run, if nothing is recommended. frontier: shortest first. evaluated: choices of the grid.
    """

    minimize: str
    grid: Grid
    comparison: Comparison
    recommended: Candidate | None
    first: Candidate | None
    cheapest: Candidate | None
    nearest: Candidate | None
    alternatives: tuple[Candidate, ...]
    frontier: tuple[Candidate, ...]
    rejected: tuple[Rejected, ...]
    evaluated: int


def optimize(request: Request, minimize: str = COST, each: Each = map) -> Optimum:
    """minimize: COST, by the plan's decision.rank_by, or TIME, by P50 days. each: see `search`.

    Exact: every choice of the grid is priced in all draws, except commitments whose nodes alone cost too much.
    """
    rank_by = request.plan.decision.rank_by
    grid = grid_of(request)
    request = replace(request, fleets=grid.sizes, derivations=False)
    found = search(request, grid.sizes, each)
    chosen, first, others = found.recommended, found.first, found.alternatives
    if minimize == TIME:
        chosen = first = _earliest(found, rank_by)
        others = _by_hand(found, chosen)

    def rank(candidate: Candidate) -> tuple[float, ...]:
        cost, days = per_unit(candidate.scenario, rank_by), days_of(candidate)
        return (days, cost) if minimize == TIME else (cost, days)

    nearest = None if chosen else _shortest(found)
    shown = [chosen, *(c for c, _ in others)] if chosen else [nearest or found.candidates[0]]
    fleets = _fleets(shown)
    compared = compare(replace(request, fleets=fleets))
    kept = [(c, kind) for c, kind in others if c.size in fleets]
    answer = replace(
        compared.answer,
        recommended=chosen.scenario.id if chosen else "",
        first=first.scenario.id if first else "",
        tied=(),
        alternatives=tuple(Alternative(id=c.scenario.id, kind=kind) for c, kind in kept),
    )
    return Optimum(
        minimize=minimize,
        grid=grid,
        comparison=replace(compared, answer=answer),
        recommended=chosen,
        first=first,
        cheapest=min(
            (c for c in found.candidates if c.scenario.eligible),
            key=lambda c: (per_unit(c.scenario, rank_by), days_of(c), c.scenario.id),
            default=None,
        ),
        nearest=nearest,
        alternatives=tuple(c for c, _ in kept),
        frontier=frontier_of(found.candidates, rank_by),
        rejected=rejected_of(found, chosen, rank),
        evaluated=found.evaluated,
    )


def _earliest(found: Found, rank_by: str) -> Candidate | None:
    """The cheapest of those that finish hardly later, at P50, than the first."""
    able = [c for c in found.candidates if c.scenario.eligible and not c.scenario.held_back]
    least = min(map(days_of, able), default=0.0) * (1 + SMALL)
    near = [c for c in able if days_of(c) <= least]
    return min(
        near,
        key=lambda c: (ranked(c.scenario, rank_by), c.scenario.commitment, c.scenario.blocks, c.scenario.id),
        default=None,
    )


def _by_hand(found: Found, chosen: Candidate | None) -> tuple[tuple[Candidate, str], ...]:
    """The shortest run that is eligible but cannot be deployed by a stack, if it is clearly shorter than the chosen."""
    by_hand = [c for c in found.candidates if c.scenario.eligible and c.scenario.held_back]
    shortest = min(by_hand, key=lambda c: (days_of(c), c.scenario.id), default=None)
    if chosen is None or shortest is None or days_of(shortest) >= days_of(chosen) * (1 - SMALL):
        return ()
    return ((shortest, "shorter-if"),)


def _fleets(shown: Sequence[Candidate]) -> tuple[FleetSize, ...]:
    """Their fleets, each node count of a type once, because a scenario's id does not say its spares."""
    found: dict[tuple[str, int], FleetSize] = {}
    for candidate in shown:
        found.setdefault((candidate.size.instance.name, candidate.size.nodes), candidate.size)
    return tuple(found.values())


def _shortest(found: Found) -> Candidate | None:
    """The shortest run in 9 of 10 outcomes."""
    complete = [c for c in found.candidates if c.scenario.feasible and c.scenario.complete]
    return min(complete, key=lambda c: (_p90_days(c), c.scenario.id), default=None)


def _p90_days(candidate: Candidate) -> float:
    return candidate.scenario.days.p90 if candidate.scenario.days else math.inf
