"""The mix that is found against every whole mix of small markets, in AWS's order."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from planner.mix.baselines import baselines, best_plan
from planner.mix.bound import bound
from planner.mix.model import Kind, Market, Offer, Usage
from planner.mix.order import Biller
from planner.mix.search import improved, rounded
from tests.mix.markets import by_hand, random_market


def _small(seed: int) -> Market:
    """Two types of one family whose savings differ, 5 hours, one plan of each kind; rates in whole dollars."""
    rng = np.random.default_rng(seed)
    price = {"a.1": 5.0, "a.2": 12.0}
    usage = [Usage(instance_type=n, price=p, hours=rng.integers(0, 3, 5).astype(float)) for n, p in price.items()]
    offers = [
        Offer(name=f"ri {n}", kind=Kind.RESERVED, rates={n: 1.0}, price=p * float(rng.uniform(0.5, 0.7)))
        for n, p in price.items()
    ]
    for name, kind, low, high in (("plan", Kind.INSTANCE_PLAN, 0.4, 0.7), ("compute", Kind.COMPUTE_PLAN, 0.5, 0.8)):
        rates = {n: float(round(p * rng.uniform(low, high))) for n, p in price.items()}
        offers.append(Offer(name=name, kind=kind, rates=rates, price=1.0))
    return Market(usage=tuple(usage), offers=tuple(offers))


@pytest.mark.parametrize("seed", [0, 1, 4])
def test_the_search_ends_within_a_hundredth_of_the_best_whole_mix(seed):
    """Where one instance is a tenth of the bill; on two of the three it is the best one."""
    market = _small(seed)
    biller = Biller(market)
    tried = itertools.product(*(range(int(largest) + 1) for largest in market.largest))
    least = min(biller.total(np.array(each, dtype=float)) for each in tried)
    proven = bound(market)
    amounts, cost = improved(market, proven.amounts, biller.total)
    assert cost <= least * (1.01 if seed == 4 else 1 + 1e-5)
    assert cost == pytest.approx(by_hand(market, amounts))
    assert proven.lower <= least * (1 + 1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_what_is_found_is_whole_and_no_dearer_than_any_baseline(seed):
    market = random_market(seed, types=5)
    biller = Biller(market)
    amounts, cost = improved(market, bound(market).amounts, biller.total)
    assert (amounts == rounded(market, amounts)).all()
    reserved = [at for at, offer in enumerate(market.offers) if offer.kind is Kind.RESERVED]
    assert (amounts[reserved] % 1 == 0).all()
    assert all(cost <= biller.total(other) * (1 + 1e-12) for other in baselines(market).values())


def test_the_best_plan_is_the_one_of_all_amounts():
    market = random_market(5)
    plan = len(market.offers) - 1
    biller, none = Biller(market), np.zeros(len(market.offers))
    found = best_plan(market, none, plan, market.hours)

    def cost(dollars: float) -> float:
        amounts = none.copy()
        amounts[plan] = dollars
        return biller.total(amounts)

    assert cost(found[plan]) <= min(cost(x) for x in np.linspace(0, market.largest[plan], 500)) + 1e-9
