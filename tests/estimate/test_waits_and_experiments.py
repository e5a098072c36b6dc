"""Hours that nobody pays for, and hours paid for that something else can use."""

from __future__ import annotations

import math

import pytest

from tests.builders import exact, plan_of, scenario_of


def _line(scenario, name):
    return next(line for line in scenario.bill if line.line == name)


def test_a_lost_spot_node_is_not_billed_until_it_is_replaced_and_the_others_are():
    scenario = scenario_of(plan_of(), "s3-stream/p4d.24xlarge/spot")
    # 4 nodes; the advisor's band for p4d in us-east-1 is 10-15 %, its upper edge counts
    reclaims = 4 * -math.log(1 - 0.15) / 730
    failures = 4 * 6.5 / 24_000
    mtbf = 1 / (reclaims + failures)
    wait = 0.5  # without a spare every lost node is waited for half an hour
    waiting = reclaims * mtbf * wait / 4 / (mtbf + wait)  # one node in four
    hours = scenario.days.plan * 24
    training = hours - 0.5  # less the bring-up
    assert _line(scenario, "fleet.compute").quantity == pytest.approx(4 * (hours - training * waiting), rel=1e-12)
    assert 0 < waiting < 0.001


def test_on_demand_pays_for_every_hour():
    scenario = scenario_of(plan_of(), "s3-stream/p4d.24xlarge/on-demand")
    assert _line(scenario, "fleet.compute").quantity == pytest.approx(4 * scenario.days.plan * 24, rel=1e-12)


def test_experiments_use_the_rest_of_a_commitment_first():
    plan = plan_of(people={"experiments": True}, purchase={"options": ["on-demand", "ri-1y-standard-no-upfront"]})
    on_demand = scenario_of(plan, "s3-stream/p4d.24xlarge/on-demand")
    # 2.19 times the final run in all: 1.19 more of its own node-hours, at the same rate
    run = _line(on_demand, "fleet.compute")
    extra = _line(on_demand, "people.experiments")
    assert extra.quantity == pytest.approx(1.19 * run.quantity, rel=1e-12)
    assert extra.effective_unit_price == run.effective_unit_price
    reserved = scenario_of(plan, "s3-stream/p4d.24xlarge/ri-1y")
    # five days of four nodes leave 98 % of the year unused: the experiments cost nothing more
    assert _line(reserved, "people.experiments").quantity == 0
    assert _line(reserved, "fleet.commitment-unused").quantity > extra.quantity


def test_experiments_beyond_the_rest_of_a_commitment_are_billed():
    plan = plan_of(
        run={"work": {"gpu_hours": 4 * 8 * 8000}},
        people={"experiments": True},
        purchase={"options": ["ri-1y-standard-no-upfront"]},
        assumptions=exact("people.experiment_factor", 2.0),
    )
    scenario = scenario_of(plan, "s3-stream/p4d.24xlarge/ri-1y")
    used, unused = _line(scenario, "fleet.compute").quantity, _line(scenario, "fleet.commitment-unused").quantity
    assert used + unused == pytest.approx(4 * 8760)
    assert _line(scenario, "people.experiments").quantity == pytest.approx(used - unused)


def test_a_lost_spot_node_empties_its_share_of_the_pool_and_no_other_layout():
    # 4 TB read at 0.64 GB/s: the run of 125 hours reads it 72 times over
    def gets(layout, purchase):
        scenario = scenario_of(plan_of(), f"{layout}/p4d.24xlarge/{purchase}")
        return _line(scenario, "storage.s3.get-requests").quantity

    first_epoch = 4e12 / 100e6 / 1000
    reclaims = 4 * -math.log(1 - 0.15) / 730 * 125 / 4  # each takes a quarter of the pool
    assert gets("converged", "on-demand") == pytest.approx(first_epoch)
    assert gets("converged", "spot") == pytest.approx(first_epoch * (1 + reclaims))
    assert gets("separate-nvme", "spot") == pytest.approx(first_epoch)
    assert gets("fsx-lustre", "spot") == pytest.approx(first_epoch)
