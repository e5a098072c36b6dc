"""Properties: order and names do not matter, no JSON crashes lint, and invalid input is rejected with a message."""

from __future__ import annotations

import copy
import json
import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from planner.lint.inputs.arguments import known_inputs
from planner.lint.known.actions import actions, expanded, misspelling
from planner.lint.known.instance_types import machines
from planner.lint.read.graph import NotAGraph, graph_from, parse
from planner.lint.rule import ERROR, WARNING
from planner.lint.rules import RULES, SUBJECTS, lint
from tests.lint import graphs
from tests.lint.mistakes import MISTAKES

GRAPHS = (*graphs.LAYOUTS, *graphs.FOREIGN)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
    lambda below: st.lists(below, max_size=4) | st.dictionaries(st.text(max_size=8), below, max_size=4),
    max_leaves=12,
)
# values that look like what belongs there
NEAR = st.sampled_from(
    ["", "0.0.0.0/0", "10.0.0.0/33", "true", "${x}", "${urn:a.b}", "arn:", "-1", "PLACEHOLDER-x", "\ud800", 1e308, -0.5]
)
FEW = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


def graph(name: str) -> graphs.Document:
    return graphs.FOREIGN[name]() if name in graphs.FOREIGN else graphs.ours(name)


def broken(name: str, count: int = 12) -> graphs.Document:
    """A graph with several mistakes at once, as far as they go together."""
    document = graph(name)
    for mistake in [m for m in MISTAKES if name in (m.only or GRAPHS)][::count]:
        kept = copy.deepcopy(document)
        try:
            mistake.edit(document)
        except (LookupError, AssertionError, StopIteration, ValueError):
            document = kept
    return document


def ids(document: graphs.Document) -> Counter[tuple[str, str]]:
    return Counter((finding.id, finding.property.split("[")[0]) for finding in lint(graph_from(document)))


def short(value: object) -> str:
    """A test's name must fit on a line."""
    return repr(value)[:20]


@pytest.mark.parametrize("name", graphs.EACH)
def test_findings_do_not_depend_on_resource_order(name):
    document = broken(name)
    before = [finding.as_json() for finding in lint(graph_from(document))]
    assert len({finding["id"] for finding in before}) > 5
    for seed in range(3):
        random.Random(seed).shuffle(document["resources"])
        assert [finding.as_json() for finding in lint(graph_from(document))] == before


@pytest.mark.parametrize("name", graphs.EACH)
def test_findings_do_not_depend_on_logical_names(name):
    document = broken(name)
    renamed = json.dumps(document)
    # the longest first: one name is the beginning of another
    urns = sorted({resource["urn"] for resource in document["resources"]}, key=len, reverse=True)
    for number, urn in enumerate(urns):
        renamed = renamed.replace(json.dumps(urn)[1:-1], f"urn:other::{number:04d}.x")
    other = json.loads(renamed)
    for resource in other["resources"]:  # what has one URN has one name
        resource["name"] = resource["urn"].replace("urn:other::", "r")
    assert ids(other) == ids(document)


@pytest.mark.parametrize("name", graphs.EACH)
def test_lint_is_repeatable_and_leaves_the_graph_unchanged(name):
    document = broken(name)
    kept = copy.deepcopy(document)
    assert lint(graph_from(document)) == lint(graph_from(document))
    assert document == kept


@FEW
@given(JSON)
def test_any_json_is_accepted_or_rejected_with_a_message(document):
    for made in (document, {"resources": document}, {"resources": [document]}):
        try:
            found = graph_from(made)
        except NotAGraph:
            continue
        for finding in lint(found):
            assert finding.message


@FEW
@given(st.text(max_size=60) | JSON.map(json.dumps))
def test_any_text_is_accepted_or_rejected_with_a_message(text):
    try:
        found = parse(text)
    except NotAGraph:
        return
    assert isinstance(lint(found), list)


@pytest.mark.parametrize(
    "text", ["[" * 100_000, '{"resources": ' + "[" * 100_000, "\ufeff{}", "NaN", "1" * 10_000, ""], ids=short
)
def test_hostile_text_is_rejected_with_a_message(text):
    with pytest.raises(NotAGraph) as caught:
        parse(text)
    assert 10 < len(str(caught.value)) < 300


@pytest.mark.parametrize("name", graphs.EACH)
@settings(FEW, max_examples=8)
@given(data=st.data())
def test_no_value_crashes_lint(name, data):
    """A graph in which arguments hold anything: other types, other shapes, nearly right words."""
    document = graph(name)
    for _ in range(12):
        resource = data.draw(st.sampled_from(document["resources"]))
        here = resource["inputs"]
        for _ in range(data.draw(st.integers(0, 3))):
            below = [
                value for value in (here.values() if isinstance(here, dict) else here) if isinstance(value, dict | list)
            ]
            below = [value for value in below if value]
            if not below:
                break
            here = data.draw(st.sampled_from(below))
        if not here:
            continue
        key = data.draw(st.sampled_from(sorted(here) if isinstance(here, dict) else range(len(here))))
        here[key] = data.draw(JSON | NEAR)
    for finding in lint(graph_from(document)):
        json.dumps(finding.as_json())


def places(value: object, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Every place inside a value, each list by its first entry."""
    below = value.items() if isinstance(value, dict) else enumerate(value[:1]) if isinstance(value, list) else ()
    for key, held in below:
        yield (*path, key)
        yield from places(held, (*path, key))


@pytest.mark.parametrize(
    "name",
    ["converged", *(pytest.param(one, marks=pytest.mark.thorough) for one in ("fsx-lustre", *graphs.FOREIGN))],
)
@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        {"a": [{}]},
        *(pytest.param(one, marks=pytest.mark.thorough) for one in ({}, 0, "", "x" * 5000, [[["a"]]])),
    ],
    ids=short,
)
def test_wrong_values_in_every_place_do_not_crash_lint(name, value):
    """Each place of each type in its turn, many at a time: what one hides the next round shows."""
    document = graph(name)
    seen: set[str] = set()
    spots = []
    for number, resource in enumerate(document["resources"]):
        for path in places(resource["inputs"]):
            if (mark := f"{resource['type']}{path}") not in seen:
                seen.add(mark)
                spots.append((number, path))
    random.Random(7).shuffle(spots)
    for start in range(0, len(spots), 60):
        changed = copy.deepcopy(document)
        for number, path in spots[start : start + 60]:
            here: Any = changed["resources"][number]["inputs"]
            for step in path[:-1]:
                fits = step in here if isinstance(here, dict) else isinstance(here, list) and step in range(len(here))
                here = here[step] if fits else None
            # a place that another edit of this round took away
            if isinstance(here, dict | list) and isinstance(path[-1], int) is isinstance(here, list) and here:
                here[path[-1]] = copy.deepcopy(value)
        for finding in lint(graph_from(changed)):
            json.dumps(finding.as_json())


def test_deeply_nested_graph_is_read():
    deep: object = "x"
    for _ in range(10_000):
        deep = [deep]
    lint(graph_from({"resources": [{"type": "aws:ec2/vpc:Vpc", "name": "a", "inputs": {"tags": deep}}]}))


class TestRules:
    def test_every_rule_has_all_its_texts(self):
        assert len({rule.id for rule in RULES}) == len(RULES) == sum(map(len, SUBJECTS.values()))
        for rule in RULES:
            assert rule.severity in (ERROR, WARNING)
            assert rule.id == rule.id.upper()
            for words in (rule.what, rule.why, rule.remedy, rule.example):
                assert len(words) >= 3
                assert not words.endswith(".")

    def test_network_cards_of_gpu_types_match_aws(self):
        cards = {name: (m.cards, m.efa, m.per_card) for name, m in machines().items()}
        assert cards["p4d.24xlarge"] == cards["p4de.24xlarge"] == (4, 4, 15)
        assert cards["p5.48xlarge"] == cards["p5e.48xlarge"] == (32, 32, 2)
        assert cards["p5en.48xlarge"] == (16, 16, 4)
        assert cards["p6-b200.48xlarge"] == (8, 8, 4)
        assert cards["p6-b300.48xlarge"] == (17, 16, 4)
        assert len(cards) > 1400

    def test_wildcard_expands_to_listed_actions(self):
        assert "s3:DeleteObjectVersion" in expanded("s3:DeleteObject*")
        assert expanded("kms:Decrypt") == ("kms:Decrypt",)
        assert len(actions()["ec2"]) > 700
        assert not misspelling("S3:getobject")
        assert not misspelling("s3:Get*")
        # a service whose actions are not listed is not judged
        assert not misspelling("glue:GetTabel")
        assert "GetObject" in misspelling("s3:GetObjct")

    def test_arguments_match_the_provider(self):
        needed, known = known_inputs()["ec2:LaunchTemplate"]["networkInterfaces"]
        assert {"networkCardIndex", "deviceIndex", "interfaceType", "securityGroups"} <= known
        assert not needed
        assert "bucket" in known_inputs()["s3:BucketVersioning"][""][0]
