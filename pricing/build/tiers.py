"""Tiered prices: each tier uses its own observation, but together they must cover all quantities without gaps."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

from pricing.build.days import Change, Observation, choose, preference

WHOLE = ("0", "Inf")


def fit_tiers(
    seen: Iterable[Observation], as_of: date, changes: Iterable[Change], *, carry_back: bool
) -> tuple[Observation, ...]:
    """Consecutive tiers from 0 upward without gap or overlap, with the best observation of each; empty if there are
    none.

    A set of tiers is preferred to a single row for all quantities, because a source that shows one figure for a tiered
    item shows its first tier. The single row is used only if the tiers are no better than grade C. A missing upper tier
    stays missing: the tiers end where the sources end.
    """
    changes = tuple(changes)
    by_tier: dict[tuple[str, str], list[Observation]] = {}
    for one in seen:
        by_tier.setdefault(one.tier, []).append(one)
    chosen = {
        tier: best
        for tier, rows in by_tier.items()
        if (best := choose(rows, as_of, changes, carry_back=carry_back)) is not None
    }
    single = chosen.pop(WHOLE, None)
    ladder = _climb(chosen.values(), as_of)
    if single is not None and (not ladder or (ladder[0].grade == "C" and single.grade != "C")):
        return (single,)
    return ladder


def _climb(rows: Iterable[Observation], as_of: date) -> tuple[Observation, ...]:
    """Start at 0 and take the best row that begins where the last one ended."""
    rows = tuple(rows)
    ladder: list[Observation] = []
    reached = "0"
    while reached != "Inf":
        following = [row for row in rows if float(row.tier[0]) == float(reached) < float(row.tier[1])]
        if not following:
            break
        best = min(following, key=lambda row: preference(row, as_of))
        ladder.append(best)
        reached = best.tier[1]
    return tuple(ladder)
