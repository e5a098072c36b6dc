"""Whole counts and plan dollars with the least bill in AWS's order, found from the amounts of the bound.

The bill in AWS's order is not convex: plans of one family are applied before Compute plans, also where the other way
round would save more. So this is a local search, and the bound says how far from the best its result can be.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

from planner.mix.bound import worth_trying
from planner.mix.model import Array, Flags, Kind, Market

SHARES = (0.03, 0.006, 0.001, 0.0002)  # of the largest amount: the steps of the search, each at least one whole step


def rounded(market: Market, amounts: Array) -> Array:
    """To whole instances and to a tenth of a cent an hour, within what can be bought."""
    whole = np.round(np.round(amounts / market.steps) * market.steps, 6)
    return np.clip(whole, market.least, market.largest)


def improved(
    market: Market, start: Array, cost: Callable[[Array], float], only: Flags | None = None
) -> tuple[Array, float]:
    """Amounts near `start` that no step of one offer, and no exchange of two, makes cheaper; and their cost.

    cost: what is to be least, of whole amounts. only: whether each offer may change.
    """
    amounts = rounded(market, start)
    best = cost(amounts)
    may = worth_trying(market) | (amounts > market.least)
    kept = np.flatnonzero(may if only is None else may & only)
    for share in SHARES:
        size = np.maximum(np.round(share * market.largest / market.steps), 1) * market.steps
        better = True
        while better:
            better = False
            moves = [{int(at): sign * size[at]} for at in kept for sign in (1.0, -1.0)]
            moves += _exchanges(market, kept) if share == SHARES[-1] else []
            for move in moves:
                while True:
                    trial = amounts.copy()
                    for at, change in move.items():
                        trial[at] += change
                    trial = rounded(market, trial)
                    if (trial == amounts).all() or (found := cost(trial)) >= best - 1e-9 * abs(best):
                        break
                    amounts, best, better = trial, found, True
            if share != SHARES[-1]:
                break
    return amounts, best


def _exchanges(market: Market, kept: npt.NDArray[np.intp]) -> Iterator[dict[int, float]]:
    """A commitment for another one that covers the same type: a reserved instance for the dollars of a plan, or the
    dollars of one plan for those of another."""
    for at, other in itertools.permutations(kept, 2):
        one, two = market.offers[at], market.offers[other]
        for name in one.rates.keys() & two.rates.keys() if two.kind is not Kind.RESERVED else ():
            yield {int(at): one.rates[name], int(other): -two.rates[name]}
            yield {int(at): -one.rates[name], int(other): two.rates[name]}
