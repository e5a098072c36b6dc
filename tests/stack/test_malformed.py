"""Whatever stands in a stack file, the answer is a spec or a word on what is wrong, never a traceback."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.errors import PlanProblems, Problem
from planner.stack.check import findings_of
from planner.stack.file import KEY, StackFile, parsed, rendered
from planner.stack.finding import Finding
from planner.stack.plain_data import InvalidSpec, from_mapping, to_mapping
from planner.stack.spec import Buying, ClusterSpec
from tests.stack.specs import block, spec, specs

_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.integers(10**300, 10**400) | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=3),
    max_leaves=10,
)


def places(data: Any, path: tuple = ()) -> list[tuple]:
    """Every value of plain data, by its path."""
    inner = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    return [path, *(place for key, value in inner for place in places(value, (*path, key)))]


def put(data: Any, path: tuple, value: Any) -> Any:
    """The same data with one value changed."""
    if not path:
        return value
    changed = dict(data) if isinstance(data, dict) else list(data)
    changed[path[0]] = put(changed[path[0]], path[1:], value)
    return changed


def read(data: Any) -> tuple[ClusterSpec | None, tuple[Finding, ...]]:
    """The spec, or what is wrong with its shape."""
    try:
        return from_mapping(data), ()
    except InvalidSpec as error:
        return None, error.findings


def opened(text: str) -> tuple[StackFile | None, tuple[Problem, ...]]:
    """The file, or why it cannot be read."""
    try:
        return parsed(text, "f"), ()
    except PlanProblems as error:
        return None, error.problems


@given(_json)
def test_any_data_is_refused_and_no_more(data):
    with pytest.raises(InvalidSpec) as error:
        from_mapping(data)
    assert error.value.findings


@settings(deadline=None, max_examples=100)
@given(specs(), st.data())
def test_one_value_changed_is_a_spec_again_or_refused_there(good, drawn):
    data = to_mapping(good)
    path = drawn.draw(st.sampled_from(places(data)))
    value = drawn.draw(_json)
    changed, invalid = read(put(data, path, value))
    assert (changed is None) == bool(invalid)
    for finding in invalid:
        assert all(a == b for a, b in zip(finding.path, path, strict=False)), (path, finding)
    for finding in findings_of(changed) if changed else ():
        assert finding.message
        assert finding.remedy


@settings(deadline=None)
@given(specs(), st.data())
def test_a_key_taken_away_is_missed_unless_it_may_be_left_out(good, drawn):
    data = to_mapping(good)
    path = drawn.draw(st.sampled_from([place for place in places(data) if place and isinstance(place[-1], str)]))
    parent = data
    for part in path[:-1]:
        parent = parent[part]
    del parent[path[-1]]
    changed, invalid = read(data)
    assert changed != good
    assert (changed is None) == bool(invalid)
    assert all(str(path[-1]) in finding.message for finding in invalid)


@settings(deadline=None, max_examples=80)
@given(st.text(max_size=60), st.data())
def test_any_text_in_a_file_is_refused_with_a_place(text, drawn):
    lines = rendered(spec()).splitlines()
    at = drawn.draw(st.integers(0, len(lines)))
    file, refused = opened("\n".join([*lines[:at], text, *lines[at:]]))
    assert (file is None) == bool(refused)
    if file:
        assert file.spec is None or file.spec.region == "us-east-1"
        assert all(problem.line is not None for problem in file.problems(file.found))


@given(st.text("0123456789-T:+Z. W", max_size=30) | st.datetimes().map(str))
def test_any_end_of_a_block_is_a_moment_or_refused(text):
    buying = Buying(kind="capacity-block", reservation_id="cr-0123456789abcdef0", ends=text)
    found = findings_of(block(buying=buying))
    assert all(finding.path == ("buying", "ends") for finding in found)


def test_the_first_hour_of_the_calendar_is_no_traceback():
    buying = replace(block().buying, ends="0001-01-01T00:00:00+14:00")
    assert [finding.path for finding in findings_of(block(buying=buying))] == [("buying", "ends")]


@settings(deadline=None)
@given(specs(), st.dictionaries(st.from_regex(r"[a-z]{1,8}:[a-zA-Z]{1,8}", fullmatch=True), _json, max_size=3))
def test_any_configuration_of_others_survives(good, theirs):
    try:
        before = yaml.safe_dump({"encryptionsalt": "v1:x", "config": theirs}, allow_unicode=True)
        parsed(before, "f")
        text = rendered(good, before, "f")
    except PlanProblems:
        return  # a control character, a duplicate key, a file in braces: said, and nothing is written
    data = yaml.safe_load(text)
    assert from_mapping(data["config"].pop(KEY)) == good
    assert data["config"].pop("aws:region") == good.region
    assert str(data["config"]) == str({k: v for k, v in yaml.safe_load(before)["config"].items() if k != "aws:region"})
