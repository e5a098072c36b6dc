"""The spot market of a fleet: calm or scarce, with its prices, waits and interruptions, in plans and in draws."""

from __future__ import annotations

import json
import math
from datetime import date, timedelta

import numpy as np
import pytest

from planner.answer.price_age import stale_prices
from planner.estimate.spot import (
    INTERRUPTION_STREAM,
    OwnRate,
    SpotMarket,
    advised_market,
    evidence_note,
    own_rate,
    planned_market,
    spot_price,
    todays_prices,
)
from planner.models.values import Values
from planner.plan.assumptions import default_assumptions
from planner.plan.load import load_text
from planner.stack.choose import spec_of
from pricing.offers import Price, SpotOffer
from tests.builders import SMALL, book_of, compared, exact, merged, plan_of, scenario_of

BAND = book_of().interruption("p4d.24xlarge", "us-east-1")  # 10-15 %
OPEN = book_of().interruption("p5.48xlarge", "us-east-1")  # > 20 %
TABLE = default_assumptions()


def drawn(count: int = 20_000) -> Values:
    return Values(table=TABLE, draws=count)


class TestTwoMarkets:
    def test_planned_is_calm_at_the_upper_end_of_the_band(self):
        market = advised_market(BAND, Values(table=TABLE))
        assert market.node_hazard[0] == pytest.approx(-math.log(0.85) / 730)
        assert (market.gang_rate[0], market.first_wait[0]) == (0, 0)

    def test_no_more_draws_are_scarce_than_the_bands_upper_end(self):
        """15 % of the nodes a month: 15 % of the draws. The open band does not bound it: half of them, about."""
        for band, share in ((BAND, 0.15), (OPEN, 0.5)):
            assert np.mean(advised_market(band, drawn()).gang_rate[0] > 0) == pytest.approx(share, abs=0.02)

    @pytest.mark.parametrize("band", [BAND, OPEN], ids=lambda band: band.label)
    def test_nothing_is_drawn_beyond_the_documented_ends(self, band):
        market = advised_market(band, drawn())
        hazard, gangs = market.node_hazard[0], market.gang_rate[0]
        scarce = gangs > 0
        upper = 0.15 if band is BAND else 0.30
        assert np.all((hazard == 0) == scarce)
        assert np.all(hazard <= -math.log(1 - upper) / 730 * (1 + 1e-12))
        assert np.all(hazard[~scarce] >= -math.log(1 - band.lower_fraction) / 730 * (1 - 1e-12))
        assert 2.8 / 24 <= gangs[scarce].min() < gangs[scarce].max() <= 14.4 / 24
        wait = market.gang_wait[0]
        assert 2 <= wait.min() < wait.max() <= 4

    def test_a_plans_own_rate_stays_within_the_width_of_the_traces_and_is_never_scarce(self):
        market = planned_market(OwnRate(per_node_day=0.3, key="reliability.spot_reclaims_per_node_day"), drawn())
        hazard = market.node_hazard[0] * 24
        assert 0.1 - 1e-12 <= hazard.min() < hazard.max() <= 0.57 + 1e-12
        assert not np.any(market.gang_rate[0])

    @pytest.mark.parametrize(
        ("interruptions", "central", "low", "high"),
        # 4 events are 1.37 to 9.15 at 90 % (Garwood); none are up to 3.0, and half of one as the middle
        [(4, 0.04, 0.0137, 0.0915), (0, 0.005, 0.005**2 / 0.03, 0.03)],
    )
    def test_a_plans_own_count_has_the_range_of_a_count(self, interruptions, central, low, high):
        reliability = plan_of(
            reliability={"spot_observed": {"interruptions": interruptions, "node_days": 100, "nodes": 8}}
        ).reliability
        hazard = planned_market(own_rate(reliability), drawn()).node_hazard[0] * 24
        assert np.median(hazard) == pytest.approx(central, rel=0.1)
        assert np.quantile(hazard, [0.05, 0.95]) == pytest.approx([low, high], rel=0.2)

    def test_a_recording_of_gangs_interrupts_gangs_at_its_rate_and_waits_as_long(self):
        """16 nodes that ran 5.15 days in all, interrupted 74 times: 14.4 times a day, then 2 h until all are back."""
        counted = {"interruptions": 74, "node_days": 82.3333, "nodes": 16, "wait": "2h"}
        market = planned_market(
            own_rate(plan_of(reliability={"spot_observed": counted}).reliability), Values(table=default_assumptions())
        )
        assert market.node_hazard[0] == 0
        assert market.gang_rate[0] * 24 == pytest.approx(74 / (82.3333 / 16))
        assert market.gang_wait[0] == market.first_wait[0] == 2

    def test_a_tight_market_is_scarce_and_expensive_at_once(self):
        """Price and regime are drawn together: the scarce draws have the highest prices."""
        values = drawn()
        offer = book_of().spot("p4d.24xlarge", "us-east-1")
        price, scarce = spot_price(offer, values), advised_market(BAND, values).gang_rate[0] > 0
        assert price[scarce].min() >= np.quantile(price[~scarce], 0.75)

    def test_the_market_of_a_pinned_percentile(self):
        def at(share: float) -> SpotMarket:
            return advised_market(BAND, Values(table=TABLE, pinned={INTERRUPTION_STREAM: share}))

        calm, scarce = at(0.05), at(0.95)
        assert -math.log(0.90) / 730 < calm.node_hazard[0] < -math.log(0.85) / 730
        assert scarce.node_hazard[0] == 0
        assert scarce.gang_rate[0] == 13.2 / 24


class TestRuns:
    def test_scarce_runs_do_not_get_worse_with_the_nodes_and_calm_ones_do(self):
        """16 and 64 nodes in a scarce market, without failures: the same share of the time is useful."""

        def available(nodes: int, tightness: float) -> float:
            plan = plan_of(
                fleet={"nodes": nodes},
                purchase={"options": ["spot"]},
                storage={"layouts": ["s3-stream"]},
                assumptions={
                    **exact("goodput.failures_per_1000_node_days", 1e-9),
                    **exact("s3.write_gb_per_s_per_node", 1000),
                    **exact("s3.read_gb_per_s_per_node", 1000),
                },
            )
            found = scenario_of(plan, "s3-stream", pinned={INTERRUPTION_STREAM: tightness}).goodput
            assert found is not None
            return found.availability_fraction

        assert available(64, 0.95) == pytest.approx(available(16, 0.95), rel=1e-3)
        assert available(64, 0.5) < available(16, 0.5)

    def test_the_first_gang_is_waited_for_without_a_bill(self):
        """Scarce: 2.8 h before the run, in which the network is billed and no node is."""
        plan = plan_of(purchase={"options": ["spot"]}, storage={"layouts": ["s3-stream"]})
        found = scenario_of(plan, "s3-stream", pinned={INTERRUPTION_STREAM: 0.95})
        known = {entry.id: entry.value for entry in found.derived}
        assert known["run.first_wait_hours"] == 2.8
        waits = known["run.unheld_training_hours"]
        assert found.bill[0].quantity == pytest.approx(4 * (found.days.plan * 24 - 2.8 - waits))

    def test_a_checkpoint_that_fits_into_the_notice_saves_the_work(self):
        def of(checkpoint: str) -> dict[str, float]:
            plan = plan_of(data={"checkpoint": checkpoint}, purchase={"options": ["spot"]})
            return {entry.id: entry.value for entry in scenario_of(plan, "s3-stream").derived}

        small, large = of("14GB"), of("900GB")  # 34 s and 255 s to S3 from 4 nodes
        assert (small["goodput.notice_fits"], large["goodput.notice_fits"]) == (1, 0)
        failures = 4 * 6.5 / 24_000
        reclaims = 4 * -math.log(0.85) / 730
        assert small["goodput.unannounced_mtbf_hours"] == pytest.approx(1 / failures)
        assert large["goodput.unannounced_mtbf_hours"] == pytest.approx(1 / (failures + reclaims))

    def test_the_checkpoint_interval_follows_the_market_on_spot_alone(self):
        plan = plan_of(data={"checkpoint": "900GB"}, storage={"layouts": ["s3-stream"]})
        for purchase, same in (("on-demand", True), ("spot", False)):
            chosen = plan_of(
                data={"checkpoint": "900GB"},
                storage={"layouts": ["s3-stream"]},
                purchase={"options": [purchase]},
                assumptions={
                    **exact("checkpoint.overhead_seconds", 30),
                    **exact("s3.write_gb_per_s_per_node", 1),
                    **exact("goodput.failures_per_1000_node_days", 6.5),
                },
            )
            calm, scarce = (
                scenario_of(chosen, "s3-stream", pinned={INTERRUPTION_STREAM: share}).goodput for share in (0.5, 0.95)
            )
            assert calm is not None
            assert scarce is not None
            assert (calm.checkpoint_interval_hours == scarce.checkpoint_interval_hours) is same
        assert plan.reliability.checkpoint_interval_hours is None

    @pytest.mark.parametrize("purchase", ["spot", "spot-fallback"])
    def test_more_interruptions_are_never_cheaper(self, purchase):
        plans = [
            plan_of(
                fleet={"nodes": 64},
                purchase={"options": [purchase]},
                storage={"layouts": ["s3-stream"]},
                reliability={"spot_reclaims_per_node_day": rate},
            )
            for rate in (0.001, 0.01, 0.1, 0.3, 1.0, 3.0)
        ]
        costs = [scenario_of(plan, "s3-stream").cost_usd.plan for plan in plans]
        days = [scenario_of(plan, "s3-stream").days.plan for plan in plans]
        assert costs == sorted(costs)
        assert days == sorted(days)

    def test_one_spot_node_finishes_although_it_is_interrupted(self):
        plan = plan_of(fleet={"nodes": 1}, purchase={"options": ["spot"]}, run={"work": {"gpu_hours": 500}})
        found = scenario_of(plan, "s3-stream", draws=500)
        assert found.unfinished_fraction == 0
        assert found.days.p90 < 4 * found.days.plan

    @pytest.mark.parametrize(
        ("type", "nodes", "record"),
        [
            ("p5.48xlarge", 1, ""),
            ("p3dn.24xlarge", 16, ""),
            ("p3dn.24xlarge", 17, "public records of spot end at 16 nodes"),
            ("p5.48xlarge", 2, "no public record has a gang of p5.48xlarge on spot"),
        ],
    )
    def test_a_gang_without_a_public_record_says_what_would_replace_it(self, type, nodes, record):
        note = evidence_note(book_of().instance(type), nodes)
        assert note.startswith(record)
        assert ("reliability.spot_observed" in note) is bool(record)

    @pytest.mark.parametrize(("nodes", "proven"), [(8, True), (9, False)])
    def test_a_count_proves_no_larger_gang_than_it_had(self, nodes, proven):
        counted = {"spot_observed": {"interruptions": 3, "node_days": 50, "nodes": 8}}
        plan = plan_of(fleet={"nodes": nodes}, purchase={"options": ["spot"]}, reliability=counted)
        assert [not s.unproven for s in compared(plan).scenarios] == [proven] * 4

    @pytest.mark.parametrize("observed", [{}, {"spot_reclaims_per_node_day": 0.01}])
    def test_what_the_plan_observed_makes_a_gang_proven(self, observed):
        options = {"options": ["on-demand", "spot", "spot-fallback"]}
        found = compared(plan_of(purchase=options, reliability=observed)).scenarios
        assert {s.option.family: bool(s.unproven) for s in found} == {
            "on-demand": False,
            "spot": not observed,
            "spot-fallback": not observed,
        }
        for s in found:
            noted = any("no public record has a gang" in text for text in s.warnings)
            assert noted is bool(s.unproven)


def price(usd: float, day: date) -> Price:
    return Price(usd=usd, unit="Hrs", observed=day, grade="B", source="test")


class TestPricesOfToday:
    DAY = date(2026, 9, 1)

    def offer(self, *seen: tuple[str, float, int], zone: str | None = None, planned: float = 8.0) -> SpotOffer:
        """seen: (zone, USD, days before DAY)."""
        rows = tuple((name, price(usd, self.DAY - timedelta(days=days))) for name, usd, days in seen)
        return SpotOffer(
            instance_type="p4d.24xlarge",
            region="us-east-1",
            planned=price(planned, self.DAY),
            zone_id=zone,
            observations=rows,
        )

    def test_each_zone_at_its_newest_date_and_nothing_from_before_a_price_cut(self):
        offer = self.offer(
            *(("az1", 8.0, 0), ("az2", 6.0, 30), ("az4", 9.0, 0)), *(("az1", 30.0, 500), ("az3", 25.0, 400))
        )
        assert sorted(todays_prices(offer)) == [6.0, 8.0, 9.0]

    def test_of_few_zones_their_last_months_say_how_far_a_price_moves_in_both_directions(self):
        """6 is a quarter below 8; a third above it is as far the other way. What is 500 days old is another market."""
        offer = self.offer(("az1", 8.0, 0), ("az1", 6.0, 100), ("az1", 30.0, 500))
        assert sorted(todays_prices(offer)) == pytest.approx([6.0, 8.0, 8.0, 32 / 3])

    def test_the_plans_zone_alone(self):
        offer = self.offer(("az1", 8.0, 0), ("az2", 6.0, 0), zone="az1")
        assert set(todays_prices(offer)) == {8.0}
        assert np.all(spot_price(offer, drawn(50)) == 8.0)

    def test_figures_of_the_region_are_no_zones(self):
        assert todays_prices(self.offer(("us-east-1 low", 1.0, 0), ("az2", 6.0, 0), planned=6.0)) == [6.0] * 2

    def test_old_zones_give_the_spread_around_a_newer_mean(self):
        offer = self.offer(("us-east-1 mean", 8.0, 0), ("az1", 10.0, 300), ("az2", 20.0, 300), ("az3", 30.0, 300))
        assert sorted(todays_prices(offer)) == pytest.approx([4.0, 8.0, 12.0])

    def test_without_any_zone_there_is_one_price(self):
        assert todays_prices(self.offer(("us-east-1 mean", 8.0, 0))) == [8.0]

    def test_the_draws_take_every_price_of_today_and_no_other(self):
        offer = book_of().spot("p4d.24xlarge", "us-east-1")
        assert set(spot_price(offer, drawn(2000)).tolist()) == set(todays_prices(offer))
        assert max(todays_prices(offer)) < book_of().on_demand("p4d.24xlarge", "us-east-1").usd


class TestAge:
    def test_interruption_data_age_like_prices(self):
        """Spot Advisor of 2025-06-28 is 65 weeks old on the day of the book."""
        plan = plan_of(purchase={"options": ["on-demand", "spot"]}, storage={"layouts": ["s3-stream"]})
        scenarios = compared(plan).scenarios
        assert {s.interruptions_observed for s in scenarios} == {None, date(2025, 6, 28)}
        stale = stale_prices(scenarios, date(2026, 9, 1), date(2026, 9, 1), None)
        (found,) = [entry for entry in stale if entry.line == "fleet.spot-interruptions"]
        assert (found.price_date, found.age_days, found.limit_days) == (date(2025, 6, 28), 430, 120)
        assert not [
            e for e in stale_prices(scenarios, date(2025, 7, 1), date(2025, 7, 1), None) if e.line == found.line
        ]


class TestFallbackScenario:
    def test_its_rule_is_a_sentence_with_a_threshold_from_the_plan(self):
        """Half of what the deadline leaves beyond 5.27 days On-Demand."""
        purchase = {"options": ["on-demand", "spot", "spot-fallback"]}
        found = {
            s.purchase: s
            for s in compared(
                plan_of(run={"deadline": "9d"}, purchase=purchase, storage={"layouts": ["s3-stream"]})
            ).scenarios
        }
        threshold = (9 - found["on-demand"].days.plan) / 2 * 24
        assert threshold == pytest.approx(44.7, abs=0.3)
        assert found["spot-fallback"].rule == (
            f"Start on spot; once waits for spot nodes, restarts and repeated work have taken more than "
            f"{threshold:.1f} hours in all, move the run to On-Demand and stay there."
        )
        assert (found["spot"].rule, found["on-demand"].rule) == ("", "")

    def test_no_time_left_starts_on_demand(self):
        plan = plan_of(
            constraints={"max_days": 4}, purchase={"options": ["spot-fallback"]}, storage={"layouts": ["s3-stream"]}
        )
        assert scenario_of(plan, "s3-stream").rule.startswith("Run On-Demand from the start")

    def test_planned_it_is_the_spot_run_and_in_a_scarce_market_both_are_billed(self):
        purchase = {"options": ["spot", "spot-fallback"]}
        plan = plan_of(purchase=purchase, storage={"layouts": ["converged"]})
        spot, fallback = compared(plan).scenarios
        assert fallback.cost_usd.plan == pytest.approx(spot.cost_usd.plan, rel=1e-12)
        assert fallback.days.plan == pytest.approx(spot.days.plan, rel=1e-12)
        scarce = scenario_of(
            plan_of(purchase={"options": ["spot-fallback"]}, storage={"layouts": ["converged"]}),
            "converged",
            pinned={INTERRUPTION_STREAM: 0.95},
        )
        hours = {line.line: line.quantity for line in scarce.bill if line.line.startswith("fleet.compute")}
        assert min(hours.values()) > 50
        assert list(hours) == ["fleet.compute", "fleet.compute-on-demand"]

    def test_on_demand_without_a_price_makes_it_incomplete(self):
        book = book_of().without(lambda table, row: table == "on_demand" and row["instance_type"] == "p4d.24xlarge")
        plan = plan_of(purchase={"options": ["spot-fallback"]}, storage={"layouts": ["s3-stream"]})
        (found,) = compared(plan, book=book).scenarios
        assert not found.complete
        assert [entry.line for entry in found.unpriced] == ["fleet.compute-on-demand"]

    @pytest.mark.parametrize(("nodes", "spares"), [(1, 0), (16, 0), (17, 1)])
    def test_the_stack_carries_the_rule_also_where_it_is_unproven(self, nodes, spares):
        changed = {
            "fleet": {"nodes": nodes, "spares": spares},
            "purchase": {"options": ["spot-fallback"]},
            "storage": {"layouts": ["s3-stream"]},
        }
        loaded = load_text(json.dumps(merged(SMALL, changed)), where="plan.yaml")
        comparison = compared(loaded.plan)
        (scenario,) = comparison.scenarios
        assert bool(scenario.unproven) == scenario.held_back == (nodes > 1)
        spec = spec_of(loaded, comparison, scenario, book_of())
        assert spec.fallback is not None
        assert spec.fallback.nodes == nodes - spares
        assert spec.fallback.threshold_hours == pytest.approx(scenario.threshold_hours, abs=0.01)
        assert spec.buying.kind == "spot"

    def test_a_rule_that_never_begins_on_spot_is_deployed_on_demand(self):
        changed = {
            "run": {"deadline": "5d"},
            "purchase": {"options": ["spot-fallback"]},
            "storage": {"layouts": ["s3-stream"]},
        }
        loaded = load_text(json.dumps(merged(SMALL, changed)), where="plan.yaml")
        comparison = compared(loaded.plan)
        (scenario,) = comparison.scenarios
        assert scenario.threshold_hours == 0
        assert spec_of(loaded, comparison, scenario, book_of()).buying.kind == "on-demand"

    def test_it_is_finite_where_spot_alone_never_finishes(self):
        """A checkpoint that takes an hour, interrupted every hour or two."""
        plan = plan_of(
            data={"checkpoint": "14TB"},
            purchase={"options": ["spot", "spot-fallback"]},
            storage={"layouts": ["s3-stream"]},
            reliability={"spot_reclaims_per_node_day": 30},
        )
        spot, fallback = compared(plan, draws=200).scenarios
        if spot.purchase != "spot":
            spot, fallback = fallback, spot
        assert spot.unfinished_fraction > 0.2
        assert fallback.unfinished_fraction == 0
        assert fallback.days.p90 < 3 * fallback.days_at_full_speed
