"""Choices of a fleet: what each costs by hand, that parts add up, and what the answer prefers."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from planner.answer.measure import cost_of
from planner.api.books import book_for
from planner.estimate.result import Scenario
from planner.fleet.compare import gpus_of
from planner.fleet.result import FleetComparison, FleetScenario
from planner.fleet.runs import Task, counts_of, outcome_of
from planner.fleet.workload import drawn_of, jobs_of, per_month
from planner.models.values import Values
from planner.plan.assumptions import resolve
from planner.report.wording import fleet as words
from tests.builders import compared as compared_run
from tests.builders import exact, plan_of
from tests.fleet.plans import BOOK, PLAN, compared, loaded

ON_DEMAND, RESERVED = 21.957642, 13.9211
HOURS = 3 * 730
OWNED = {
    "owned.usd_per_a100": 18_500,
    "owned.value_loss_per_year": 0.14,
    "owned.interconnect_fraction": 0.19,
    "energy.power_fraction": 0.7,
    "energy.own_overhead_factor": 1.2,
    "energy.usd_per_kwh": 0.1,
}


@cache
def found() -> FleetComparison:
    return compared()


def row(of: FleetComparison, nodes: int, way: str) -> FleetScenario:
    return next(one for one in of.scenarios if one.id == f"fleet/p4d.24xlargex{nodes}/{way}")


def nodes_usd(one: FleetScenario | Scenario) -> float:
    return sum(line.effective_cost for line in one.bill if line.line.startswith("fleet.com"))


def test_parts_add_up() -> None:
    for one in found().scenarios:
        assert one.cost_usd is not None
        total = one.cost_usd.plan
        assert sum(line.effective_cost for line in one.bill) == pytest.approx(total, rel=1e-9)
        assert sum(part.usd for part in one.show_back) == pytest.approx(total, rel=1e-9)
        assert sum(month.accrued_usd for month in one.months) == pytest.approx(total, rel=1e-9)
        assert one.mean_cost_usd == pytest.approx(total, rel=1e-9)


def test_on_demand_bills_busy_hours_alone() -> None:
    one = row(found(), 40, "on-demand")
    hours = sum(sum(part.node_hours) for part in one.show_back)
    assert nodes_usd(one) == pytest.approx(hours * ON_DEMAND, rel=1e-6)


def test_all_reserved_bills_every_hour() -> None:
    one = row(found(), 40, "ri-1y-standard-no-upfront")
    assert nodes_usd(one) == pytest.approx(40 * HOURS * RESERVED, rel=1e-5)
    assert one.after_usd == pytest.approx(40 * (8760 - HOURS) * RESERVED, rel=1e-5)
    assert one.term_years == 1


def test_idle_nodes_that_are_held_are_billed() -> None:
    held = compared("purchase.idle=hold", "groups.0.nodes=24", "purchase.options=[on-demand]", runs=2)
    assert nodes_usd(row(held, 24, "on-demand")) == pytest.approx(24 * HOURS * ON_DEMAND, rel=1e-6)
    mixed = nodes_usd(row(held, 24, "mix"))
    assert mixed == pytest.approx(24 * HOURS * RESERVED, rel=1e-3)  # nothing varies: reserve all of them


def test_the_mix_costs_no_more_than_any_one_way() -> None:
    for nodes in (24, 40):
        mixed = cost_of(row(found(), nodes, "mix"), "p50")
        for way in ("on-demand", "ri-1y-standard-no-upfront", "sp-1y-compute-no-upfront"):
            assert mixed <= cost_of(row(found(), nodes, way), "p50") * 1.002


def test_waiting_has_a_price_that_decides() -> None:
    """24 nodes cost less and jobs wait longer: which is better depends on what an hour of waiting is worth."""
    cheap, dear = (compared(f"waiting.usd_per_gpu_hour={usd}").best for usd in (0, 20))
    assert cheap is not None
    assert dear is not None
    small, large = row(found(), 24, "mix"), row(found(), 40, "mix")
    assert small.wait_hours is not None
    assert large.wait_hours is not None
    assert small.wait_hours.plan > large.wait_hours.plan
    assert dear.nodes == (("p4d.24xlarge", 40),)
    assert cheap.effort_usd == 0


def test_one_project_costs_what_its_hours_cost() -> None:
    """A run of 8 nodes for 100 h, alone, without failures: 800 node-hours, as `compare` bills them."""
    one = compared(
        "groups.0.nodes=8",
        "projects=[{name: only, jobs: [{count: 1, nodes: 8, hours: 100h, spread: 0}]}]",
        "assumptions.goodput.failures_per_1000_node_days={value: 0.001}",
        "run.months=1",
        "purchase.options=[on-demand]",
        runs=1,
    )
    assert nodes_usd(row(one, 8, "on-demand")) == pytest.approx(800 * ON_DEMAND, rel=1e-3)


def test_unlimited_nodes_make_nobody_wait() -> None:
    free = compared("groups.0.nodes=mix", "purchase.options=[on-demand]", runs=2)
    assert [one.id for one in free.scenarios] == ["fleet/p4d.24xlarge/mix", "fleet/p4d.24xlarge/on-demand"]
    assert all(one.wait_hours is not None and one.wait_hours.p90 < 0.2 for one in free.scenarios)  # after failures


def test_a_queue_that_only_grows_is_not_recommended() -> None:
    over = compared("groups.0.nodes=6", "purchase.options=[on-demand]", runs=2)
    assert over.best is None
    assert all(one.finish_fraction == 0 for one in over.scenarios)


def test_a_count_that_a_job_does_not_fit_is_not_compared() -> None:
    few = compared("groups.0.nodes=[3, 24]", "purchase.options=[on-demand]", "purchase.mix=false", runs=1)
    assert row(few, 3, "on-demand").why_not == ("a job of vision needs 4 nodes at once",)
    assert few.best is not None
    assert few.best.nodes == (("p4d.24xlarge", 24),)


def test_a_group_beside_one_whose_queue_grows_is_as_idle_as_before() -> None:
    over = compared(
        "groups=[{instance_type: p4d.24xlarge, nodes: 6}, {instance_type: p5.48xlarge, nodes: 10}]",
        "projects.0.types={p4d.24xlarge: 1}",
        "projects.1.types={p5.48xlarge: 1}",
        "purchase.options=[on-demand]",
        runs=2,
    )
    assert over.best is None
    full, idle = over.scenarios[0].utilisation
    assert full > 0.9
    assert idle < 0.6
    assert "6 p4d and 10 p5: the queue grows without end" in words.answer(over)[1]


def test_owned_nodes_cost_nothing_more() -> None:
    owned = compared(
        "purchase.owned=['ri:p4d.24xlarge=10']", "groups.0.nodes=40", "purchase.options=[on-demand]", runs=2
    )
    plain = compared("groups.0.nodes=40", "purchase.options=[on-demand]", runs=2)
    saved = nodes_usd(row(plain, 40, "on-demand")) - nodes_usd(row(owned, 40, "on-demand"))
    assert 0 < saved <= 10 * HOURS * ON_DEMAND


def test_a_chain_of_blocks_is_recommended_only_where_it_is_counted_on() -> None:
    """Busy nodes cost more On-Demand than in blocks; 3 months are one block, and 12 are several."""
    options = ["purchase.options=[on-demand, capacity-block]", "purchase.mix=false", "groups.0.nodes=24"]
    options += ["projects.1.jobs.0.gpu_hours_per_month=60000", "constraints.max_backlog=0.2"]
    for months, more, way in ((3, [], "capacity-block"), (9, [], "on-demand"), (9, ["true"], "capacity-block")):
        found = compared(f"run.months={months}", *options, *(f"purchase.blocks={word}" for word in more))
        assert found.best is not None
        assert found.best.way == way
        said = " ".join(words.answer(found))
        assert ("nobody promises the next one" in said) == (way == "on-demand")


def test_a_job_longer_than_two_weeks_is_no_queue_that_grows() -> None:
    """It fails and waits for its node; and of a list that takes six weeks all wait at first."""
    for stream in ("{count: 1, nodes: 24, hours: 1400h, spread: 0}", "{count: 60, nodes: 24, hours: 20h}"):
        project = f"{{name: long, checkpoint: 1h, jobs: [{stream}]}}"
        found = compared(f"projects=[{project}]", "groups.0.nodes=24", "purchase.options=[on-demand]", runs=3)
        assert found.scenarios[0].finish_fraction == 1


def test_other_places_for_hot_data_worked_out_by_hand() -> None:
    """60 TB and 20 TB, of which 20 % are shared: 76 TB. FSx sells 2,400 GiB a step: 30 of them, at $0.21 a GB-month for
    3 months. An i3en.24xlarge holds 60 x 0.99 x 0.7 = 41.6 TB: two, and a spare, for 2,190 hours."""
    by_place = {(one.layout, one.detail): one for one in compared("storage.overlap=0.2", runs=2).stored}
    gib = 30 * 2400  # 76e12 / 2^30 = 70,781
    lustre = by_place["fsx-lustre", "250 MB/s/TiB"]
    assert lustre.usd == pytest.approx(gib * 0.21 * 3)
    assert lustre.usable_tb == pytest.approx(gib * 2**30 / 1e12)
    cluster = by_place["separate-nvme", "3 x i3en.24xlarge, On-Demand"]
    assert cluster.usd == pytest.approx(3 * 10.848 * HOURS)
    assert cluster.usable_tb == pytest.approx(83.16)


def test_owned_nodes_lose_value_whether_they_run_or_not() -> None:
    """24 p4d of 8 GPUs: $18,500 x 0.14 x ln 10 a year each, over 0.81 for the interconnect; electricity while busy."""
    fixed = [f"assumptions.{key}={{value: {value}, low: {value}, high: {value}}}" for key, value in OWNED.items()]
    found = compared("groups.0.nodes=24", *fixed, runs=2)
    assert found.owned is not None
    gpus, years = 24 * 8, HOURS / 8766
    loss = gpus * 18_500 * 0.14 * np.log(10) * years / 0.81
    energy = gpus * HOURS * found.owned.utilisation * 6.5 / 8 * 0.7 * 1.2 * 0.1
    assert found.owned.usd.p50 == pytest.approx(loss + energy, rel=1e-6)
    assert found.owned.purchase_usd.p50 == pytest.approx(gpus * 18_500 / 0.81)


def test_spot_for_what_gives_way_is_bounded_by_its_price_and_its_interruptions() -> None:
    """speech gives way: 12 interruptions a day of jobs that save each half hour, restart in 0.2 h, wait 1 h for nodes.
    An hour of work takes e^(R/M) (e^(W/M) - 1) M/W hours on spot, and (M + D)/M as long."""
    keys = {
        "spot.gang_interruptions_per_day": 12,
        "spot.gang_wait_hours": 1,
        "goodput.restart_minutes": 12,
    }
    fixed = [f"assumptions.{key}={{value: {value}, low: {value}, high: {value}}}" for key, value in keys.items()]
    gives_way = ["projects.1.queue=low", "projects.1.checkpoint=30m", "groups.0.nodes=40"]
    found = compared(*gives_way, *fixed, runs=2)
    assert found.spot is not None
    assert found.best is not None
    (hours,) = found.best.show_back[1].node_hours
    price = book_for(BOOK).spot("p4d.24xlarge", "us-east-1").planned.usd
    times = np.exp(0.2 / 2) * np.expm1(0.5 / 2) * 2 / 0.5
    assert (found.spot.projects, found.spot.node_hours) == (("speech",), pytest.approx(hours))
    assert found.spot.most_usd == pytest.approx(hours * (ON_DEMAND - price))
    assert found.spot.saved_usd.p50 == pytest.approx(hours * (ON_DEMAND - price * times))
    assert found.spot.elapsed_factor == pytest.approx(times * 3 / 2)
    assert compared("groups.0.nodes=40", runs=2).spot is None
    assert compared(*gives_way, "projects.1.checkpoint=null", runs=2).spot is None


def test_a_plan_without_a_start_begins_with_its_book() -> None:
    bare = compared(runs=2, text="\n".join(line for line in PLAN.splitlines() if not line.startswith("start")))
    dated = compared(f"start={BOOK}", runs=2)
    assert bare.best is not None
    assert dated.best is not None
    assert bare.best.bill == dated.best.bill


def test_on_demand_that_is_given_back_is_warned_of() -> None:
    shown = {}
    for idle in ("release", "hold"):
        options = ["purchase.options=[on-demand]", "purchase.mix=false", "groups.0.nodes=40", f"purchase.idle={idle}"]
        shown[idle] = [text for text in words.warnings(compared(*options, runs=2)) if "released when idle" in text]
    assert len(shown["release"]) == 1
    assert shown["release"][0].startswith("100% of the node-hours are On-Demand")
    assert shown["hold"] == []


def test_sharing_beats_fixed_partitions() -> None:
    alone = found().sharing
    best = found().best
    assert best is not None
    assert best.wait_hours is not None
    assert alone is not None
    assert sum(nodes[0] for _, nodes in alone.nodes) == best.nodes[0][1]
    assert alone.mean_wait_hours > best.wait_hours.plan


def test_jobs_are_as_many_as_the_plan_says() -> None:
    plan = loaded("run.months=12", "projects.1.growth=10%").plan
    gpus = gpus_of(plan, book_for(BOOK))
    months = per_month(plan, plan.projects[1], plan.projects[1].jobs[0], gpus)
    assert months[:2] == pytest.approx([20000 / (2 * 8 * 12), 20000 / (2 * 8 * 12) * 1.1])
    listed = jobs_of(plan, gpus, np.ones(2), (0, 0))
    expected = sum(sum(per_month(plan, one, stream, gpus)) for one in plan.projects for stream in one.jobs)
    assert listed.submit.size == pytest.approx(expected, abs=4 * expected**0.5)
    hours = listed.hours[(listed.owner == 1)]
    assert hours.mean() == pytest.approx(12, abs=4 * 12 / hours.size**0.5)


def test_a_project_more_changes_no_other_ones_jobs() -> None:
    plan, gpus = loaded().plan, {"p4d.24xlarge": 8}
    both, first = jobs_of(plan, gpus, np.ones(2), (0, 3)), loaded("projects.1.from_month=3").plan
    alone = jobs_of(first, gpus, np.ones(2), (0, 3))
    assert both.submit[both.owner == 0].tolist() == alone.submit[alone.owner == 0].tolist()


def test_counts_of_ranges() -> None:
    assert counts_of(loaded("groups.0.nodes=16..64").plan) == [(16,), (28,), (40,), (52,), (64,)]
    assert counts_of(loaded("groups.0.nodes=[3, 9]").plan) == [(3,), (9,)]


def test_draws_are_the_same_for_every_choice() -> None:
    plan = loaded().plan
    drawn = drawn_of(plan, Values(table=resolve(plan.assumptions), draws=2, recording=False))
    few, many = (
        outcome_of(Task(plan=plan, gpus={"p4d.24xlarge": 8}, nodes=(nodes,), drawn=drawn, draw=1, seed=7))
        for nodes in (24, 40)
    )
    assert few.wait.size == many.wait.size
    assert few.wait.mean() > many.wait.mean()


ONE = """
apiVersion: planner/v1
name: one run
region: us-east-1
start: 2026-11-02
run: {kind: fleet, months: 1}
groups: [{instance_type: p4d.24xlarge, nodes: 16}]
projects: [{name: run, data: 80TB, hot: 80TB, jobs: [{count: 1, nodes: 16, hours: 729h, spread: 0}]}]
purchase: {options: [on-demand], mix: false}
storage: {layout: s3-stream}
assumptions:
  fleet.demand_factor: {value: 1}
  fleet.project_factor: {value: 1}
  fleet.unfinished_fraction: {value: 0}
  fleet.root_volume_gib: {value: 200}
  goodput.failures_per_1000_node_days: {value: 0.001}
"""


def test_a_fleet_of_one_run_costs_what_compare_says_of_that_run() -> None:
    """16 p4d for 729 hours under Slurm, the whole bill. A run has besides half an hour of bring-up, its checkpoints and
    requests; a fleet's draws are as planned here."""
    beside = ("network.", "guard.", "scheduler.")
    planned = (f"  {key}: {{value: {one.value}}}\n" for key, one in resolve({}).items() if key.startswith(beside))
    fleet = compared(runs=1, text=ONE + "".join(planned)).scenarios[0]
    run = plan_of(
        start="2026-11-02",
        run={"work": {"gpu_hours": 16 * 8 * 729}},
        data={"hot_dataset": "80TB"},
        fleet={"nodes": 16},
        purchase={"options": ["on-demand"]},
        storage={"layouts": ["s3-stream"]},
        deploy={"scheduler": "slurm"},
        assumptions=exact("goodput.failures_per_1000_node_days", 0.001),
    )
    alone = compared_run(run).scenarios[0]
    assert nodes_usd(fleet) == pytest.approx(nodes_usd(alone), rel=1e-3)
    assert cost_of(fleet, "planned") == pytest.approx(cost_of(alone, "planned"), rel=1e-3)
    of_fleet, of_run = ({line.line: line.effective_cost for line in one.bill} for one in (fleet, alone))
    shared = of_fleet.keys() & of_run.keys()
    assert of_run.keys() - shared == {
        "fleet.compute",
        *("storage.s3.checkpoints", "storage.s3.get-requests", "storage.s3.put-requests", "storage.kms.requests"),
    }
    assert {line: of_fleet[line] for line in shared} == pytest.approx({line: of_run[line] for line in shared}, rel=2e-3)
