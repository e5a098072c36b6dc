"""A plan with many node counts, narrowed to the counts that a comparison lists in full."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from planner.decide.enumerate import sizes_of
from planner.decide.frontier import frontier_of
from planner.decide.search import Each, search
from planner.estimate.request import Request
from planner.plan.quantities import MOST_LISTED

MOST_COUNTS = 4  # listed, or as many as the answer and the ends of the range are


@dataclass(frozen=True, kw_only=True)
class Searched:
    """A search over node counts of which only some are listed. low, high: the lowest and the highest count; choices:
    how many were priced."""

    low: int
    high: int
    counts: int
    choices: int


def has_many_counts(request: Request) -> bool:
    """Whether the plan has more node counts than a comparison lists."""
    return request.fleets is None and len(request.plan.fleet.nodes or ()) > MOST_LISTED


def narrowed(request: Request, each: Each = map) -> tuple[Request, Searched]:
    """The request with the counts that its answer names, those at both ends, and some between cheapest and shortest.

    Comparing these gives the answer of comparing all: every count is priced first.
    """
    counts = request.plan.fleet.nodes or ()
    found = search(request, sizes_of(request), each)
    frontier = [c.size.nodes for c in frontier_of(found.candidates, request.plan.decision.rank_by)]
    kept = {candidate.size.nodes for candidate in found.named} | {min(counts), max(counts)}
    for nodes in spread_over(frontier, MOST_COUNTS):
        kept |= {nodes} if len(kept) < MOST_COUNTS else set()
    return with_counts(request, sorted(kept)), Searched(
        low=min(counts), high=max(counts), counts=len(counts), choices=found.evaluated
    )


def with_counts(request: Request, counts: Sequence[int]) -> Request:
    """The request with these node counts in its plan."""
    fleet = request.plan.fleet.model_copy(update={"nodes": tuple(counts)})
    return replace(request, plan=request.plan.model_copy(update={"fleet": fleet}))


def spread_over(values: Sequence[int], count: int) -> list[int]:
    """At most `count` of the values, the ends among them, at equal distances."""
    if len(values) <= count:
        return list(values)
    return [values[round(place * (len(values) - 1) / (count - 1))] for place in range(count)]


def as_listed(request: Request, nodes: Sequence[int]) -> Request:
    """The request with only the counts of these scenarios, for what is recalculated from its comparison."""
    return with_counts(request, sorted(set(nodes))) if has_many_counts(request) else request
