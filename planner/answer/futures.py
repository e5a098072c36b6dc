"""Two futures of one choice: whether its cost has two peaks with a valley between them, and what each is."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

LEAST_FRACTION = 0.1  # of the draws: what happens more seldom is a risk, not a future
DEEP = 0.5  # the valley has less than this share of the draws of the lower peak
APART = 1.15  # the median of the higher one is so many times that of the lower one
BINS, FEWEST = 32, 200


@dataclass(frozen=True, kw_only=True)
class Future:
    """fraction: of the draws. USD: the middle of these draws, their mean, and what 1 in 10 of them is below and above;
    infinite where the run does not finish."""

    fraction: float
    p10_usd: float
    p50_usd: float
    p90_usd: float
    mean_usd: float


def futures_of(cost_usd: NDArray[np.float64]) -> tuple[Future, ...]:
    """Two futures, the cheaper one first; empty if the costs have a single peak, or if there are too few draws to tell.

    Peaks are those of a histogram of the logarithm of the cost, from the 1st to the 99th percentile, smoothed over
    neighbouring bins. Draws that never finish count as part of the more expensive future.
    """
    finite = np.sort(cost_usd[np.isfinite(cost_usd) & (cost_usd > 0)])
    if finite.size < FEWEST:
        return ()
    logs = np.log(finite)
    low, high = logs[int(0.01 * logs.size)], logs[int(0.99 * logs.size)]
    if high - low < math.log(APART):
        return ()
    counts, edges = np.histogram(logs, bins=BINS, range=(low, high))
    smooth = np.convolve(counts, (0.25, 0.5, 0.25), mode="same")
    left, right = np.maximum.accumulate(smooth), np.maximum.accumulate(smooth[::-1])[::-1]
    depth = smooth / np.maximum(np.minimum(left, right), 1e-9)
    deepest = np.flatnonzero(depth <= depth.min() + 1e-12)
    at = int(deepest[deepest.size // 2])
    if depth[at] >= DEEP:
        return ()
    cut = float(np.exp((edges[at] + edges[at + 1]) / 2))
    cheap, dear = np.sort(cost_usd[cost_usd <= cut]), np.sort(cost_usd[cost_usd > cut])
    if min(cheap.size, dear.size) < LEAST_FRACTION * cost_usd.size or _middle(dear) < APART * _middle(cheap):
        return ()
    return _future(cheap, cost_usd.size), _future(dear, cost_usd.size)


def _middle(ordered: NDArray[np.float64], at: float = 0.5) -> float:
    """A draw, never between two: some are infinite."""
    return float(ordered[min(int(at * ordered.size), ordered.size - 1)])


def _future(ordered: NDArray[np.float64], count: int) -> Future:
    return Future(
        fraction=ordered.size / count,
        p10_usd=_middle(ordered, 0.1),
        p50_usd=_middle(ordered),
        p90_usd=_middle(ordered, 0.9),
        mean_usd=float(np.mean(ordered)),
    )
