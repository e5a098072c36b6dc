"""Names in three tongues, and what is shaped otherwise: there and back without loss. Needs none of the programs."""

from __future__ import annotations

import pytest
from google.protobuf.json_format import MessageToDict, ParseDict
from google.protobuf.struct_pb2 import Struct
from pulumi.runtime.rpc import _special_asset_sig, _special_sig_key

from tests.bridge import binary
from tests.bridge.names import bridge_token, bridged_urn, terraform_name
from tests.bridge.shapes import INSTANCE, LIFECYCLE, from_bridge, path_from_bridge, to_bridge


@pytest.mark.parametrize(
    ("token", "terraform", "bridge"),
    [
        ("aws:ec2/vpcEndpoint:VpcEndpoint", "aws_vpc_endpoint", "aws:index/vpcEndpoint:VpcEndpoint"),
        ("aws:iam/role:Role", "aws_iam_role", "aws:index/iamRole:IamRole"),
        ("aws:s3/bucketObjectv2:BucketObjectv2", "aws_s3_object", "aws:index/s3Object:S3Object"),
        (
            "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule",
            "aws_vpc_security_group_ingress_rule",
            "aws:index/vpcSecurityGroupIngressRule:VpcSecurityGroupIngressRule",
        ),
        (
            "aws:costexplorer/anomalyMonitor:AnomalyMonitor",
            "aws_ce_anomaly_monitor",
            "aws:index/ceAnomalyMonitor:CeAnomalyMonitor",
        ),
    ],
)
def test_a_type_has_three_names(token: str, terraform: str, bridge: str):
    assert terraform_name(token) == terraform
    assert bridge_token(token) == bridge


def test_a_urn_keeps_all_but_its_type():
    ours = "urn:pulumi:dev::fleet::planner:infra:Network$aws:ec2/vpc:Vpc::network-vpc"
    assert bridged_urn(ours) == "urn:pulumi:dev::fleet::planner:infra:Network$aws:index/vpc:Vpc::network-vpc"
    provider = "urn:pulumi:dev::fleet::pulumi:providers:aws::default_7_51_1"
    assert bridged_urn(provider) == provider


def test_what_is_no_type_of_aws_is_refused():
    with pytest.raises(ValueError, match="random:index/id:Id"):
        terraform_name("random:index/id:Id")


def test_a_file_goes_there_as_its_path():
    asset = {_special_sig_key: _special_asset_sig, "path": "out/bundle/aisnode", "hash": "0" * 64}
    told = ParseDict({"bucket": "b", "source": asset, "tags": {"path": "kept"}}, Struct())
    found = MessageToDict(to_bridge("aws:s3/bucketObjectv2:BucketObjectv2", told))
    assert found == {"bucket": "b", "source": "out/bundle/aisnode", "tags": {"path": "kept"}}
    assert told.fields["source"].HasField("struct_value")


OURS = {
    LIFECYCLE: {"rules": [{"id": "a", "filter": {"prefix": ""}}, {"id": "b", "transitions": [{"days": 0}]}]},
    INSTANCE: {"ami": "ami-1", "primaryNetworkInterface": {"networkInterfaceId": "eni-1"}},
    "aws:cloudwatch/metricAlarm:MetricAlarm": {"name": "idle"},
    "aws:ec2/vpc:Vpc": {"cidrBlock": "10.0.0.0/16"},
}
THEIRS = {
    LIFECYCLE: {"rules": [{"id": "a", "filters": [{"prefix": ""}]}, {"id": "b", "transitions": [{"days": 0}]}]},
    INSTANCE: {"ami": "ami-1", "networkInterfaces": [{"networkInterfaceId": "eni-1", "deviceIndex": 0}]},
    "aws:cloudwatch/metricAlarm:MetricAlarm": {"alarmName": "idle"},
    "aws:ec2/vpc:Vpc": {"cidrBlock": "10.0.0.0/16"},
}


@pytest.mark.parametrize("token", OURS)
def test_shapes_go_there_and_back(token: str):
    there = to_bridge(token, ParseDict(OURS[token], Struct()))
    assert MessageToDict(there) == THEIRS[token]
    assert to_bridge(token, from_bridge(token, there)) == there


@pytest.mark.parametrize("state", [{"rules": []}, {"rules": "unknown"}, {"rules": [{"filters": [], "id": "a"}]}, {}])
def test_state_that_holds_none_comes_back_as_it_was(state: dict[str, object]):
    there = ParseDict(state, Struct())
    assert to_bridge(LIFECYCLE, from_bridge(LIFECYCLE, there)) == there


def test_paths_of_differences_are_in_our_words():
    assert path_from_bridge(LIFECYCLE, "rules[0].filters[0].prefix") == "rules[0].filter.prefix"
    assert path_from_bridge(INSTANCE, "networkInterfaces[0].networkInterfaceId") == (
        "primaryNetworkInterface.networkInterfaceId"
    )
    assert path_from_bridge("aws:ec2/vpc:Vpc", "filters[0]") == "filters[0]"


def test_the_newest_binary_is_taken(tmp_path, monkeypatch):
    monkeypatch.delenv(binary.GIVEN, raising=False)
    assert binary.found([tmp_path]) is None
    paths = {}
    for version in ("5.9.0", "5.100.0", "5.31.0"):
        folder = tmp_path / "some" / "cache" / binary.INSIDE / version / "linux_amd64"
        folder.mkdir(parents=True)
        paths[version] = folder / f"terraform-provider-aws_v{version}_x5"
        paths[version].touch(mode=0o755)
    assert binary.found([tmp_path]) == paths["5.100.0"]
    paths["5.100.0"].chmod(0o644)  # not a program
    assert binary.found([tmp_path]) == paths["5.31.0"]
    monkeypatch.setenv(binary.GIVEN, str(tmp_path / "some" / "cache"))
    assert binary.found([]) == paths["5.31.0"]
    monkeypatch.setenv(binary.GIVEN, str(tmp_path))  # what is given and holds none is not made up for
    assert binary.found([tmp_path]) is None
