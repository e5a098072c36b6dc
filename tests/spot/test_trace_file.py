"""Files of recordings: what is read, and one clear problem for each file that is none."""

from __future__ import annotations

import json

import pytest

from planner.errors import PlanProblems
from planner.spot.trace_file import trace_in, trace_of


def test_a_recording_is_read_as_published(tmp_path):
    path = tmp_path / "us-west-2a_v100_1.json"
    path.write_text('{"metadata": {"gap_seconds": 600}, "data": [1, 0, 4, 4], "prices": [0.9, 0.9, 1.0, 1.1]}')
    trace = trace_in(path)
    assert (trace.name, trace.gap_seconds, trace.ticks, trace.most) == ("us-west-2a_v100_1", 600, 4, 4)
    assert trace.up(4).tolist() == [False, False, True, True]
    assert trace.usd_per_hour is not None
    assert trace.usd_per_hour.tolist() == [0.9, 0.9, 1.0, 1.1]
    assert trace.days == pytest.approx(4 * 600 / 86_400)
    assert trace.first(2).nodes.tolist() == [1, 0]


GOOD = {"metadata": {"gap_seconds": 600}, "data": [1, 0, 1]}


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ([1, 0], "no metadata"),
        ({"data": [1, 0]}, "no metadata"),
        (GOOD | {"metadata": {}}, "metadata.gap_seconds is missing"),
        (GOOD | {"metadata": {"gap_seconds": 0}}, "metadata.gap_seconds is 0"),
        (GOOD | {"metadata": {"gap_seconds": 1.5}}, "metadata.gap_seconds is 1.5"),
        (GOOD | {"metadata": {"gap_seconds": True}}, "metadata.gap_seconds is true"),
        (GOOD | {"metadata": {"gap_seconds": "600"}}, 'metadata.gap_seconds is "600"'),
        (GOOD | {"data": None}, "data is missing"),
        (GOOD | {"data": {"0": 1}}, 'data is {"0": 1}'),
        (GOOD | {"data": [1]}, "data has 1 ticks"),
        (GOOD | {"data": [1, -1]}, "data[1] is -1"),
        (GOOD | {"data": [1, 0.5]}, "data[1] is 0.5"),
        (GOOD | {"data": [1, "x"]}, 'data[1] is "x"'),
        (GOOD | {"data": [1, float("nan")]}, "data[1] is NaN"),
        (GOOD | {"data": [1, float("inf")]}, "data[1] is Infinity"),
        (GOOD | {"data": [1, 10**400]}, "data[1] is 1000000000000000000000000000000000000000"),
        (GOOD | {"prices": [1, 2]}, "prices has 2 values, data has 3"),
        (GOOD | {"prices": [1, 2, -1]}, "prices[2] is -1"),
    ],
)
def test_what_is_no_recording_says_where_and_why(document, message):
    with pytest.raises(PlanProblems) as refused:
        trace_of(document, "x.json", "x")
    (problem,) = refused.value.problems
    assert (problem.where, problem.message) == ("x.json", message)
    assert problem.remedy


def test_a_file_that_is_no_json_names_the_place(tmp_path):
    path = tmp_path / "x.json"
    path.write_text('{"metadata": {"gap_seconds": 600},\n "data": [1,]}')
    with pytest.raises(PlanProblems) as refused:
        trace_in(path)
    (problem,) = refused.value.problems
    assert (problem.line, problem.where) == (2, str(path))
    assert problem.message.startswith("this is not JSON: ")


@pytest.mark.parametrize("text", [b"\xff\xfe{", b"", b"[" * 100_000, json.dumps(GOOD).encode() + b"x"])
def test_no_bytes_raise_anything_else(tmp_path, text):
    path = tmp_path / "x.json"
    path.write_bytes(text)
    with pytest.raises(PlanProblems):
        trace_in(path)


def test_a_folder_and_a_missing_file_are_named(tmp_path):
    for path, message in ((tmp_path, "this is a folder"), (tmp_path / "none.json", "no such file")):
        with pytest.raises(PlanProblems, match=message):
            trace_in(path)
