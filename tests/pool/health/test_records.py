"""Records of a group: in a folder, and in a bucket that moto's S3 keeps; the group itself is moto's, by the AWS CLI."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import boto3
import pytest
from fleet_pool.health.decide import RESTART_COUNTS_S, Group, Past
from fleet_pool.health.doer import AutoScaling
from fleet_pool.health.limits import Action
from fleet_pool.health.records import InBucket, InFolder, Records, open_in
from fleet_pool.launch.bucket import Bucket
from fleet_pool.node import ready
from fleet_pool.node.machine import Machine
from fleet_pool.operate.s3 import Credentials, Place

from tests.pool.node.nodes import CASES

NOW = 1_790_000_000.0
WHO = {"aws_access_key_id": "AKIAIOSFODNN7EXAMPLE", "aws_secret_access_key": "secret", "region_name": "us-east-1"}


@pytest.fixture(scope="module")
def moto() -> Iterator[str]:
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    _, port = server.get_host_and_port()
    yield f"http://127.0.0.1:{port}"
    server.stop()


@pytest.fixture(params=["folder", "bucket"])
def records(request: pytest.FixtureRequest, tmp_path: Path) -> Records:
    if request.param == "folder":
        return InFolder(tmp_path / "past")
    endpoint = request.getfixturevalue("moto")
    boto3.client("s3", endpoint_url=endpoint, **WHO).create_bucket(Bucket="data")
    who = Credentials(key_id=WHO["aws_access_key_id"], secret=WHO["aws_secret_access_key"], token="")
    bucket = Bucket("data", Place(region="us-east-1", endpoint=endpoint), lambda: who, patience_s=5)
    return InBucket(bucket, f"group-{tmp_path.name}")


def past(at_s: float, instance: str, action: Action) -> Past:
    return Past(at_s=at_s, place="p", instance=instance, action=action, check="xid")


def test_records_come_back_in_order_for_a_day(records: Records):
    assert records.past(NOW) == ()
    kept = [
        past(NOW - 3600, "i-2", Action.REPLACE),
        past(NOW - 60.25, "i-1", Action.DRAIN),
        past(NOW, "i-1", Action.OK),
    ]
    for one in (*reversed(kept), past(NOW - RESTART_COUNTS_S - 1, "i-3", Action.DRAIN)):
        records.add(one)
    assert list(records.past(NOW)) == kept


def test_who_is_out_is_who_was_not_brought_back():
    found = open_in(
        [
            past(1, "i-1", Action.DRAIN),
            past(2, "i-2", Action.RESTART),
            past(3, "i-1", Action.REPLACE),
            past(4, "i-2", Action.OK),
        ]
    )
    assert {name: one.at_s for name, one in found.items()} == {"i-1": 1}, "since it first went out"


def test_a_record_of_another_version_is_left_out(tmp_path: Path):
    (tmp_path / "one.json").write_text('{"at_s": 1, "action": 99}')
    (tmp_path / "two.json").write_text("no JSON")
    assert InFolder(tmp_path).past(2.0) == ()


@pytest.fixture
def group(moto: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[tuple[Any, str, str]]:
    """(client, name, an instance of it): three nodes that its group has counted."""
    program = shutil.which("aws")
    if not program:
        pytest.skip("no aws here (on Debian, apt-get install awscli)")
    ec2, client = (boto3.client(name, endpoint_url=moto, **WHO) for name in ("ec2", "autoscaling"))
    image = ec2.describe_images()["Images"][0]["ImageId"]
    name = f"group-{tmp_path.name}"
    client.create_launch_configuration(LaunchConfigurationName=name, ImageId=image, InstanceType="t3.micro")
    sizes = {"MinSize": 3, "MaxSize": 3, "AvailabilityZones": ["us-east-1a"]}
    client.create_auto_scaling_group(AutoScalingGroupName=name, LaunchConfigurationName=name, **sizes)
    members = client.describe_auto_scaling_groups(AutoScalingGroupNames=[name])["AutoScalingGroups"][0]["Instances"]
    for variable in ("ACCESS_KEY_ID", "SECRET_ACCESS_KEY"):
        monkeypatch.setenv(f"AWS_{variable}", "x")
    # Debian 12 has 2.9, which does not know AWS_ENDPOINT_URL and would ask AWS
    asks_moto = tmp_path / "bin/aws"
    asks_moto.parent.mkdir()
    asks_moto.write_text(f'#!/bin/sh\nexec {program} --endpoint-url {moto} "$@"\n')
    asks_moto.chmod(0o755)
    monkeypatch.setenv("PATH", str(asks_moto.parent), prepend=os.pathsep)
    monkeypatch.setattr(ready, "IN_SERVICE", tmp_path / "in-service")
    ready.IN_SERVICE.write_text("")
    yield client, name, members[0]["InstanceId"]
    client.delete_auto_scaling_group(AutoScalingGroupName=name, ForceDelete=True)


def test_a_real_command_line_marks_the_node_and_counts_its_group(group: tuple[Any, str, str], tmp_path: Path):
    client, name, instance = group
    node = replace(CASES[1].node, instance=instance, group=name)
    doer, kept = AutoScaling(node, Machine(60)), InFolder(tmp_path / "past")
    assert doer.group(kept, NOW) == Group(nodes=3, out=0)
    assert doer.replace() == f"{name} counts it unhealthy"
    [found] = client.describe_auto_scaling_instances(InstanceIds=[instance])["AutoScalingInstances"]
    assert found["HealthStatus"].lower() == "unhealthy"
    doer.back(Action.REPLACE)
    [found] = client.describe_auto_scaling_instances(InstanceIds=[instance])["AutoScalingInstances"]
    assert found["HealthStatus"].lower() == "healthy"
