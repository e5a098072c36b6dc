"""Demand of the next year as draws (simulated outcomes), and what a mix costs in each of them.

Each draw keeps the hours of the last weeks as they were and lets every type grow or shrink steadily to the end of the
year. The change over the year is lognormal between a low and a high value (5th and 95th percentile); half of its
variance is common to all types, half is each type's own. All mixes are priced on the same draws.

Every third hour is priced, for each month those of one week: 672 hours stand for 8,760.
"""

from __future__ import annotations

from dataclasses import replace
from statistics import NormalDist

import numpy as np

from planner.mix.model import Array, Market
from planner.mix.order import applied, sequence

MONTHS = 12
WEEK_HOURS = 168
STRIDE = 3
MONTH = WEEK_HOURS // STRIDE  # priced hours of a month
SCALE = 8_760 / (MONTHS * MONTH)
MOST_WEEKS = 4
_SPREAD = NormalDist().inv_cdf(0.95)


def shape(hours: Array) -> Array:
    """The priced hours of a year that repeats the last weeks of these hours, at most four. Needs a week."""
    weeks = min(hours.size // WEEK_HOURS, MOST_WEEKS)
    last = hours[hours.size - weeks * WEEK_HOURS :].reshape(weeks, WEEK_HOURS)[:, ::STRIDE]
    return np.concatenate([last[month % weeks] for month in range(MONTHS)])


def growth(types: list[str], low: float, high: float, draws: int, seed: int) -> dict[str, Array]:
    """Of each type, the factor on its hours in each draw and priced hour.

    low, high: change over the year, such as -0.3 and 0.5.
    """
    rng = np.random.default_rng(seed)
    middle, spread = (np.log1p(low) + np.log1p(high)) / 2, (np.log1p(high) - np.log1p(low)) / 2 / _SPREAD
    common, own = rng.standard_normal(draws), rng.standard_normal((len(types), draws))
    months = np.repeat((np.arange(MONTHS) + 0.5) / MONTHS, MONTH)
    end = middle + spread * np.sqrt(0.5) * (common + own)
    return {name: np.exp(np.outer(end[at], months)) for at, name in enumerate(types)}


class Futures:
    """A market whose demand differs from draw to draw."""

    def __init__(self, market: Market, factors: dict[str, Array]) -> None:
        """market: with the hours of no change. factors: of every type, as growth() gives them."""
        self.market = market
        self._factors = factors
        self._order = sequence(market)
        self._demand = np.array([row.hours * factors[row.instance_type] for row in market.usage])

    def mean(self) -> Market:
        """The market at the mean of the draws."""
        rows = [replace(u, hours=u.hours * self._factors[u.instance_type].mean(axis=0)) for u in self.market.usage]
        return Market(usage=tuple(rows), offers=self.market.offers)

    def costs(self, amounts: Array) -> Array:
        """USD of the year in each draw, in AWS's order of application."""
        left, _ = applied(self._demand, self.market.capacity(amounts)[:, None, :], self._order)
        rest = np.tensordot(self.market.prices, left, axes=1).sum(axis=1)
        return (rest + self.market.costs @ amounts) * SCALE
