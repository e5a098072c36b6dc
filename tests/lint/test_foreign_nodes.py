"""Nodes that others launch: by EKS, on ARM, and fast types without their network, in graphs that are not ours."""

from __future__ import annotations

from typing import Any

import pytest

from planner.lint.read.graph import graph_from
from planner.lint.rules import lint

INSTANCE = "aws:ec2/instance:Instance"
TEMPLATE, GROUP, EKS = (
    "aws:ec2/launchTemplate:LaunchTemplate",
    "aws:autoscaling/group:Group",
    "aws:eks/nodeGroup:NodeGroup",
)
IMAGE = "ami-0123456789abcdef0"


def resource(kind: str, name: str, **inputs: Any) -> dict[str, Any]:
    return {"type": kind, "name": name, "urn": f"urn:{name}", "parent": None, "inputs": inputs, "depends_on": []}


def found(*resources: dict[str, Any]) -> set[str]:
    graph = {"schema_version": "1", "stack": {"name": "others"}, "resources": list(resources)}
    return {finding.id for finding in lint(graph_from(graph))}


def used_by(name: str, nodes: int = 4) -> dict[str, Any]:
    template = {"id": f"${{urn:{name}.id}}", "version": "1"}
    return resource(GROUP, f"{name}-group", launchTemplate=template, minSize=nodes, maxSize=nodes)


def eks(name: str, **more: Any) -> dict[str, Any]:
    template = {"id": f"${{urn:{name}.id}}", "version": "1"}
    return resource(EKS, f"{name}-nodes", launchTemplate=template, instanceTypes=["p5.48xlarge"], **more)


def test_a_template_of_an_eks_node_group_needs_neither_image_nor_profile():
    template = resource(TEMPLATE, "gpu")
    assert not {"IMAGE-ID", "NODE-PROFILE"} & found(template, eks("gpu", amiType="AL2023_x86_64_NVIDIA"))
    assert {"IMAGE-ID", "NODE-PROFILE"} <= found(template)
    custom = found(template, eks("gpu", amiType="CUSTOM"))
    assert ("IMAGE-ID" in custom, "NODE-PROFILE" in custom) == (True, False)


@pytest.mark.parametrize(
    ("image", "types", "wrong"),
    [
        (IMAGE, ["c7g.xlarge", "p5.48xlarge"], True),
        (IMAGE, ["p6e-gb200.36xlarge", "m7i.xlarge"], True),
        (IMAGE, ["c7g.xlarge", "m8g.xlarge"], False),
        (IMAGE, ["g6e.xlarge", "g4dn.xlarge", "p5en.48xlarge", "gr6.4xlarge"], False),
        ("resolve:ssm:/aws/service/ami-amazon-linux-latest/al2023-ami-kernel-default-x86_64", ["g5g.xlarge"], True),
        ("resolve:ssm:/aws/service/ami-amazon-linux-latest/al2023-ami-kernel-default-arm64", ["g5g.xlarge"], False),
        ("resolve:ssm:/aws/service/ami-amazon-linux-latest/al2023-ami-kernel-default-arm64", ["g5.xlarge"], True),
    ],
)
def test_an_image_has_one_architecture(image, types, wrong):
    templates = [resource(TEMPLATE, f"t{n}", imageId=image, instanceType=name) for n, name in enumerate(types)]
    assert ("IMAGE-ARCHITECTURE" in found(*templates)) == wrong


def test_several_p5_without_efa_are_named_and_a_single_one_is_not():
    template = resource(TEMPLATE, "gpu", imageId=IMAGE, instanceType="p5.48xlarge")
    assert "EFA-UNUSED" in found(template, used_by("gpu"))
    assert "EFA-UNUSED" not in found(template, used_by("gpu", 1))
    assert "EFA-UNUSED" not in found(resource(TEMPLATE, "gpu", instanceType="g5.xlarge"), used_by("gpu"))


def test_gangs_that_no_template_gives_their_network():
    def nodes(**inputs: Any) -> dict[str, Any]:
        return resource(EKS, "nodes", **{"instanceTypes": ["p5.48xlarge"], "scalingConfig": {"maxSize": 4}, **inputs})

    def instance(name: str, **inputs: Any) -> dict[str, Any]:
        return resource(INSTANCE, name, ami=IMAGE, **{"instanceType": "p5.48xlarge", **inputs})

    assert "EFA-UNUSED" in found(nodes())
    assert "EFA-UNUSED" not in found(nodes(scalingConfig={"maxSize": 1}))
    assert "EFA-UNUSED" not in found(nodes(instanceTypes=["g6.xlarge"]))
    assert "EFA-UNUSED" in found(instance("a"), instance("b"))
    assert "EFA-UNUSED" not in found(instance("a"), instance("b", instanceType="m7i.large"))
    assert "EFA-UNUSED" not in found(instance("a"), instance("b", networkInterfaces=[{"networkInterfaceId": "eni-1"}]))


@pytest.mark.parametrize(
    ("family", "name", "wrong"),
    [
        ("AL2_x86_64_GPU", "g5g.2xlarge", True),
        ("AL2023_ARM_64_STANDARD", "p5.48xlarge", True),
        ("AL2023_x86_64_NVIDIA", "p5.48xlarge", False),
        ("BOTTLEROCKET_ARM_64_NVIDIA", "g5g.2xlarge", False),
        ("CUSTOM", "g5g.2xlarge", False),
    ],
)
def test_the_image_family_of_a_node_group_fits_its_type(family: str, name: str, wrong: bool):
    group = resource(EKS, "nodes", amiType=family, instanceTypes=[name])
    assert ("IMAGE-ARCHITECTURE" in found(group)) == wrong


def test_an_image_by_parameter_store_an_instance_without_a_subnet_and_one_in_a_block():
    parameter = "resolve:ssm:/aws/service/deeplearning/ami/x86_64/base/latest/ami-id"
    assert "IMAGE-ID" not in found(resource(TEMPLATE, "gpu", imageId=parameter, instanceType="p5.48xlarge"))
    kind, bought = "aws:ec2/capacityBlockReservation:CapacityBlockReservation", {"instancePlatform": "Linux/UNIX"}
    block = resource(kind, "block", capacityBlockOfferingId="cb-0123456789abcdef0", **bought)
    target = {"capacityReservationTarget": {"capacityReservationId": "${urn:block.id}"}}
    inputs = {"ami": IMAGE, "instanceType": "p5.48xlarge", "capacityReservationSpecification": target}
    said = found(block, resource(INSTANCE, "one", **inputs))
    assert ("BLOCK-MARKET" in said, "INPUT-MISSING" in said) == (True, False)
    market = {"marketType": "capacity-block"}
    assert "BLOCK-MARKET" not in found(block, resource(INSTANCE, "one", **inputs, instanceMarketOptions=market))
