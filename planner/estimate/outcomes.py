"""Cost and days of one scenario in every draw; a draw that never finishes has infinite ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planner.answer.row import Outcomes
from planner.estimate.evaluate import Evaluated
from planner.models.goodput import AVAILABILITY_FLOOR
from planner.models.number import each_draw


@dataclass(frozen=True, kw_only=True)
class RunOutcomes(Outcomes):
    """run_days: with a Capacity Block of block_days that never ends. delivered, served: of a fleet that is held for a
    given time: share of its node-hours with a node, and whether storage reads as fast as training needs."""

    run_days: NDArray[np.float64]
    block_days: float | None
    delivered: NDArray[np.float64] | None = None
    served: NDArray[np.bool_] | None = None


def outcomes_of(entry: Evaluated, draws: int) -> RunOutcomes:
    """Of a choice that can be evaluated."""
    assert entry.spread is not None
    run = entry.spread.run
    count, held = max(draws, 1), run.delivered_fraction is not None
    finishes = np.broadcast_to(np.asarray(held or run.availability_fraction > AVAILABILITY_FLOOR), (count,))
    outlasts = entry.spread.bought.outlasts_block if entry.spread.bought.ends_with_block else None
    ends = finishes if outlasts is None else finishes & ~outlasts
    days = each_draw(entry.spread.days, count)
    return RunOutcomes(
        cost_usd=np.where(ends, each_draw(entry.spread.cost_usd, count), np.inf),
        effort_usd=each_draw(entry.spread.effort_usd, count),
        days=np.where(ends, days, np.inf),
        run_days=np.where(finishes, days, np.inf),
        block_days=entry.spread.bought.block_days,
        delivered=None if run.delivered_fraction is None else each_draw(run.delivered_fraction, count),
        served=None
        if run.delivered_fraction is None
        else np.broadcast_to(np.asarray(run.service.steady_gb_per_s >= run.work.peak_gb_per_s), (count,)),
    )
