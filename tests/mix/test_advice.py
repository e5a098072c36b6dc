"""Advice for an unknown year: draws, the percentile that is made least, and what bounds it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from planner.mix.advice import advise
from planner.mix.futures import MONTH, MONTHS, SCALE, Futures, growth, shape
from planner.mix.model import Kind, Market, Offer, Usage
from planner.mix.monthly import MONTH_HOURS, laddered
from planner.mix.order import Biller

TYPES = ["a.1", "b.1"]


def _futures(low=-0.3, high=0.5, draws=60):
    rng = np.random.default_rng(3)
    hours = {name: np.clip(np.round(rng.normal(20, 4, 800)), 0, None) for name in TYPES}
    usage = tuple(Usage(instance_type=n, price=10.0, hours=shape(hours[n])) for n in TYPES)
    offers = [
        Offer(name=f"ri {name}", kind=Kind.RESERVED, rates={name: 1.0}, price=6.3, first=month * MONTH)
        for month in range(MONTHS)
        for name in TYPES
    ]
    return Futures(Market(usage=usage, offers=tuple(offers)), growth(TYPES, low, high, draws, 1))


def test_the_last_weeks_are_repeated_and_stand_for_a_year():
    hours = np.arange(1_000.0)
    year = shape(hours)
    assert year.size * SCALE == pytest.approx(8_760)
    assert year[0] == 1_000 - 4 * 168
    assert (year[:MONTH] == year[4 * MONTH : 5 * MONTH]).all()
    assert year.mean() == pytest.approx(hours[-672:].mean(), abs=1)


def test_one_outcome_in_ten_lies_outside_the_change_that_is_given():
    end = np.concatenate([growth(["x"], -0.3, 0.5, 500, seed)["x"][:, -1] for seed in range(20)])
    at_the_end = end ** (MONTHS / (MONTHS - 0.5))  # the last month is priced at its middle
    assert (at_the_end < 0.7).mean() == pytest.approx(0.05, abs=0.01)
    assert (at_the_end > 1.5).mean() == pytest.approx(0.05, abs=0.01)


def test_half_of_the_change_is_common():
    factors = growth(TYPES, -0.3, 0.5, 4_000, 2)
    one, two = (np.log(factors[name][:, -1]) for name in TYPES)
    assert np.corrcoef(one, two)[0, 1] == pytest.approx(0.5, abs=0.05)


def test_costs_of_all_draws_are_the_bills_of_each():
    futures = _futures(draws=5)
    amounts = np.zeros(len(futures.market.offers))
    amounts[[0, 1, 5, 12]] = 12, 9, 3, 4
    for draw, cost in enumerate(futures.costs(amounts)):
        factors = growth(TYPES, -0.3, 0.5, 5, 1)
        rows = [replace(u, hours=u.hours * factors[u.instance_type][draw]) for u in futures.market.usage]
        alone = Biller(Market(usage=tuple(rows), offers=futures.market.offers))
        assert cost == pytest.approx(alone.total(amounts) * SCALE)


@pytest.mark.parametrize(("rank_by", "share"), [("p50", 0.5), ("p90", 0.9)])
def test_the_percentile_is_no_higher_than_of_the_best_for_the_mean_or_of_any_rule(rank_by, share):
    found = advise(_futures(), rank_by)
    own = np.quantile(found.costs, share)
    for costs in (found.mean_optimum, found.on_demand, *found.others.values()):
        assert own <= np.quantile(costs, share) * (1 + 1e-12)
    assert found.gap <= 1e-6
    assert {one.month for one in found.purchases} >= {0}


def test_what_surely_halves_is_committed_to_for_what_stays():
    """Demand of 20 that falls to half steadily: a unit that is used in under 0.63 of the year's hours does not pay."""
    usage = (Usage(instance_type="a.1", price=10.0, hours=np.full(MONTHS * MONTH, 20.0)),)
    offer = Offer(name="ri a.1", kind=Kind.RESERVED, rates={"a.1": 1.0}, price=6.3)
    found = advise(Futures(Market(usage=usage, offers=(offer,)), growth(["a.1"], -0.5001, -0.5, 20, 1)), "p50")
    # 20 x 0.5 ^ ((m + 0.5) / 12) is at least 13 in 7 of 12 months (0.58), at least 12 in 8 or 9 (0.67 on)
    assert found.purchases[0].amount == 13 or found.purchases[0].amount == 12
    months = 20 * 0.5 ** ((np.arange(MONTHS) + 0.5) / MONTHS)
    least = min(range(21), key=lambda n: 6.3 * n * 12 + 10 * np.maximum(months - n, 0).sum())
    assert found.purchases[0].amount == least


def test_the_ladder_knows_only_the_past():
    hours = np.random.default_rng(1).integers(0, 30, 4 * MONTH_HOURS).astype(float)
    other = hours.copy()
    other[2 * MONTH_HOURS :] = 0
    one, two = laddered(hours, 0.63), laddered(other, 0.63)
    assert one.bought[0] == 0
    assert one.bought[:3] == two.bought[:3]


def test_the_ladder_of_steady_demand_buys_it_once_a_term():
    found = laddered(np.full(26_280, 7.0), 0.5)
    assert [month for month, units in enumerate(found.bought) if units] == [1, 13, 25]
    assert found.cost == pytest.approx(7 * (MONTH_HOURS + 0.5 * (26_280 - MONTH_HOURS)))
