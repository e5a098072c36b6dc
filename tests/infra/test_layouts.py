"""The table of layouts: which components each has, and who may connect to whom."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from infra.allowed_flows import ANYWHERE
from infra.firewall import DESCRIPTIONS
from infra.layouts import LAYOUTS, allowed_flows
from planner.lint.read.graph import graph_from
from planner.lint.rules import lint
from planner.stack.spec import SECTIONS
from tests.infra.specs import graph_of, inputs, names, spec_of


def test_every_layout_of_a_stack_file_has_a_row():
    assert set(LAYOUTS) == set(SECTIONS)


@pytest.mark.parametrize("name", LAYOUTS)
def test_components_are_those_whose_sections_the_stack_file_has(name):
    """Control nodes belong to the pool."""
    assert set(LAYOUTS[name].components) == set(SECTIONS[name]) - {"control"}


@pytest.mark.parametrize("name", LAYOUTS)
def test_only_components_of_the_layout_connect(name):
    groups = {"fleet", *LAYOUTS[name].components} - {"workers"}  # those are the fleet
    flows = allowed_flows(spec_of(name))
    assert {flow.source for flow in flows} == groups
    assert {flow.target for flow in flows} == {ANYWHERE} | (set() if LAYOUTS[name].apart else groups)
    assert groups <= DESCRIPTIONS.keys()


@pytest.mark.parametrize("name", LAYOUTS)
def test_targets_run_where_the_proxies_reach_them(name):
    """Proxies connect to the nodes that run the targets, and to no others."""
    group = {"gpu": "fleet", "storage": "nvme", "": None}[LAYOUTS[name].targets_on]
    reached = {flow.target for flow in LAYOUTS[name].flows if flow.source == "pool"} - {"pool", ANYWHERE}
    assert reached == ({group} if group else set())


def test_nodes_reach_what_the_plan_names_and_nothing_else():
    spec = replace(spec_of("s3-stream"), egress=(80, 443, 80), extra_buckets=("acme-corpus",))
    graph, usual = graph_of(spec), graph_of(spec_of("s3-stream"))
    assert names(graph) - names(usual) == {"firewall-out-fleet-to-anywhere-80"}
    rule = inputs(graph, "firewall-out-fleet-to-anywhere-80")
    assert (rule["fromPort"], rule["toPort"], rule["cidrIpv4"]) == (80, 80, "0.0.0.0/0")
    for name in ("fleet-role-data", "network-gateway-s3"):
        statements = json.loads(inputs(graph, name)["policy"])["Statement"]
        theirs = [json.dumps(one["Action"]) for one in statements if "acme-corpus" in json.dumps(one["Resource"])]
        assert set(re.findall(r"s3:\w+", " ".join(theirs))) == {"s3:GetObject", "s3:ListBucket"}, name
    assert [f"{found.id} {found.message}" for found in lint(graph_from(json.loads(json.dumps(graph))))] == []
