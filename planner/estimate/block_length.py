"""How long a Capacity Block to buy: of all that can be bought at once, the length that costs least together with its
tail."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from planner.models.block_sizes import SOLD_DAYS, TOGETHER_DAYS, block_parts
from planner.models.block_tail import Chances, gap_hours, held_hours, tail_of
from planner.models.compute import BLOCK_LOST_TAIL_HOURS, usable_hours
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
class _Spent:
    """Of some draws with one length: their USD in all, how many outlast it, and how many end within the limit; the USD
    of each where a P90 is asked for."""

    usd: float
    outlast: int
    on_time: int
    each: NDArray[np.float64] | None = None

    def __add__(self, other: _Spent) -> _Spent:
        each = None if self.each is None or other.each is None else np.concatenate([self.each, other.each])
        outlast, on_time = self.outlast + other.outlast, self.on_time + other.on_time
        return _Spent(usd=self.usd + other.usd, outlast=outlast, on_time=on_time, each=each)


class _Draws:
    """Draws with the chances of each, the longest first: those that outlast a length are the first ones, and a view of
    them no copy."""

    def __init__(self, hours: NDArray[np.float64], chances: Chances, prices: Prices, limit_hours: float) -> None:
        self.hours, self.chances, self.prices, self.limit_hours = hours, chances, prices, limit_hours
        self._rising = hours[::-1]
        self._gaps = np.broadcast_to(np.asarray(gap_hours(TWO_PARTS[0], chances.restart_hours)), hours.shape)
        self._widest = float(self._gaps.max()) if hours.size else 0.0
        rate, until, stop = _least(hours, chances, prices)
        # of the longest draws, each number of them
        least = rate * until + stop, rate
        self._sums = [np.append(0.0, np.cumsum(np.broadcast_to(of, hours.shape))) for of in least]
        still = np.broadcast_to(hours + _least_wait(chances, prices) <= limit_hours, hours.shape)
        self._still = np.append(0, np.cumsum(still))

    def over(self, hours: Number) -> NDArray[np.intp]:
        """How many are longer."""
        return self.hours.size - np.searchsorted(self._rising, hours, side="right")

    def bounds(self, days: NDArray[np.float64]) -> NDArray[np.float64]:
        """Of each length the USD that they cannot be below."""
        over = self.over(usable_hours(days))
        of_usd, of_rates = (sums[over] for sums in self._sums)
        return np.asarray(self._fees(days) + of_usd - days * 24 * of_rates)

    def most_on_time(self, days: NDArray[np.float64]) -> NDArray[np.int64]:
        """Of each length the draws that end within the limit: these, or fewer."""
        over = self.over(usable_hours(days))
        return np.asarray(self.hours.size - np.maximum(over, self.over(self.limit_hours)) + self._still[over])

    def spent(self, days: int, *, each: bool) -> _Spent:
        """With both parts, where the length has two."""
        usable, prices, size = usable_hours(days), self.prices, self.hours.size
        longer = after_first = self.over(usable)
        left = self.hours[:longer] - usable
        if days in TWO_PARTS:
            after_first = self.over(usable_hours(block_parts(days)[0]))
            longer = min(self.over(usable - self._widest), after_first)
            left = np.maximum(self.hours[:longer] + self._gaps[:longer] - usable, 0.0)
        usd, waited = tail_usd(left, days, self.chances.at(slice(longer)), prices)
        gaps = self._gaps[:after_first] if days in TWO_PARTS else np.zeros(after_first)
        ends = self.hours[:after_first] + gaps
        ends[:longer] += waited
        in_first = size - max(self.over(self.limit_hours), after_first)
        every = None
        if each:
            every = np.full(size, days * 24 * prices.block)
            every[:after_first] += gaps * prices.waiting
            every[:longer] += usd
        return _Spent(
            usd=float(self._fees(days) + usd.sum()) + float(gaps.sum()) * prices.waiting,
            outlast=int(np.count_nonzero(left)),
            on_time=int(in_first + np.count_nonzero(ends <= self.limit_hours)),
            each=every,
        )

    def _fees(self, days: Number) -> Number:
        return self.hours.size * days * 24 * self.prices.block


def _least(
    hours: NDArray[np.float64], chances: Chances, prices: Prices
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """What no tail of a draw costs less than: USD of each hour from the block's end until the hour that is paid for,
    that hour from the run's start, and USD of the stop before. An extension or later block is paid in whole days, and a
    block ends with one."""
    block = np.asarray(prices.block * chances.price_ratio, dtype=float)
    found = np.asarray(chances.found) & (prices.on_demand is not None) & ~np.asarray(chances.extended)
    again = np.where(chances.extended, 0.0, chances.restart_hours)  # after the stop
    ends = hours + BLOCK_LOST_TAIL_HOURS + again
    in_days = ends + np.where(chances.extended, 0.0, BLOCK_LOST_TAIL_HOURS)
    until = np.where(found, ends, 24 * np.ceil(in_days / 24 - 1e-9))
    stop = _least_wait(chances, prices) * prices.waiting
    return np.where(found, prices.on_demand or 0.0, block), until, stop


def _least_wait(chances: Chances, prices: Prices) -> NDArray[np.float64]:
    """Hours without nodes of a draw that outlasts its block, or fewer: an extension may be beyond 182 days."""
    found = np.asarray(chances.found) & (prices.on_demand is not None)
    wait = np.where(found, chances.wait_hours, chances.later_hours) + chances.restart_hours
    return np.where(chances.extended, 0.0, wait)


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
    second_planned: bool = False,
    at_p90: bool = False,
) -> tuple[float, Nearly | None]:
    """The length, in days, with nearly the least mean cost over the draws (or P90) of block and tail; of those with
    which enough draws end within the limit, where any length does that. And of the others the one that most draws end
    in time with, where it clearly costs less.

    The mean, also where scenarios rank by P50: at P50 half of the draws, and so every tail, are out of sight. Of the
    lengths within CLOSE of the least the one that the fewest draws outlast, which takes the fewest days in a bad case
    and rests on the chances of a tail, which are guesses, the least; and none that the planned run outlasts, unless
    every other costs more than SHORTER. Two parts are bought only where a single one costs CLEARLY more. A draw in
    which AWS has no second part has the first one alone.

    second_planned: whether the planned run counts on the second part.
    """
    hours = np.minimum(hours, LONGEST_HOURS)
    longest_first = np.argsort(-hours)
    sold = np.broadcast_to(np.asarray(chances.second), hours.shape)[longest_first]
    both, alone = (
        _Draws(hours[at], chances.at(at), prices, limit_hours) for at in (longest_first[sold], longest_first[~sold])
    )
    firsts = {days: block_parts(days)[0] for days in TOGETHER_DAYS}
    in_time = share_of(hours <= limit_hours) >= confidence
    restart = median(chances.restart_hours)
    without = cache(lambda days: alone.spent(days, each=at_p90))

    def holds_plan(days: int) -> bool:
        return held_hours(days if second_planned else firsts[days], restart) >= planned_hours

    found: list[_Tried] = []
    late: list[_Tried] = []
    at_most = np.inf  # what costs more on average is neither chosen nor named
    lengths, parts = np.array(TOGETHER_DAYS, dtype=float), np.array([*firsts.values()], dtype=float)
    of_both = both.bounds(lengths)
    bounds = of_both + alone.bounds(parts)
    on_time = (both.most_on_time(lengths) + alone.most_on_time(parts)) / hours.size
    worth = on_time >= confidence - NEARLY if in_time else np.full(lengths.size, True)
    listed = zip(bounds[worth].tolist(), lengths[worth].astype(int).tolist(), of_both[worth].tolist(), strict=True)
    for bound, days, part in sorted(listed):
        if bound / hours.size >= at_most:
            break
        first = without(firsts[days])
        if (part + first.usd) / hours.size >= at_most:
            continue
        spent = both.spent(days, each=at_p90) + first
        cost = spent.usd / hours.size if spent.each is None else quantiles(spent.each, (0.9,))[0]
        tried = _Tried(days=days, cost=cost, outlast=spent.outlast, on_time=spent.on_time / hours.size)
        if in_time and tried.on_time < confidence:
            late.append(tried)
            continue
        found.append(tried)
        if not at_p90:
            at_most = min(at_most, cost * (1 + (CLOSE if holds_plan(days) else SHORTER)))
    if not found:
        return float(SOLD_DAYS[-1]), None
    least = min(one.cost for one in found)
    whole = [one for one in found if one.cost <= least * (1 + SHORTER) and holds_plan(one.days)]
    cheapest = min(one.cost for one in whole or found)
    near = [one for one in whole or found if one.cost <= cheapest * (1 + CLOSE)]
    # the simpler purchase, unless a second part clearly pays
    single = [one for one in near if one.days not in TWO_PARTS]
    if single and min(one.cost for one in single) <= cheapest / (1 - CLEARLY):
        near = single
    chosen = min(near, key=lambda one: (one.outlast, one.cost))
    less = [one for one in late if one.cost <= chosen.cost * (1 - CLEARLY) and one.on_time >= confidence - NEARLY]
    best = max(less, key=lambda one: (one.on_time, -one.cost), default=None)
    nearly = best and Nearly(days=best.days, usd_less=chosen.cost - best.cost, on_time_fraction=best.on_time)
    return float(chosen.days), nearly
