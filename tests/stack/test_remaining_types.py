"""What is left of a stack with several instance types costs what its own type does."""

from __future__ import annotations

import pytest

from planner.stack.deployed_resources import TaggedResource
from planner.stack.remaining_resources import Prices
from tests.cluster.specs import P4D_USD, USD_PER_NODE_HOUR, mixed_spec
from tests.infra.specs import graph_of, inputs


def left(name: str, kind: str = "instance/i-") -> TaggedResource:
    return TaggedResource(arn=f"arn:aws:ec2:us-east-1:111122223333:{kind}0123456789abcdef0", name=name)


@pytest.mark.parametrize("release", [False, True])
def test_a_node_that_is_left_costs_what_its_type_does(release: bool):
    spec = mixed_spec(release=release)
    graph = graph_of(spec)
    prices = Prices(spec=spec, resources={one["name"]: one for one in graph["resources"]})
    for suffix, usd in (("", P4D_USD), ("-p5-48xlarge", USD_PER_NODE_HOUR)):
        template = inputs(graph, f"fleet-template{suffix}")
        tags = {one["resourceType"]: one["tags"]["planner:name"] for one in template["tagSpecifications"]}
        assert set(tags.values()) == {f"fleet-node{suffix}"}
        assert prices.of_tagged(left(f"fleet-node{suffix}")) == (pytest.approx(usd), ())
        volume, _ = prices.of_tagged(left(f"fleet-node{suffix}", "volume/vol-"))
        assert volume == pytest.approx(spec.usd_per_hour["fleet.ebs"] / 6)
