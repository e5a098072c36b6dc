"""Commands by Systems Manager and the swap of a node, against botocore's own models of the answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import boto3
import pytest
from botocore.stub import ANY, Stubber

from planner.account.commands import AT_ONCE, Fleet, Member
from planner.account.swap import REPLACES, Swap
from planner.errors import AwsProblem, UsageProblem
from planner.stack.names import scaling_groups
from planner.stack.spec import Block
from tests.cluster.specs import SCHEDULER, slurm_spec
from tests.infra.specs import graph_of
from tests.stack.specs import block, spec

TWO = replace(block().buying, further_blocks=(Block(nodes=1, reservation_id="cr-2", ends=block().buying.ends),))
GROUP, REGION = "planner-dev-fleet-group", "us-east-1"


class Clients:
    """One stubbed client a service."""

    def __init__(self, *services: str) -> None:
        keys = {"aws_access_key_id": "testing", "aws_secret_access_key": "testing"}
        self.made: dict[str, Any] = {name: boto3.client(name, region_name=REGION, **keys) for name in services}
        self.stubs = {name: Stubber(client) for name, client in self.made.items()}
        for stub in self.stubs.values():
            stub.activate()

    def make(self, service: str, region: str) -> Any:
        return self.made[service]

    def done(self) -> None:
        for stub in self.stubs.values():
            stub.assert_no_pending_responses()


def group(members: Mapping[str, str], suspended: tuple[str, ...] = ()) -> dict[str, Any]:
    rest = {"MinSize": 1, "MaxSize": 1, "DesiredCapacity": 1, "DefaultCooldown": 1, "AvailabilityZones": ["a"]}
    return {
        "AutoScalingGroups": [
            {
                "AutoScalingGroupName": GROUP,
                **rest,
                "HealthCheckType": "EC2",
                "CreatedTime": datetime(2026, 11, 28, tzinfo=UTC),
                "Instances": [
                    {
                        "InstanceId": id,
                        "LifecycleState": state,
                        "AvailabilityZone": "a",
                        "HealthStatus": "Healthy",
                        "ProtectedFromScaleIn": False,
                    }
                    for id, state in members.items()
                ],
                "SuspendedProcesses": [{"ProcessName": name} for name in suspended],
            }
        ]
    }


def fleet(clients: Clients) -> Fleet:
    return Fleet(groups=(GROUP,), region=REGION, make=clients.make, sleep=lambda _: None)


def test_members_in_service_with_their_addresses():
    clients = Clients("autoscaling", "ec2")
    clients.stubs["autoscaling"].add_response(
        "describe_auto_scaling_groups", group({"i-2": "InService", "i-1": "Pending"})
    )
    launched = datetime(2026, 11, 28, 8, tzinfo=UTC)
    found = {"InstanceId": "i-2", "PrivateIpAddress": "10.0.0.2", "LaunchTime": launched}
    clients.stubs["ec2"].add_response(
        "describe_instances", {"Reservations": [{"Instances": [found]}]}, {"InstanceIds": ["i-2"]}
    )
    assert fleet(clients).members() == (Member(id="i-2", host="10.0.0.2", launched=launched),)
    clients.done()


def test_nodes_that_aws_pcs_started_are_found_by_the_tags_of_their_template():
    clients, graph = Clients("ec2"), graph_of(slurm_spec())
    [template] = [one["inputs"] for one in graph["resources"] if one["name"] == "fleet-template"]
    tags = next(one["tags"] for one in template["tagSpecifications"] if one["resourceType"] == "instance")
    filters = [{"Name": f"tag:{key}", "Values": [tags[key]]} for key in ("planner:stack", "planner:name")]
    filters.append({"Name": "instance-state-name", "Values": ["running"]})
    answer = {"Reservations": [{"Instances": [{"InstanceId": "i-2"}]}, {"Instances": [{"InstanceId": "i-1"}]}]}
    clients.stubs["ec2"].add_response("describe_instances", answer, {"Filters": filters})
    found = Fleet(groups=(), stack=slurm_spec().stack, region=REGION, make=clients.make)
    assert [one.id for one in found.members()] == ["i-1", "i-2"]
    clients.done()


def test_one_command_goes_to_fifty_nodes_at_a_time_and_late_answers_are_waited_for():
    clients, ids = Clients("ssm"), [f"i-{n:03d}" for n in range(AT_ONCE + 1)]
    stub = clients.stubs["ssm"]
    for some, id in ((ids[:AT_ONCE], "one"), (ids[AT_ONCE:], "two")):
        sent = {"InstanceIds": some, "DocumentName": "AWS-RunShellScript", "MaxConcurrency": "100%", "Parameters": ANY}
        stub.add_response("send_command", {"Command": {"CommandId": id * 12}}, sent)
    stub.add_client_error("get_command_invocation", "InvocationDoesNotExist")
    stub.add_response("get_command_invocation", {"Status": "InProgress"})
    for _ in ids[2:]:
        stub.add_response("get_command_invocation", {"Status": "Success", "StandardOutputContent": "yes"})
    for _ in ids[:2]:
        stub.add_response("get_command_invocation", {"Status": "TimedOut", "StatusDetails": "Execution Timed Out"})
    found = fleet(clients).run(ids, "true", 60)
    assert sum(said.well for said in found.values()) == AT_ONCE - 1
    assert found["i-000"].err == "Execution Timed Out"
    clients.done()


def test_hours_of_a_start_are_from_the_launch_to_the_first_record_that_it_was_ready():
    clients = Clients("s3")
    folder = f"boot-logs/{GROUP}/2026-11-28T07:00:00Z/"
    names = [
        "2026-11-28T08:12:00Z.ready.i-1",
        "2026-11-28T09:12:00Z.ready.i-1",
        "2026-11-28T08:00:00Z.failed.i-2",
        "full",
    ]
    clients.stubs["s3"].add_response(
        "list_objects_v2",
        {"Contents": [{"Key": folder + name} for name in names], "IsTruncated": False},
        {"Bucket": "data", "Prefix": f"boot-logs/{GROUP}/"},
    )
    members = [Member(id=id, host="", launched=datetime(2026, 11, 28, 8, tzinfo=UTC)) for id in ("i-1", "i-2")]
    assert fleet(clients).start_hours("data", members) == pytest.approx({"i-1": 0.2})


def swap(clients: Clients, **more: Any) -> Swap:
    given = {"groups": (GROUP,), "region": REGION, "make": clients.make, "say": lambda _: None, **more}
    return Swap(sleep=lambda _: None, **given)


def test_a_swap_lets_the_group_replace_for_as_long_as_it_takes():
    clients = Clients("autoscaling", "ec2")
    stub, named = clients.stubs["autoscaling"], {"AutoScalingGroupName": GROUP, "ScalingProcesses": [REPLACES]}
    before = {"i-1": "InService", "i-2": "InService"}
    stub.add_response("describe_auto_scaling_groups", group(before, (REPLACES,)))
    stub.add_response("resume_processes", {}, named)
    clients.stubs["ec2"].add_response("terminate_instances", {}, {"InstanceIds": ["i-2"]})
    stub.add_response("describe_auto_scaling_groups", group(before))
    stub.add_response("describe_auto_scaling_groups", group({"i-1": "InService", "i-3": "Pending"}))
    stub.add_response("describe_auto_scaling_groups", group({"i-1": "InService", "i-3": "InService"}))
    stub.add_response("suspend_processes", {}, named)
    assert swap(clients).of("i-2") == "i-3"
    clients.done()


def test_a_node_of_a_second_capacity_block_is_replaced_in_its_own_group():
    clients, second = Clients("autoscaling", "ec2"), f"{GROUP}-2"
    stub = clients.stubs["autoscaling"]
    for name, members in (
        (GROUP, {"i-1": "InService"}),
        (second, {"i-2": "InService"}),
        (second, {"i-3": "InService"}),
    ):
        stub.add_response("describe_auto_scaling_groups", group(members), {"AutoScalingGroupNames": [name]})
    clients.stubs["ec2"].add_response("terminate_instances", {}, {"InstanceIds": ["i-2"]})
    assert scaling_groups(block(fleet=replace(block().fleet, nodes=9), buying=TWO)) == (GROUP, second)
    assert swap(clients, groups=(GROUP, second)).of("i-2") == "i-3"
    clients.done()


def test_a_node_of_another_group_is_refused_before_anything_changes():
    clients = Clients("autoscaling", "ec2")
    clients.stubs["autoscaling"].add_response("describe_auto_scaling_groups", group({"i-1": "InService"}, (REPLACES,)))
    with pytest.raises(AwsProblem, match="i-9 is not in planner-dev-fleet-group: nodes are i-1"):
        swap(clients).of("i-9")
    clients.done()


def test_a_swap_that_takes_too_long_leaves_the_group_as_it_was():
    clients = Clients("autoscaling", "ec2")
    stub = clients.stubs["autoscaling"]
    stub.add_response("describe_auto_scaling_groups", group({"i-1": "InService"}, (REPLACES,)))
    stub.add_response("resume_processes", {})
    clients.stubs["ec2"].add_response("terminate_instances", {})
    stub.add_response("describe_auto_scaling_groups", group({}))
    stub.add_response("suspend_processes", {})
    with pytest.raises(AwsProblem, match="no node came for i-1"):
        swap(clients, limit_s=-1).of("i-1")
    clients.done()


def test_nodes_of_a_slurm_cluster_are_not_ours_to_replace():
    with pytest.raises(UsageProblem, match="AWS PCS starts and ends"):
        scaling_groups(spec("s3-stream", scheduler=SCHEDULER))
