"""A fleet plan's choice as one Slurm cluster: groups, shares, dollars, the pool, and what is refused."""

from __future__ import annotations

import re
from typing import Any

import pytest

from infra.graph import resource_graph
from planner.api.books import book_for
from planner.errors import PlanProblems, UsageProblem
from planner.fleet.compare import compare_fleet
from planner.models.bill_lines import bill_line
from planner.stack.check import findings_of
from planner.stack.choose_fleet import FromOperator, fleet_spec_of, kept
from planner.stack.file import parsed, rendered
from planner.stack.spec import ClusterSpec
from tests.fleet.plans import BOOK, loaded

PLAN = """
apiVersion: planner/v1
name: side by side
start: 2026-11-02
run: {kind: fleet, months: 1}
groups:
  - {instance_type: p5.48xlarge, nodes: 2, ami: ami-0b0000000000000b1}
  - {instance_type: p4d.24xlarge, nodes: 8}
projects:
  - name: vision
    share: 3
    users: [ana]
    types: {p4d.24xlarge: 1.0}
    data: 100TB
    hot: 20TB
    jobs: [{gpu_hours_per_month: 10000, nodes: 2, hours: 12h}]
  - {name: language, jobs: [{gpu_hours_per_month: 3000, nodes: 1, hours: 6h}]}
purchase: {options: [on-demand, sp-1y-compute-no-upfront, capacity-block], mix: false}
storage: {layout: s3-stream}
"""
IDS = {"ami": "ami-0a0000000000000a1", "zone_id": "use1-az4", "notify": "gpu@example.org"}
P4D, P5 = 21.957642, 55.04  # On-Demand in us-east-1, book of 2026-10-10


def made(way: str, *overrides: str, nodes: str = "p5.48xlargex2+p4d.24xlargex8", **given: str) -> ClusterSpec:
    plan, book = loaded(*overrides, text=PLAN), book_for(BOOK)
    found = compare_fleet(plan, book, runs=2)
    row = next(one for one in found.scenarios if one.id == f"fleet/{nodes}/{way}")
    values: dict[str, Any] = {**IDS, **given}
    return fleet_spec_of(plan, found, row, book, given=FromOperator(**values))


def test_each_group_of_the_plan_is_nodes_of_one_type_with_its_image_and_price():
    spec = made("on-demand")
    assert findings_of(spec) == ()
    assert spec.scheduler
    assert [(one.fleet.instance_type, one.fleet.nodes, one.fleet.ami) for one in spec.by_type] == [
        ("p5.48xlarge", 2, "ami-0b0000000000000b1"),
        ("p4d.24xlarge", 8, "ami-0a0000000000000a1"),
    ]
    prices = [one.scheduler.usd_per_node_hour for one in spec.by_type if one.scheduler]
    assert prices == pytest.approx([P5, P4D])
    assert [one.scheduler.gres for one in spec.by_type if one.scheduler] == ["h100", "a100"]
    assert [(one.name, one.share, one.users) for one in spec.scheduler.projects] == [
        ("vision", 3, ("ana",)),
        ("language", 1, ()),
    ]
    # idle nodes are released: they cost by use, and nothing without a job
    assert spec.scheduler.release
    assert {line for line in spec.metered if line.startswith("fleet.")} == {
        "fleet.compute-on-demand-p4d.24xlarge",
        "fleet.compute-on-demand-p5.48xlarge",
        "fleet.ebs",
    }
    assert parsed(rendered(spec), where="file").spec == spec


def test_every_line_of_the_bill_is_on_a_resource_and_nodes_that_stand_cost_what_the_plan_pays():
    spec = made("on-demand", "purchase.idle=hold", "storage.layout=converged", control_ami=IDS["ami"])
    nodes = {line: usd for line, usd in spec.usd_per_hour.items() if line.startswith("fleet.compute")}
    assert sum(nodes.values()) == pytest.approx(2 * P5 + 8 * P4D, rel=1e-6)
    graph = resource_graph(spec)
    carried = {line for one in graph["resources"] for line in one["bill_lines"]}
    assert {*spec.usd_per_hour, *spec.metered} <= carried
    assert all(bill_line(line).in_stack for line in carried)
    assert sum(one["usd_per_hour"] for one in graph["resources"]) == pytest.approx(sum(spec.usd_per_hour.values()))
    assert not [one for one in graph["resources"] if one["type"].endswith("kms/key:Key") and one["free"]]


def test_the_pool_is_on_the_type_whose_drives_hold_most():
    """8 p4d have 64 TB of drives, two p5 61 TB; three p5 92 TB."""
    hold = ("purchase.idle=hold", "storage.layout=converged")
    spec = made("on-demand", *hold)
    assert [one.fleet.instance_type for one in spec.by_type] == ["p4d.24xlarge", "p5.48xlarge"]
    assert [one.fleet.reserved_vcpu for one in spec.by_type] == [8, 0]
    assert spec.control.count == 3
    spec = made("on-demand", *hold, "groups.0.nodes=3", nodes="p5.48xlargex3+p4d.24xlargex8")
    assert [one.fleet.instance_type for one in spec.by_type] == ["p5.48xlarge", "p4d.24xlarge"]


def test_committed_nodes_stand_at_the_price_of_the_commitment():
    spec = made("sp-1y-compute-no-upfront", "storage.layout=converged")
    assert spec.scheduler
    assert not spec.scheduler.release
    assert spec.buying.kind == "on-demand"
    assert spec.by_type[0].scheduler
    assert spec.by_type[0].scheduler.usd_per_node_hour < P4D
    assert "fleet.commitment-unused" not in (*spec.usd_per_hour, *spec.metered), "it is the payer's"


@pytest.mark.parametrize(
    ("way", "overrides", "nodes", "said"),
    [
        ("capacity-block", (), "", "a chain of Capacity Blocks"),
        ("on-demand", ("storage.layout=converged",), "", "--set purchase.idle=hold"),
        ("on-demand", ("groups.0.nodes=mix",), "p5.48xlarge+p4d.24xlargex8", "--set groups.0.nodes="),
        ("on-demand", ("projects.0.name=a.b",), "", "cannot be an account"),
    ],
)
def test_what_is_no_stack_says_what_to_change(way: str, overrides: tuple[str, ...], nodes: str, said: str):
    with pytest.raises(UsageProblem, match=re.escape(said)):
        made(way, *overrides, **({"nodes": nodes} if nodes else {}))


def test_what_contradicts_itself_is_found_before_the_file_is_written():
    with pytest.raises(PlanProblems, match="is not an image id"):
        made("on-demand", ami="ami-?")


def test_the_file_before_keeps_ids_of_each_type():
    before = made("on-demand")
    plan = loaded(text=PLAN.replace(", ami: ami-0b0000000000000b1", "")).plan
    values = kept(before, plan, FromOperator())
    assert values.amis == {"p5.48xlarge": "ami-0b0000000000000b1", "p4d.24xlarge": IDS["ami"]}
    assert (values.zone_id, values.notify) == (IDS["zone_id"], IDS["notify"])
    assert kept(before, plan, FromOperator(zone_id="use1-az6")).zone_id == "use1-az6"


def test_shares_that_are_no_whole_numbers_keep_their_proportion():
    spec = made("on-demand", "projects.0.share=0.5")
    assert spec.scheduler
    assert [one.share for one in spec.scheduler.projects] == [50, 100]


def test_a_plan_without_a_deploy_section_keeps_its_hash():
    assert loaded(text=PLAN).sha256 != loaded("deploy.stack=other", text=PLAN).sha256
    assert loaded().sha256 == loaded("deploy.stack=dev").sha256
