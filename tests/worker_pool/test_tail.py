"""The rule that leaves spot before a deadline: by what was observed, in time, and for no more than it has to."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.worker_pool.model import Jobs, Market, Nodes, Rules, Supply
from planner.worker_pool.run import BOOT, READY
from planner.worker_pool.simulation import simulate_supply
from planner.worker_pool.tail import hours_left, reserve_hours

JOBS = Jobs(count=120, work_hours=2.0, segment_hours=0.1)
RULES = Rules(least=0, most=20)
SCARCE = Nodes(interruptions_per_hour=0.01, boot_hours=0.1, outages_per_hour=0.55, outage_hours=2.8, first_wait_hours=2)
TAIL = Market(nodes=Nodes(interruptions_per_hour=0.0003, boot_hours=0.1), jobs=JOBS, usd_per_hour=3.0)
DEADLINE = 18.0  # six rounds of two hours are 12


def supply(nodes: Nodes, *, ends: bool = True, deadline: float = DEADLINE) -> Supply:
    spot = Market(nodes=nodes, jobs=JOBS, usd_per_hour=1.0)
    return Supply(markets=(spot,), tail=TAIL if ends else None, deadline_hours=deadline)


def runs(of: Supply, count: int = 60):
    return [simulate_supply(of, RULES, np.random.default_rng(seed)) for seed in range(count)]


@given(st.lists(st.floats(0.1, 3), min_size=1, max_size=6), st.integers(1, 4))
def test_jobs_end_within_the_bound_in_any_order(lefts, nodes):
    worst = 0.0
    for order in permutations(lefts):
        ends = [0.0] * nodes
        for each in order:
            ends[ends.index(min(ends))] += each
        worst = max(worst, *ends)
    assert worst <= hours_left(lefts, nodes) + 1e-9


def test_whole_rounds_are_exact_for_equal_jobs():
    assert hours_left([2.0] * 40, 20) == 4.0
    assert hours_left([2.0] * 41, 20) == pytest.approx(41 * 2 / 20 + 0.95 * 2)
    assert hours_left([], 20) == 0.0


def test_in_a_scarce_market_it_is_what_keeps_the_deadline():
    late = np.mean([run.makespan > DEADLINE for run in runs(supply(SCARCE, ends=False))])
    held = runs(supply(SCARCE))
    assert late > 0.8
    assert np.mean([run.makespan > DEADLINE for run in held]) <= 0.02
    assert all(
        run.left_spot < DEADLINE for run in held if run.makespan > DEADLINE - reserve_hours(supply(SCARCE), RULES)
    )


def test_in_a_calm_market_nothing_is_on_demand():
    for run in runs(supply(Nodes(interruptions_per_hour=0.002, boot_hours=0.1)), 20):
        assert run.left_spot == np.inf
        assert run.hours[1].sum() == 0.0


def test_it_waits_as_long_as_it_can():
    """A market without any node: everything goes On-Demand, at the look before the last possible start."""
    never = replace(SCARCE, first_wait_hours=1000.0)
    run = runs(supply(never), 1)[0]
    latest = DEADLINE - reserve_hours(supply(never), RULES) - 6 * 2.0
    assert latest - RULES.every_hours <= run.left_spot <= latest + RULES.every_hours
    assert run.makespan <= DEADLINE
    assert run.hours[0].sum() == pytest.approx(0.0)  # requests that no market has met are not billed
    assert run.hours[1, BOOT] == pytest.approx(20 * 0.1, rel=0.3)
    assert run.hours[1, READY] == pytest.approx(120 * 2.0, rel=0.05)


def test_nodes_that_run_stay_on_spot():
    """At a deadline that is tight from the beginning, a calm market still does most of the work."""
    calm = Nodes(interruptions_per_hour=0.002, boot_hours=0.1)
    tight = supply(calm, deadline=13.5)
    found = runs(tight, 20)
    assert all(run.makespan <= 13.5 for run in found)
    assert any(run.left_spot < np.inf for run in found)
    spot, on_demand = (np.sum([run.hours[at].sum() for run in found]) for at in (0, 1))
    assert on_demand < 0.1 * spot


def test_the_sooner_the_deadline_the_more_is_on_demand():
    shares = [
        np.sum([run.hours[1].sum() for run in runs(supply(SCARCE, deadline=hours), 30)]) for hours in (15, 20, 30, 60)
    ]
    assert shares == sorted(shares, reverse=True)
    assert shares[0] > 2 * shares[-1]
