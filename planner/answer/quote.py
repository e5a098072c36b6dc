"""One way to do the work against another: the saving in every draw that both share, and whether it is one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic

import numpy as np

from planner.answer.compared import Compared
from planner.answer.recommend import SMALL, SURE
from planner.answer.row import Outcomes, R
from planner.errors import UsageProblem
from planner.models.number import quantiles, share_of

LESS, MORE, SAME, UNSURE = "less", "more", "same", "unsure"
ON_DEMAND = "on-demand"
NO_DRAWS = "a saving is a range of simulated outcomes: --draws 0 has none"


@dataclass(frozen=True, kw_only=True)
class Side(Generic[R]):
    """One way: the choice, and the comparison that it is of."""

    scenario: R
    comparison: Compared[R]


@dataclass(frozen=True, kw_only=True)
class Saving:
    """What the new way saves, in USD and as shares of what the old way costs, as percentiles of the draws in which both
    finish; negative where it costs more. both_finish: the share of these draws; lower, higher: of them, where the new
    way costs less, and more.

    verdict: "less" or "more" if the sign is kept in 70 % of these draws and the middle is 2 % or more; "same" if 9 of
    10 differ by less than 2 %, either way; "unsure" otherwise.
    """

    p10_usd: float
    p50_usd: float
    p90_usd: float
    p10_fraction: float
    p50_fraction: float
    p90_fraction: float
    lower: float
    higher: float
    both_finish: float
    verdict: str


@dataclass(frozen=True, kw_only=True)
class Quote(Generic[R]):
    """old: the way today. saving: None if the two never finish in the same draw."""

    old: Side[R]
    new: Side[R]
    saving: Saving | None


def first_of(comparison: Compared[R]) -> R | None:
    """The recommended choice, else the first with a price."""
    return comparison.best or next(iter(comparison.complete), None)


def today(comparison: Compared[R]) -> Side[R]:
    """What another plan describes. Raises UsageProblem."""
    found = first_of(comparison)
    if found is None:
        raise UsageProblem("--vs: no choice of that plan has a price; `planner compare` says why")
    return Side(scenario=found, comparison=comparison)


def saving_of(old: Outcomes, new: Outcomes) -> Saving | None:
    """Of the same draws of both, without the effort, which is on no bill. None if both finish in none of them."""
    both = old.finished & new.finished
    if not both.any():
        return None
    before, saved = old.cost_usd[both], (old.cost_usd - new.cost_usd)[both]
    parts = saved / before
    usd, fractions = quantiles(saved, (0.1, 0.5, 0.9)), quantiles(parts, (0.1, 0.5, 0.9))
    lower, higher = share_of(saved > 0), share_of(saved < 0)
    small = share_of(np.abs(parts) < SMALL)
    if small >= 0.9:
        verdict = SAME
    elif lower >= SURE and fractions[1] >= SMALL:
        verdict = LESS
    elif higher >= SURE and fractions[1] <= -SMALL:
        verdict = MORE
    else:
        verdict = UNSURE
    return Saving(
        p10_usd=usd[0],
        p50_usd=usd[1],
        p90_usd=usd[2],
        p10_fraction=fractions[0],
        p50_fraction=fractions[1],
        p90_fraction=fractions[2],
        lower=lower,
        higher=higher,
        both_finish=share_of(both),
        verdict=verdict,
    )
