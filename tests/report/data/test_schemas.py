"""The published schemas of the verbs' JSON: every document keeps to its own, and what is no such document does not."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from functools import cache
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner

import planner
from planner.cli.schema import FOLDER, VERBS, command
from planner.layouts.registry import NAMES
from planner.plan.schema import plan_schema
from planner.report.data.comparison_json import document as document_of
from tests.report.documents import documents, paths
from tests.report.other_documents import diffs, explanations, optima, sensitivities
from tests.typed import SMALL
from tools.schema import DOCUMENTS

pytestmark = pytest.mark.xdist_group("documents")  # all of them are made once
TEXTS = {verb: (FOLDER / f"{verb}.schema.json").read_text(encoding="utf-8") for verb in VERBS}
SCHEMAS = {verb: json.loads(text) for verb, text in TEXTS.items()}
PRINTED = {
    "compare": documents,
    "optimize": optima,
    "sensitivity": sensitivities,
    "explain": explanations,
    "diff": diffs,
}
# (verb, the place of one of its forms)
FORMS = [(verb, number) for verb in VERBS for number in range(len(DOCUMENTS[verb].shapes))]

Path = tuple[str | int, ...]


def form(verb: str, number: int) -> dict[str, Any]:
    """The schema of one form that the verb's JSON may have."""
    return SCHEMAS[verb]["oneOf"][number] if "oneOf" in SCHEMAS[verb] else SCHEMAS[verb]


def faults(verb: str, document: Any, number: int | None = None) -> list[str]:
    judge = jsonschema.Draft202012Validator(SCHEMAS[verb] if number is None else form(verb, number))
    return [f"{'/'.join(map(str, error.absolute_path))}: {error.message}" for error in judge.iter_errors(document)]


@cache
def of_form(verb: str, number: int) -> list[Any]:
    """The documents that keep to that form."""
    return [document for document in PRINTED[verb]() if not faults(verb, document, number)]


def objects(node: Any, at: str = "document") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every schema of an object, with its path."""
    if isinstance(node, dict):
        if "properties" in node:
            yield at, node
        for key, value in node.items():
            yield from objects(value, f"{at}.{key}")
    elif isinstance(node, list):
        for number, value in enumerate(node):
            yield from objects(value, f"{at}.{number}")


@pytest.mark.parametrize("verb", VERBS)
class TestPublished:
    def test_it_is_a_schema_by_the_standards_own_rules(self, verb):
        jsonschema.Draft202012Validator.check_schema(SCHEMAS[verb])
        assert SCHEMAS[verb]["$schema"].endswith("2020-12/schema")

    def test_every_document_keeps_to_it(self, verb):
        for document in PRINTED[verb]():
            assert not faults(verb, document), f"a new key is added to tools/words/{verb}.py; then run make docs"

    def test_every_object_is_closed_and_every_key_required_and_described(self, verb):
        found = list(objects(SCHEMAS[verb]))
        assert len(found) >= 5
        for path, node in found:
            assert node["additionalProperties"] is False, path
            assert node["required"] == list(node["properties"]), path
            assert all(value["description"] for value in node["properties"].values()), path

    def test_the_verb_prints_the_file_in_the_repository(self, verb, tmp_path):
        assert CliRunner().invoke(command, ["--of", verb]).stdout == TEXTS[verb]
        path = tmp_path / "schema.json"
        assert CliRunner().invoke(command, ["--of", verb, "-o", str(path)]).stdout == ""
        assert path.read_text(encoding="utf-8") == TEXTS[verb]


@pytest.mark.parametrize(("verb", "number"), FORMS)
@pytest.mark.thorough
def test_no_form_and_no_word_is_idle(verb, number):
    title, words = DOCUMENTS[verb].shapes[number]
    found = {path for document in of_form(verb, number) for path in paths(document)}
    assert not {word.path for word in words} - found, f"no document has them; {title}"


def places(schema: dict[str, Any], at: Path = ()) -> Iterator[tuple[Path, dict[str, Any]]]:
    """The path of every key that the schema knows, in the first entry of each list, and what it says of the key."""
    for key, below in schema.get("properties", {}).items():
        yield (*at, key), below
        yield from places(below, (*at, key))
    if "items" in schema:
        yield from places(schema["items"], (*at, 0))


def reached(document: Any, path: Path) -> bool:
    for step in path:
        held = isinstance(document, (dict, list)) and (step in document if isinstance(document, dict) else document)
        if not held:
            return False
        document = document[step]
    return True


@cache
def shortened(verb: str, path: Path, number: int) -> Any:
    """A document of that form that has the key; lists are cut to the entry that the path goes through."""
    document = next(one for one in of_form(verb, number) if reached(one, path))
    return _cut(document)


def _cut(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _cut(inner) for key, inner in value.items()}
    return [_cut(inner) for inner in value[:1]] if isinstance(value, list) else value


def changed(verb: str, path: Path, number: int = 0) -> tuple[dict[str, Any], Any]:
    """A copy of a document, and what holds the key at the path's end."""
    whole = copy.deepcopy(shortened(verb, path, number))
    at: Any = whole
    for step in path[:-1]:
        at = at[step]
    return whole, at


KEYS = [
    pytest.param(verb, number, path, told, id=f"{verb}{number}:{'.'.join(map(str, path))}")
    for verb, number in FORMS
    for path, told in places(form(verb, number))
]


@pytest.mark.parametrize(("verb", "number", "path", "told"), KEYS)
@pytest.mark.thorough
def test_every_key_is_needed_known_and_of_its_type(verb, number, path, told):
    whole, at = changed(verb, path, number)
    value = at.pop(path[-1])
    assert any("is a required property" in fault for fault in faults(verb, whole, number))
    if told.keys() - {"description"}:  # a value of a plan may be anything
        at[path[-1]] = {"Of": ["another type"]}
        assert faults(verb, whole, number)
    at[path[-1]] = at[f"{path[-1]}_"] = value
    assert any("Additional properties are not allowed" in fault for fault in faults(verb, whole, number))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("schema_version",), "2"),
        (("plan", "sha256"), "x"),
        (("prices", "as_of"), "2026-9-1"),
        (("draws",), -1),
        (("scenarios", 0, "layout"), "other"),
        (("scenarios", 0, "cost_usd", "plan_percentile"), 101),
        (("scenarios", 0, "bill", 0, "price_grade"), "D"),
        (("scenarios", 0, "bill", 0, "equation"), "one"),
        (("scenarios", 0, "unfinished_fraction"), 1.5),
        (("scenarios", 0, "cost_usd", "plan"), "12"),
        (("scenarios", 0, "cost_usd", "plan"), None),
    ],
)
def test_values_that_no_comparison_has(path, value):
    whole, at = changed("compare", path)
    at[path[-1]] = value
    assert faults("compare", whole)


class TestVerb:
    def test_the_plan_stays_the_default(self):
        assert json.loads(CliRunner().invoke(command, []).stdout) == plan_schema()

    def test_of_anything_else_is_a_usage_error(self):
        assert CliRunner().invoke(command, ["--of", "bill"]).exit_code == 2


def test_a_comparison_of_every_layout_keeps_to_the_schema():
    changed = {"storage.layouts": list(NAMES)}
    comparison = planner.compare(planner.load(SMALL, set=changed), draws=20)
    assert {scenario.layout for scenario in comparison.scenarios} == set(NAMES)
    assert not faults("compare", document_of(comparison))
