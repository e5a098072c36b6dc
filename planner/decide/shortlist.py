"""What a short table shows of a comparison: the eligible scenarios, with commitments and node counts folded; and what
it leaves out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from planner.decide.commitments import CommitmentFamily, families_of
from planner.decide.comparison import Comparison
from planner.decide.leaders import leaders_of
from planner.estimate.result import Scenario

FEW_COUNTS = 3  # node counts of one way to buy and to store that have a row each


@dataclass(frozen=True, kw_only=True)
class Shortlist:
    """best: the recommended one. rows: ranks and scenarios that have a row. families: eligible commitments, folded.
    other_counts: the same way to buy and to store as a row above, with other node counts. not_eligible: complete ones
    that have no row; unpriced: those that lack a price; infeasible: the others."""

    best: Scenario | None
    rows: tuple[tuple[int, Scenario], ...]
    families: tuple[CommitmentFamily, ...]
    other_counts: tuple[Scenario, ...]
    not_eligible: tuple[Scenario, ...]
    unpriced: tuple[Scenario, ...]
    infeasible: tuple[Scenario, ...]


def shortlist_of(comparison: Comparison, *, everything: bool = False) -> Shortlist:
    """everything: a row for every feasible scenario and nothing folded. Where none is eligible, every complete scenario
    has a row, and where none is complete, every feasible one."""
    feasible = [s for s in comparison.scenarios if s.feasible]
    eligible = [s for s in feasible if s.eligible]
    wanted = feasible if everything else eligible or comparison.complete or feasible
    families = () if everything else families_of(comparison, wanted)
    folded = {s.id for family in families for s in family.scenarios}
    rest = [s for s in wanted if s.id not in folded]
    counts = () if everything else _other_counts(comparison, rest)
    kept = {s.id for s in rest} - {s.id for s in counts}
    counted = {s.id for s in rest}
    left = [s for s in feasible if s.id not in counted and s.id not in folded]
    return Shortlist(
        best=comparison.best,
        rows=tuple((rank, s) for rank, s in enumerate(comparison.scenarios, 1) if s.id in kept),
        families=families,
        other_counts=tuple(counts),
        not_eligible=tuple(s for s in left if s.complete),
        unpriced=tuple(s for s in left if not s.complete),
        infeasible=tuple(s for s in comparison.scenarios if not s.feasible),
    )


def _other_counts(comparison: Comparison, ranked: Sequence[Scenario]) -> list[Scenario]:
    """Of each way that has many node counts all but the first by rank and what the answer names: rows that differ in
    one node would take the place of other storage and other ways to buy."""
    ways = Counter(map(_way, ranked))
    named = {s.id for s in leaders_of(comparison)}
    seen, found = {_way(s) for s in ranked if s.id in named}, []
    for scenario in ranked:
        if scenario.id in named or ways[_way(scenario)] <= FEW_COUNTS:
            continue
        if _way(scenario) in seen:
            found.append(scenario)
        seen.add(_way(scenario))
    return found


def _way(scenario: Scenario) -> tuple[str, ...]:
    return *scenario.way, scenario.instance_type
