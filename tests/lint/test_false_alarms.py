"""What is no mistake: private ranges, values that nobody knows yet, graphs that say less than ours."""

from __future__ import annotations

import pytest

from planner.lint.read.graph import graph_from
from planner.lint.read.values import UNKNOWN
from planner.lint.rules import lint
from tests.lint import graphs
from tests.lint.mistakes.identity import grant
from tests.lint.mistakes.network import allow

GRAPHS = (*graphs.LAYOUTS, *graphs.FOREIGN)
BUCKET = "arn:aws:s3:::acme-training-data"


def graph(name: str) -> graphs.Document:
    return graphs.FOREIGN[name]() if name in graphs.FOREIGN else graphs.ours(name)


def said(document: graphs.Document) -> list[str]:
    return [f"{finding.id} {finding.message}" for finding in lint(graph_from(document))]


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("cidr", ["10.0.0.0/8", "172.16.0.0/12", "192.168.1.0/24", "100.64.0.0/10"])
def test_a_port_of_administration_from_a_private_range_is_no_finding(cidr: str, name: str):
    document = graph(name)
    allow("tcp", 5432, 5432, cidr)(document)
    assert said(document) == []


def test_a_range_of_the_stack_itself_is_private_whatever_its_numbers():
    document = graphs.foreign_p5()
    graphs.find(document, "Vpc")["inputs"]["cidrBlock"] = "52.20.0.0/16"
    for subnet in ("Gpu", "Edge"):
        held = graphs.find(document, "Subnet", subnet)["inputs"]
        held["cidrBlock"] = held["cidrBlock"].replace("10.20.", "52.20.")
    allow("tcp", 3389, 3389, "52.20.0.0/20")(document)
    assert said(document) == []


@pytest.mark.parametrize("name", GRAPHS)
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
def test_a_right_on_a_thing_with_a_name_is_no_finding(action: str, resource: str, name: str):
    document = graph(name)
    grant(action, resource)(document)
    assert said(document) == []


def test_what_is_not_known_yet_is_not_judged():
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


def test_an_output_that_hands_an_id_on_is_of_the_right_kind():
    document = graphs.foreign_p5()
    vpc, subnet = graphs.find(document, "Vpc")["urn"], graphs.find(document, "Subnet", "Gpu")["urn"]
    graphs.find(document, "RouteTable", "GpuRoutes")["inputs"]["vpcId"] = f"${{{subnet}.vpcId}}"
    graphs.drop(document, graphs.find(document, "RouteTableAssociation", "GpuAssoc"))
    graphs.find(document, "VpcEndpoint")["inputs"]["routeTableIds"] = [f"${{{vpc}.mainRouteTableId}}"]
    assert said(document) == []


def test_a_line_that_the_graph_says_is_unpriced_may_stand_at_nothing():
    document = graphs.ours("converged")
    graphs.find(document, "NatGateway")["usd_per_hour"] = 0
    assert [finding.id for finding in lint(graph_from(document))] == ["BILL-NOTHING"]
    document["stack"]["unpriced"] = ["network.nat-gateway"]
    assert said(document) == []
