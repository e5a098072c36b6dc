"""Limits that a plan sets, and small judgements: which price is the weakest, what a range is made of."""

from __future__ import annotations

from datetime import date

import numpy as np
import pytest

from planner.answer.ranges import range_of
from planner.models.ledger import Ledger
from planner.models.quote import as_tiers, used_tiers, worst
from planner.models.values import Values
from planner.plan.assumptions import default_assumptions
from pricing.offers import Basis, MeteredPrice, Price
from tests.builders import RESERVED, book_of, by_id, compared, plan_of

ON_DEMAND = {"options": ["on-demand"]}


class TestConstraints:
    """Beyond a limit of cost or time a scenario is priced but not eligible; without the capacity it is infeasible."""

    @pytest.mark.parametrize(
        ("section", "limit", "kind"),
        [
            ("constraints", {"max_cost_usd": 100}, "budget"),
            ("constraints", {"max_days": 1}, "deadline"),
            ("run", {"deadline": "1d"}, "deadline"),
        ],
    )
    def test_beyond_all(self, section, limit, kind):
        found = compared(plan_of(**{section: limit}, purchase=ON_DEMAND))
        assert found.best is None
        for s in found.scenarios:
            assert s.feasible
            assert not s.eligible
            (shortfall,) = s.shortfalls
            needed = s.cost_usd.plan if kind == "budget" else s.days.plan
            assert (shortfall.kind, shortfall.fraction) == (kind, 0.0)
            assert shortfall.limit == {"budget": 100, "deadline": 1}[kind]
            assert shortfall.needed == pytest.approx(needed, rel=1e-12)

    @pytest.mark.parametrize("limit", [{"max_cost_usd": 1e7}, {"max_days": 300}])
    def test_within_all(self, limit):
        found = compared(plan_of(constraints=limit, purchase=ON_DEMAND)).scenarios
        assert all(s.eligible and not s.shortfalls for s in found)

    def test_capacity_asked_for(self):
        """The pool has 22.18 TB; streaming has none of its own."""
        ids = by_id(compared(plan_of(constraints={"min_usable_tb": 20}, purchase=ON_DEMAND)))
        assert ids["converged/p4d.24xlarge/on-demand"].feasible
        assert "no capacity of its own" in ids["s3-stream/p4d.24xlarge/on-demand"].why_not[0]
        more = by_id(compared(plan_of(constraints={"min_usable_tb": 23}, purchase=ON_DEMAND)))
        assert "22.2 TB usable" in more["converged/p4d.24xlarge/on-demand"].why_not[0]

    def test_training_code_that_needs_files(self):
        """FSx for Lustre is a file system, and the pool has one by JuiceFS; streaming and a cluster have none."""
        ids = by_id(compared(plan_of(data={"access": "posix"}, purchase=ON_DEMAND)))
        feasible = {id.split("/")[0].split("+")[0] for id, scenario in ids.items() if scenario.feasible}
        assert feasible == {"converged", "fsx-lustre"}
        assert ids["s3-stream/p4d.24xlarge/on-demand"].why_not == (
            "it has no POSIX file system, but data.access requires one",
        )
        ids = by_id(compared(plan_of(data={"access": "object"}, purchase=ON_DEMAND)))
        assert all(scenario.feasible for scenario in ids.values())

    def test_the_hot_data_must_fit(self):
        plan = plan_of(constraints={"min_hot_fit": True}, data={"hot_dataset": "22.2TB"}, purchase=ON_DEMAND)
        ids = by_id(compared(plan))
        assert not ids["converged/p4d.24xlarge/on-demand"].feasible
        assert not ids["s3-stream/p4d.24xlarge/on-demand"].feasible
        assert ids["fsx-lustre/p4d.24xlarge/on-demand"].feasible

    def test_too_slow_stalls_and_stays_feasible(self):
        plan = plan_of(data={"read_per_gpu": "2GB/s"}, purchase=ON_DEMAND, storage={"layouts": ["s3-stream"]})
        (s,) = compared(plan).scenarios
        assert s.feasible
        assert s.goodput.input_fraction == pytest.approx(8 / 64)  # 4 nodes x 2 GB/s of 32 x 2 GB/s


class TestRanges:
    def test_percentiles(self):
        found = range_of(7.0, np.arange(0.0, 101.0), 101)
        assert (found.plan, found.p10, found.p50, found.p90) == (7, 10, 50, 90)

    def test_reclaims_widen_a_spot_run(self):
        """The draws reach from the advisor's band to the traces of scarce pools: days spread, costs with them."""
        plan = plan_of(
            fleet={"nodes": 16},
            purchase={"options": ["on-demand", "spot"]},
            storage={"layouts": ["s3-stream"]},
            assumptions={key: {"value": e.value} for key, e in default_assumptions().items()} | RESERVED,
        )
        ids = by_id(compared(plan, draws=500))
        spot, steady = ids["s3-stream/p4d.24xlarge/spot"].days, ids["s3-stream/p4d.24xlarge/on-demand"].days
        assert steady.p90 == pytest.approx(steady.p10)
        assert spot.p90 > 1.5 * spot.p10


def _price(**changes) -> Price:
    base = {"usd": 1.0, "unit": "GB", "observed": date(2026, 8, 1), "grade": "A", "source": "test"}
    return Price(**{**base, **changes})


class TestWeakestPrice:
    @pytest.mark.parametrize(
        ("weaker", "stronger"),
        [
            ({"carried_back": True}, {"grade": "C"}),
            ({"grade": "C"}, {"basis": Basis.CARRIED}),
            ({"basis": Basis.CARRIED}, {"observed": date(2020, 1, 1)}),
            ({"observed": date(2020, 1, 1)}, {}),
        ],
    )
    def test_a_line_is_as_weak_as_its_weakest_tier(self, weaker, stronger):
        one, other = _price(**weaker), _price(**stronger)
        assert worst((one, other)) == worst((other, one)) == one

    def test_tiers_that_are_not_reached_do_not_weaken(self):
        tiers = (_price(tier_to=10.0), _price(grade="C", tier_from=10.0))
        found = MeteredPrice(service="s", region="r", item="i", offering="", tiers=tiers)
        assert used_tiers(found, 5.0) == tiers[:1]
        assert used_tiers(found, 10.5) == tiers
        assert used_tiers(found, 0.0) == tiers[:1]
        assert as_tiers(found)[0] == (0.0, 10.0, 1.0)


class TestTieredLines:
    """Interface endpoints: 0.01 to 1 PB of 2^50, 0.006 above, each month anew."""

    def line(self, quantity, hours):
        ledger = Ledger(book_of(), "us-east-1")
        item = ("AmazonVPC", "Interface endpoint data processed")
        ledger.metered("network.endpoint-data", item, equation="T4", quantity=quantity, inputs={}, hours=hours)
        return ledger.lines[0].effective_cost

    def test_one_month_and_two(self):
        pb = 2**20  # GB in a binary PB
        assert self.line(1.5 * pb, 730) == pytest.approx(pb * 0.01 + 0.5 * pb * 0.006)
        assert self.line(1.5 * pb, 1460) == pytest.approx(1.5 * pb * 0.01)

    def test_draws_each_climb_their_own_tiers(self):
        quantity = np.array([0.0, 100.0, 1.5 * 2**20])
        np.testing.assert_allclose(self.line(quantity, 730), [self.line(float(q), 730) for q in quantity])


def test_common_draws_have_a_name_each():
    """Two streams of the same seed differ; the same stream is the same whoever asks first."""
    values = Values(table=default_assumptions(), draws=100, seed=5)
    assert not np.array_equal(values.normal("a"), values.normal("b"))
    np.testing.assert_array_equal(values.normal("a"), Values(table={}, draws=100, seed=5).normal("a"))
