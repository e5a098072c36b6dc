"""A saved comparison read back: what is whole comes through, everything else gets a clear word and no traceback."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.errors import UsageProblem
from planner.report.data import comparison_json, saved
from planner.report.diff.comparisons import changes
from tests.report.scenes import HOSTILE, named, small


@cache
def _document() -> dict[str, Any]:
    return comparison_json.document(small())


def raw_of(**more: Any) -> bytes:
    return json.dumps(_document() | more).encode()


def changed(change: Callable[[dict[str, Any]], Any]) -> bytes:
    document = json.loads(raw_of())
    change(document)
    return json.dumps(document).encode()


def test_what_compare_writes_is_read_as_it_was() -> None:
    text = comparison_json.render(small())
    assert saved.parse(text.encode(), "a.json") == json.loads(text)
    assert saved.parse(b"\xef\xbb\xbf" + text.encode(), "a.json") == json.loads(text)


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_come_back(name: str) -> None:
    text = comparison_json.render(named(HOSTILE[name]))
    assert saved.parse(text.encode(), "a.json")["plan"]["name"] == json.loads(text)["plan"]["name"]


WRONG = {
    "empty": (b"", "a.json:1:1: the file is empty"),
    "a word": (b"hello", "not valid JSON"),
    "truncated": (raw_of()[:-200], "the file is incomplete"),
    "half a string": (raw_of()[:30], "the file is incomplete"),
    "binary": (b"\xff\xfe\x00", "not UTF-8 text"),
    "a list": (b"[1, 2]", "not a saved comparison: schema_version is missing"),
    "other json": (b'{"a": 1}', "not a saved comparison: schema_version is missing"),
    "other schema": (raw_of(schema_version="2"), "schema_version is '2', but this version of planner reads '1'"),
    "schema of numbers": (raw_of(schema_version=1), "schema_version is 1, but this version of planner reads '1'"),
    "prices show": (b'{"schema_version": "1", "prices": []}', "but not of `compare`: scenarios are missing"),
    "NaN": (raw_of().replace(b'"seed": 0', b'"seed": NaN'), "NaN is not a number"),
    "infinity": (raw_of().replace(b'"seed": 0', b'"seed": -Infinity'), "-Infinity is not a number"),
    "beyond numbers": (raw_of().replace(b'"draws": 200', b'"draws": 1e999'), "draws must be a whole number; got inf"),
    "many digits": (b'{"schema_version": ' + b"1" * 10_000 + b"}", "not valid JSON"),
    "deep": (b'{"schema_version": ' + b"[" * 100_000 + b"}", "not valid JSON"),
    "huge cost": (
        changed(lambda d: d["scenarios"][0]["cost_usd"].update(p90=10**400)),
        "scenarios[0].cost_usd.p90 is too large for a number",
    ),
    "no name": (changed(lambda d: d["plan"].pop("name")), "plan.name is missing"),
    "text for a list": (changed(lambda d: d.update(scenarios="x")), "scenarios must be a list; got 'x'"),
    "text for a cost": (
        changed(lambda d: d["scenarios"][2]["bill"][1].update(effective_cost="1")),
        "scenarios[2].bill[1].effective_cost must be a number; got '1'",
    ),
    "truth for a number": (changed(lambda d: d.update(seed=True)), "seed must be a whole number; got true"),
    "number for truth": (changed(lambda d: d["scenarios"][0].update(feasible=1)), "feasible must be true or false"),
    "share in words": (changed(lambda d: d["scenarios"][0].update(unfinished_fraction="x")), "must be a number"),
    "one id twice": (changed(lambda d: d["scenarios"].append(d["scenarios"][0])), "two scenarios have the id"),
    "by hand": (
        changed(lambda d: d["scenarios"][0]["cost_usd"].update(plan=1.0)),
        "its total is 1.00: the file was edited after it was saved",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_other_files_are_refused_with_a_message(name: str) -> None:
    raw, message = WRONG[name]
    with pytest.raises(UsageProblem) as error:
        saved.parse(raw, "a.json")
    assert str(error.value).startswith("a.json")
    assert message in str(error.value)
    assert str(error.value).splitlines()[1].strip()


def test_too_large_is_refused_before_it_is_read(monkeypatch) -> None:
    monkeypatch.setattr(saved, "MAX_BYTES", 1000)
    with pytest.raises(UsageProblem, match="larger than"):
        saved.parse(raw_of(), "a.json")


def test_optional_keys_may_be_missing() -> None:
    def lean(document: dict[str, Any]) -> None:
        del document["draws"], document["prices"]["intact"], document["prices"]["age_days"]
        for scenario in document["scenarios"]:
            del scenario["unfinished_fraction"]

    document = saved.parse(changed(lean), "a.json")
    assert not changes(document, document).different


def test_a_plan_is_told_from_a_saved_comparison() -> None:
    assert saved.is_saved(raw_of(), "/dev/fd/63")
    assert saved.is_saved(raw_of()[:400], "/dev/fd/63")
    assert saved.is_saved(b"", "a.json")
    assert not saved.is_saved(b"apiVersion: planner/v1", "plan.yaml")
    assert not saved.is_saved(b'{"apiVersion": "planner/v1"}', "plan.json")
    assert not saved.is_saved(b"{apiVersion: planner/v1}", "-")


SMALL_DOCUMENT = json.loads(raw_of(scenarios=json.loads(raw_of())["scenarios"][:2]))
junk = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.just([]) | st.just({})


@settings(deadline=None)  # a busy machine is no fault
@given(st.data())
def test_a_document_with_one_wrong_value_is_refused_or_compared(data: st.DataObject) -> None:
    document = json.loads(json.dumps(SMALL_DOCUMENT))
    here: Any = document
    while isinstance(here, dict | list) and here:
        keys = list(here) if isinstance(here, dict) else list(range(len(here)))
        key = data.draw(st.sampled_from(keys))
        if data.draw(st.integers(0, 3)) == 0 or not isinstance(here[key], dict | list) or not here[key]:
            here[key] = data.draw(junk)
            break
        here = here[key]
    try:
        read = saved.parse(json.dumps(document).encode(), "a.json")
    except UsageProblem:
        return
    changes(SMALL_DOCUMENT, read)
    changes(read, SMALL_DOCUMENT)
