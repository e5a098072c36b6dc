"""How long a Capacity Block to buy: of all lengths that AWS sells, the one that costs least together with its tail."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planner.models.block_tail import SOLD_DAYS, Chances, tail_of
from planner.models.compute import usable_hours
from planner.models.number import quantiles, share_of

CLOSE, SHORTER = 0.03, 0.05  # shares of the least cost
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


def cheapest_days(
    hours: NDArray[np.float64],
    chances: Chances,
    prices: Prices,
    *,
    limit_hours: float,
    confidence: float,
    planned_hours: float = 0.0,
    at_p90: bool = False,
) -> float:
    """The length, in days, with nearly the least mean cost over the draws (or P90) of block and tail; of those with
    which enough draws end within the limit, where any length does that.

    The mean, also where scenarios rank by P50: at P50 half of the draws, and so every tail, are out of sight. Of the
    lengths within CLOSE of the least the one that the fewest draws outlast, since the chances of a tail are guesses;
    and none that the planned run outlasts, unless every other costs more than SHORTER.
    """
    hours = np.minimum(hours, LONGEST_HOURS)
    # the longest first: the draws that outlast a block are then the first ones, and a view of them no copy
    order = np.argsort(-hours, kind="stable")
    hours, chances = hours[order], chances.at(order)
    in_time = share_of(hours <= limit_hours) >= confidence
    found: list[tuple[float, int, int]] = []
    least = np.inf
    for days, bound in _bounded(hours, chances, prices):
        if bound >= least * (1 + SHORTER) and not at_p90:
            break
        usable = usable_hours(days)
        outlast = int(np.count_nonzero(hours > usable))
        usd, waited = tail_usd(hours[:outlast] - usable, days, chances.at(slice(outlast)), prices)
        if in_time:
            ends = hours.copy()
            ends[:outlast] += waited
            if share_of(ends <= limit_hours) < confidence:
                continue
        fee = days * 24 * prices.block
        if at_p90:
            every = np.zeros_like(hours)
            every[:outlast] = usd
            cost = fee + quantiles(every, (0.9,))[0]
        else:
            cost = fee + float(usd.sum()) / hours.size
        found.append((cost, days, outlast))
        least = min(least, cost)
    dear = least * (1 + SHORTER)
    whole = [one for one in found if usable_hours(one[1]) >= planned_hours and one[0] <= dear]
    near = [one for one in whole or found if one[0] <= min(whole or found)[0] * (1 + CLOSE)]
    return float(min(near, key=lambda one: (one[2], one[0]))[1]) if near else float(SOLD_DAYS[-1])


def _bounded(hours: NDArray[np.float64], chances: Chances, prices: Prices) -> list[tuple[int, float]]:
    """Every length with a cost that it cannot be below, the lowest first: what is left is paid at least once.

    hours: of every draw, the longest first.
    """
    rate = np.asarray(prices.block * chances.price_ratio, dtype=float)
    if prices.on_demand is not None:
        rate = np.minimum(rate, prices.on_demand)
    ordered = hours[::-1]
    rates = np.broadcast_to(rate, hours.shape)[::-1]
    # sums over the draws from each place to the end
    of_rates = np.append(np.cumsum(rates[::-1])[::-1], 0.0)
    of_usd = np.append(np.cumsum((rates * ordered)[::-1])[::-1], 0.0)
    usable = np.array([usable_hours(days) for days in SOLD_DAYS])
    at = np.searchsorted(ordered, usable, side="right")
    left = (of_usd[at] - usable * of_rates[at]) / hours.size
    fees = np.array(SOLD_DAYS) * 24 * prices.block
    return sorted(zip(SOLD_DAYS, (fees + left).tolist(), strict=True), key=lambda entry: (entry[1], entry[0]))
