"""What to commit to now, and what to decide later, when the demand of the year is not known.

The mix of the mean demand, by month of purchase, is found with its bound; then what is bought now is changed until the
chosen percentile of the cost over all draws is least. What the mix buys in later months is a forecast: it is decided
then, on what has happened.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.mix.baselines import baselines
from planner.mix.bound import Bound, bound
from planner.mix.futures import MONTH, SCALE, Futures
from planner.mix.model import Array, Flags, Market, Offer
from planner.mix.order import Biller
from planner.mix.search import improved

PERCENTILES = {"p50": 0.5, "p90": 0.9}
TRACE = 1e-3  # of the cost


@dataclass(frozen=True, kw_only=True)
class Purchase:
    """month: 0 is now. months: held inside the year. amount: instances, or USD an hour of a plan. usd: of
    the year. used: the share of it that the mean demand uses."""

    offer: Offer
    month: int
    months: int
    amount: float
    usd: float
    used: float | None


@dataclass(frozen=True, kw_only=True)
class Advice:
    """purchases: by month. costs, on_demand: USD of the year in each draw, paired. others: the same of simpler rules.
    mean_optimum: of the mix that is best for the mean demand. lower: USD that no mix can go below on the mean demand,
    and gap: what its proof leaves open."""

    purchases: tuple[Purchase, ...]
    costs: Array
    on_demand: Array
    others: dict[str, Array]
    mean_optimum: Array
    lower: float
    gap: float


def advise(futures: Futures, rank_by: str) -> Advice:
    """The mix with the least P50 or P90 of its cost. rank_by: "p50" or "p90". Raises UsageProblem without highspy."""
    market, mean = futures.market, futures.mean()
    share = PERCENTILES[rank_by]

    def risk(amounts: Array) -> float:
        return float(np.quantile(futures.costs(amounts), share))

    proven: Bound = bound(mean)
    # a later purchase that hardly costs anything is a trace of the solver, and no advice
    traces = ~_now(mean) & (proven.amounts * mean.costs < TRACE * proven.cost)
    start, _ = improved(mean, np.where(traces, mean.least, proven.amounts), Biller(mean).total, _now(mean))
    simple = baselines(mean)
    starts = [start, min(simple.values(), key=risk)]  # the search is local
    amounts, _ = min((improved(mean, each, risk, _now(mean)) for each in starts), key=lambda found: found[1])
    used = Biller(mean).bill(amounts).used
    purchases = [
        Purchase(
            offer=offer,
            month=first // MONTH,
            months=(last - first) // MONTH,
            amount=float(amount),
            usd=float(amount * cost * SCALE),
            used=rate,
        )
        for offer, amount, cost, rate, (first, last) in zip(
            market.offers, amounts, market.costs, used, market.spans, strict=True
        )
        if amount
    ]
    return Advice(
        purchases=tuple(sorted(purchases, key=lambda one: one.month)),
        costs=futures.costs(amounts),
        on_demand=futures.costs(simple["on-demand"]),
        others={name: futures.costs(of) for name, of in simple.items() if name != "on-demand"},
        mean_optimum=futures.costs(start),
        lower=proven.lower * SCALE,
        gap=proven.gap,
    )


def _now(market: Market) -> Flags:
    """Whether an offer begins now and can be bought."""
    return np.array([offer.first <= 0 and offer.most > offer.least for offer in market.offers])


@dataclass(frozen=True, kw_only=True)
class Hindsight:
    """Hours that have passed, priced as if known: USD of the best mix, of what no mix goes below, and of simpler rules,
    On-Demand alone among them."""

    cost: float
    lower: float
    others: dict[str, float]
    hours: int


def hindsight(market: Market) -> Hindsight:
    """What one purchase at the begin of these hours would have cost at best. Raises UsageProblem without highspy."""
    proven, biller = bound(market), Biller(market)
    _, cost = improved(market, proven.amounts, biller.total)
    others = {name: biller.total(amounts) for name, amounts in baselines(market).items()}
    return Hindsight(cost=cost, lower=proven.lower, others=others, hours=market.hours)
