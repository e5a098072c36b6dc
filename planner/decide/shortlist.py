"""What a short table shows of a comparison: the eligible scenarios, with commitments folded; and what it leaves out."""

from __future__ import annotations

from dataclasses import dataclass

from planner.decide.commitments import CommitmentFamily, families_of
from planner.decide.comparison import Comparison
from planner.estimate.result import Scenario


@dataclass(frozen=True, kw_only=True)
class Shortlist:
    """rows: ranks and scenarios that have a row. families: eligible commitments, folded. not_eligible: complete ones
    that have no row; unpriced: those that lack a price; infeasible: the others."""

    rows: tuple[tuple[int, Scenario], ...]
    families: tuple[CommitmentFamily, ...]
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
    kept = {s.id for s in wanted} - folded
    left = [s for s in feasible if s.id not in kept and s.id not in folded]
    return Shortlist(
        rows=tuple((rank, s) for rank, s in enumerate(comparison.scenarios, 1) if s.id in kept),
        families=families,
        not_eligible=tuple(s for s in left if s.complete),
        unpriced=tuple(s for s in left if not s.complete),
        infeasible=tuple(s for s in comparison.scenarios if not s.feasible),
    )
