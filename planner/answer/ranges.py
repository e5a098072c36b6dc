"""Ranges: percentiles of draws, and the percentile of the planned figure."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planner.models.number import Number, each_draw, quantiles, share_of


@dataclass(frozen=True, kw_only=True)
class Range:
    """A planned figure and the 10th, 50th and 90th percentile of the draws."""

    plan: float
    p10: float
    p50: float
    p90: float


def range_of(planned: float, draws: Number, count: int) -> Range:
    """Percentiles by linear interpolation; the same number four times if nothing was drawn or nothing varies."""
    if count == 0:
        return Range(plan=planned, p10=planned, p50=planned, p90=planned)
    p10, p50, p90 = quantiles(each_draw(draws, count), (0.1, 0.5, 0.9))
    return Range(plan=planned, p10=p10, p50=p50, p90=p90)


def worst_tenth(draws: NDArray[np.float64], p90: float) -> float:
    """Mean of the draws at and above their 90th percentile."""
    return float(np.mean(draws[draws >= p90]))


def percentile_of(planned: float, draws: Number, count: int) -> float | None:
    """Share of the draws that do not exceed the planned figure, in percent; None without draws."""
    if count == 0:
        return None
    # a small tolerance, so that rounding does not put draws of a constant on either side
    return share_of(each_draw(draws, count) <= planned * (1 + 1e-12)) * 100
