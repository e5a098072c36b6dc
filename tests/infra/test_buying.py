"""What the fleet says to AWS of how it is bought, when it comes and when it ends."""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from typing import Any

import pytest

from infra.alarms import alarms_of, paid_for
from infra.guard import scale_down_at
from planner.lint.read.graph import graph_from
from planner.lint.rules import lint
from planner.stack.canary import as_canary
from planner.stack.spec import PLACEHOLDER, Block, ClusterSpec
from tests.infra.specs import BUYING, graph_of, inputs, names, spec_of


def bought(kind: str) -> dict[str, Any]:
    return graph_of(spec_of("s3-stream", buying=BUYING[kind]))


def test_a_gang_has_a_fixed_size_and_is_not_waited_for():
    group = inputs(bought("on-demand"), "fleet-group")
    assert (group["minSize"], group["desiredCapacity"], group["maxSize"]) == (8, 8, 8)
    assert group["waitForCapacityTimeout"] == "0"
    assert group["suspendedProcesses"] == ["AZRebalance", "ReplaceUnhealthy"]
    assert group["protectFromScaleIn"] is True
    assert group["launchTemplate"]["version"].endswith("fleet-template.latestVersion}")


def test_spot_comes_from_where_it_is_least_taken_and_comes_back():
    graph = bought("spot")
    group = inputs(graph, "fleet-group")
    assert "launchTemplate" not in group
    assert group["mixedInstancesPolicy"]["instancesDistribution"] == {
        "onDemandBaseCapacity": 0,
        "onDemandPercentageAboveBaseCapacity": 0,
        "spotAllocationStrategy": "price-capacity-optimized",
    }
    assert "capacityRebalance" not in group, "it would end healthy nodes of a job"
    assert "ReplaceUnhealthy" not in group["suspendedProcesses"]
    assert "instanceMarketOptions" not in inputs(graph, "fleet-template")


def test_a_block_takes_no_placement_group_and_ends_before_its_end():
    graph = bought("capacity-block")
    template = inputs(graph, "fleet-template")
    assert "fleet-placement" not in names(graph)
    assert "placement" not in template
    assert template["instanceMarketOptions"] == {"marketType": "capacity-block"}
    target = template["capacityReservationSpecification"]["capacityReservationTarget"]
    assert target == {"capacityReservationId": "cr-0123456789abcdef0"}
    # the block ends at 11:30; AWS takes the nodes from 11:00
    assert inputs(graph, "guard-block-end")["startTime"] == "2026-12-01T10:45:00Z"
    assert inputs(graph, "guard-block-end")["desiredCapacity"] == 0
    # protected nodes would outlast the schedule
    assert inputs(graph, "fleet-group")["protectFromScaleIn"] is False


@pytest.mark.parametrize("kind", ["on-demand", "spot"])
def test_a_canary_is_one_node_now_and_all_else_of_the_whole_fleet(kind):
    whole = spec_of("converged", buying=BUYING[kind], scenario=f"converged/p5.48xlarge/{kind}")
    alone, graph = (
        {entry["name"]: entry for entry in graph_of(spec)["resources"]} for spec in (as_canary(whole), whole)
    )
    changed = [name for name, entry in graph.items() if alone[name] != entry]
    # the tag of the VPC stays as a first update wrote it: its changes are ignored
    assert (changed, alone.keys()) == (["network-vpc", "fleet-group"], graph.keys())
    group, full = alone["fleet-group"], graph["fleet-group"]
    assert {key: group["inputs"][key] for key, old in full["inputs"].items() if group["inputs"][key] != old} == {
        "minSize": 1,
        "desiredCapacity": 1,
    }
    assert group["usd_per_hour"] == pytest.approx(full["usd_per_hour"] / 8)


def test_only_a_block_is_scaled_down_by_the_clock():
    for kind in ("on-demand", "spot", "reservation"):
        assert not {"guard-block-end", "guard-block-start"} & names(bought(kind))
    for kind in ("on-demand", "spot"):
        assert "fleet-placement" in names(bought(kind))


def test_a_block_that_starts_later_has_no_nodes_until_then():
    later = replace(BUYING["capacity-block"], starts="2026-11-24T12:30:00+01:00")
    graph = graph_of(spec_of("s3-stream", buying=later))
    group = inputs(graph, "fleet-group")
    assert (group["minSize"], group["desiredCapacity"], group["maxSize"]) == (0, 0, 8)
    start = inputs(graph, "guard-block-start")
    assert start["startTime"] == "2026-11-24T11:30:00Z"  # AWS takes no other way of writing it
    assert (start["minSize"], start["desiredCapacity"], start["maxSize"]) == (8, 8, 8)
    assert inputs(graph, "guard-block-end")["maxSize"] == 0
    # without the key it is as it was: the nodes are asked for at once
    assert inputs(bought("capacity-block"), "fleet-group")["minSize"] == 8
    assert "guard-block-start" not in names(bought("capacity-block"))


def test_the_count_of_a_fleet_that_waits_for_its_block_is_held_against_what_the_group_is_set_to():
    later = replace(BUYING["capacity-block"], starts="2026-11-24T11:30:00Z")
    alarm = inputs(graph_of(spec_of("s3-stream", buying=later)), "guard-alarm-fleet-count")
    answer, *metrics = alarm["metricQueries"]
    assert (answer["expression"], answer["returnData"]) == ("metric - less", True)
    assert {query["id"]: query["metric"]["metricName"] for query in metrics} == {
        "metric": "GroupDesiredCapacity",
        "less": "GroupInServiceInstances",
    }
    assert (alarm["comparisonOperator"], alarm["threshold"]) == ("GreaterThanThreshold", 0)
    assert not {"metricName", "namespace", "statistic", "period", "dimensions"} & set(alarm)
    plain = inputs(bought("capacity-block"), "guard-alarm-fleet-count")
    assert (plain["metricName"], plain["threshold"]) == ("GroupInServiceInstances", 8)


@pytest.mark.parametrize("alarms", [1, 2, 6])
def test_an_alarm_of_two_metrics_takes_the_place_of_two(alarms):
    later = replace(BUYING["capacity-block"], starts="2026-11-24T11:30:00Z")
    taken = paid_for(alarms_of(spec_of("converged", buying=later), ["pool"]), alarms)
    assert sum(2 if alarm.minus else 1 for alarm in taken) == alarms
    assert ("fleet-count" in {alarm.name for alarm in taken}) == (alarms > 1)


@pytest.mark.parametrize(
    ("group", "name"),
    [("", None), ("close", "close"), ("arn:aws:ec2:us-east-1:111122223333:placement-group/close", "close")],
)
def test_a_reservation_is_used_from_the_group_it_was_made_in_and_from_none_of_ours(group, name):
    graph = graph_of(spec_of("s3-stream", buying=replace(BUYING["reservation"], placement_group=group)))
    assert "fleet-placement" not in names(graph)
    assert inputs(graph, "fleet-template").get("placement") == ({"groupName": name} if name else None)


def test_a_reservation_is_aimed_at_and_nothing_else():
    template = inputs(bought("reservation"), "fleet-template")
    assert template["capacityReservationSpecification"]["capacityReservationTarget"] == {
        "capacityReservationId": "cr-0123456789abcdef0"
    }
    assert "instanceMarketOptions" not in template
    assert "capacityReservationSpecification" not in inputs(bought("on-demand"), "fleet-template")


@pytest.mark.parametrize(
    ("ends", "at"),
    [
        ("2026-12-01T11:30:00Z", "2026-12-01T10:45:00Z"),
        ("2026-12-01T12:30:00+01:00", "2026-12-01T10:45:00Z"),
        (f"{PLACEHOLDER}-ends", f"{PLACEHOLDER}-45-minutes-before-the-block-ends"),
    ],
)
def test_the_way_down_is_45_minutes_before_the_end_in_utc(ends, at):
    assert scale_down_at(ends) == at


TWO = replace(
    BUYING["capacity-block"],
    starts="2026-11-24T11:30:00Z",
    further_blocks=(
        Block(
            nodes=4,
            reservation_id="cr-0123456789abcdef1",
            starts="2026-11-25T11:30:00Z",
            ends="2026-12-02T11:30:00Z",
        ),
    ),
)


def twelve(layout: str) -> ClusterSpec:
    spec = spec_of(layout, buying=TWO)
    return replace(spec, fleet=replace(spec.fleet, nodes=12))


def test_each_block_has_a_group_that_starts_and_ends_with_it():
    """12 nodes, of which the first block has 8: a template launches into one reservation."""
    spec = twelve("converged")
    graph = graph_of(replace(spec, guard=replace(spec.guard, alarms=30)))
    for suffix, nodes, id, first_day, last_day in (("", 8, "0", "11-24", "12-01"), ("-2", 4, "1", "11-25", "12-02")):
        group, template = inputs(graph, f"fleet-group{suffix}"), inputs(graph, f"fleet-template{suffix}")
        assert (group["minSize"], group["maxSize"]) == (0, nodes)
        assert group["launchTemplate"]["version"].endswith(f"fleet-template{suffix}.latestVersion}}")
        target = template["capacityReservationSpecification"]["capacityReservationTarget"]
        assert target == {"capacityReservationId": f"cr-0123456789abcdef{id}"}
        start, end = inputs(graph, f"guard-block-start{suffix}"), inputs(graph, f"guard-block-end{suffix}")
        assert (start["startTime"], start["maxSize"]) == (f"2026-{first_day}T11:30:00Z", nodes)
        assert (end["startTime"], end["maxSize"]) == (f"2026-{last_day}T10:45:00Z", 0)
        assert inputs(graph, f"fleet-drain{suffix}")["autoscalingGroupName"].endswith(f"fleet-group{suffix}.name}}")
        alarm = inputs(graph, f"guard-alarm-fleet-status{suffix}")
        assert alarm["dimensions"]["AutoScalingGroupName"].endswith(f"fleet-group{suffix}.name}}")
    allowed = json.loads(inputs(graph, "fleet-role-data")["policy"])["Statement"]
    (lifecycle,) = (one for one in allowed if one["Sid"] == "Lifecycle")
    assert [arn.rpartition("/")[2] for arn in lifecycle["Resource"]] == [
        "planner-dev-fleet-group",
        "planner-dev-fleet-group-2",
    ]


def test_nodes_are_told_the_group_that_they_are_in():
    graph = graph_of(twelve("s3-stream"))
    for suffix in ("", "-2"):
        data = base64.b64decode(inputs(graph, f"fleet-template{suffix}")["userData"]).decode()
        assert f"PLANNER_GROUP='planner-dev-fleet-group{suffix}'" in data
        assert "PLANNER_GIVE_UP_H" not in data, "a block is paid whether it is used or not"


def test_the_bill_of_the_nodes_is_divided_by_nodes():
    graph = twelve("s3-stream")
    usd = {
        entry["name"]: entry["usd_per_hour"]
        for entry in graph_of(graph)["resources"]
        if entry["name"].startswith("fleet-group")
    }
    assert usd["fleet-group"] == pytest.approx(2 * usd["fleet-group-2"])
    assert sum(usd.values()) == pytest.approx(sum(v for k, v in graph.usd_per_hour.items() if k.startswith("fleet.")))


def test_a_fleet_of_two_blocks_has_no_findings():
    document = json.loads(json.dumps(graph_of(twelve("converged"))))
    assert [f"{found.id} {found.message}" for found in lint(graph_from(document))] == []


@pytest.mark.parametrize(
    ("kind", "hours", "said"), [("on-demand", 12.0, True), ("spot", 12.0, True), ("spot", 0.0, False)]
)
def test_nodes_know_how_long_they_wait_for_the_rest_of_their_fleet(kind, hours, said):
    spec = spec_of("s3-stream", scenario=f"s3-stream/p5.48xlarge/{kind}", buying=BUYING[kind])
    graph = graph_of(replace(spec, guard=replace(spec.guard, give_up_hours=hours)))
    data = base64.b64decode(inputs(graph, "fleet-template")["userData"]).decode()
    assert ("PLANNER_GIVE_UP_H='12'" in data) == said
    statements = json.loads(inputs(graph, "fleet-role-data")["policy"])["Statement"]
    (own,) = [one for one in statements if "autoscaling:SuspendProcesses" in one["Action"]]
    assert own["Resource"].endswith("autoScalingGroupName/planner-dev-fleet-group")
