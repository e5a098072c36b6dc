"""What is left out, or not told apart, still has its reason: each is tried alone, and fails as it is said to."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import grpc
import pytest

from infra.graph import resource_graph
from tests.bridge.alone import Alone
from tests.bridge.known import ENDLESS, LACKING, UNREAD, client
from tests.bridge.layouts import small

HOOK = "aws:autoscaling/lifecycleHook:LifecycleHook"
TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
OBJECT = "aws:s3/bucketObjectv2:BucketObjectv2"
BUCKET, GROUP = "planner-alone", "planner-alone"
# what a reference to another resource stands for, where the provider looks at it
GIVEN = {
    "bucket": BUCKET,
    "fileSystemId": "fs-0123456789abcdef0",
    "autoscalingGroupName": GROUP,
    "id": "lt-0123456789abcdef0",  # of a group's template
}
ARN = "arn:aws:iam::123456789012:role/alone"
TLS_ONLY = {
    "Effect": "Deny",
    "Principal": "*",
    "Action": "s3:*",
    "Resource": [f"arn:aws:s3:::{BUCKET}", f"arn:aws:s3:::{BUCKET}/*"],
    "Condition": {"Bool": {"aws:SecureTransport": "false"}},
}


@pytest.fixture(scope="module")
def inputs() -> Mapping[str, dict[str, Any]]:
    """Type -> inputs of the first of its kind in a stack, with references made plain."""
    resources = [entry for layout in ("fsx-lustre", "workers") for entry in resource_graph(small(layout))["resources"]]
    return {entry["type"]: plain(entry["inputs"]) for entry in reversed(resources)}


def plain(value: Any, name: str = "") -> Any:
    if isinstance(value, dict):
        return {key: plain(entry, key) for key, entry in value.items()}
    if isinstance(value, list):
        return [plain(entry, name) for entry in value]
    if not isinstance(value, str) or "${" not in value:
        return value
    return GIVEN.get(name) or re.sub(r"\$\{[^}]*\.(\w+)\}", lambda of: ARN if of[1] == "arn" else "alone", value)


@pytest.fixture(scope="module")
def bucket(moto: str) -> Iterator[Any]:
    """A bucket that takes nothing but TLS."""
    s3 = client(moto, "s3")
    s3.create_bucket(Bucket=BUCKET)
    s3.put_bucket_policy(Bucket=BUCKET, Policy=json.dumps({"Version": "2012-10-17", "Statement": [TLS_ONLY]}))
    yield s3
    s3.delete_bucket(Bucket=BUCKET)


@pytest.fixture(scope="module")
def group(moto: str) -> Iterator[Any]:
    """A group of one node, protected from scale-in."""
    image = client(moto, "ec2").describe_images(MaxResults=5)["Images"][0]["ImageId"]
    launch = {"ImageId": image, "InstanceType": "t3.micro"}
    made = client(moto, "ec2").create_launch_template(LaunchTemplateName=GROUP, LaunchTemplateData=launch)
    template = {"LaunchTemplateId": made["LaunchTemplate"]["LaunchTemplateId"], "Version": "1"}
    scaling = client(moto, "autoscaling")
    scaling.create_auto_scaling_group(
        AutoScalingGroupName=GROUP,
        LaunchTemplate=template,
        AvailabilityZones=["us-east-1a"],
        MinSize=1,
        MaxSize=1,
        NewInstancesProtectedFromScaleIn=True,
    )
    yield scaling
    scaling.delete_auto_scaling_group(AutoScalingGroupName=GROUP, ForceDelete=True)


@pytest.fixture(scope="module")
def refusals(at_moto: Alone, inputs: Mapping[str, dict[str, Any]], bucket: Any) -> Mapping[str, str]:
    """Type -> what the provider says when it is made. All at once: Lustre's wait alone takes half a minute."""

    def refusal(token: str) -> str:
        try:
            return f"was made: {at_moto.create(token, inputs[token]).id}"
        except grpc.RpcError as error:
            return str(error.details())  # type: ignore[attr-defined]

    with ThreadPoolExecutor(len(LACKING)) as pool:
        return dict(zip(LACKING, pool.map(refusal, LACKING), strict=True))


@pytest.mark.parametrize("token", LACKING)
def test_what_is_left_out_still_cannot_be_made(refusals: Mapping[str, str], token: str):
    """Fails when moto has learned it: then the type goes from LACKING, and the layouts make it for real."""
    assert LACKING[token].says in refusals[token]


@pytest.mark.parametrize("token", LACKING)
def test_what_is_left_out_is_planned_by_the_real_code(offline: Alone, inputs: Mapping[str, dict[str, Any]], token: str):
    planned = offline.create(token, inputs[token], preview=True)
    assert {"arn", "tagsAll"} & set(planned.state), "the provider says what it will know"


def test_an_object_is_made_where_the_policy_does_not_stand_in_its_way(
    at_moto: Alone, inputs: Mapping[str, dict[str, Any]], moto: str
):
    s3 = client(moto, "s3")
    s3.create_bucket(Bucket="planner-open")
    made = at_moto.create(OBJECT, {**inputs[OBJECT], "bucket": "planner-open"})
    assert [entry["Key"] for entry in s3.list_objects_v2(Bucket="planner-open")["Contents"]] == [inputs[OBJECT]["key"]]
    assert at_moto.differs(made) == []
    at_moto.delete(made)
    assert "Contents" not in s3.list_objects_v2(Bucket="planner-open")


def test_a_template_differs_from_itself(at_moto: Alone, inputs: Mapping[str, dict[str, Any]]):
    """Fails when one of the properties no longer does: then it goes from ENDLESS."""
    made = at_moto.create(TEMPLATE, inputs[TEMPLATE])
    assert set(at_moto.differs(made)) == ENDLESS[TEMPLATE]
    at_moto.delete(made)


def test_a_hook_differs_from_itself(at_moto: Alone, inputs: Mapping[str, dict[str, Any]], group: Any):
    made = at_moto.create(HOOK, inputs[HOOK])
    assert set(at_moto.differs(made)) == ENDLESS[HOOK]
    at_moto.delete(made)


def test_everything_that_is_said_to_be_endless_is_tried():
    assert ENDLESS.keys() == {HOOK, TEMPLATE}


def test_a_rule_between_two_groups_has_no_description_when_it_is_asked_for(moto: str):
    """Fails when moto keeps it: then the rules go from UNREAD."""
    ec2 = client(moto, "ec2")
    vpc = ec2.create_vpc(CidrBlock="10.9.0.0/16")["Vpc"]["VpcId"]
    group = ec2.create_security_group(GroupName="planner-rule", Description="alone", VpcId=vpc)["GroupId"]
    pair = {"GroupId": group, "Description": "among themselves"}
    wanted = [{"IpProtocol": "tcp", "FromPort": 443, "ToPort": 443, "UserIdGroupPairs": [pair]}]
    (told,) = ec2.authorize_security_group_ingress(GroupId=group, IpPermissions=wanted)["SecurityGroupRules"]
    (found,) = ec2.describe_security_group_rules(SecurityGroupRuleIds=[told["SecurityGroupRuleId"]])[
        "SecurityGroupRules"
    ]
    ec2.delete_security_group(GroupId=group)
    ec2.delete_vpc(VpcId=vpc)
    assert not found.get("Description")


def test_an_interface_stays_attached_to_what_is_gone(moto: str):
    """Fails when moto lets go of it, as AWS does: then the interface goes from UNREAD."""
    ec2 = client(moto, "ec2")
    subnet = ec2.describe_subnets()["Subnets"][0]["SubnetId"]
    slot = ec2.create_network_interface(SubnetId=subnet)["NetworkInterface"]["NetworkInterfaceId"]
    image = ec2.describe_images(MaxResults=5)["Images"][0]["ImageId"]
    interfaces = [{"NetworkInterfaceId": slot, "DeviceIndex": 0}]
    made = ec2.run_instances(
        ImageId=image, InstanceType="t3.micro", MinCount=1, MaxCount=1, NetworkInterfaces=interfaces
    )
    ec2.terminate_instances(InstanceIds=[made["Instances"][0]["InstanceId"]])
    (found,) = ec2.describe_network_interfaces(NetworkInterfaceIds=[slot])["NetworkInterfaces"]
    assert found["Attachment"]["DeviceIndex"] == 0


def test_everything_that_is_said_to_be_unread_is_tried():
    assert {token.rpartition(":")[2] for token in UNREAD} == {
        "NetworkInterface",
        "SecurityGroupEgressRule",
        "SecurityGroupIngressRule",
    }


def test_a_change_that_somebody_made_is_still_a_difference(
    at_moto: Alone, inputs: Mapping[str, dict[str, Any]], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(at_moto.forward, "endless", ENDLESS)
    made = at_moto.create(TEMPLATE, {**inputs[TEMPLATE], "name": "planner-changed"})
    assert at_moto.differs(made) == []
    changed = {**inputs[TEMPLATE], "name": "planner-changed", "imageId": "ami-0b0000000000000b1"}
    assert "imageId" in at_moto.differs(made, changed)
    at_moto.delete(made)


def test_nodes_stay_when_their_protection_is_taken_off_after_the_size(group: Any):
    """Fails when moto ends them then, as AWS does: then layouts.py need not let go of them."""

    def nodes() -> list[str]:
        (found,) = group.describe_auto_scaling_groups(AutoScalingGroupNames=[GROUP])["AutoScalingGroups"]
        return [node["InstanceId"] for node in found["Instances"]]

    group.update_auto_scaling_group(AutoScalingGroupName=GROUP, MinSize=0, MaxSize=0, DesiredCapacity=0)
    group.set_instance_protection(AutoScalingGroupName=GROUP, InstanceIds=nodes(), ProtectedFromScaleIn=False)
    assert len(nodes()) == 1
