"""A fleet that is held for days or months: its hours are given, and dollars per delivered GPU-hour compare."""

from __future__ import annotations

from datetime import date

import numpy as np
import pytest

from planner.estimate.held_block import Rates, blocks_of, first_and_after, followed, ways_after
from planner.estimate.node_purchase import NodePurchase
from planner.models.values import Values
from planner.plan.assumptions import resolve
from planner.plan.check import check_plan
from planner.plan.types import Plan
from pricing.offers import PurchaseOption
from tests.builders import book_of, by_id, compared, exact, plan_of

DAYS_30 = {"work": {"gpu_hours": None, "days": 30}}
ON_DEMAND = {"options": ["on-demand"]}
S3 = {"layouts": ["s3-stream"]}
SIXTEEN = NodePurchase(
    instance=book_of().instance("p4d.24xlarge"),
    nodes=16,
    option=PurchaseOption.parse("capacity-block"),
    settings=plan_of().purchase,
    start=date(2026, 10, 5),
    is_held=True,
)
ASSUMED = {**exact("goodput.failures_per_1000_node_days", 6.0), **exact("goodput.replacement_hours", 4.0)}


def _line(scenario, name):
    return next(line for line in scenario.bill if line.line == name)


def _only(scenarios):
    (scenario,) = scenarios
    return scenario


def test_the_hours_are_given_and_the_same_in_every_draw():
    """4 nodes for 30 days are 4 x 720 node-hours, however often a node fails."""
    scenario = _only(compared(plan_of(run=DAYS_30, purchase=ON_DEMAND, storage=S3), draws=200).scenarios)
    assert (scenario.days.p10, scenario.days.plan, scenario.days.p90) == (30, 30, 30)
    assert _line(scenario, "fleet.compute").quantity == pytest.approx(2880)


def test_delivered_are_the_node_hours_without_those_of_failed_nodes():
    """6 failures in 1,000 node-days, 4 h each until a node is back: 6 x 4 / 24,000 = 0.1 % are missing."""
    scenario = _only(compared(plan_of(run=DAYS_30, purchase=ON_DEMAND, storage=S3, assumptions=ASSUMED)).scenarios)
    assert scenario.delivered_fraction == pytest.approx(0.999)
    assert scenario.useful_gpu_hours == pytest.approx(32 * 720 * 0.999)
    assert scenario.usd_per_useful_gpu_hour.plan == pytest.approx(scenario.cost_usd.plan / (32 * 720 * 0.999))


def test_a_spare_takes_the_place_of_a_failed_node():
    plan = plan_of(run=DAYS_30, purchase=ON_DEMAND, storage=S3, assumptions=ASSUMED, fleet={"nodes": 5, "spares": 1})
    scenario = _only(compared(plan).scenarios)
    assert scenario.delivered_fraction == pytest.approx(1.0, abs=1e-5)
    assert scenario.gpus == 32


def test_twelve_months_are_one_term():
    options = {"options": ["ri-1y-standard-no-upfront"]}
    scenario = _only(
        compared(plan_of(run={"work": {"gpu_hours": None, "months": 12}}, purchase=options, storage=S3)).scenarios
    )
    assert scenario.days.plan == 365
    assert _line(scenario, "fleet.commitment-unused").effective_cost == 0


@pytest.mark.parametrize(("days", "block"), [(14, 14), (28, 28), (2, 2)])
def test_a_block_as_long_as_the_fleet_is_held_is_enough(days, block):
    """AWS takes the nodes back half an hour before its end: they are held half an hour less, not a week more."""
    run = {"work": {"gpu_hours": None, "days": days}}
    scenario = _only(
        compared(plan_of(run=run, purchase={"options": ["capacity-block"]}, storage=S3), draws=100).scenarios
    )
    used, unused = _line(scenario, "fleet.compute"), _line(scenario, "fleet.block-unused")
    assert used.quantity + unused.quantity == pytest.approx(4 * 24 * block)
    assert used.quantity == pytest.approx(4 * (24 * days - 0.5))
    assert scenario.eligible


def test_fleets_of_different_sizes_compare_by_delivered_gpu_hour():
    """Eight nodes cost more than four and share the pool's control nodes, so that a GPU-hour costs less."""
    fleet, pool = {"nodes": [4, 8]}, {"layouts": ["converged"]}
    found = compared(plan_of(run=DAYS_30, purchase=ON_DEMAND, storage=pool, fleet=fleet), draws=200)
    first, second = found.scenarios
    assert (first.nodes, second.nodes) == (8, 4)
    assert first.cost_usd.p50 > second.cost_usd.p50
    assert first.usd_per_useful_gpu_hour.p50 < second.usd_per_useful_gpu_hour.p50
    assert found.best is first


def test_spot_that_waits_too_long_delivers_too_little():
    often = {"spot_reclaims_per_node_day": 0.5}
    plan = plan_of(run=DAYS_30, purchase={"options": ["on-demand", "spot"]}, storage=S3, reliability=often)
    found = by_id(compared(plan, draws=400))
    spot = found["s3-stream/p4d.24xlarge/spot"]
    (shortfall,) = spot.shortfalls
    assert (shortfall.kind, shortfall.limit) == ("delivery", 0.99)
    assert 0 < shortfall.needed < 0.99
    less = plan.model_copy(update={"decision": plan.decision.model_copy(update={"availability": shortfall.needed})})
    assert by_id(compared(less, draws=400))[spot.id].eligible


def test_storage_that_is_too_slow_is_not_recommended():
    """32 GPUs that read 3 GB/s each need 96 GB/s; four p4d take at most 4 x 50 GB/s over the network, S3 gives less."""
    data = {"read_per_gpu": "3GB/s"}
    plan = plan_of(run=DAYS_30, purchase=ON_DEMAND, storage={"layouts": ["converged", "s3-stream"]}, data=data)
    found = by_id(compared(plan, draws=200))
    kinds = {id.split("/")[0]: [entry.kind for entry in s.shortfalls] for id, s in found.items()}
    assert kinds["s3-stream"] == ["reading"]


def test_a_deadline_is_not_used():
    minimal = {"apiVersion": "planner/v1", "name": "x", "run": {"work": {"days": 30}, "deadline": "40d"}}
    minimal |= {"data": {"hot_dataset": "4TB"}, "fleet": {"instance_types": ["p4d.24xlarge"], "nodes": 4}}
    (finding,) = check_plan(Plan.model_validate(minimal))
    assert finding[0] == ("run", "deadline")
    assert "holds the fleet" in finding[1]


def _in_blocks(days: float, *, draws: int = 0, **more):
    run = {"work": {"gpu_hours": None, "days": days}}
    plan = plan_of(run=run, storage=S3, purchase={"options": ["capacity-block"]}, **more)
    return _only(compared(plan, draws=draws).scenarios)


def test_six_months_are_the_longest_block_and_half_a_day_on_demand():
    """4 p4d at 11.80 in a block and 21.957642 On-Demand: 12 h cost 263 USD a node, a day in a block 283."""
    scenario = _in_blocks(182.5)
    assert _line(scenario, "fleet.compute").quantity == pytest.approx(4 * (182 * 24 - 0.5))
    assert _line(scenario, "fleet.compute-on-demand").effective_cost == pytest.approx(4 * 12 * 21.957642)
    assert scenario.cash[0].usd == pytest.approx(4 * 182 * 24 * 11.8)
    assert scenario.delivered_fraction < 1 - 1.0 / (182.5 * 24)  # half an hour, and half an hour's start


SURE = exact("block.extension_granted_fraction", 1.0)


def test_a_year_is_three_blocks_and_each_is_paid_8_weeks_before_it_starts():
    scenario = _in_blocks(365, assumptions=SURE)
    assert _line(scenario, "fleet.block-extension").effective_cost == pytest.approx(4 * 183 * 24 * 11.8)
    blocks = [(c.due, c.usd) for c in scenario.cash if c.due != "monthly"]
    assert blocks == [
        ("2026-10-05", pytest.approx(4 * 182 * 24 * 11.8)),
        ("2027-02-08", pytest.approx(4 * 182 * 24 * 11.8)),
        ("2027-08-09", pytest.approx(4 * 24 * 11.8)),
    ]
    assert sum(c.usd for c in scenario.cash) == pytest.approx(scenario.cost_usd.plan)


def test_a_later_block_that_aws_has_not_is_on_demand_time_or_not_delivered():
    """A year of 4 p4d: 182 days are sure, 182 and 1 are asked for, each refused in 70 %. On-Demand nodes are found in
    none or in all outcomes."""
    chance = exact("block.extension_granted_fraction", 0.3) | exact("block.later_price_ratio", 1.0)
    refused, sold, first = 183 * 24 * 21.957642, 183 * 24 * 11.8, 182 * 24 * 11.8
    mean = {}
    for found in (0.0, 1.0):
        assumed = chance | exact("on_demand.found_fraction", found)
        scenario = _in_blocks(365, draws=4000, assumptions=assumed)
        storage = sum(line.effective_cost for line in scenario.bill if not line.line.startswith("fleet."))
        mean[found] = (scenario.mean_cost_usd - storage) / 4
        assert scenario.eligible == (found == 1)
    assert mean[1] == pytest.approx(first + 0.3 * sold + 0.7 * refused, rel=0.02)
    assert mean[0] == pytest.approx(first + 0.3 * sold, rel=0.02)


def test_six_months_need_no_luck():
    """The half day after the longest block is On-Demand, or missing: 12 of 4,380 hours, 0.3 %."""
    unlucky = exact("block.extension_granted_fraction", 0.01) | exact("on_demand.found_fraction", 0.0)
    scenario = _in_blocks(182.5, draws=300, assumptions=unlucky)
    assert scenario.eligible
    assert scenario.cost_usd.p90 < 1.01 * scenario.cost_usd.p10


@pytest.mark.parametrize("sold", [0.0, 1.0])
@pytest.mark.parametrize("hours", [30.0, 350.5, 730.0, 1500.25, 4380.0, 4395.0, 9000.0])
def test_what_follows_a_block_costs_the_least_of_all_ways(hours, sold):
    """Every first block, then every number of whole days in blocks, and On-Demand for what is left, and for what AWS
    does not sell."""
    rates = Rates(block=11.8, later=12.3, on_demand=21.957642)
    assumed = {"block.later_price_ratio": 12.3 / 11.8, "on_demand.found_fraction": 1.0}
    values = Values(table=resolve(assumed | {"block.extension_granted_fraction": sold}))

    def follows(days, after):
        return followed(hours, days, after, SIXTEEN, values, on_demand=True)

    first, after = first_and_after(hours, rates, None, follows, lambda _: 1.0, 0.9)
    whole = [*range(1, 15), *range(21, 183, 7)]
    both = [*range(1, 63), *range(63, 183, 7)]
    every = [
        d * 24 * 11.8 + more * sold * 24 * 12.3 + max(hours - (d + more * sold) * 24, 0) * 21.957642
        for d in (both if sold else whole)
        for more in range(int(hours / 24) + 2)
    ]
    assert follows(first, after).mean_usd(first, rates) == pytest.approx(min(every))


@pytest.mark.parametrize("days", [*range(1, 40), 179, 181.5, 183, 200, 365, 545])
def test_every_later_block_is_of_a_length_that_aws_sells(days):
    """1 to 14 days, then whole weeks up to 182; together with the hours On-Demand they are the time that is left."""
    for after in ways_after(days * 24.0, Rates(block=11.8, later=12.3, on_demand=21.96)):
        assert set(blocks_of(after)) <= {*range(1, 15), *range(21, 183, 7)}
        assert sum(blocks_of(after)) == after.block_days
        assert after.block_days * 24 + after.on_demand_hours >= days * 24
        assert not after.on_demand_hours or after.block_days * 24 + after.on_demand_hours == days * 24


def test_where_no_way_delivers_enough_the_longest_block_comes_first():
    """200 days: a block of 182 days and 18 that may not be had, not 21 days and a block of 179 that AWS does not sell.

    Each way delivers enough where a later block is sold or On-Demand nodes are found, and hours without nodes cost
    nothing, so that by cost alone the shortest first block would win."""
    values = Values(table=resolve({}), draws=2000)
    rates = Rates(block=41.5, later=41.5, on_demand=55.0)

    def follows(days, after):
        return followed(200 * 24.0, days, after, SIXTEEN, values, on_demand=True)

    def often(then):
        return float(np.mean(np.broadcast_to(then.undelivered_hours, (2000,)) <= 0.01 * 200 * 24))

    first, after = first_and_after(200 * 24.0, rates, None, follows, often, 0.9)
    assert often(follows(first, after)) < 0.9
    assert first == 182
    assert np.mean(follows(first, after).undelivered_hours) < 0.05 * 200 * 24
