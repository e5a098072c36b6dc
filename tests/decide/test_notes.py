"""What a comparison says of its own ground, and when money is due."""

from __future__ import annotations

from datetime import date

import pytest

from planner.models.goodput import availability
from tests.builders import book_of, compared, exact, plan_of, scenario_of

ON_DEMAND = {"options": ["on-demand"]}


def _notes(**sections):
    return " | ".join(compared(plan_of(purchase=ON_DEMAND, **sections)).notes)


def test_rates_that_the_plan_does_not_say_are_named_with_their_range():
    told = _notes(data={"read_per_gpu": None, "checkpoint": None})
    assert "data.read_per_gpu; 96 MB/s is assumed, 15 to 1460" in told
    assert "data.checkpoint; 113 GB is assumed" in told
    assert "is assumed" not in _notes()


def test_an_assumption_of_the_plan_s_own_is_not_called_unsaid():
    own = exact("data.read_mb_per_s_per_gpu", 20.0)
    assert "is assumed" not in _notes(data={"read_per_gpu": None}, assumptions=own)


def test_a_constant_mfu_is_said():
    assert "mfu" in _notes(run={"work": {"gpu_hours": None, "flop": 1e21, "mfu": "40%"}})
    assert "mfu" not in _notes()


def test_flop_alone_counts_as_a_language_model_and_one_node_as_faster():
    work = {"run": {"work": {"gpu_hours": None, "flop": 1e21}}}
    assert "assumes that a language model is trained" in _notes(**work)
    assert "language model" not in _notes(**work, data={"read_per_gpu": None, "profile": "tokens"})
    for nodes, said in ((1, True), (2, False)):
        told = _notes(**work, fleet={"instance_types": ["p4d.24xlarge"], "nodes": nodes})
        assert ("and 1.4 times it on one node" in told) is said


def test_access_to_the_data_is_assumed_only_where_the_plan_is_silent():
    assert "assumes that training reads objects" in _notes()
    assert "reads objects" not in _notes(data={"access": "object"})
    assert "reads objects" not in _notes(storage={"layouts": ["fsx-lustre"]})


def test_discount_and_reuse_are_said_and_prices_no_longer_called_list():
    assert "list prices" in _notes()
    plan = plan_of(purchase={"options": ["on-demand"], "private_discount": "12%", "reuse_value": "90%"})
    told = " | ".join(compared(plan).notes)
    assert "12.0%" in told
    assert "90%" in told
    assert "list prices" not in told


def test_a_book_that_stands_in_for_another_date_says_so():
    told = " | ".join(compared(plan_of(prices="2026-08-31", purchase=ON_DEMAND), book=book_of(date(2025, 5, 31))).notes)
    assert "2026-08-31" in told
    assert "2025-05-31" in told


def test_what_happens_to_s3_after_the_run_is_said():
    assert "storage.retention" in _notes()
    assert "storage.retention" not in _notes(storage={"retention": "30d"})


def test_cash_adds_up_and_salaries_stand_apart():
    plan = plan_of(people={"engineers": 2.0}, purchase={"options": ["sp-1y-instance-no-upfront"]})
    scenario = scenario_of(plan, "s3-stream")
    assert sum(entry.usd for entry in scenario.cash) == pytest.approx(scenario.cost_usd.plan)
    staff = next(line for line in scenario.bill if line.line == "people.staff")
    assert [entry.usd for entry in scenario.cash if "salaries" in entry.what] == [pytest.approx(staff.effective_cost)]
    rate = next(line for line in scenario.bill if line.line == "fleet.compute").effective_unit_price
    instalments = next(entry for entry in scenario.cash if "12 months" in entry.what)
    assert instalments.usd == pytest.approx(4 * 8760 * rate)


def test_the_goodput_carries_what_its_equation_needs():
    goodput = scenario_of(plan_of(purchase={"options": ["on-demand"]}), "s3-stream").goodput
    by_hand = availability(
        work_hours=goodput.checkpoint_interval_hours,
        write_hours=goodput.write_hours,
        restart_hours=goodput.restart_hours,
        wait_hours=goodput.wait_hours,
        mtbf_hours=goodput.mtbf_hours,
    )
    assert goodput.availability_fraction == pytest.approx(by_hand, rel=1e-12)


def test_a_bound_without_the_gpu_nodes_ranks_behind_one_with_them():
    # NAT prices are known for us-east-1 only, so nothing is complete in Ireland
    found = compared(plan_of(region="eu-west-1", purchase={"options": ["on-demand", "ri-1y-standard-no-upfront"]}))
    feasible = [s for s in found.scenarios if s.feasible]
    assert not any(s.complete for s in feasible)
    order = [s.purchase for s in feasible]
    assert order == sorted(order, key=lambda purchase: purchase != "on-demand")
    assert {"on-demand", "ri-1y-standard-no-upfront"} == set(order)
