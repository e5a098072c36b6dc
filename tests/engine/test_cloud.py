"""The stand-in cloud by itself: what AWS refuses, what it makes twice, and whether its tables fit pulumi_aws and us."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from planner.account.stack_resources import stack_resources
from planner.stack.deployed_resources import TaggedResource
from planner.stack.spec import LAYOUTS, Guard
from tests.engine.cloud.api import Api
from tests.engine.cloud.faults import Fault, Faults
from tests.engine.cloud.kinds import KINDS, kind_of, replaces
from tests.engine.cloud.names import GOES_WITH, NAMES, names_of, values_at
from tests.engine.cloud.shapes import Shapes
from tests.engine.cloud.store import Cloud, Refused, texts
from tests.engine.specs import AMI, GIVEN, ZONE
from tests.infra.specs import BUYING, graph_of, spec_of

REFERENCE = re.compile(r"^\$\{(urn:pulumi:[^}]+)\.(\w+)\}$")
VPC, SUBNET, GROUP = "aws:ec2/vpc:Vpc", "aws:ec2/subnet:Subnet", "aws:ec2/securityGroup:SecurityGroup"


@pytest.fixture
def cloud(tmp_path) -> Cloud:
    return Cloud.new(tmp_path / "cloud.json", region="us-east-1", zones=(ZONE,), given=GIVEN)


@pytest.fixture(scope="module")
def shapes(tmp_path_factory) -> Shapes:
    return Shapes(tmp_path_factory.mktemp("shapes") / "shapes.json")


def network(cloud: Cloud) -> tuple[str, str]:
    """Ids of a VPC and a subnet in it."""
    vpc = cloud.create(VPC, {"cidrBlock": "10.0.0.0/16", "tags": {"planner:name": "network-vpc"}})["id"]
    subnet = cloud.create(SUBNET, {"vpcId": vpc, "cidrBlock": "10.0.0.0/24", "availabilityZoneId": ZONE})["id"]
    return vpc, subnet


def tagged(cloud: Cloud) -> list[TaggedResource]:
    """What planner.account finds in it of stack dev."""
    return stack_resources("dev", cloud.region, Api(cloud).client)


def test_what_is_named_must_stand(cloud):
    with pytest.raises(Refused, match="vpc-missing"):
        cloud.create(SUBNET, {"vpcId": "vpc-missing", "cidrBlock": "10.0.0.0/24", "availabilityZoneId": ZONE})
    with pytest.raises(Refused, match="ami-0123456789abcdef0"):
        cloud.create("aws:ec2/launchTemplate:LaunchTemplate", {"name": "t", "imageId": "ami-0123456789abcdef0"})
    assert cloud.standing() == []


def test_what_is_in_use_does_not_go(cloud):
    vpc, subnet = network(cloud)
    with pytest.raises(Refused, match=f"{vpc} is in use by"):
        cloud.delete(VPC, vpc)
    cloud.delete(SUBNET, subnet)
    cloud.delete(VPC, vpc)
    cloud.delete(VPC, vpc)  # what is gone is gone
    assert cloud.standing() == []


def test_a_bucket_with_data_does_not_go(cloud):
    for name, force in (("data", False), ("bundles", True)):
        cloud.create("aws:s3/bucket:Bucket", {"bucket": name, "forceDestroy": force})
        cloud.create("aws:s3/bucketObjectv2:BucketObjectv2", {"bucket": name, "key": "a", "content": "b"})
    with pytest.raises(Refused, match="BucketNotEmpty"):
        cloud.delete("aws:s3/bucket:Bucket", "data")
    cloud.delete("aws:s3/bucket:Bucket", "bundles")


@pytest.mark.parametrize(
    ("token", "inputs"),
    [
        (VPC, {"cidrBlock": "10.0.0.0/16"}),
        ("aws:ec2/eip:Eip", {"domain": "vpc"}),
        ("aws:kms/key:Key", {"description": "data"}),
    ],
)
def test_aws_makes_these_twice(cloud, token, inputs):
    assert cloud.create(token, inputs)["id"] != cloud.create(token, inputs)["id"]


@pytest.mark.parametrize(
    ("token", "inputs", "code"),
    [
        ("aws:iam/role:Role", {"name": "a", "assumeRolePolicy": "{}"}, "EntityAlreadyExists"),
        ("aws:s3/bucket:Bucket", {"bucket": "a"}, "BucketAlreadyOwnedByYou"),
        ("aws:ec2/launchTemplate:LaunchTemplate", {"name": "abc", "imageId": AMI}, "AlreadyExists"),
    ],
)
def test_aws_refuses_these_a_second_time(cloud, token, inputs, code):
    first = cloud.create(token, inputs)
    with pytest.raises(Refused, match=f"{code}.*there already: {re.escape(first['id'])}"):
        cloud.create(token, inputs)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_member_account_refuses_what_no_stack_has_by_default(tmp_path, layout):
    member = Cloud.new(tmp_path / "cloud.json", region="us-east-1", zones=(ZONE,), given=GIVEN, member=True)
    asked = spec_of(layout)
    everything, by_default = (
        {entry["type"] for entry in graph_of(one)["resources"] if "costexplorer" in entry["type"]}
        for one in (asked, replace(asked, guard=replace(asked.guard, more=Guard.more)))
    )
    assert not by_default
    for token in everything:
        with pytest.raises(Refused, match="Linked account"):
            member.create(token, {"name": "a", "monitorType": "CUSTOM"})
    assert everything
    assert member.standing() == []


def test_a_second_gateway_of_a_network_stands_and_is_attached_to_nothing(cloud):
    vpc, _ = network(cloud)
    token = "aws:ec2/internetGateway:InternetGateway"
    first = cloud.create(token, {"vpcId": vpc})
    with pytest.raises(Refused, match=f"there already: {first['id']}"):
        cloud.create(token, {"vpcId": vpc})
    assert len([one for one in cloud.standing() if one["type"] == token]) == 2


def test_a_template_counts_its_versions_and_a_group_launches_by_it(cloud):
    _, subnet = network(cloud)
    ours = {"planner:name": "fleet-node", "planner:stack": "dev"}
    tags = [{"resourceType": kind, "tags": ours} for kind in ("instance", "volume")]
    inputs = {
        "name": "abc",
        "imageId": AMI,
        "tagSpecifications": tags,
        "blockDeviceMappings": [{"deviceName": "/dev/sda1"}],
    }
    token = "aws:ec2/launchTemplate:LaunchTemplate"
    template = cloud.create(token, inputs)
    assert template["outputs"]["latestVersion"] == 1
    assert cloud.update(token, template["id"], {**inputs, "imageId": GIVEN[1]})["outputs"]["latestVersion"] == 2
    group = {
        "name": "g",
        "minSize": 3,
        "maxSize": 3,
        "desiredCapacity": 3,
        "vpcZoneIdentifiers": [subnet],
        "launchTemplate": {"id": template["id"], "version": "2"},
    }
    made = cloud.create("aws:autoscaling/group:Group", group)
    kinds = [thing.kind for thing in tagged(cloud) if thing.name == "fleet-node"]
    assert (kinds.count("ec2:instance"), kinds.count("ec2:volume")) == (3, 3)
    cloud.update("aws:autoscaling/group:Group", made["id"], {**group, "minSize": 1, "desiredCapacity": 1})
    assert len([thing for thing in tagged(cloud) if thing.kind == "ec2:instance"]) == 1
    cloud.delete("aws:autoscaling/group:Group", made["id"])
    assert tagged(cloud) == []


def test_inputs_are_held_against_pulumi_aws(shapes):
    assert list(shapes.faults(SUBNET, {"vpcId": "vpc-1", "cidrBlock": "10.0.0.0/24"})) == []
    assert dict(shapes.faults(SUBNET, {"cidrBlock": "10.0.0.0/24", "cidr": "x"})) == {
        "cidr": "An argument named 'cidr' is not expected here",
        "vpcId": "Missing required argument",
    }
    nested = {"networkInterfaces": [{"deviceIndex": "first"}, {"deviceIndx": 1}]}
    assert [path for path, _ in shapes.faults("aws:ec2/launchTemplate:LaunchTemplate", nested)] == [
        "networkInterfaces[0].deviceIndex",
        "networkInterfaces[1].deviceIndx",
    ]
    # a block of another type has the name of these arguments
    assert "bucket" in shapes.of("aws:s3/bucketVersioning:BucketVersioning")["inputs"]
    with pytest.raises(LookupError, match="no resource"):
        shapes.of("aws:ec2/vpc:Vpcs")


@pytest.mark.parametrize("token", sorted(KINDS))
def test_the_tables_speak_of_inputs_that_there_are(shapes, token):
    inputs = shapes.of(f"aws:{token}")["inputs"]
    kind = KINDS[token]
    assert {*kind.unique, *kind.replace, *filter(None, [kind.named])} <= set(inputs)
    assert {path.path.split(".")[0].removesuffix("[]") for path in NAMES.get(token, ())} <= set(inputs)
    assert GOES_WITH.get(token, next(iter(inputs))) in inputs
    assert set(re.findall(r"\{(\w+)\}", kind.id)) <= {*inputs, "hex", "hex8", "uuid", "account", "region"}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("buying", sorted(BUYING))
def test_every_reference_of_the_stack_is_one_that_the_cloud_follows(layout, buying):
    """A second way to the same table: the references of the recorded program."""
    graph = graph_of(spec_of(layout, buying=BUYING[buying]))
    types = {entry["urn"]: entry["type"] for entry in graph["resources"]}
    for entry in graph["resources"]:
        if not entry["type"].startswith("aws:"):
            continue
        kind_of(entry["type"])
        followed = {
            value for name in names_of(entry["type"]) for value in values_at(entry["inputs"], name.path) if value
        }
        for text in texts(entry["inputs"]):
            match = REFERENCE.match(text)
            if match and match[2] in ("id", "arn", "name", "keyId"):
                known = text in followed or _within_the_account(entry, text)
                assert known, f"{entry['type']}: nothing follows {text} ({types[match[1]]})"


def _within_the_account(entry: dict[str, Any], text: str) -> bool:
    """References that AWS takes without a look: a key in a bucket's settings, a bucket by its ARN in a policy."""
    if "Key::" in text:
        return entry["type"].startswith(("aws:s3/", "aws:fsx/"))
    return False


def test_what_makes_a_new_thing():
    subnet = {"cidrBlock": "10.0.0.0/24", "vpcId": "v", "tags": {}}
    assert replaces(SUBNET, subnet, {**subnet, "cidrBlock": "10.0.0.0/23"}, ["cidrBlock"]) == ["cidrBlock"]
    assert replaces(SUBNET, subnet, {**subnet, "tags": {"a": "b"}}, ["tags"]) == []
    lustre = "aws:fsx/lustreFileSystem:LustreFileSystem"
    assert replaces(lustre, {"storageCapacity": 2400}, {"storageCapacity": 4800}, ["storageCapacity"]) == []
    assert replaces(lustre, {"storageCapacity": 4800}, {"storageCapacity": 2400}, ["storageCapacity"])


def test_a_fault_fires_once(tmp_path):
    faults = Faults(tmp_path / "faults.json")
    faults.plan(Fault(operation="create", name="a", way="fail"))
    assert [faults.fires("delete", "a"), faults.fires("create", "b")] == ["", ""]
    assert [faults.fires("create", "a"), faults.fires("create", "a")] == ["fail", ""]
    with pytest.raises(ValueError, match="no fault"):
        Fault(operation="create", name="a", way="fails")
