"""A proven lower bound on every mix, and the amounts that reach it.

With the amounts fixed the hours are independent (hours.py), so the cost is their sum: convex, with a slope at every
point. Each point that is tried gives a cut below the cost for each block of hours; a linear program over the amounts
alone finds the least cost that the cuts allow, which is a lower bound (Benders 1962, Kelley 1960). The next point lies
between that minimum and the best point so far, which keeps the search from swinging (Ben-Ameur and Neto 2007).
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from planner.mix.hours import Hours
from planner.mix.linear import Program
from planner.mix.model import Array, Flags, Market

GAP = 1e-6
BLOCKS = 24
ROUNDS = 1_000
STEP = 0.4  # of the way from the best point to the minimum of the cuts


@dataclass(frozen=True, kw_only=True)
class Bound:
    """lower: USD that no mix can go below, whole or not, in whatever order plans are applied. cost: USD of `amounts`
    where plans may be assigned freely. rounds: points that were tried."""

    lower: float
    cost: float
    amounts: Array
    rounds: int

    @property
    def gap(self) -> float:
        """Of the cost, the share that is not proven."""
        return max(0.0, 1.0 - self.lower / self.cost) if self.cost else 0.0


def bound(market: Market, start: Array | None = None, gap: float = GAP) -> Bound:
    """The bound to a relative gap, or to the last round. Raises UsageProblem without highspy."""
    hours, offers = Hours(market), len(market.offers)
    kept = worth_trying(market)
    edges = np.unique(np.linspace(0, market.hours, BLOCKS + 1).astype(int))
    low, high = market.least, np.where(kept, market.largest, market.least)
    program = Program(
        np.concatenate([market.costs, np.ones(edges.size - 1)]),
        np.concatenate([low, np.zeros(edges.size - 1)]),
        np.concatenate([high, np.full(edges.size - 1, np.inf)]),
    )
    best = np.clip(low if start is None else start, low, high)
    best_cost, lower, trial, rounds = np.inf, 0.0, best, 0
    while rounds < ROUNDS:
        rounds += 1
        value, slopes = _cuts(market, hours, trial, edges)
        total = float(market.costs @ trial + value.sum())
        if total < best_cost:
            best_cost, best = total, trial
        for block in range(edges.size - 1):
            slope = slopes[block]
            at = [*np.flatnonzero(slope), offers + block]
            program.add(float(value[block] - slope @ trial), at, np.append(-slope[slope != 0], 1.0))
        least, point = program.solve()
        lower = max(lower, least)
        if best_cost - lower <= gap * best_cost:
            break
        trial = best + STEP * (np.clip(point[:offers], low, high) - best)
    return Bound(lower=lower, cost=best_cost, amounts=best, rounds=rounds)


def _cuts(market: Market, hours: Hours, amounts: Array, edges: npt.NDArray[np.int64]) -> tuple[Array, Array]:
    """USD of each block of hours, and its slope in each offer (blocks x offers, at most 0)."""
    cost, worth = hours.value(market.capacity(amounts))
    sums = np.concatenate([np.zeros((len(market.pools), 1)), np.cumsum(worth, axis=1)], axis=1)
    first = np.array([span[0] for span in market.spans], dtype=int)
    last = np.array([span[1] for span in market.spans], dtype=int)
    pool = np.array(market.pool_of, dtype=int)
    slopes = []
    for begin, end in itertools.pairwise(edges):
        from_, to = np.clip(first, begin, end), np.clip(last, begin, end)
        slopes.append(sums[pool, from_] - sums[pool, np.maximum(from_, to)])
    return np.add.reduceat(cost, edges[:-1]), np.array(slopes)


def worth_trying(market: Market) -> Flags:
    """False for an offer that another one beats: in the same hours, at no higher price, with no higher rate."""
    kept = np.ones(len(market.offers), dtype=bool)
    for at, offer in enumerate(market.offers):
        for other_at, other in enumerate(market.offers):
            if (
                at != other_at
                and kept[other_at]
                and (offer.kind, market.spans[at]) == (other.kind, market.spans[other_at])
                and other.price <= offer.price
                and other.most >= market.largest[other_at]
                and all(other.rates.get(name, np.inf) <= rate for name, rate in offer.rates.items())
            ):
                kept[at] = False
                break
    return kept
