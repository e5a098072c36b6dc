"""Every input of every layout held against what the provider knows: what differs between the two majors, by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest

from infra.deployer_actions import ACTIONS
from infra.graph import resource_graph
from planner.stack.spec import LAYOUTS
from tests.bridge.alone import plain, struct
from tests.bridge.layouts import small
from tests.bridge.names import bridge_token
from tests.bridge.shapes import OTHERS, Other, to_bridge
from tests.infra.specs import BUYING, graph_of, spec_of, with_files

KINDS = {"string": str, "integer": int, "number": (int, float), "boolean": bool, "array": list}


def graphs() -> Iterator[dict[str, Any]]:
    for layout in LAYOUTS:
        yield resource_graph(small(layout))
    for buying in BUYING.values():
        yield graph_of(spec_of("s3-stream", buying=buying))
    yield graph_of(with_files(spec_of("converged")))
    lustre = spec_of("fsx-lustre").lustre
    assert lustre is not None
    tiering = replace(lustre, deployment="INTELLIGENT_TIERING", mbps_per_tib=0, throughput_mbps=4000)
    yield graph_of(spec_of("fsx-lustre", lustre=tiering))
    yield graph_of(spec_of("fsx-lustre", lustre=replace(lustre, efa=True, capacity_gib=19200, metadata_iops=12000)))


def test_every_type_that_a_stack_may_hold_is_known(schema: Mapping[str, Any]):
    assert {bridge_token(token) for token in ACTIONS} == schema["resources"].keys()


def test_every_input_of_every_layout_is_known(schema: Mapping[str, Any]):
    unknown = set()
    for graph in graphs():
        for entry in graph["resources"]:
            if entry["type"].startswith("aws:"):
                inputs: dict[str, Any] = plain(to_bridge(entry["type"], struct(entry["inputs"])))
                known = schema["resources"][bridge_token(entry["type"])]["inputProperties"]
                unknown |= set(against(schema, known, inputs, entry["type"]))
    assert unknown == set()


@pytest.mark.parametrize("other", OTHERS, ids=lambda other: f"{other.of.rpartition(':')[2]}.{other.ours}")
def test_what_is_translated_is_still_another(schema: Mapping[str, Any], other: Other):
    """Fails when the provider takes what pulumi_aws says as it is: then the translation goes."""
    known = schema["resources"][bridge_token(other.of)]["inputProperties"]
    for part in other.path[:-1]:
        known = properties(schema, known[part])
    theirs = known.get(other.path[-1])
    assert theirs is None or (other.block and theirs["type"] == "array")
    assert other.theirs in known


def against(schema: Mapping[str, Any], known: Mapping[str, Any], inputs: Mapping[str, Any], path: str) -> Iterator[str]:
    """Paths of inputs that the provider does not know, or knows as something else. A reference is text."""
    for name, value in inputs.items():
        here = f"{path}.{name}"
        if name not in known:
            yield here
            continue
        below = properties(schema, known[name])
        kind = KINDS.get(known[name].get("type", "object"), dict)
        number = isinstance(value, float) and value.is_integer() and kind is int
        reference = isinstance(value, str) and value.startswith("${") and kind is not list
        if not (reference or number or isinstance(value, kind)):
            yield f"{here}: {value!r} is no {known[name].get('type', 'object')}"
        for entry in value if isinstance(value, list) else [value]:
            if below and isinstance(entry, dict):
                yield from against(schema, below, entry, here)


def properties(schema: Mapping[str, Any], known: Mapping[str, Any]) -> Mapping[str, Any]:
    """Properties of an object, or of the entries of a list of them; none of plain values."""
    reference = known.get("$ref") or known.get("items", {}).get("$ref")
    if reference is None:
        return {}
    return schema["types"][reference.removeprefix("#/types/").replace("%2F", "/")]["properties"]
