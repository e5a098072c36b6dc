"""Hours and bound against the whole linear program of HiGHS, hour by hour and offer by offer."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from planner.mix.bound import bound
from planner.mix.hours import Hours
from planner.mix.model import Kind, Market
from planner.mix.order import Biller
from tests.mix.markets import free_cost, random_market

SEEDS = range(12)


def _market(seed):
    return random_market(seed, types=3 + seed % 4, interruptible=seed % 2 == 1, windows=seed % 3 == 2)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_cost_of_an_hour_is_the_linear_programs(seed):
    market = _market(seed)
    amounts = np.random.default_rng(seed).uniform(0, 8, len(market.offers))
    cost, _ = Hours(market).value(market.capacity(amounts))
    assert market.costs @ amounts + cost.sum() == pytest.approx(free_cost(market, amounts), rel=1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_no_amounts_cost_less_than_the_slopes_say(seed):
    """Convex: at any other amounts the cost is at least the line through these."""
    market = _market(seed)
    rng, hours = np.random.default_rng(seed), Hours(market)
    here, there = rng.uniform(0, 8, (2, len(market.offers)))
    cost, worth = hours.value(market.capacity(here))
    other, _ = hours.value(market.capacity(there))
    change = market.capacity(there) - market.capacity(here)
    assert (other >= cost - (worth * change).sum(axis=0) - 1e-9).all()


@pytest.mark.parametrize("seed", SEEDS)
def test_the_bound_is_the_least_cost_of_the_linear_program(seed):
    market = _market(seed)
    found = bound(market, gap=1e-9)
    assert found.lower == pytest.approx(free_cost(market), rel=1e-8)
    assert found.gap <= 1e-9
    assert Biller(market).total(found.amounts) >= found.lower * (1 - 1e-12)


@pytest.mark.parametrize("kinds", [{Kind.RESERVED}, {Kind.COMPUTE_PLAN}, {Kind.INSTANCE_PLAN}, set()])
def test_a_market_may_lack_kinds_of_offers(kinds):
    whole = random_market(4)
    market = Market(usage=whole.usage, offers=tuple(o for o in whole.offers if o.kind in kinds))
    assert bound(market, gap=1e-9).lower == pytest.approx(free_cost(market), rel=1e-8)


@pytest.mark.parametrize("seed", SEEDS)
def test_two_compute_plans_of_different_rates_leave_a_bound(seed):
    """Merged at the lower rates, so below the linear program, and never above."""
    market, rng = random_market(seed), np.random.default_rng(seed)
    other = {name: rate * float(rng.uniform(0.9, 1.1)) for name, rate in market.offers[-1].rates.items()}
    both = Market(usage=market.usage, offers=(*market.offers, replace(market.offers[-1], rates=other)))
    assert bound(both).lower <= free_cost(both) * (1 + 1e-9)


def test_what_is_owned_counts_and_cannot_be_given_back():
    market = random_market(3)
    owned = [
        o if at else type(o)(name=o.name, kind=o.kind, rates=o.rates, price=0.0, least=9, most=9)
        for at, o in enumerate(market.offers)
    ]
    held = type(market)(usage=market.usage, offers=tuple(owned))
    assert bound(held).amounts[0] == 9
    assert bound(held).lower <= bound(market).lower
