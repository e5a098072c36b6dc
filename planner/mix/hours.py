"""The least cost of each hour where plans may be assigned freely, and what one more unit of each commitment is worth.

AWS assigns plans by its own order, so this cost is never above the bill. Summed over the hours, with the commitments'
own cost, it is a lower bound that is convex in the amounts.

With the commitments given, every hour is a linear program of its own. A reserved unit has no use but its type, so it
goes first, to the row with the highest price. For the rows that are left its dual is

    max  sum_r left_r min(price_r, instance_rate_r m_f, compute_rate_r l) - sum_f plan_f m_f - compute l,    m, l >= 0

with the worth l of a dollar of the Compute plan and m_f of the plan of family f. For one l the families are
independent, and the best l is where they stop to take more of the Compute plan than there is. What a family takes
changes only where two routes of a row cost the same, which is at values of l that are the same in every hour:
price_r / compute_rate_r, and instance_rate_r / compute_rate_r x price_s / instance_rate_s through the family's plan. So
the result is exact.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from planner.mix.model import Array, Kind, Market


class Hours:
    """The hours of one market. Plans of one kind that cover a row at several rates are merged at the lower rate, which
    keeps the cost a lower bound."""

    def __init__(self, market: Market) -> None:
        self.market = market
        rows = range(len(market.usage))
        self._instance_rate = _rates(market, Kind.INSTANCE_PLAN)
        self._compute_rate = _rates(market, Kind.COMPUTE_PLAN)
        families = _joined(set(pool.rates) for pool in market.pools if pool.kind is Kind.INSTANCE_PLAN and pool.rates)
        alone = [[row] for row in rows if not any(row in family for family in families)]
        self._with_plan = len(families)
        self._groups = families + alone  # rows that depend on each other for one l
        names = dict.fromkeys(usage.instance_type for usage in market.usage)
        self._types = [
            sorted((r for r in rows if market.usage[r].instance_type == name), key=lambda row: -market.prices[row])
            for name in names
        ]
        self._owner = [self._place(pool.kind, set(pool.rates)) for pool in market.pools]
        self._corners = [self._corners_of(at) for at in range(len(self._groups))]
        self._worths = np.unique(np.concatenate([[0.0], *self._corners]))
        # between which two corners of each group the values just above a worth lie
        self._interval = [np.searchsorted(corners, np.append(self._worths[1:], np.inf)) for corners in self._corners]

    def _place(self, kind: Kind, rows: set[int]) -> int:
        """The type or the family of a pool; 0 for Compute plans, -1 where it covers nothing."""
        if kind is Kind.COMPUTE_PLAN:
            return 0
        groups = self._types if kind is Kind.RESERVED else self._groups[: self._with_plan]
        return next((at for at, group in enumerate(groups) if rows & set(group)), -1)

    def _corners_of(self, group: int) -> Array:
        prices, found, rows = self.market.prices, set(), self._groups[group]
        for row in (row for row in rows if np.isfinite(self._compute_rate[row])):
            found.add(float(prices[row] / self._compute_rate[row]))
            for other in rows if group < self._with_plan else ():
                through = self._instance_rate[row] / self._compute_rate[row] * prices[other]
                found.add(float(through / self._instance_rate[other]))
        return np.array(sorted(found))

    def value(self, capacity: Array) -> tuple[Array, Array]:
        """USD of each hour beyond the commitments' own cost, and the worth of a unit of each pool (pools x hours).

        capacity: of each pool in each hour, as Market.capacity gives it.
        """
        market, hours = self.market, self.market.hours
        reserved = self._sum(capacity, Kind.RESERVED, len(self._types))
        plans = self._sum(capacity, Kind.INSTANCE_PLAN, self._with_plan)
        compute = self._sum(capacity, Kind.COMPUTE_PLAN, 1)[0]
        left = market.demand.copy()
        for at, rows in enumerate(self._types):
            for row in rows:
                taken = np.minimum(left[row], reserved[at])
                reserved[at] -= taken
                left[row] -= taken
        dollar = self._worths[self._search(left, plans, compute)]
        family = np.zeros((self._with_plan, hours))
        worth = np.minimum(market.prices[:, None], self._by_compute(dollar))
        for at in range(self._with_plan):
            rows = self._groups[at]
            family[at] = self._best_plan(rows, worth, left, plans[at])
            worth[rows] = np.minimum(worth[rows], self._instance_rate[rows, None] * family[at])
        cost = (left * worth).sum(axis=0) - (plans * family).sum(axis=0) - compute * dollar
        slopes = np.zeros((len(market.pools), hours))
        for at, (pool, owner) in enumerate(zip(market.pools, self._owner, strict=True)):
            if pool.kind is Kind.COMPUTE_PLAN:
                slopes[at] = dollar
            elif pool.kind is Kind.INSTANCE_PLAN:
                slopes[at] = family[owner] if owner >= 0 else 0.0
            elif owner >= 0:
                for row in reversed(self._types[owner]):  # the first row that is short
                    np.copyto(slopes[at], worth[row], where=left[row] > 0)
        return cost, slopes

    def _sum(self, capacity: Array, kind: Kind, count: int) -> Array:
        """Of each type, each family, or all."""
        found = np.zeros((count, self.market.hours))
        for held, pool, owner in zip(capacity, self.market.pools, self._owner, strict=True):
            if pool.kind is kind and owner >= 0:
                found[owner] += held
        return found

    def _by_compute(self, dollar: Array) -> Array:
        """USD of an instance-hour of each row on the Compute plan (rows x hours), infinite where it has no rate."""
        found = np.full((len(self.market.usage), dollar.size), np.inf)
        known = np.isfinite(self._compute_rate)
        found[known] = self._compute_rate[known, None] * dollar
        return found

    def _search(self, left: Array, plans: Array, compute: Array) -> npt.NDArray[np.intp]:
        """For each hour the least worth at which no more of the Compute plan is taken than there is."""
        wanted = [self._wanted(at, left, plans) for at in range(len(self._groups))]
        low, high = np.zeros(compute.size, np.intp), np.full(compute.size, self._worths.size - 1)
        every = np.arange(compute.size)
        for _ in range(self._worths.size.bit_length()):
            middle = (low + high) // 2
            taken = np.zeros(compute.size)
            for wants, interval in zip(wanted, self._interval, strict=True):
                taken += wants[interval[middle], every]
            more = (taken > compute) & (low < high)
            low, high = np.where(more, middle + 1, low), np.where(more, high, middle)
        return low

    def _wanted(self, group: int, left: Array, plans: Array) -> Array:
        """Compute dollars that a group would take, between each two of its corners (corners + 1 x hours).

        Its own plan goes first to the rows where a dollar of it replaces most."""
        corners, rows, prices = self._corners[group], self._groups[group], self.market.prices
        found = np.zeros((corners.size + 1, left.shape[1]))
        own, compute = self._instance_rate, self._compute_rate
        dollars = {row: left[row] * own[row] if group < self._with_plan else left[row] for row in rows}
        known: dict[tuple[int, ...], Array] = {}  # what is left of a row after those before it
        for at, (low, high) in enumerate(zip(np.append(0.0, corners)[:-1], corners, strict=True)):
            other = {row: min(prices[row], compute[row] * (low + high) / 2) for row in rows}
            before: tuple[int, ...] = ()
            for row in sorted(rows, key=lambda row: -other[row] / own[row]):
                rest = dollars[row]
                if group < self._with_plan:
                    # the dollars that the rows up to this one need beyond the plan, less those of the rows before it
                    key = (*sorted(before), row)
                    if key not in known:
                        earlier = sum((dollars[one] for one in before), np.zeros(left.shape[1]))
                        room = np.maximum(plans[group] - earlier, 0.0)
                        known[key] = np.maximum(rest - room, 0.0) / own[row]
                    rest = known[key]
                before = (*before, row)
                if other[row] < prices[row]:
                    found[at] += rest * compute[row]
        return found

    def _best_plan(self, rows: list[int], worth: Array, left: Array, plan: Array) -> Array:
        """The best worth of a dollar of a family's plan in each hour: one of the ratios at which a row changes."""
        best, found = np.zeros(plan.size), np.zeros(plan.size)
        for row in rows:
            ratio = worth[row] / self._instance_rate[row]
            value = -plan * ratio
            for other in rows:
                value += left[other] * np.minimum(worth[other], self._instance_rate[other] * ratio)
            better = value > best
            best, found = np.where(better, value, best), np.where(better, ratio, found)
        return found


def _rates(market: Market, kind: Kind) -> Array:
    """The lowest rate of each row among the plans of a kind, infinite where none covers it."""
    found = np.full(len(market.usage), np.inf)
    for pool in (pool for pool in market.pools if pool.kind is kind):
        for row, rate in pool.rates.items():
            found[row] = min(found[row], rate)
    return found


def _joined(groups: Iterable[set[int]]) -> list[list[int]]:
    """Groups that share a member, as one; each in ascending order."""
    joined: list[set[int]] = []
    for group in groups:
        near = [other for other in joined if other & group]
        joined = [other for other in joined if not other & group]
        joined.append(group.union(*near))
    return [sorted(group) for group in joined]
