"""Whether runs that nobody has looked at would lie inside: each judged by what the others took."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

Z_90 = 1.2815515655446004  # standard normal quantile: P10 and P90
FEWEST = 5  # runs, of which one may be judged by the others


def by_the_others(ratios: Sequence[float]) -> int:
    """How many of the ratios (published over planned) lie inside the P10-P90 of all the others: a log-normal on each
    side of their median, as assumptions are drawn. 0 if there are too few."""
    if len(ratios) < FEWEST:
        return 0
    logs = [math.log(ratio) for ratio in ratios]
    return sum(_inside(one, logs[:place] + logs[place + 1 :]) for place, one in enumerate(logs))


def _inside(one: float, others: Sequence[float]) -> bool:
    middle = statistics.median(others)
    below, above = ([x - middle for x in others if (x < middle) is side and x != middle] for side in (True, False))
    return -Z_90 * _spread(below) <= one - middle <= Z_90 * _spread(above)


def _spread(deviations: Sequence[float]) -> float:
    """Standard deviation of the half of a distribution on one side of its median."""
    return math.sqrt(sum(x * x for x in deviations) / len(deviations)) if deviations else 0.0
