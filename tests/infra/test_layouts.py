"""The table of layouts: which components each has, and who may connect to whom."""

from __future__ import annotations

import pytest

from infra.allowed_flows import ANYWHERE
from infra.firewall import DESCRIPTIONS
from infra.layouts import LAYOUTS, allowed_flows
from planner.stack.spec import SECTIONS
from tests.infra.specs import spec_of


def test_every_layout_of_a_stack_file_has_a_row():
    assert set(LAYOUTS) == set(SECTIONS)


@pytest.mark.parametrize("name", LAYOUTS)
def test_components_are_those_whose_sections_the_stack_file_has(name):
    """Control nodes belong to the pool."""
    assert set(LAYOUTS[name].components) == set(SECTIONS[name]) - {"control"}


@pytest.mark.parametrize("name", LAYOUTS)
def test_only_components_of_the_layout_connect(name):
    groups = {"fleet", *LAYOUTS[name].components}
    flows = allowed_flows(spec_of(name))
    assert {flow.source for flow in flows} == groups
    assert {flow.target for flow in flows} == {*groups, ANYWHERE}
    assert groups <= DESCRIPTIONS.keys()


@pytest.mark.parametrize("name", LAYOUTS)
def test_targets_run_where_the_proxies_reach_them(name):
    """Proxies connect to the nodes that run the targets, and to no others."""
    group = {"gpu": "fleet", "storage": "nvme", "": None}[LAYOUTS[name].targets_on]
    reached = {flow.target for flow in LAYOUTS[name].flows if flow.source == "pool"} - {"pool", ANYWHERE}
    assert reached == ({group} if group else set())
