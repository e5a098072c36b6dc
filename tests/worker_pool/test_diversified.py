"""A pool of several types and zones: which markets, how scarce together, and what that is worth."""

from __future__ import annotations

import math

import numpy as np
import pytest

from planner.errors import PlanProblems
from planner.models.values import Values
from planner.plan.assumptions import resolve
from planner.plan.load import LoadedPool, load_any_text
from planner.worker_pool.choices import Member
from planner.worker_pool.compare import choices_in, compare_pool
from planner.worker_pool.diversified import members_of, tightness_of
from pricing.book import default_book

# prices of its own, so that all zones of a type have one; both kinds have the open band of Spot Advisor
PLAN = """
apiVersion: planner/v1
name: pool
run: {kind: worker-pool, deadline: 16h}
jobs: {count: 100, steps: 100, seconds_per_step: {A10G: 72, L4: 108}, checkpoint_steps: 5}
workers:
  - {instance_type: g5.xlarge, gpu: A10G, vcpus: 4, memory_gb: 16, spot_usd_per_hour: 0.5, source: a quote}
  - {instance_type: g6.xlarge, gpu: L4, vcpus: 4, memory_gb: 16, spot_usd_per_hour: 0.5, source: a quote}
pool: {max: 20}
"""
ONE_TYPE = "workers=[{instance_type: g5.xlarge, gpu: A10G, spot_usd_per_hour: 0.5, source: a quote}]"
SINGLE, MANY = "workers/g5.xlarge/spot", "workers/diversified/spot"
BOOK = default_book()


def loaded(*overrides: str) -> LoadedPool:
    found = load_any_text(PLAN, overrides=overrides)
    assert isinstance(found, LoadedPool)
    return found


def compared(*overrides: str, runs: int = 60):
    return {one.id: one for one in compare_pool(loaded(*overrides), BOOK, runs=runs).scenarios}


@pytest.fixture(scope="module")
def planned():
    return compared(runs=200)


def correlated(value: float) -> str:
    """Exactly, in every run."""
    return f"assumptions={{workers.market_correlation: {{value: {value}, source: a test}}}}"


class TestMarkets:
    def test_every_type_in_every_zone_that_the_book_knows(self):
        zones = {row["zone_id"] for row in BOOK.rows("spot") if row["region"] == "us-east-1" and row["zone_id"]}
        found = members_of(loaded().plan, BOOK)
        assert {(one.worker.id, one.zone_id) for one in found} == {
            (name, zone) for name in ("g5.xlarge", "g6.xlarge") for zone in zones
        }

    def test_a_type_with_prices_by_zone_has_those_zones(self):
        plan = loaded("workers=[{instance_type: p5.4xlarge, gpu: A10G, interruptions: {mean_life: 9h}}]").plan
        own = {row["zone_id"] for row in BOOK.rows("spot") if row["instance_type"] == "p5.4xlarge"}
        assert {one.zone_id for one in members_of(plan, BOOK)} == {zone for zone in own if zone.startswith("use1")}

    def test_one_job_fills_a_node_of_each(self):
        """Eight GPUs beside one would take eight jobs."""
        plan = loaded("workers[1].instance_type=p5.48xlarge", "workers[1].gpu=L4").plan
        assert {one.worker.id for one in members_of(plan, BOOK)} == {"g5.xlarge"}

    def test_the_plan_s_zone_is_the_only_one(self):
        assert members_of(loaded(ONE_TYPE, "workers[0].zone_id=use1-az4").plan, BOOK) == ()
        assert not any("diversified" in name for name in compared(ONE_TYPE, "workers[0].zone_id=use1-az4", runs=1))

    def test_a_worker_may_not_have_its_name(self):
        with pytest.raises(PlanProblems, match="diversified is the name of the pool of all spot nodes"):
            loaded("workers[0].name=diversified")

    def test_how_many_choices_there_are_is_known_before(self):
        for overrides in ((), (ONE_TYPE,), ("workers[1].purchase=[spot]",), ("run={kind: worker-pool}",)):
            assert choices_in(loaded(*overrides).plan, BOOK) == len(compared(*overrides, runs=1))


class TestTightness:
    VALUES = Values(table=resolve({}), draws=20_000, seed=3)
    MEMBERS = tuple(Member(worker=loaded().plan.workers[0], zone_id=f"use1-az{n}") for n in range(4))

    def drawn(self, correlation: float) -> np.ndarray:
        every = np.full(self.VALUES.draws, correlation)
        return np.array([tightness_of(one, every, self.VALUES) for one in self.MEMBERS])

    @pytest.mark.parametrize("correlation", [0.0, 0.4, 0.75])
    def test_all_are_scarce_as_often_as_an_integral_over_the_shared_factor_says(self, correlation):
        beyond, factor = 0.6, np.linspace(-8, 8, 4001)  # scarce above this tightness
        given = math.sqrt(correlation) * factor - 0.2533471031357997  # the normal quantile of 0.6
        each = np.array([0.5 * math.erfc(-one / math.sqrt(2 * (1 - correlation))) for one in given])
        density = np.exp(-(factor**2) / 2) / math.sqrt(2 * math.pi)
        together = float(np.trapezoid(each**4 * density, factor))
        found = self.drawn(correlation) > beyond
        assert found.mean() == pytest.approx(0.4, abs=0.01)
        assert found.all(axis=0).mean() == pytest.approx(together, abs=0.01)

    def test_at_one_every_market_is_the_one_that_a_pool_alone_meets(self):
        shared = self.VALUES.uniform("spot.market")
        assert all((row == shared).all() for row in self.drawn(1.0))


class TestWorth:
    def test_equal_markets_at_correlation_one_are_one_market(self):
        found = compared(ONE_TYPE, correlated(1.0))
        assert (found[MANY].cost_usd, found[MANY].days) == (found[SINGLE].cost_usd, found[SINGLE].days)

    def test_it_is_on_time_more_often(self, planned):
        assert planned[SINGLE].on_time_fraction < 0.7
        assert planned[MANY].on_time_fraction > planned[SINGLE].on_time_fraction + 0.15

    def test_the_less_correlated_the_more_often(self):
        shares = [compared(correlated(value))[MANY].on_time_fraction for value in (0.0, 0.4, 1.0)]
        assert shares == sorted(shares, reverse=True)
        assert shares[0] > shares[-1] + 0.2

    def test_the_tail_keeps_the_deadline_and_costs_what_its_lines_say(self, planned):
        for name in ("g5.xlarge", "diversified"):
            spot, held = planned[f"workers/{name}/spot"], planned[f"workers/{name}/spot-fallback"]
            assert held.on_time_fraction >= 0.99 > spot.on_time_fraction
            lines = {line.line: line for line in held.bill}
            assert math.fsum(line.effective_cost for line in held.bill) == pytest.approx(held.cost_usd.plan, rel=1e-9)
            tail = lines["fleet.compute-on-demand"]
            assert tail.effective_unit_price == pytest.approx(BOOK.on_demand("g5.xlarge", "us-east-1").usd)
            assert tail.effective_cost == pytest.approx(tail.quantity * tail.effective_unit_price)
            assert lines["fleet.compute"].effective_unit_price == pytest.approx(0.5, rel=0.2)
            assert spot.left_spot_fraction == 0 < held.left_spot_fraction < 1
        # the more markets, the less is left for the tail
        single, many = (planned[f"workers/{name}/spot-fallback"] for name in ("g5.xlarge", "diversified"))
        assert many.left_spot_fraction < single.left_spot_fraction
        assert many.cost_usd.plan < single.cost_usd.plan < planned["workers/g5.xlarge/on-demand"].cost_usd.plan

    def test_without_a_deadline_or_on_demand_there_is_no_tail(self):
        assert not any("fallback" in name for name in compared("run={kind: worker-pool}", runs=1))
        only = compared("workers[0].purchase=[spot]", "workers[1].purchase=[spot]", runs=1)
        assert not any("fallback" in name for name in only)

    def test_the_same_seed_gives_the_same_result(self, planned):
        again = compared(runs=200)[MANY]
        assert (again.cost_usd, again.days) == (planned[MANY].cost_usd, planned[MANY].days)
