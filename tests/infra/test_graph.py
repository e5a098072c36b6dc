"""Laws of every stack: layout x instance type x nodes x purchase x profile, by recording mocks."""

from __future__ import annotations

import base64
import inspect
import json
import re
from ipaddress import ip_network
from typing import Any

import pulumi_aws
import pytest
from hypothesis import HealthCheck, given, settings

from infra.addresses import RESERVED
from infra.billing import lines_of
from infra.graph import resource_graph
from infra.nics import nics
from infra.userdata import LARGEST_BYTES
from planner.stack.spec import LAYOUTS
from tests.infra.specs import graph_of, inputs, named, names, spec_of, specs

REFERENCE = re.compile(r"\$\{(urn:pulumi:[^}]+)\.(\w+)\}")
TAGS = {"Name", "planner:stack", "planner:component", "planner:name"}


def class_of(token: str) -> Any:
    """pulumi_aws's own class of a type."""
    return getattr(getattr(pulumi_aws, token.split(":")[1].split("/")[0]), token.split(":")[2])


def arguments(token: str) -> set[str]:
    return set(inspect.signature(class_of(token)._internal_init).parameters)


@settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(specs())
def test_laws_of_every_stack(spec):
    graph = graph_of(spec)
    found = graph["resources"]
    urns = [entry["urn"] for entry in found]
    assert len(set(urns)) == len(urns)
    assert len(names(graph)) == len(found)
    ours = [entry for entry in found if entry["type"].startswith("aws:")]
    # what is referred to stands, and is waited for
    for entry in ours:
        referred = {urn for urn, _ in REFERENCE.findall(json.dumps(entry["inputs"]))}
        assert referred <= set(urns)
        assert referred <= set(entry["depends_on"])
        assert set(entry["depends_on"]) <= set(urns)
        assert entry["free"] == (not entry["bill_lines"])
    # every line of the bill, and every dollar of it, is on a resource
    assert sum(entry["usd_per_hour"] for entry in found) == pytest.approx(sum(spec.usd_per_hour.values()), abs=1e-6)
    assert {line for entry in found for line in entry["bill_lines"]} == set(lines_of(spec))
    # the nodes' interfaces, and room for their addresses
    fleet = spec.fleet
    table = nics(fleet.instance_type, fleet.nic_profile, fleet.network_cards, fleet.efa_interfaces)
    interfaces = inputs(graph, "fleet-template")["networkInterfaces"]
    assert [(nic["networkCardIndex"], nic["deviceIndex"], nic["interfaceType"]) for nic in interfaces] == [
        (nic.card, nic.device, nic.kind) for nic in table
    ]
    subnet = ip_network(inputs(graph, "network-subnet-nodes")["cidrBlock"])
    addresses = sum(nic.takes_address for nic in table) * fleet.nodes + (spec.nvme.nodes if spec.nvme else 0)
    assert subnet.num_addresses - RESERVED >= addresses
    for name in ("fleet-template", "nvme-template"):
        if name in names(graph):
            assert len(base64.b64decode(inputs(graph, name)["userData"])) <= LARGEST_BYTES


def test_the_same_spec_gives_the_same_bytes():
    spec = spec_of("separate-nvme")
    assert json.dumps(resource_graph(spec)) == json.dumps(resource_graph(spec))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_everything_that_takes_tags_has_all_four(layout):
    for entry in graph_of(layout)["resources"]:
        if not entry["type"].startswith("aws:") or "tags" not in arguments(entry["type"]):
            continue
        given_tags = entry["inputs"].get("tags", {})
        if isinstance(given_tags, list):
            given_tags = {tag["key"]: tag["value"] for tag in given_tags}
        more = {"guard-topic": {"planner:plan"}, "network-vpc": {"planner:began-as"}}.get(entry["name"], set())
        assert set(given_tags) == TAGS | more, entry["name"]
        assert given_tags["planner:name"] == entry["name"]
        assert given_tags["planner:component"] == entry["component"]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_everything_with_a_name_has_one_that_follows_from_the_stack(layout):
    graph = graph_of(layout)
    inside = {"aws:iam/rolePolicy:RolePolicy", "aws:autoscaling/lifecycleHook:LifecycleHook"}  # unique in their owner
    for entry in graph["resources"]:
        if entry["type"].startswith("aws:") and "name" in arguments(entry["type"]):
            assert entry["inputs"].get("name"), entry["name"]
            assert entry["type"] in inside or "planner-dev" in entry["inputs"]["name"]
        assert "namePrefix" not in entry["inputs"]
    for bucket in ("tier-bucket", "artefacts-bucket"):
        assert inputs(graph, bucket)["bucket"].startswith("planner-dev-")


@pytest.mark.parametrize("layout", LAYOUTS)
def test_inputs_are_ones_that_pulumi_aws_knows(layout):
    for entry in graph_of(layout)["resources"]:
        if entry["type"].startswith("aws:"):
            known = {re.sub(r"_(\w)", lambda m: m[1].upper(), name) for name in arguments(entry["type"])}
            assert set(entry["inputs"]) <= known, entry["name"]


def test_the_shape_is_the_contract_s():
    graph = graph_of("converged")
    assert set(graph) == {"schema_version", "stack", "resources"}
    assert graph["stack"] == {
        "name": "dev",
        "plan_sha256": "5" * 64,
        "scenario": "converged/p5.48xlarge/on-demand",
        "placeholders": ["account"],
        "unpriced": [],
    }
    template = named(graph, "fleet-template")
    assert set(template) == {
        "type",
        "name",
        "urn",
        "parent",
        "inputs",
        "depends_on",
        "protect",
        "retain_on_delete",
        "component",
        "bill_lines",
        "usd_per_hour",
        "free",
    }
    assert template["urn"] == (
        "urn:pulumi:dev::gpu-fleet-planner::planner:infra:Fleet$aws:ec2/launchTemplate:LaunchTemplate::fleet-template"
    )
    assert template["parent"] == "urn:pulumi:dev::gpu-fleet-planner::planner:infra:Fleet::fleet"
    assert named(graph, "fleet")["parent"] is None


def test_parts_of_a_layout():
    present = {layout: {name.split("-")[0] for name in names(graph_of(layout))} for layout in LAYOUTS}
    always = {"network", "firewall", "tier", "artefacts", "fleet", "guard"}
    assert present == {
        "converged": always | {"pool"},
        "fsx-lustre": always | {"lustre"},
        "separate-nvme": always | {"pool", "nvme"},
        "s3-stream": always,
        "workers": always,
    }
