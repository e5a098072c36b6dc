"""Shaved Ice (ICPE 2025): the costs of one commitment level on three weeks of real demand, to the printed digit."""

from __future__ import annotations

import numpy as np
import pytest

from planner.mix.baselines import level
from planner.mix.bound import bound
from planner.mix.model import Kind, Market, Offer, Usage
from planner.mix.monthly import MONTH_HOURS, YEAR_HOURS, laddered
from tests.mix.demand import FILE, total, window

pytestmark = pytest.mark.skipif(not FILE.exists(), reason="needs ../shared/demand")
PREMIUM = 2.1  # On-Demand, where a committed unit costs 1


def cost(hours, committed):
    return float(committed * hours.size + PREMIUM * np.maximum(hours - committed, 0).sum())


def test_the_nine_costs_of_figure_4():
    hours = window("2024-01-07", "2024-01-20")
    assert hours.size == 335
    grid = np.linspace(hours.min(), hours.max(), 9)
    assert [round(x, 1) for x in grid] == [53.5, 59.3, 65.1, 70.9, 76.7, 82.6, 88.4, 94.2, 100.0]
    found = [round(cost(hours, x)) for x in grid]
    assert found == [34086, 32105, 30662, 29727, 29333, 29583, 30259, 31643, 33500]


def test_the_optimum_of_figure_4_on_their_grid_and_exactly():
    hours = window("2024-01-07", "2024-01-20")
    grid = np.linspace(hours.min(), hours.max(), 100)
    best = min(grid, key=lambda x: cost(hours, x))
    assert (round(best, 5), round(cost(hours, best), 2)) == (77.44353, 29326.44)
    exact = level(hours, 1 / PREMIUM)
    assert (round(exact, 6), round(cost(hours, exact), 3)) == (77.453730, 29326.433)


def test_the_two_levels_of_figure_8():
    both = window("2023-12-17", "2023-12-30")
    week = both[: 7 * 24 - 1]
    grid = np.linspace(week.min(), week.max(), 100)
    assert round(cost(both, min(grid, key=lambda x: cost(week, x)))) == 28173
    exact = level(both, 1 / PREMIUM)
    assert (round(exact, 6), round(cost(both, exact), 3)) == (72.419877, 27754.649)


@pytest.mark.parametrize("seed", range(8))
def test_no_other_level_costs_less(seed):
    """Every level at which the cost can turn is a number of the hours."""
    rng = np.random.default_rng(seed)
    hours, ratio = rng.integers(0, 30, int(rng.integers(1, 50))).astype(float), float(rng.uniform(0.05, 1.2))
    costs = [x * ratio * hours.size + np.maximum(hours - x, 0).sum() for x in (0.0, *hours)]
    exact = level(hours, ratio)
    assert exact * ratio * hours.size + np.maximum(hours - exact, 0).sum() == pytest.approx(min(costs))


def test_three_years_by_the_month_with_and_without_foresight():
    """One-year terms at 0.63 of On-Demand: 0.697 at best, charged for their part inside the three years; a rule that
    knows the past alone stays within 1.5 %, and far below the online bound of 2 - 0.63 times the best."""
    hours = total()
    offers = tuple(
        Offer(name=str(begin), kind=Kind.RESERVED, rates={"x": 1.0}, price=0.63, first=begin, last=begin + YEAR_HOURS)
        for begin in range(0, hours.size, MONTH_HOURS)
    )
    usage = Usage(instance_type="x", price=1.0, hours=hours)
    best = bound(Market(usage=(usage,), offers=offers), gap=1e-5).lower
    assert round(best / hours.sum(), 3) == 0.697
    assert best < laddered(hours, 0.63).cost <= 1.015 * best
