"""The comparison as a whole: ids, order, ranges, draws, money that adds up, gates."""

from __future__ import annotations

import math
import re
from datetime import date

import numpy as np
import pytest

from planner.answer.gates import Gates, exit_code, violations
from planner.answer.ranges import percentile_of, range_of
from planner.errors import ExitCode
from planner.estimate import summary
from planner.plan.assumptions import default_assumptions
from pricing.offers import ALL_PURCHASE_OPTIONS, PurchaseOption
from tests.builders import BOOK_DATES, RESERVED, book_of, by_id, compared, exact, months_of, plan_of, scenario_of

EVERYTHING = plan_of(
    purchase={"options": list(ALL_PURCHASE_OPTIONS)},
    storage={"fsx-lustre": {"throughput_mbps_per_tib": [125, 1000]}},
)
FIXED = {key: {"value": entry.value} for key, entry in default_assumptions().items()}
FIXED |= exact("run.proven_factor", 1) | RESERVED


@pytest.fixture(scope="module")
def everything():
    return compared(EVERYTHING, draws=500)


class TestIds:
    GRAMMAR = re.compile(
        r"^(converged|fsx-lustre|separate-nvme|s3-stream)(\+[a-z0-9-]+)?/[a-z0-9-]+\.[a-z0-9-]+?(x\d+)?/"
        r"(on-demand|spot|spot-fallback|capacity-block|(ri|sp)-[13]y-(standard|convertible|instance|compute)-(no|partial|all)-upfront)$"
    )

    def test_grammar_and_uniqueness(self, everything):
        ids = [s.id for s in everything.scenarios]
        assert len(set(ids)) == len(ids) == 5 * len(ALL_PURCHASE_OPTIONS)
        assert all(self.GRAMMAR.match(i) for i in ids)

    def test_node_count_only_when_several_are_compared(self):
        plan = plan_of(fleet={"nodes": [2, 4]}, purchase={"options": ["spot"]}, storage={"layouts": ["s3-stream"]})
        assert set(by_id(compared(plan))) == {"s3-stream/p4d.24xlargex2/spot", "s3-stream/p4d.24xlargex4/spot"}

    def test_nine_options_when_the_plan_names_none(self):
        names = {s.purchase for s in compared(plan_of()).scenarios}
        assert names == {
            "on-demand",
            "ri-1y-standard-no-upfront",
            "ri-3y-standard-no-upfront",
            "sp-1y-instance-no-upfront",
            "sp-3y-instance-no-upfront",
            "sp-1y-compute-no-upfront",
            "sp-3y-compute-no-upfront",
            "capacity-block",
            "spot-fallback",
        }


class TestOrderAndMoney:
    def test_recommended_then_eligible_then_complete_then_lower_bounds_then_infeasible(self, everything):
        """What may be recommended comes first; prices rank by P50 where they are whole, else as planned."""
        keys = []
        for s in everything.scenarios:
            if not s.feasible:
                keys.append((4, 0.0))
            elif not s.complete:
                keys.append((3, s.cost_usd.plan))
            else:
                keys.append((0 if s is everything.best else 1 if s.eligible else 2, s.cost_usd.p50 + s.effort_usd))
        assert keys == sorted(keys)
        assert {group for group, _ in keys} >= {0, 1, 2}

    def test_bill_and_cash_add_up_to_the_plan(self, everything):
        for s in everything.scenarios:
            assert math.fsum(line.effective_cost for line in s.bill) == pytest.approx(s.cost_usd.plan, rel=1e-12)
            assert math.fsum(entry.usd for entry in s.cash) == pytest.approx(s.cost_usd.plan, rel=1e-12)

    def test_nothing_free_and_nothing_negative(self, everything):
        for s in everything.scenarios:
            for line in s.bill:
                if line.line == "fleet.compute-on-demand":  # planned in a calm market, the rule never moves the run
                    assert line.effective_cost == 0, s.id
                else:
                    assert line.effective_cost > 0, (s.id, line.line)

    def test_every_price_says_where_it_is_from(self, everything):
        for s in everything.scenarios:
            for line in s.bill:
                assert line.price_source
                if line.basis == "assumption":  # what an account pays for metrics depends on its other stacks
                    assert line.line == "guard.metrics"
                    assert line.price_date == "2026"
                    continue
                assert isinstance(line.price_date, date)
                assert line.price_grade in "ABC"
                assert line.basis in ("observed", "carried")

    def test_useful_fraction_is_the_product(self, everything):
        for s in everything.scenarios:
            g = s.goodput
            product = g.scaling_efficiency * g.input_fraction * g.availability_fraction
            assert g.useful_fraction == pytest.approx(product, rel=1e-12)
            # hours = bring-up + work at full speed over what is useful; the work is 4,000 GPU-hours on 32 GPUs
            assert s.days.plan * 24 == pytest.approx(0.5 + 4000 / 32 / g.useful_fraction, rel=1e-9)

    def test_upfront_cash_of_commitments(self):
        """Three years of four nodes, all upfront, of which other work takes over the half that is not used."""
        plan = plan_of(purchase={"options": ["ri-3y-standard-all-upfront"], "reuse_value": 0.5})
        s = scenario_of(plan, "s3-stream")
        rate = book_of().commitment("p4d.24xlarge", "us-east-1", PurchaseOption.parse(s.purchase)).price.usd
        upfront, monthly, taken_over = s.cash
        assert upfront.usd == pytest.approx(4 * 3 * 8760 * rate)
        assert monthly.usd > 0
        assert taken_over.usd == pytest.approx(-0.5 * (4 * 3 * 8760 - 4 * s.days.plan * 24) * rate)

    def test_a_commitment_of_half_upfront(self):
        s = scenario_of(plan_of(purchase={"options": ["sp-1y-compute-partial-upfront"]}), "s3-stream")
        assert s.cash[0].usd == pytest.approx(sum(e.effective_cost for e in s.bill if "fleet.co" in e.line) / 2)


class TestPurchase:
    def test_a_17_day_run_never_wants_three_years(self):
        """The trap of the reserved rate: charged for 17 days of 1,095 it looks cheap."""
        hours = 4 * 8 * 17 * 24 * 0.9
        options = [o for o in ALL_PURCHASE_OPTIONS if o not in ("spot", "spot-fallback", "capacity-block")]
        plan = plan_of(run={"work": {"gpu_hours": hours}}, purchase={"options": options})
        best = compared(plan).best
        assert best.purchase == "on-demand"
        reused = plan_of(run={"work": {"gpu_hours": hours}}, purchase={"options": options, "reuse_value": 1.0})
        assert compared(reused).best.purchase.startswith("ri-3y")

    def test_a_three_year_run_wants_three_years(self):
        plan = plan_of(
            run={"work": {"gpu_hours": 32 * 3 * 8760 * 0.9}},
            purchase={"options": [o for o in ALL_PURCHASE_OPTIONS if o not in ("spot", "spot-fallback")]},
        )
        assert compared(plan).best.purchase.startswith(("ri-3y", "sp-3y"))

    def test_a_run_of_most_of_another_term_buys_a_second_one(self):
        """At 13.92 a node-hour against 21.96 On-Demand a term pays off after 63 % of it."""
        plan = plan_of(
            run={"work": {"gpu_hours": 32 * 8760 * 1.8}}, purchase={"options": ["ri-1y-standard-no-upfront"]}
        )
        s = scenario_of(plan, "s3-stream")
        hours = sum(e.quantity for e in s.bill if e.line in ("fleet.compute", "fleet.commitment-unused"))
        assert s.days.plan > 365
        assert hours == pytest.approx(4 * 2 * 8760)

    def test_a_block_is_billed_whole(self):
        s = scenario_of(plan_of(purchase={"options": ["capacity-block"]}), "s3-stream")
        hours = sum(e.quantity for e in s.bill if e.line in ("fleet.compute", "fleet.block-unused"))
        days = math.ceil((s.days.plan * 24 + 0.5) / 24)
        assert hours == pytest.approx(4 * 24 * days)
        assert s.cash[0].usd == pytest.approx(hours * 11.8)

    @pytest.mark.parametrize(("nodes", "warned"), [(4, False), (6, True)])
    def test_several_blocks_are_bought_one_by_one(self, nodes, warned):
        """4 nodes are one block, 6 are blocks of 4 and 2."""
        plan = plan_of(fleet={"nodes": nodes}, purchase={"options": ["capacity-block"]})
        assert (
            any("look at all offers before you buy one" in text for text in scenario_of(plan, "s3-stream").warnings)
            is warned
        )

    @pytest.mark.parametrize(("nodes", "warned"), [(1, False), (4, True)])
    def test_on_demand_does_not_promise_nodes_that_are_short(self, nodes, warned):
        plan = plan_of(fleet={"nodes": nodes}, purchase={"options": ["on-demand"]})
        assert any("guarantee capacity" in text for text in scenario_of(plan, "s3-stream").warnings) is warned

    def test_blocks_end_at_256_nodes_and_182_days(self):
        many = plan_of(fleet={"nodes": 257}, purchase={"options": ["capacity-block"]})
        alone = {"options": ["capacity-block"], "capacity_block": {"tail": "none"}}
        long = plan_of(run={"work": {"gpu_hours": 32 * 24 * 183}}, purchase=alone)
        for plan in (many, long):
            assert not any(s.feasible for s in compared(plan).scenarios)

    def test_a_discount_is_off_on_demand_alone(self):
        options = ["on-demand", "spot", "capacity-block", "ri-1y-standard-no-upfront"]
        before = by_id(compared(plan_of(purchase={"options": options})))
        after = by_id(compared(plan_of(purchase={"options": options, "private_discount": 0.25})))
        for key, old in before.items():
            line = next(e for e in old.bill if e.line == "fleet.compute")
            saved = 0.25 * line.effective_cost if old.purchase == "on-demand" else 0.0
            assert after[key].cost_usd.plan == pytest.approx(old.cost_usd.plan - saved, rel=1e-12)

    def test_spot_plans_with_the_median_and_ranges_over_all_zones(self):
        s = scenario_of(plan_of(purchase={"options": ["spot"]}), "s3-stream", draws=500)
        offer = book_of().spot("p4d.24xlarge", "us-east-1")
        seen = [price.usd for _, price in offer.observations]
        rate = next(e for e in s.bill if e.line == "fleet.compute").effective_unit_price
        assert rate == offer.planned.usd
        assert min(seen) < rate <= max(seen)

    def test_the_plans_own_spot_price_is_billed_and_spreads_as_the_observed_ones_do(self):
        """Twice the book's price: twice the bill of the nodes in every percentile, on the same draws."""
        offer = book_of().spot("p4d.24xlarge", "us-east-1")
        booked, own = (
            scenario_of(plan_of(purchase={"options": ["spot"], **more}), "s3-stream", draws=500)
            for more in ({}, {"spot_usd_per_hour": 2 * offer.planned.usd})
        )
        before, after = (next(e for e in s.bill if e.line == "fleet.compute") for s in (booked, own))
        assert after.effective_cost == pytest.approx(2 * before.effective_cost)
        assert after.list_cost == before.list_cost
        assert after.usd_per_hour == pytest.approx(2 * before.usd_per_hour)
        assert (after.basis, after.price_grade, after.pricing_category) == ("assumption", None, "Dynamic")
        assert "purchase.spot_usd_per_hour" in after.price_source
        # in a scarce market the run, and so all that is not a GPU node, lasts longer
        rest = (booked.cost_usd.plan - before.effective_cost) * booked.days.p90 / booked.days.plan
        for part in ("p10", "p50", "p90"):
            expected = 2 * getattr(booked.cost_usd, part)
            assert getattr(own.cost_usd, part) == pytest.approx(expected, abs=3 * rest)

    def test_with_a_price_of_its_own_a_plan_needs_none_of_the_books(self):
        book = book_of().without(lambda table, row: table == "spot")
        plan = plan_of(purchase={"options": ["spot"]}, storage={"layouts": ["s3-stream"]})
        assert not compared(plan, book=book).scenarios[0].complete
        own = plan_of(purchase={"options": ["spot"], "spot_usd_per_hour": 9}, storage={"layouts": ["s3-stream"]})
        (scenario,) = compared(own, book=book, draws=50).scenarios
        line = next(e for e in scenario.bill if e.line == "fleet.compute")
        assert scenario.complete
        assert line.effective_unit_price == 9
        assert "no range" in line.note

    def test_a_plan_without_an_own_spot_price_keeps_its_hash(self):
        assert "spot_usd_per_hour" not in plan_of().canonical()["purchase"]
        assert plan_of(purchase={"spot_usd_per_hour": 9}).canonical()["purchase"]["spot_usd_per_hour"] == 9

    def test_reclaims_make_spot_runs_longer(self):
        found = by_id(compared(plan_of(fleet={"nodes": 64}, purchase={"options": ["spot", "on-demand"]})))
        for layout in ("converged", "s3-stream"):
            key = f"{layout}/p4d.24xlarge"
            assert found[f"{key}/spot"].days.plan > found[f"{key}/on-demand"].days.plan


class TestDraws:
    def test_ordered_and_the_plan_within(self, everything):
        for s in everything.scenarios:
            for r in (s.days, s.cost_usd, s.usd_per_useful_gpu_hour):
                assert 0 < r.p10 <= r.p50 <= r.p90
                assert 0.3 * r.p10 < r.plan < 1.5 * r.p90
            assert 0 < s.cost_plan_percentile < 100

    def test_the_same_twice_and_another_with_another_seed(self, everything):
        again = compared(EVERYTHING, draws=500)
        assert again == everything
        other = by_id(compared(EVERYTHING, draws=500, seed=1))
        for s in everything.scenarios:
            assert other[s.id].cost_usd.plan == s.cost_usd.plan
            assert other[s.id].cost_usd.p90 != s.cost_usd.p90

    def test_without_draws_the_range_is_the_plan_and_has_no_percentile(self):
        for s in compared(plan_of()).scenarios:
            assert s.cost_usd.plan == s.cost_usd.p10 == s.cost_usd.p90
            assert s.cost_plan_percentile is None

    def test_no_ranges_no_spread(self):
        """Draws run the same code as the plan: with every assumption exact they all give the planned figure."""
        plan = plan_of(
            assumptions=FIXED,
            purchase={"options": ["on-demand", "capacity-block", "ri-1y-standard-partial-upfront"]},
            people={"engineers": 2, "experiments": True},
            storage={"retention": "60d"},
        )
        for s in compared(plan, draws=20).scenarios:
            for r in (s.days, s.cost_usd, s.usd_per_useful_gpu_hour):
                assert r.p10 == pytest.approx(r.plan, rel=1e-12)
                assert r.p90 == pytest.approx(r.plan, rel=1e-12)

    def test_scenarios_share_their_draws(self, monkeypatch):
        """A difference between two layouts is theirs, not the luck of the draw: failures, restarts and
        throughput are common. So it scatters far less than it would with independent draws. What only one
        of them has (cores taken from training, reads of uneven length from S3) is held still."""
        draws = {}

        def keep(planned, values, count):
            draws.setdefault(planned, np.broadcast_to(np.asarray(values, dtype=float), (count,)))
            return range_of(planned, values, count)

        monkeypatch.setattr(summary, "range_of", keep)
        plan = plan_of(
            purchase={"options": ["on-demand"]},
            storage={"layouts": ["converged", "s3-stream"]},
            assumptions=RESERVED
            | {"converged.training_slowdown_fraction": {"value": 0.0}, "data.read_time_cv": {"value": 0.0}},
        )
        one, two = (s.cost_usd.plan for s in compared(plan, draws=1000).scenarios)
        together = np.var(draws[one] - draws[two])
        assert together < 0.05 * (np.var(draws[one]) + np.var(draws[two]))

    def test_percentile_of_the_plan(self):
        draws = np.arange(1.0, 101.0)
        assert percentile_of(40.0, draws, 100) == 40
        assert percentile_of(5.0, 5.0, 10) == 100


class TestGates:
    CODES = (
        (Gates(), ExitCode.OK),
        (Gates(max_cost_usd=1.0), ExitCode.GATE),
        (Gates(max_days=0.1), ExitCode.GATE),
        (Gates(max_cost_usd=1e9, max_days=1e4, max_unpriced=10**6), ExitCode.OK),
    )

    @pytest.mark.parametrize(("gates", "code"), CODES)
    def test_limits(self, everything, gates, code):
        assert exit_code(violations(everything, gates)) == code

    def test_lowest_code_wins(self, everything):
        found = violations(everything, Gates(max_cost_usd=1.0, strict=True, max_unpriced=0))
        assert exit_code(found) == min(v.code for v in found) == ExitCode.GATE

    def test_nothing_feasible(self):
        found = compared(plan_of(constraints={"min_usable_tb": 1e6}))
        assert exit_code(violations(found, Gates())) == ExitCode.GATE
        assert all("constraints.min_usable_tb" in s.why_not[0] for s in found.scenarios)

    def test_nothing_eligible_fails_only_a_gate_on_cost_or_days(self):
        """A deadline that nothing keeps is an answer, not a failure, until the caller asks for a limit."""
        found = compared(plan_of(constraints={"max_days": 0.01}))
        assert all(s.feasible and not s.eligible for s in found.scenarios if s.complete)
        assert exit_code(violations(found, Gates())) == ExitCode.OK
        for gates in (Gates(max_cost_usd=1e9), Gates(max_days=1e4)):
            (found_gate,) = violations(found, gates)
            assert found_gate.code == ExitCode.GATE
            assert found_gate.message.startswith("no scenario is eligible")

    def test_the_first_eligible_that_passes_is_chosen_and_only_where_none_does_a_gate_fails(self):
        """Each gate is the P90 of one eligible scenario: that one or one before it passes."""
        found = compared(plan_of(purchase={"options": ["on-demand", "capacity-block"]}), draws=200)
        eligible = [s for s in found.scenarios if s.eligible]
        first = eligible[0]
        for s in eligible:
            gates = Gates(max_cost_usd=s.cost_usd.p90, max_days=s.days.p90, at="p90")
            assert violations(found, gates) == []
        least = min(s.cost_usd.plan for s in eligible)
        (over,) = violations(found, Gates(max_cost_usd=least - 1, at="plan"))
        assert f"planned cost in USD of {first.id}" in over.message

    def test_what_is_not_eligible_passes_no_gate(self):
        """Spot is the cheapest of this plan but does not keep the deadline in enough of the draws."""
        plan = plan_of(purchase={"options": ["on-demand", "spot"]}, run={"deadline": "6d"}, assumptions=RESERVED)
        found = compared(plan, draws=300)
        cheapest = found.cheapest
        assert cheapest.purchase == "spot"
        assert not cheapest.eligible
        (over,) = violations(found, Gates(max_cost_usd=cheapest.cost_usd.p50))
        assert over.message.startswith(f"no eligible scenario passes: P50 cost in USD of {found.best.id}")

    def test_strict_refuses_old_prices(self):
        plan = plan_of(start="2031-01-01")
        found = compared(plan)
        assert found.stale
        assert ExitCode.STALE in {v.code for v in violations(found, Gates(strict=True))}
        assert not compared(plan, max_price_age_days=10_000).stale
        assert compared(plan_of(start="2026-09-02"), max_price_age_days=0).stale

    def test_strict_refuses_prices_carried_back(self):
        found = compared(plan_of(purchase={"options": ["on-demand"]}), book=book_of(BOOK_DATES[0]))
        assert any("carried back" in line for line in found.weak_lines)
        for s in found.scenarios:
            assert any(e.carried_back for e in s.bill) == any("an estimate" in w for w in s.warnings)
        assert ExitCode.UNPRICED in {v.code for v in violations(found, Gates(strict=True))}


class TestWork:
    ROWS = ({"gpus": 8, "samples_per_second": 100.0}, {"gpus": 32, "samples_per_second": 300.0})

    def test_useful_hours_become_more_paid_hours_by_the_table(self):
        """At 32 GPUs the table keeps 300/(4 x 100) = 0.75: 4,000 useful hours are 4,000/0.75 paid ones."""
        plan = plan_of(run={"throughput": list(self.ROWS)}, purchase={"options": ["on-demand"]})
        s = scenario_of(plan, "s3-stream")
        assert s.goodput.scaling_efficiency == pytest.approx(0.75)
        assert s.days_at_full_speed * 24 * 32 == pytest.approx(4000 / 0.75)
        assert s.useful_gpu_hours == pytest.approx(4000)
        assert s.usd_per_useful_gpu_hour.plan == pytest.approx(s.cost_usd.plan / 4000)

    def test_a_faster_fleet_reads_faster(self):
        """Throughput 10 % up: a tenth less time at full speed, and 10 % more GB/s while it lasts."""
        base = {
            "run": {"work": {"samples": 1e9, "gpu_hours": None}, "throughput": list(self.ROWS)},
            "data": {"read_per_gpu": None, "sample": "1MB"},
        }
        slow = scenario_of(plan_of(**base, purchase={"options": ["on-demand"]}), "s3-stream")
        fast = scenario_of(
            plan_of(**base, purchase={"options": ["on-demand"]}, assumptions={"workload.throughput_factor": 1.1}),
            "s3-stream",
        )
        assert fast.days_at_full_speed == pytest.approx(slow.days_at_full_speed / 1.1)
        assert fast.storage.required_read_gb_per_s == pytest.approx(1.1 * slow.storage.required_read_gb_per_s)

    def test_a_run_that_never_finishes_an_epoch_reads_what_it_reads(self):
        """10 GPU-hours at 20 MB/s are 720 GB of the 4 TB."""
        plan = plan_of(run={"work": {"gpu_hours": 10}}, purchase={"options": ["on-demand"]})
        for layout in ("converged", "fsx-lustre", "s3-stream"):
            gets = next(e for e in scenario_of(plan, layout).bill if e.line == "storage.s3.get-requests")
            assert gets.quantity == pytest.approx(10 * 3600 * 0.020 / 0.1 / 1000)

    def test_all_checkpoints_pile_up(self):
        """They grow evenly during the run and stay through the retention: n (T/2 + R) / (T + R) on average."""
        plan = plan_of(
            data={"checkpoints_kept": "all"},
            purchase={"options": ["on-demand"]},
            storage={"retention": "10d", "layouts": ["s3-stream"]},
            reliability={"checkpoint_interval": "5h"},
        )
        s = scenario_of(plan, "s3-stream")
        line = next(e for e in s.bill if e.line == "storage.s3.checkpoints")
        run, written = s.days.plan * 24, 125 / 5
        assert line.quantity == pytest.approx(
            written * (run / 2 + 240) / (run + 240) * 14e9 / 2**30 * months_of(run + 240)
        )

    def test_retention_is_no_part_of_the_price_a_terabyte(self):
        """What S3 costs after the run is on the bill; the layout's figure is for the time in which it stands."""
        short, long = (
            scenario_of(plan_of(purchase={"options": ["on-demand"]}, storage={"retention": r}), "converged")
            for r in ("1d", "100d")
        )
        assert long.cost_usd.plan > short.cost_usd.plan
        per_tb = (s.storage.usd_per_usable_tb_month for s in (short, long))
        # not to the digit: the months of the longer time are of other lengths
        assert next(per_tb) == pytest.approx(next(per_tb), rel=2e-3)

    def test_a_fitted_row_is_marked_and_widens_the_range(self):
        rows = [*self.ROWS, {"gpus": 64, "samples_per_second": 500.0}]
        listed = plan_of(run={"work": {"samples": 1e9, "gpu_hours": None}, "throughput": rows})
        beyond = plan_of(run={"work": {"samples": 1e9, "gpu_hours": None}, "throughput": rows}, fleet={"nodes": 32})
        one, two = (next(iter(compared(p, draws=500).scenarios)) for p in (listed, beyond))
        assert not one.extrapolated
        assert two.extrapolated
        assert two.days.p90 / two.days.p10 > one.days.p90 / one.days.p10


class TestAssumptions:
    def test_every_one_used_is_listed_and_no_other(self):
        keys = {a.key for a in compared(plan_of(storage={"layouts": ["s3-stream"]})).assumptions}
        assert "s3.read_gb_per_s_per_node" in keys
        assert not any(
            key.startswith(("people.experiment", "lustre.", "separate.", "effort.converged")) for key in keys
        )
        assert {"effort.s3_stream_hours_per_month", "people.usd_per_engineer_year"} <= keys

    def test_a_range_around_an_override(self):
        plan = plan_of(assumptions={"goodput.failures_per_1000_node_days": 13.0})
        (entry,) = (a for a in compared(plan).assumptions if a.key.startswith("goodput.failures"))
        assert (entry.value, entry.low, entry.high) == pytest.approx((13.0, 2 * 2.34, 2 * 23.7))
        assert entry.origin == "plan"


class TestMonotone:
    """What makes a run worse never makes it cheaper."""

    @pytest.mark.parametrize(
        ("key", "worse"),
        [
            ("goodput.failures_per_1000_node_days", 60.0),
            ("goodput.restart_minutes", 60.0),
            ("goodput.replacement_hours", 24.0),
            ("checkpoint.overhead_seconds", 600.0),
            ("goodput.bring_up_hours", 5.0),
        ],
    )
    def test_more_trouble_never_costs_less(self, key, worse):
        before, after = by_id(compared(plan_of())), by_id(compared(plan_of(assumptions={key: worse})))
        for name, old in before.items():
            assert after[name].days.plan >= old.days.plan
            assert after[name].cost_usd.plan >= old.cost_usd.plan * (1 - 1e-12)

    def test_more_spares_never_lower_availability(self):
        values = [
            scenario_of(
                plan_of(fleet={"nodes": 200 + n, "spares": n}, purchase={"options": ["on-demand"]}), "s3-stream"
            ).goodput.availability_fraction
            for n in (0, 1, 2, 8)
        ]
        assert values == sorted(values)


class TestExtremes:
    CASES = (
        {"fleet": {"nodes": 1}},
        {"fleet": {"instance_types": ["p5.4xlarge"], "nodes": 1}},
        {"fleet": {"nodes": 100_000, "spares": 50_000}},
        {"data": {"hot_dataset": "1B"}},
        {"data": {"hot_dataset": "900EB"}},
        {"data": {"checkpoint": None}},
        {"data": {"warm_up": "prefetch", "order": "sequential", "hot_dataset": "100TB"}},
        {"storage": {"retention": "3650d"}, "data": {"checkpoints_kept": "all"}},
        {"region": "sa-east-1"},
        {"run": {"work": {"gpu_hours": 0.1}}},
        {"run": {"work": {"gpu_hours": 32 * 8760 * 9}}},
        {"storage": {"fsx-lustre": {"deployment": "SCRATCH_2", "efa": True}}},
        {"storage": {"fsx-lustre": {"deployment": "INTELLIGENT_TIERING"}}},
        {"fleet": {"instance_types": ["inf2.48xlarge"]}},
        {"fleet": {"instance_types": ["g7.48xlarge"]}},
        {"storage": {"separate-nvme": {"instance_type": "m7i.xlarge"}}},
    )

    @pytest.mark.parametrize("case", CASES, ids=str)
    def test_finite_or_refused(self, case):
        """No crash, no warning of numpy's: a figure, or a reason. A percentile is infinite only where it lies among the
        draws that never finish."""
        for s in compared(plan_of(**case), draws=50).scenarios:
            if s.feasible:
                for r in (s.days, s.cost_usd, s.usd_per_useful_gpu_hour):
                    assert math.isfinite(r.plan)
                    assert min(r.plan, r.p10, r.p50, r.p90) > 0
                    for share, value in ((0.1, r.p10), (0.5, r.p50), (0.9, r.p90)):
                        # interpolated between the draws on either side of it, the upper one at most
                        last = math.ceil(share * 49)
                        assert math.isfinite(value) == (last < 50 * s.finish_fraction)
            else:
                assert s.why_not

    @pytest.mark.parametrize("day", BOOK_DATES)
    def test_every_book(self, day):
        found = compared(plan_of(), book=book_of(day), draws=50)
        assert any(s.complete for s in found.scenarios)

    def test_a_short_run_saves_its_work_once(self):
        s = scenario_of(plan_of(run={"work": {"gpu_hours": 3.2}}, purchase={"options": ["spot"]}), "s3-stream")
        assert s.goodput.checkpoint_interval_hours == pytest.approx(0.1)
