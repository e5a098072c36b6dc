"""A choice of a worker-pool plan as a stack: sizes, dollars, limits, and what cannot be deployed."""

from __future__ import annotations

import math
import re

import pytest

from planner.errors import PlanProblems, UsageProblem
from planner.plan.load import LoadedPool, load_any_text
from planner.stack.choose_workers import FromUser, kept, worker_spec_of
from planner.stack.file import parsed, rendered
from planner.stack.spec import ClusterSpec
from planner.worker_pool.compare import compare_pool
from planner.worker_pool.standing import BY_HOUR
from pricing.book import default_book

PLAN = """
apiVersion: planner/v1
name: tunes
run: {kind: worker-pool, deadline: 4d}
jobs: {count: 60, steps: 1000, seconds_per_step: {A10G: 3.6, RTX4090: 2}, checkpoint_steps: 50, checkpoint: 2GB}
workers:
  - {instance_type: g5.2xlarge, gpu: A10G, spot_usd_per_hour: 0.5, source: a quote}
  - {instance_type: gr6.4xlarge, gpu: A10G, purchase: [on-demand]}
  - {name: listed, gpu: RTX4090, usd_per_gpu_hour: 0.3, source: a quote}
pool: {min: 1, max: 20}
"""
SPOT = "workers/g5.2xlarge/spot"


def loaded(*overrides: str) -> LoadedPool:
    found = load_any_text(PLAN, overrides=overrides)
    assert isinstance(found, LoadedPool)
    return found


def chosen(id: str = SPOT, *overrides: str, **how: object) -> ClusterSpec:
    plan, book = loaded(*overrides), default_book()
    found = compare_pool(plan, book, runs=20)
    scenario = next(one for one in found.scenarios if one.id == id)
    return worker_spec_of(plan, found, scenario, book, **how)  # type: ignore[arg-type]


def test_the_sizes_are_the_plan_s_and_the_type_s():
    spec = chosen()
    assert (spec.layout, spec.scenario, spec.buying.kind) == ("workers", SPOT, "spot")
    assert (spec.fleet.nodes, spec.fleet.vcpu, spec.fleet.gpus) == (20, 8, 1)
    assert spec.workers.least_nodes == 1
    assert spec.workers.memory_mib == math.floor(32 * 1024 * 0.9)
    # 1,000 steps of 3.6 s are an hour; with 20 uploads of 2 GB at 250 MB/s 1.04 h; four of that, rounded up
    assert spec.workers.limit_hours == 5
    assert (spec.guard.max_days, spec.guard.alarms) == (4.0, 3)
    assert chosen("workers/g5.2xlarge/on-demand").buying.kind == "on-demand"


def test_what_stands_is_billed_by_the_hour_and_nodes_by_use():
    spec = chosen()
    assert spec.usd_per_hour["network.nat-gateway"] == pytest.approx(0.045)
    assert spec.usd_per_hour["storage.kms.key"] == pytest.approx(1 / 730)
    assert spec.usd_per_hour["guard.alarms"] == pytest.approx(3 * 0.1 / 730)
    assert spec.usd_per_hour.keys() == {one.line for one in BY_HOUR}
    assert {"fleet.compute", "fleet.ebs", "fleet.logs"} <= set(spec.metered)


def test_the_bill_of_the_choice_has_what_stands_over_its_time():
    plan, book = loaded(), default_book()
    found = next(one for one in compare_pool(plan, book, runs=20).scenarios if one.id == SPOT)
    lines = {line.line: line for line in found.bill}
    assert lines["network.nat-gateway"].effective_cost == pytest.approx(found.days.plan * 24 * 0.045, rel=1e-6)
    assert sum(line.effective_cost for line in found.bill) == pytest.approx(found.cost_usd.plan, rel=1e-9)
    listed = next(one for one in compare_pool(plan, book, runs=20).scenarios if one.choice.purchase == "list")
    assert {line.line.partition("-")[0] for line in listed.bill} == {"fleet.compute"}


def test_the_budget_is_the_p90_and_another_is_taken():
    plan, book = loaded(), default_book()
    found = next(one for one in compare_pool(plan, book, runs=20).scenarios if one.id == SPOT)
    assert found.cost_usd.p90 <= chosen().guard.budget_usd <= found.cost_usd.p90 * 1.01 + 1
    assert chosen(budget=99.0).guard.budget_usd == 99.0


def test_the_file_is_read_back_as_it_was_written():
    spec = chosen(given=FromUser(image="acme/train:1", zone_id="use1-az4", notify="a@example.org"))
    assert spec.placeholders == ()
    read = parsed(rendered(spec), "Pulumi.dev.yaml")
    assert (read.spec, read.found) == (spec, ())


def test_what_was_given_before_is_kept():
    before = chosen(given=FromUser(image="acme/train:1", zone_id="use1-az4"))
    again = kept(before, "us-east-1", FromUser(image="acme/train:2"))
    assert (again.image, again.zone_id, again.notify) == ("acme/train:2", "use1-az4", "")
    assert kept(before, "eu-west-1", FromUser()) == FromUser()
    assert kept(None, "us-east-1", FromUser()) == FromUser()


def test_a_price_list_is_no_stack():
    with pytest.raises(UsageProblem, match="nodes of a price list"):
        chosen("workers/listed/list")


def test_a_type_without_vcpu_in_the_book_is_neither_deployed_nor_recommended_until_the_plan_has_them():
    lacks = r"no vCPU and memory of gr6\.4xlarge.*vcpus, memory_gb"
    with pytest.raises(UsageProblem, match=lacks):
        chosen("workers/gr6.4xlarge/on-demand")
    alone = "workers=[{instance_type: gr6.4xlarge, gpu: A10G, purchase: [on-demand]}]"
    found = compare_pool(loaded(alone), default_book(), runs=20)
    assert found.best is None
    assert re.search(lacks, found.scenarios[0].priced_only)
    sized = alone.replace("gpu: A10G", "gpu: A10G, vcpus: 16, memory_gb: 128")
    best = compare_pool(loaded(sized), default_book(), runs=20).best
    assert best is not None
    assert (best.id, best.cost_usd) == (found.scenarios[0].id, found.scenarios[0].cost_usd)


def test_wrong_values_are_named_by_the_option_that_gave_them():
    with pytest.raises(PlanProblems) as found:
        chosen(stack="a b", given=FromUser(image="two words", zone_id="euw1-az1"))
    assert {problem.where for problem in found.value.problems} == {"--image", "--zone-id", "--stack"}


MANY = """
apiVersion: planner/v1
name: many
run: {kind: worker-pool, deadline: 4d}
jobs: {count: 60, steps: 1000, seconds_per_step: {L40S: 3.6, L4: 5}, checkpoint_steps: 50, checkpoint: 2GB}
workers:
  - {instance_type: g6.xlarge, spot_usd_per_hour: 0.4, source: a quote, interruptions: {mean_life: 48h}}
  - {instance_type: g6e.xlarge, purchase: [spot, on-demand], spot_usd_per_hour: 0.5, source: a quote}
pool: {min: 1, max: 20}
"""


def diversified(purchase: str = "spot-fallback", **how: object) -> ClusterSpec:
    plan, book = load_any_text(MANY), default_book()
    assert isinstance(plan, LoadedPool)
    found = compare_pool(plan, book, runs=20)
    scenario = next(one for one in found.scenarios if one.id == f"workers/diversified/{purchase}")
    return worker_spec_of(plan, found, scenario, book, **how)  # type: ignore[arg-type]


def test_several_markets_are_deployed_as_they_were_priced():
    spec = diversified()
    assert (spec.fleet.instance_type, spec.workers.more_types) == ("g6.xlarge", ("g6e.xlarge",))
    assert spec.workers.memory_mib == math.floor(16 * 1024 * 0.9)  # of the smaller one
    assert 1 + len(spec.workers.more_zones) == len({spec.zone_id, *spec.workers.more_zones}) > 1
    assert spec.buying.kind == "spot"
    assert spec.workers.tail_type == "g6.xlarge"  # 0.8048 x 5 s a step is less than 1.861 x 3.6 s
    assert diversified("spot").workers.tail_type == ""


def test_a_zone_of_the_call_is_the_only_one_and_a_file_keeps_its_own():
    one = diversified(given=FromUser(zone_id="use1-az4"))
    assert (one.zone_id, one.workers.more_zones) == ("use1-az4", ())
    before = diversified()
    again = diversified(given=kept(before, "us-east-1", FromUser()))
    assert (again.zone_id, again.workers.more_zones) == (before.zone_id, before.workers.more_zones)
    assert kept(before, "us-east-1", FromUser(zone_id="use1-az4")).more_zones == ()
    one_market = chosen(given=kept(before, "us-east-1", FromUser()))
    assert (one_market.zone_id, one_market.workers.more_zones) == (before.zone_id, ())
