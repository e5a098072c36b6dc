"""Several scarce markets: each as scarce as alone, and as correlated as was asked for (equation G36)."""

from __future__ import annotations

import numpy as np
import pytest

from planner.models.worker_pool import shared_outage_fraction
from planner.worker_pool.launches import Requests
from planner.worker_pool.model import Jobs, Market, Nodes, Rules, Supply
from planner.worker_pool.outages import Outages
from planner.worker_pool.simulation import simulate, simulate_supply

RATE, HOURS = 0.55, 2.8  # of the traces' gangs: 13.2 a day, 2.8 h each
SCARCE = Nodes(interruptions_per_hour=0.02, boot_hours=0.1, outages_per_hour=RATE, outage_hours=HOURS)
UP = 1 / (1 + RATE * HOURS)  # renewal: 1 / RATE hours with nodes, then HOURS without
JOBS = Jobs(count=60, work_hours=3.0, segment_hours=0.1)
RULES = Rules(least=0, most=20)


def states(markets: int, shared: float, seed: int = 0, hours: float = 60_000.0) -> np.ndarray:
    """Whether each market has nodes, at regular times. A row a market."""
    outages = Outages([SCARCE] * markets, shared, np.random.default_rng(seed))
    times = np.arange(50.0, hours, 0.73)
    return np.array([[outages.after(at, now)[0] <= now for now in times] for at in range(markets)])


@pytest.mark.parametrize("correlation", [0.0, 0.4, 0.75, 1.0])
def test_each_is_as_scarce_as_alone_and_two_are_as_correlated_as_asked_for(correlation):
    one, other = states(2, float(shared_outage_fraction(correlation=correlation, up_fraction=UP)))
    assert one.mean() == pytest.approx(UP, abs=0.01)
    assert other.mean() == pytest.approx(UP, abs=0.01)
    assert np.corrcoef(one, other)[0, 1] == pytest.approx(correlation, abs=0.02)


@pytest.mark.parametrize("markets", [2, 4])
def test_independent_markets_all_lack_nodes_as_often_as_the_product_says(markets):
    assert states(markets, 0.0).any(axis=0).mean() == pytest.approx(1 - (1 - UP) ** markets, abs=0.01)


def test_shared_outages_are_ones_of_all():
    found = states(3, 1.0, hours=5000.0)
    assert (found[0] == found[1]).all()
    assert (found[0] == found[2]).all()


def supply(markets: int, shared: float, **changes: float) -> Supply:
    usd = [1.0, *[changes.get("usd", 1.0)] * (markets - 1)]
    return Supply(markets=tuple(Market(nodes=SCARCE, jobs=JOBS, usd_per_hour=each) for each in usd), shared=shared)


def test_equal_markets_that_share_everything_are_one_market():
    for seed in range(5):
        alone = simulate(JOBS, SCARCE, RULES, np.random.default_rng(seed))
        many = simulate_supply(supply(5, 1.0), RULES, np.random.default_rng(seed))
        assert (many.makespan, many.node_hours, many.nodes_lost) == (alone.makespan, alone.node_hours, alone.nodes_lost)


def test_independent_markets_are_quicker_the_more_there_are():
    means = [
        np.mean([simulate_supply(supply(n, 0.0), RULES, np.random.default_rng(seed)).makespan for seed in range(40)])
        for n in (1, 2, 4)
    ]
    assert means[0] > 1.2 * means[1] > 1.2 * means[2]


def test_a_node_is_of_the_cheapest_market_that_has_one():
    calm = Nodes()
    markets = [Market(nodes=calm, jobs=JOBS, usd_per_hour=usd) for usd in (3.0, 1.0, 2.0)]
    assert Requests(Supply(markets=tuple(markets)), np.random.default_rng(0)).spot(0.0).market == 1
    # the cheapest has none for the first two hours
    markets[1] = Market(nodes=Nodes(first_wait_hours=2.0), jobs=JOBS, usd_per_hour=1.0)
    requests = Requests(Supply(markets=tuple(markets)), np.random.default_rng(0))
    assert (requests.spot(0.0).market, requests.spot(2.5).market) == (2, 1)


def test_a_slower_type_takes_longer_and_a_job_that_moves_keeps_its_progress():
    fast, slow = JOBS, Jobs(count=60, work_hours=6.0, segment_hours=0.2)
    twice = Supply(markets=(Market(nodes=Nodes(), jobs=fast, usd_per_hour=2.0), Market(nodes=Nodes(), jobs=slow)))
    run = simulate_supply(twice, RULES, np.random.default_rng(0))
    assert run.makespan == pytest.approx(3 * 6.0)  # the slow one is cheaper by the hour, which is all that EC2 looks at
    mixed = Supply(
        markets=(
            Market(nodes=Nodes(interruptions_per_hour=0.5), jobs=fast, usd_per_hour=1.0),
            Market(nodes=Nodes(interruptions_per_hour=0.5), jobs=slow, usd_per_hour=1.0),
        )
    )
    for seed in range(10):
        run = simulate_supply(mixed, RULES, np.random.default_rng(seed), watched=frozenset(range(60)))
        kept = dict.fromkeys(range(60), 0.0)
        for attempt in run.attempts:
            kept[attempt.job] += attempt.kept_hours
        assert all(hours == pytest.approx(3.0) for hours in kept.values())
