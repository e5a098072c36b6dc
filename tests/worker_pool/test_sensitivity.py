"""What a pool's cost depends on, held against sums that can be done by hand."""

from __future__ import annotations

import math

import pytest

from planner.worker_pool.compare import compare_pool
from planner.worker_pool.sensitivity import LIFE, POOL_MAX, PRICE, PoolEnd, PoolSwing, parameters_of, study_pool
from pricing.book import default_book
from tests.worker_pool.test_compare import loaded

# 60 jobs of an hour on ten nodes that are never lost, at 0.50 an hour; nodes boot within a minute and leave in a second
PLAIN = ("pool.cool_down=1s", "pool.interval=1m", "workers[0].boot=1m")
MORTAL = "workers[0].interruptions={mean_life: 5h}"


def studied(*overrides: str, runs: int = 4):
    plan, book = loaded(*overrides), default_book()
    found = compare_pool(plan, book, runs=runs)
    assert found.best is not None
    return study_pool(plan, book, found, found.best, parameters_of(found, found.best))


def swing(study, key: str) -> PoolSwing:
    return next(one for one in study.swings if one.parameter.key == key)


@pytest.fixture(scope="module")
def study():
    return studied(*PLAIN)


class TestByHand:
    def test_a_tenth_of_the_price_is_a_tenth_of_the_cost(self, study):
        price = swing(study, PRICE)
        assert (price.low.at, price.high.at) == pytest.approx((0.45, 0.55))
        assert price.low.cost_usd == pytest.approx(60 * 0.45, rel=0.01)
        assert price.high.cost_usd == pytest.approx(60 * 0.55, rel=0.01)
        assert price.low.cost_usd / price.planned.cost_usd == pytest.approx(0.9, rel=1e-12)
        assert price.spread("days") == 0

    def test_half_the_nodes_take_twice_as_long_for_the_same_money(self, study):
        nodes = swing(study, POOL_MAX)
        assert (nodes.low.at, nodes.high.at) == (5, 20)
        # 60 jobs are 12 rounds on 5 nodes and 3 on 20, after a minute of booting
        assert nodes.low.days * 24 == pytest.approx(12 + 1 / 60, rel=0.01)
        assert nodes.high.days * 24 == pytest.approx(3 + 1 / 60, rel=0.01)
        assert nodes.low.cost_usd == pytest.approx(60 * 0.5, rel=0.01)

    def test_the_largest_effect_on_cost_is_first(self, study):
        spreads = [(one.spread("cost_usd"), one.spread("days")) for one in study.swings]
        assert spreads == sorted(spreads, reverse=True)
        assert study.swings[0].parameter.key == PRICE

    def test_what_is_not_interrupted_has_no_life_to_vary(self, study):
        assert LIFE not in {one.parameter.key for one in study.swings}
        assert "no interruptions" in study.fixed[0]


def test_a_shorter_life_costs_more_and_is_what_the_plan_says():
    life = swing(studied(*PLAIN, MORTAL), LIFE)
    assert (life.low.at, life.parameter.value, life.high.at) == pytest.approx((2.5, 5, 10))
    assert life.low.cost_usd > life.planned.cost_usd > life.high.cost_usd
    for end in (life.low, life.high):
        # the same as a plan that says so: the same random numbers are met
        again = compare_pool(
            loaded(*PLAIN, f"workers[0].interruptions={{mean_life: {end.at}h}}"), default_book(), runs=4
        )
        assert again.best is not None
        assert (again.best.cost_usd.plan, again.best.days.plan) == pytest.approx((end.cost_usd, end.days), rel=1e-9)


def test_an_assumption_at_its_end_is_the_plan_with_that_value():
    key = "workers.boot_minutes"
    boot = swing(studied(runs=6), key)
    again = compare_pool(loaded(f"assumptions={{{key}: {{value: {boot.high.at}}}}}"), default_book(), runs=6)
    assert again.best is not None
    assert (again.best.cost_usd.plan, again.best.days.plan) == (boot.high.cost_usd, boot.high.days)
    assert boot.low.days < boot.planned.days < boot.high.days


def test_the_recommendation_at_each_end():
    # 6 h of work on 10 nodes: 12 h on 5, which is too late, and 3 on 20
    nodes = swing(studied(*PLAIN, "run.deadline=8h"), POOL_MAX)
    assert (nodes.low.first, nodes.high.first) == (None, "workers/mine/list")


def test_a_spread_of_what_does_not_finish(study):
    one = study.swings[0]

    def end(days: float) -> PoolEnd:
        return PoolEnd(at=1, cost_usd=days, days=days, first=None)

    def spread(low: float, high: float) -> float:
        swing = PoolSwing(parameter=one.parameter, planned=end(2), low=end(low), high=end(high))
        return swing.spread("days")

    # from the least to the most of both ends and the plan
    assert (spread(3, 1), spread(3, 4), spread(2, 2), spread(2, math.inf)) == (2, 2, 0, math.inf)
