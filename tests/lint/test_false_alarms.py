"""No false alarms: private ranges, unknown values, graphs with less information than ours."""

from __future__ import annotations

import pytest

from planner.lint.inputs.enums import WORDS
from planner.lint.read.graph import graph_from
from planner.lint.read.values import UNKNOWN
from planner.lint.rules import lint
from tests.lint import graphs
from tests.lint.mistakes.identity import grant
from tests.lint.mistakes.network import allow

BUCKET = "arn:aws:s3:::acme-training-data"


def graph(name: str) -> graphs.Document:
    return graphs.FOREIGN[name]() if name in graphs.FOREIGN else graphs.ours(name)


def said(document: graphs.Document) -> list[str]:
    return [f"{finding.id} {finding.message}" for finding in lint(graph_from(document))]


@pytest.mark.parametrize("name", graphs.EACH)
@pytest.mark.parametrize("cidr", ["10.0.0.0/8", "172.16.0.0/12", "192.168.1.0/24", "100.64.0.0/10"])
def test_admin_port_from_private_range_has_no_findings(cidr: str, name: str):
    document = graph(name)
    allow("tcp", 5432, 5432, cidr)(document)
    assert said(document) == []


def test_vpc_range_counts_as_private():
    document = graphs.foreign_p5()
    graphs.find(document, "Vpc")["inputs"]["cidrBlock"] = "52.20.0.0/16"
    for subnet in ("Gpu", "Edge"):
        held = graphs.find(document, "Subnet", subnet)["inputs"]
        held["cidrBlock"] = held["cidrBlock"].replace("10.20.", "52.20.")
    allow("tcp", 3389, 3389, "52.20.0.0/20")(document)
    assert said(document) == []


@pytest.mark.parametrize("name", graphs.EACH)
@pytest.mark.parametrize(
    ("action", "resource"),
    [
        ("s3:GetObject", f"{BUCKET}/*"),
        ("s3:Get*", f"{BUCKET}/dataset/*"),
        ("sts:AssumeRole", "arn:aws:iam::111122223333:role/acme/*"),
        ("kms:Decrypt", "arn:aws:kms:*:111122223333:key/1111aaaa-22bb-33cc-44dd-555555eeeeee"),
        ("secretsmanager:GetSecretValue", "arn:aws:secretsmanager:us-east-1:111122223333:secret:acme/*"),
        (
            "autoscaling:SetDesiredCapacity",
            "arn:aws:autoscaling:us-east-1:111122223333:autoScalingGroup:*:autoScalingGroupName/a",
        ),
        ("glue:GetTable", "*"),
        ("ec2:DescribeInstances", "*"),
    ],
)
def test_permission_on_a_named_resource_has_no_findings(action: str, resource: str, name: str):
    document = graph(name)
    grant(action, resource)(document)
    assert said(document) == []


def test_unknown_values_have_no_findings():
    document = graphs.foreign_p5()

    def put(kind: str, name: str, key: str, value: object) -> None:
        graphs.find(document, kind, name)["inputs"][key] = value

    put("RouteTableAssociation", "GpuAssoc", "subnetId", UNKNOWN)
    put("BucketPolicy", "", "policy", "${stack/Document.json}")
    put("LaunchTemplate", "", "userData", "${stack/Init.rendered}")
    put("LaunchTemplate", "", "instanceType", "${stack/Config.type}")
    put("Group", "", "minSize", "${stack/Config.nodes}")
    put("Budget", "", "limitUnit", UNKNOWN)
    put("FlowLog", "", "maxAggregationInterval", UNKNOWN)
    for resource in document["resources"]:
        resource["inputs"]["__defaults"] = []
    assert said(document) == []


def test_output_that_passes_on_an_id_is_accepted():
    document = graphs.foreign_p5()
    vpc, subnet = graphs.find(document, "Vpc")["urn"], graphs.find(document, "Subnet", "Gpu")["urn"]
    graphs.find(document, "RouteTable", "GpuRoutes")["inputs"]["vpcId"] = f"${{{subnet}.vpcId}}"
    graphs.drop(document, graphs.find(document, "RouteTableAssociation", "GpuAssoc"))
    graphs.find(document, "VpcEndpoint")["inputs"]["routeTableIds"] = [f"${{{vpc}.mainRouteTableId}}"]
    assert said(document) == []


def test_unpriced_bill_line_may_cost_zero():
    document = graphs.ours("converged")
    graphs.find(document, "NatGateway")["usd_per_hour"] = 0
    assert [finding.id for finding in lint(graph_from(document))] == ["BILL-NOTHING"]
    document["stack"]["unpriced"] = ["network.nat-gateway"]
    assert said(document) == []


@pytest.mark.parametrize(
    ("kind", "path", "value"),
    [
        ("ec2:LaunchTemplate", "instanceMarketOptions.marketType", "interruptible-capacity-reservation"),
        ("ec2:VpcEndpoint", "vpcEndpointType", "Tunnel"),
    ],
)
def test_what_botocore_s_models_have_is_no_unknown_value(kind: str, path: str, value: str):
    assert value in dict(WORDS[kind])[path]
