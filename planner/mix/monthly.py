"""Commitments without foresight: each month, top up to the level that the last weeks would have paid for.

A month is 730 hours and a term 8,760. What was bought stays until its term ends, so what expires comes up for decision
in its own month, and a purchase is never larger than what the recent hours used.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.mix.baselines import level
from planner.mix.model import Array

MONTH_HOURS, YEAR_HOURS = 730, 8_760
LOOK_BACK_HOURS = 30 * 24


@dataclass(frozen=True, kw_only=True)
class Laddered:
    """cost: USD over the hours, of each commitment its part inside them. bought: units of each month. standing: units
    of each hour."""

    cost: float
    bought: tuple[float, ...]
    standing: Array


def laddered(hours: Array, ratio: float, *, term: int = YEAR_HOURS, look_back: int = LOOK_BACK_HOURS) -> Laddered:
    """What the monthly rule buys and costs, of one thing at an On-Demand price of 1 and a committed price of `ratio`.

    hours: units used in each hour. At each month's begin, only the hours before it are known.
    """
    standing, bought, cost = np.zeros(hours.size), [], 0.0
    for begin in range(0, hours.size, MONTH_HOURS):
        seen = hours[max(0, begin - look_back) : begin]
        units = max(level(seen, ratio) - standing[begin], 0.0) if seen.size else 0.0
        standing[begin : begin + term] += units
        cost += units * ratio * min(term, hours.size - begin)
        bought.append(units)
    uncovered = float(np.maximum(hours - standing, 0.0).sum())
    return Laddered(cost=cost + uncovered, bought=tuple(bought), standing=standing)
