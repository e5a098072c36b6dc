"""What a mix costs when AWS applies it, hour by hour.

Reserved Instances come first, then EC2 Instance Savings Plans, then Compute Savings Plans; within each kind, all plans
together go to the usage with the highest saving against On-Demand, and of equal savings to the lowest plan rate
(docs.aws.amazon.com/savingsplans/latest/userguide/sp-applying.html). What is not used in an hour is lost. Usage that
may be interrupted runs on spot, and On-Demand only where a commitment would be idle in that hour.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.mix.model import Array, Kind, Market


@dataclass(frozen=True, kw_only=True)
class Bill:
    """USD over the horizon: total = committed (used or not) + uncovered, which is On-Demand and spot.

    used: of each offer's units, the share of its hours that was used, or None where nothing was bought; offers of one
    pool share its use.
    """

    total: float
    committed: float
    uncovered: float
    used: tuple[float | None, ...]


def sequence(market: Market) -> list[tuple[int, int, float]]:
    """(pool, row, rate) in the order in which commitments are applied."""
    found = []
    for at, pool in enumerate(market.pools):
        for row, rate in pool.rates.items():
            use = market.usage[row]
            firm = market.usage[_firm(market, row)]
            saving = 0.0 if pool.kind is Kind.RESERVED else 1.0 - rate / firm.price
            found.append(((use.interruptible, pool.kind, -saving, rate, row), at, row, rate))
    return [(at, row, rate) for _, at, row, rate in sorted(found)]


def _firm(market: Market, row: int) -> int:
    """The row with the On-Demand price of the same type."""
    name = market.usage[row].instance_type
    return next((at for at, u in enumerate(market.usage) if u.instance_type == name and not u.interruptible), row)


def applied(
    demand: Array, capacity: Array | list[Array], order: list[tuple[int, int, float]]
) -> tuple[Array, list[Array]]:
    """Instances of each row and hour that no commitment covers, and what is idle of each pool.

    demand: rows x hours, or rows x draws x hours. capacity: pools x hours (or x 1), with as many axes. Neither changes.
    """
    left, idle = demand.copy(), list(capacity)
    for pool, row, rate in order:
        if not idle[pool].any():
            continue
        wanted = left[row] if rate == 1.0 else left[row] * rate
        taken = np.minimum(wanted, idle[pool])
        idle[pool] = idle[pool] - taken
        left[row] -= taken if rate == 1.0 else taken / rate
    return left, idle


class Biller:
    """Bills of one market; the order of application is sorted once."""

    def __init__(self, market: Market) -> None:
        self.market = market
        self._order = sequence(market)

    def total(self, amounts: Array) -> float:
        """USD over the horizon."""
        left, _ = applied(self.market.demand, self.market.capacity(amounts), self._order)
        return float(self.market.costs @ amounts + self.market.prices @ left.sum(axis=1))

    def bill(self, amounts: Array) -> Bill:
        """The same, in parts."""
        market = self.market
        capacity = market.capacity(amounts)
        left, idle = applied(market.demand, capacity, self._order)
        whole = (len(market.pools), market.hours)
        given, lost = np.broadcast_to(capacity, whole), np.array([np.broadcast_to(row, whole[1:]) for row in idle])
        used: list[float | None] = []
        for pool, amount, (first, last) in zip(market.pool_of, amounts, market.spans, strict=True):
            held = float(given[pool, first:last].sum())
            used.append(1.0 - float(lost[pool, first:last].sum()) / held if amount and held else None)
        committed, rest = float(market.costs @ amounts), float(market.prices @ left.sum(axis=1))
        return Bill(total=committed + rest, committed=committed, uncovered=rest, used=tuple(used))
