"""How long a Capacity Block to buy: of all that can be bought at once, the length that costs least together with its
tail."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planner.models.block_sizes import SOLD_DAYS, TOGETHER_DAYS, block_parts
from planner.models.block_tail import Chances, gap_hours, tail_of
from planner.models.compute import usable_hours
from planner.models.number import Number, median, quantiles, share_of

CLOSE, SHORTER = 0.03, 0.05  # shares of the least cost
CLEARLY, NEARLY = 0.02, 0.1  # of a length that is named beside: how much less it costs, how much less it is in time
TWO_PARTS = tuple(days for days in TOGETHER_DAYS if days not in SOLD_DAYS)
LONGEST_HOURS = 20 * 365 * 24.0  # a draw that never ends counts as one that takes so long


@dataclass(frozen=True, kw_only=True)
class Prices:
    """USD an hour: of all nodes in the block; of all of them On-Demand, None if that has no price; and of everything
    else that stands while the run waits."""

    block: float
    on_demand: float | None
    waiting: float


def tail_usd(
    left_hours: NDArray[np.float64], days: float, chances: Chances, prices: Prices
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(USD after the end of a block, hours waited) of draws that outlast it."""
    tail = tail_of(left_hours, days, chances)
    usd = tail.block_hours * prices.block * chances.price_ratio + tail.waited_hours * prices.waiting
    if prices.on_demand is not None:
        usd = usd + tail.on_demand_hours * prices.on_demand
    return np.asarray(usd, dtype=float), np.asarray(tail.waited_hours, dtype=float)


@dataclass(frozen=True, kw_only=True)
class Nearly:
    """A length that costs less on average, and that too few draws end in time with."""

    days: float
    usd_less: float
    on_time_fraction: float


@dataclass(frozen=True, kw_only=True)
class _Draws:
    """The hours of every draw, the longest first, with the chances of each; gap: hours between two parts, in them.

    The draws that outlast a block are then the first ones, and a view of them no copy.
    """

    hours: NDArray[np.float64]
    chances: Chances
    gap: NDArray[np.float64] | float

    @classmethod
    def of(cls, hours: NDArray[np.float64], chances: Chances, gap: Number) -> _Draws:
        hours = hours + gap
        order = np.argsort(-hours, kind="stable")
        return cls(hours=hours[order], chances=chances.at(order), gap=gap[order] if np.ndim(gap) else gap)


@dataclass(frozen=True, kw_only=True)
class _Tried:
    """A length: its cost with its tail, how many draws outlast it, and the share that ends within the limit."""

    days: int
    cost: float
    outlast: int
    on_time: float


def cheapest_days(
    hours: NDArray[np.float64],
    chances: Chances,
    prices: Prices,
    *,
    limit_hours: float,
    confidence: float,
    planned_hours: float = 0.0,
    at_p90: bool = False,
) -> tuple[float, Nearly | None]:
    """The length, in days, with nearly the least mean cost over the draws (or P90) of block and tail; of those with
    which enough draws end within the limit, where any length does that. And of the others the one that most draws end
    in time with, where it clearly costs less.

    The mean, also where scenarios rank by P50: at P50 half of the draws, and so every tail, are out of sight. Of the
    lengths within CLOSE of the least the one that the fewest draws outlast, which takes the fewest days in a bad case
    and rests on the chances of a tail, which are guesses, the least; and none that the planned run outlasts, unless
    every other costs more than SHORTER.
    """
    hours = np.minimum(hours, LONGEST_HOURS)
    gap = gap_hours(TWO_PARTS[0], chances.restart_hours)
    of_one, of_two = _Draws.of(hours, chances, 0.0), _Draws.of(hours, chances, gap)
    bounds = [(*bound, of_one) for bound in _bounded(of_one, prices, SOLD_DAYS)]
    bounds += [(*bound, of_two) for bound in _bounded(of_two, prices, TWO_PARTS)]
    in_time = share_of(hours <= limit_hours) >= confidence
    found: list[_Tried] = []
    late: list[_Tried] = []
    least = np.inf
    for bound, days, draws in sorted(bounds, key=lambda entry: entry[:2]):
        if bound >= least * (1 + SHORTER) and not at_p90:
            break
        tried = _tried(days, draws, prices, limit_hours, at_p90)
        if in_time and tried.on_time < confidence:
            late.append(tried)
            continue
        found.append(tried)
        least = min(least, tried.cost)
    if not found:
        return float(SOLD_DAYS[-1]), None
    whole = [one for one in found if one.cost <= least * (1 + SHORTER) and _holds(one.days, planned_hours, gap)]
    cheapest = min(one.cost for one in whole or found)
    near = [one for one in whole or found if one.cost <= cheapest * (1 + CLOSE)]
    chosen = min(near, key=lambda one: (one.outlast, one.cost))
    less = [one for one in late if one.cost <= chosen.cost * (1 - CLEARLY) and one.on_time >= confidence - NEARLY]
    best = max(less, key=lambda one: (one.on_time, -one.cost), default=None)
    nearly = best and Nearly(days=best.days, usd_less=chosen.cost - best.cost, on_time_fraction=best.on_time)
    return float(chosen.days), nearly


def _holds(days: int, planned_hours: float, gap: Number) -> bool:
    return usable_hours(days) - (median(gap) if days in TWO_PARTS else 0.0) >= planned_hours


def _tried(days: int, draws: _Draws, prices: Prices, limit_hours: float, at_p90: bool) -> _Tried:
    hours, usable = draws.hours, usable_hours(days)
    outlast = int(np.count_nonzero(hours > usable))
    usd, waited = tail_usd(hours[:outlast] - usable, days, draws.chances.at(slice(outlast)), prices)
    ends, every = hours.copy(), np.zeros_like(hours)
    ends[:outlast] += waited
    every[:outlast] = usd
    if days in TWO_PARTS:
        within_first = hours - draws.gap <= usable_hours(block_parts(days)[0])
        ends -= np.where(within_first, draws.gap, 0.0)
        every += np.where(within_first, 0.0, draws.gap * prices.waiting)
    more = quantiles(every, (0.9,))[0] if at_p90 else float(every.sum()) / hours.size
    fee = days * 24 * prices.block
    return _Tried(days=days, cost=fee + more, outlast=outlast, on_time=share_of(ends <= limit_hours))


def _bounded(draws: _Draws, prices: Prices, lengths: Sequence[int]) -> list[tuple[float, int]]:
    """Every length with a cost that it cannot be below: what is left is paid at least once."""
    hours = draws.hours
    rate = np.asarray(prices.block * draws.chances.price_ratio, dtype=float)
    if prices.on_demand is not None:
        rate = np.minimum(rate, prices.on_demand)
    ordered = hours[::-1]
    rates = np.broadcast_to(rate, hours.shape)[::-1]
    # sums over the draws from each place to the end
    of_rates = np.append(np.cumsum(rates[::-1])[::-1], 0.0)
    of_usd = np.append(np.cumsum((rates * ordered)[::-1])[::-1], 0.0)
    usable = np.array([usable_hours(days) for days in lengths])
    at = np.searchsorted(ordered, usable, side="right")
    left = (of_usd[at] - usable * of_rates[at]) / hours.size
    fees = np.array(lengths) * 24 * prices.block
    return list(zip((fees + left).tolist(), lengths, strict=True))
