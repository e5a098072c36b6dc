"""One way to do the work against another: the saving in every draw that both share, and whether it is one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.answer.recommend import SMALL, SURE
from planner.answer.row import Outcomes
from planner.models.number import quantiles, share_of

LESS, MORE, SAME, UNSURE = "less", "more", "same", "unsure"


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
