"""Deliberate mistakes through the real provider's Check: what it refuses, lint refuses too, by the same property."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import grpc
import pytest

from planner.lint.network.routes import TARGETS
from planner.lint.read.graph import graph_from
from planner.lint.rules import lint
from tests.bridge.alone import Alone
from tests.bridge.stand_in import UNKNOWN
from tests.lint import graphs
from tests.lint.mistakes import BLOCK, MISTAKES, SPOT, Mistake

GROUPS = {"on-demand": ("fsx-lustre", MISTAKES), "spot": ("s3-stream", SPOT), "capacity-block": ("s3-stream", BLOCK)}
CASES = [
    pytest.param(buying, mistake, id=mistake.name)
    for buying, (layout, mistakes) in GROUPS.items()
    for mistake in mistakes
    if not mistake.only or layout in mistake.only
]
# what the provider refuses by itself, before anything is asked of AWS. All else only lint says
REFUSED = {
    "VPC too large",
    "access key in plain text",
    "action without a threshold",
    "alarm by a topic's name",
    "alias without alias/",
    "anomaly monitor with invalid JSON",
    "backups for 91 days",
    "budget without a time unit",
    "class misspelled",
    "deletion window too short",
    "flow log interval of five minutes",
    "group with an id for its name",
    "hook misspelled",
    "hook too short",
    "hop limit of 64",
    "host bits in a range",
    "invalid extended statistic",
    "invalid start time",
    "key turned monthly",
    "logs for 31 days",
    "maintenance on monday",
    "market misspelled",
    "metadata IOPS not offered",
    "name too short",
    "no template",
    "not an ARN",
    "not an address range",
    "notice without its comparison",
    "operator misspelled",
    "period of 45 seconds",
    "placement misspelled",
    "policy is no JSON",
    "profile's name for its ARN",
    "repository path without s3://",
    "requirements beside the type",
    "role with a long name",
    "root squash that is not uid:gid",
    "route without a target",
    "rule without a source",
    "status misspelled",
    "subnet of no VPC",
    "template and mix",
    "throughput that is not sold",
    "time unit misspelled",
    "token misspelled",
    "two subnets",
    "volume type misspelled",
    "zone by name and id",
}
# one of these must be given, and of some only one: the provider names any of them; lint the one that was touched
OTHERWISE = {
    "invalid extended statistic": ("statistic",),
    "requirements beside the type": ("instanceType",),
    "no template": ("launchConfiguration", "launchTemplate", "mixedInstancesPolicy"),
    "route without a target": TARGETS,
}


@pytest.mark.parametrize(("buying", "mistake"), CASES)
def test_what_the_provider_refuses_lint_refuses_by_the_same_property(offline: Alone, buying: str, mistake: Mistake):
    document = copy.deepcopy(graphs.ours(GROUPS[buying][0], buying))
    before = {entry["urn"]: json.dumps(entry["inputs"]) for entry in document["resources"]}
    mistake.edit(document)
    said = dict(refusals(offline, document, before))
    assert bool(said) == (mistake.name in REFUSED), said
    found = {(f.resource, bare(f.property)) for f in lint(graph_from(document)) if f.severity == "error"}
    for resource, paths in said.items():
        for path in paths:
            mine = {property for of, property in found if of == resource}
            same = {one for one in mine if one.startswith(path) or path.startswith(one)}
            assert same or path in OTHERWISE.get(mistake.name, ()), f"the provider names {path}, lint {mine}"


def test_unbroken_inputs_of_every_layout_pass(offline: Alone):
    for layout in graphs.LAYOUTS:
        document = graphs.ours(layout)
        assert dict(refusals(offline, document, {})) == {}


def test_every_refusal_is_of_a_mistake():
    assert {mistake.name for _, mistakes in GROUPS.values() for mistake in mistakes} >= REFUSED


def refusals(offline: Alone, document: graphs.Document, before: Mapping[str, str]) -> Iterator[tuple[str, set[str]]]:
    """URN -> properties that the provider refuses, of what was changed."""
    for entry in document["resources"]:
        if entry["type"].startswith("aws:") and json.dumps(entry["inputs"]) != before.get(entry["urn"]):
            try:
                _, said = offline.check(entry["type"], known(entry["inputs"]))
            except grpc.RpcError as error:
                # text for a number is refused by the bridge itself; of types it has those that our stacks use
                words = str(error.details())  # type: ignore[attr-defined]
                needed = re.search(r"of these attributes must be configured: \[(.+)\]", words)
                if needed:
                    yield entry["urn"], {camel(name) for name in needed[1].split(",")}
                elif "cannot encode resource inputs" not in words and "unknown resource token" not in words:
                    raise
                continue
            if said:
                paths = re.findall(r"Examine values at 'alone\.([^']+)'", " ".join(said.values()))
                yield entry["urn"], {bare(path) for path in paths}


def known(value: Any) -> Any:
    """References as the engine hands them over before what they refer to is there."""
    if isinstance(value, dict):
        return {key: known(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [known(entry) for entry in value]
    return UNKNOWN if isinstance(value, str) and "${" in value else value


def camel(name: str) -> str:
    """A Terraform attribute's name as Pulumi has it."""
    return re.sub(r"_([a-z0-9])", lambda found: found[1].upper(), name)


def bare(path: str | None) -> str:
    """A path without its indexes."""
    return re.sub(r"\[\d+\]", "", path or "")
