"""Lint finds the same mistakes in the output of Pulumi's own commands as in our graphs."""

from __future__ import annotations

import json

import pytest

from planner.lint.read.graph import NotAGraph, graph_from, parse
from planner.lint.read.pulumi_json import ASSETS, OUTPUT, RESOURCE, SECRET, SIGNATURE, unwrapped
from planner.lint.read.values import UNKNOWN
from planner.lint.rules import lint
from tests.lint import graphs
from tests.lint.engines import exported, previewed
from tests.lint.mistakes import ENDING, MISTAKES
from tests.lint.mistakes.ending import BUCKET, LUSTRE, step

SHAPES = (exported, previewed)


def said(document: graphs.Document) -> list[str]:
    return [f"{finding.id} {finding.message}" for finding in lint(graph_from(document))]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("buying", ["on-demand", "spot", "capacity-block that starts later"])
@pytest.mark.parametrize(
    "layout", [pytest.param(one, marks=[] if one == "converged" else [pytest.mark.thorough]) for one in graphs.LAYOUTS]
)
def test_correct_stack_has_no_findings_in_any_format(layout, buying, shape):
    assert said(shape(graphs.ours(layout, buying))) == []


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.thorough
def test_most_mistakes_are_found_in_any_format(shape):
    missed = []
    tried = [m for m in MISTAKES if "s3-stream" in (m.only or graphs.LAYOUTS)][::7]
    for mistake in tried:
        document = graphs.ours("s3-stream")
        mistake.edit(document)
        for resource in document["resources"]:
            resource.setdefault("parent", None)
            resource.setdefault("depends_on", [])
            resource.setdefault("protect", False)
            resource.setdefault("retain_on_delete", False)
        found = {finding.id for finding in lint(graph_from(shape(document)))}
        if mistake.caught not in found:
            missed.append(mistake.name)
    # what a plan does not know yet, and what only our graph says, is not judged
    assert len(missed) < len(tried) / (10 if shape is exported else 4), missed


@pytest.mark.parametrize("mistake", ENDING, ids=lambda mistake: mistake.name)
def test_a_preview_that_ends_what_holds_data_is_a_finding(mistake):
    document = previewed(graphs.ours("s3-stream"))
    mistake.edit(document)
    found = [finding for finding in lint(graph_from(document)) if finding.id == mistake.caught]
    assert [finding.resource.rpartition("::")[2] for finding in found] == ["held"]
    assert found[0].severity == "error"


@pytest.mark.parametrize(
    ("op", "type_", "more"),
    [
        ("delete", BUCKET, {"retainOnDelete": True}),  # it stays as it is, outside the stack
        ("delete", "aws:ec2/vpc:Vpc", {}),
        ("replace", "aws:ec2/launchTemplate:LaunchTemplate", {}),
        ("update", LUSTRE, {}),
        ("delete-replaced", "aws:ec2/subnet:Subnet", {}),
    ],
)
def test_other_steps_of_a_preview_end_no_data(op, type_, more):
    document = previewed(graphs.ours("s3-stream"))
    step(op, type_, **more)(document)
    assert "DATA-ENDS" not in {finding.id for finding in lint(graph_from(document))}


def test_resources_being_deleted_are_ignored():
    document = exported(graphs.ours("s3-stream"))
    old = {"urn": "urn:pulumi:dev::p::aws:ec2/vpc:Vpc::old", "type": "aws:ec2/vpc:Vpc", "inputs": {"cidrBlock": "x"}}
    document["deployment"]["resources"].append({**old, "delete": True})
    assert said(document) == []
    document["deployment"]["resources"].append(old)
    assert any(finding.startswith("CIDR-SYNTAX") for finding in said(document))


def test_missing_protect_means_false():
    document = exported(graphs.ours("s3-stream"))
    for state in document["deployment"]["resources"]:
        state.pop("protect", None)
    assert {finding.split()[0] for finding in said(document)} == {"S3-KEEP"}


def test_auto_generated_name_counts_as_missing():
    document = exported(graphs.ours("s3-stream"))
    topic = next(s for s in document["deployment"]["resources"] if s["type"].endswith("Topic"))
    topic["inputs"]["__defaults"] = ["name"]
    assert [finding.split()[0] for finding in said(document)] == ["NAME-RANDOM"]


@pytest.mark.parametrize(
    ("wrapped", "plain"),
    [
        ({SIGNATURE: SECRET, "plaintext": '"x"'}, "x"),
        ({SIGNATURE: SECRET, "plaintext": '{"a": [1]}'}, {"a": [1]}),
        ({SIGNATURE: SECRET, "plaintext": "{"}, UNKNOWN),
        ({SIGNATURE: SECRET, "ciphertext": "AAAB"}, UNKNOWN),
        ({SIGNATURE: OUTPUT, "value": {SIGNATURE: SECRET, "value": 4}}, 4),
        ({SIGNATURE: OUTPUT}, UNKNOWN),
        ({SIGNATURE: RESOURCE, "urn": "u", "id": "vpc-1"}, "vpc-1"),
        ({SIGNATURE: ASSETS[0], "text": "#!/bin/sh"}, "#!/bin/sh"),
        ({SIGNATURE: "something newer"}, UNKNOWN),
        ("[secret]", UNKNOWN),
        ({"a": None, "b": [None, {"c": None}]}, {"b": [None, {}]}),
    ],
)
def test_wrapped_values_are_unwrapped_or_unknown(wrapped, plain):
    assert unwrapped({"x": [wrapped]}) == {"x": [plain]}


@pytest.mark.parametrize(
    "document",
    [
        {"deployment": {"resources": [1]}},
        {"deployment": {"resources": [{"type": "aws:ec2/vpc:Vpc"}]}},
        {"deployment": {"resources": [{"type": 1, "urn": "u"}]}},
        {"steps": [1]},
        {"steps": [{"op": "create", "newState": {}}]},
        {"deployment": 1},
        {"steps": 1},
    ],
)
def test_malformed_document_is_rejected_with_a_message(document):
    with pytest.raises(NotAGraph) as caught:
        parse(json.dumps(document))
    assert len(str(caught.value)) > 10


@pytest.mark.parametrize("document", [{"deployment": {}}, {"deployment": {"resources": []}}, {"steps": []}])
def test_empty_stack_is_accepted(document):
    assert said(document) == []


def test_preview_without_unchanged_resources_is_rejected():
    """The rest would look like references to nothing, and like a network without its endpoint."""
    document = {"steps": [{"op": "same", "newState": {}}], "changeSummary": {"same": 3, "create": 1}}
    with pytest.raises(NotAGraph, match=r"leaves out 2 resources.*--show-sames"):
        parse(json.dumps(document))
