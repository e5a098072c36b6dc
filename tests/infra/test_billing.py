"""Every line of a bill is somebody's, and no dollar is lost on the way."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infra.billing import carried, lines_of
from planner.stack.component import usd_per_hour_by_component
from planner.stack.spec import LAYOUTS
from tests.infra.specs import graph_of, named, spec_of


def resource(graph, name):
    return named(graph, name)["bill_lines"], named(graph, name)["usd_per_hour"]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_dollars_of_the_resources_are_those_of_the_bill_component_by_component(layout):
    found: dict[str, float] = {}
    for entry in graph_of(layout)["resources"]:
        found[entry["component"]] = found.get(entry["component"], 0.0) + entry["usd_per_hour"]
    told = usd_per_hour_by_component(spec_of(layout))
    assert {name: usd for name, usd in found.items() if usd} == pytest.approx(told, rel=1e-12)


def test_what_stands_several_times_shares_its_line():
    graph = graph_of("converged")
    assert resource(graph, "pool-node-1") == (["pool.control-ebs", "pool.control-nodes"], pytest.approx(0.621238 / 3))
    assert resource(graph, "network-endpoint-ssm")[1] == pytest.approx(0.01)
    assert resource(graph, "guard-alarm-fleet-idle")[1] == pytest.approx(0.007671 / 8)


def test_the_group_carries_its_nodes_and_their_volumes():
    assert resource(graph_of("converged"), "fleet-group") == (["fleet.compute", "fleet.ebs"], pytest.approx(880.5))


def test_a_line_without_a_price_is_carried_too():
    graph = graph_of(spec_of(unpriced=("fleet.spot-interruptions", "storage.lustre.requests", "transfer.ingest")[::2]))
    assert "fleet.spot-interruptions" in resource(graph, "fleet-group")[0]
    assert "transfer.ingest" in resource(graph, "tier-bucket")[0]


def test_people_are_no_resource():
    spec = spec_of("s3-stream", metered=("people.staff", "people.experiments", "network.nat-data"))
    assert [line for line in lines_of(spec) if line.startswith("people")] == []


def test_without_endpoints_their_lines_fall_to_the_network():
    graph = graph_of(spec_of("s3-stream", interface_endpoints=0))
    assert "network.endpoint-data" in resource(graph, "network-vpc")[0]


def test_a_line_that_nothing_carries_is_an_error_not_a_loss():
    spec = replace(spec_of("s3-stream"), metered=(), usd_per_hour={"network.nat-gateway": 3.0})
    with pytest.raises(ValueError, match=r"network\.nat-gateway"):
        carried(spec, ["fleet-group"])


@given(st.dictionaries(st.sampled_from(("fleet.compute", "fleet.ebs", "network.nat-gateway")), st.floats(0, 1e6)))
def test_shares_add_up(usd):
    spec = replace(spec_of("s3-stream"), usd_per_hour=usd, metered=())
    found = carried(spec, ["fleet-group", "network-nat"])
    assert math.fsum(value for _, value in found.values()) == pytest.approx(math.fsum(usd.values()), abs=1e-6)
