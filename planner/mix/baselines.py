"""What simpler rules would buy: the mixes that a good answer stands beside.

floor, mean, median: of each type, reserve its lowest, mean or median hour, at the best reserved price.
newsvendor: of each type, reserve up to the level that is used in more of the hours than the reserved price is of
On-Demand (the quantile 1 - price / On-Demand), which is best where nothing is shared.
best plan: the one commitment to one Compute plan that would have saved most; look-back: the same from the first 60 days
alone, as Cost Explorer recommends from the last 7, 30 or 60 days.
newsvendor, then plan: the best Compute plan for what the newsvendor leaves.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from planner.mix.model import Array, Kind, Market
from planner.mix.order import Biller

LOOK_BACK_HOURS = 60 * 24


def baselines(market: Market) -> dict[str, Array]:
    """Amounts of each rule, whole, by its name. Rules that need an offer that is not there are left out."""
    own = market.least.copy()
    found = {"on-demand": own}
    reserved = _cheapest(market)
    if reserved:
        rules: dict[str, Callable[[Array, float], float]] = {
            "floor": lambda hours, _: float(np.floor(hours.min())),
            "mean": lambda hours, _: round(float(hours.mean())),
            "median": lambda hours, _: round(float(np.median(hours))),
            "newsvendor": lambda hours, ratio: level(hours, ratio),
        }
        for name, rule in rules.items():
            amounts = own.copy()
            for row, at in reserved.items():
                ratio = market.offers[at].price / market.usage[row].price
                amounts[at] = max(amounts[at], min(rule(market.demand[row], ratio), market.largest[at]))
            found[name] = amounts
    plan = _lowest(market)
    if plan is not None:
        found["best plan"] = best_plan(market, own, plan, market.hours)
        if market.hours > LOOK_BACK_HOURS:
            found["60-day look-back"] = best_plan(market, own, plan, LOOK_BACK_HOURS)
        if reserved:
            found["newsvendor, then plan"] = best_plan(market, found["newsvendor"], plan, market.hours)
    return found


def level(hours: Array, ratio: float) -> float:
    """The number of instances to commit to at `ratio` of the On-Demand price: the least cost over these hours, exactly.

    A unit pays where more than `ratio` of the hours use it, so the level is the quantile 1 - ratio of the hours.
    """
    if ratio >= 1.0:
        return 0.0
    rank = int(np.ceil(hours.size * (1.0 - ratio) - 1e-9)) - 1
    return float(np.partition(hours, max(rank, 0))[max(rank, 0)])


def _cheapest(market: Market) -> dict[int, int]:
    """row -> the offer that reserves its type for the whole horizon at the lowest price, for rows On-Demand."""
    found: dict[int, int] = {}
    for row, usage in enumerate(market.usage):
        offers = [
            (offer.price, at)
            for at, (offer, span) in enumerate(zip(market.offers, market.spans, strict=True))
            if offer.kind is Kind.RESERVED and usage.instance_type in offer.rates and span == (0, market.hours)
            if offer.most > offer.least and not usage.interruptible
        ]
        if offers:
            found[row] = min(offers)[1]
    return found


def _lowest(market: Market) -> int | None:
    """The Compute plan with the lowest rates that can be bought for the whole horizon."""
    offers = [
        (sum(offer.rates.values()), at)
        for at, (offer, span) in enumerate(zip(market.offers, market.spans, strict=True))
        if offer.kind is Kind.COMPUTE_PLAN and offer.rates and span == (0, market.hours) and offer.most > offer.least
    ]
    return min(offers)[1] if offers else None


def best_plan(market: Market, amounts: Array, plan: int, hours: int) -> Array:
    """`amounts` with the amount of one plan that costs least over the first hours: the cost is convex in it."""
    seen = Market(
        usage=tuple(type(u)(**{**vars(u), "hours": u.hours[:hours]}) for u in market.usage), offers=market.offers
    )
    biller, found = Biller(seen), amounts.copy()
    step = market.offers[plan].step

    def cost(units: int) -> float:
        found[plan] = units * step
        return biller.total(found)

    low, high = round(amounts[plan] / step), round(seen.largest[plan] / step)
    while high - low > 2:
        left, right = low + (high - low) // 3, high - (high - low) // 3
        if cost(left) <= cost(right):
            high = right
        else:
            low = left
    found[plan] = min(range(low, high + 1), key=cost) * step
    return found
