"""`--set path=value`: what it changes, what it refuses, and that every message names the option."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.plan.overrides import apply_overrides, split_path
from tests.plan.plans import FULL, SMALL, load, only, problems


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("name", ("name",)),
        ("fleet.nodes", ("fleet", "nodes")),
        ("storage.fsx-lustre.efa", ("storage", "fsx-lustre", "efa")),
        ("run.throughput[0].gpus", ("run", "throughput", 0, "gpus")),
        ("run.throughput.0.gpus", ("run", "throughput", 0, "gpus")),
        ("fleet.nodes[1]", ("fleet", "nodes", 1)),
        ("assumptions.goodput.restart_minutes", ("assumptions", "goodput.restart_minutes")),
        ("assumptions.goodput.restart_minutes.low", ("assumptions", "goodput.restart_minutes", "low")),
    ],
)
def test_paths(text, parts):
    assert split_path(text) == parts


def test_values_are_parsed_as_in_the_file():
    plan = load(
        FULL,
        "fleet.nodes=[8, 32]",
        "run.phases[0].throughput[1].samples_per_second=900",
        "people.engineers=null",
        "data.hot_dataset=1TB",
        "storage.fsx-lustre={capacity: 1200GiB}",
        "assumptions.s3.prefixes=4",
        "assumptions.lustre.fill_fraction.high=95e-2",
        "name='12'",
        "start=2027-01-01",
    ).plan
    assert plan.fleet.nodes == (8, 32)
    assert plan.run.phases[0].throughput[1].samples_per_second == 900
    assert plan.people is not None
    assert plan.people.engineers is None
    assert plan.storage.fsx_lustre.metadata_iops is None
    assert plan.assumptions["s3.prefixes"] == 4
    assert plan.assumptions["lustre.fill_fraction"].high == 0.95
    assert plan.name == "12"


def test_missing_sections_are_added():
    assert load(SMALL, "storage.fsx-lustre.efa=true").plan.storage.fsx_lustre.efa
    assert load(SMALL, "assumptions.s3.prefixes=4").plan.assumptions == {"s3.prefixes": 4}


def test_gpus_can_replace_nodes_and_the_last_override_wins():
    plan = load(SMALL, "fleet.nodes=9", "fleet.nodes=null", "fleet.gpus=A100:8", "fleet.gpus=A100:16").plan
    assert plan.fleet.nodes is None
    assert plan.fleet.gpus
    assert plan.fleet.gpus[0].count == 16


def test_an_override_changes_one_use_of_a_yaml_alias():
    rows = "{gpus: 8, samples_per_second: 10}"
    text = SMALL.replace(
        "work: {gpu_hours: 4000}",
        "phases:\n"
        f"    - {{name: a, samples: 1e6, throughput: &t [{rows}]}}\n"
        "    - {name: b, samples: 1e6, throughput: *t}",
    )
    phases = load(text, "run.phases[1].throughput[0].gpus=16").plan.run.phases
    assert [phase.throughput[0].gpus for phase in phases] == [8, 16]


@pytest.mark.parametrize(
    ("override", "where", "message", "remedy"),
    [
        ("data.hot_datset=1TB", "--set data.hot_datset", "unknown key 'hot_datset'", "did you mean data.hot_dataset?"),
        ("hot_dataset=1TB", "--set hot_dataset", "unknown key 'hot_dataset'", "it belongs in run.phases[] or data"),
        ("nodes", "--set nodes", "'nodes' has no value", "--set fleet.nodes=64"),
        ("=3", "--set ", "'=3' has no value", ""),
        ("a..b=3", "--set a..b", "not a path", "write section.key"),
        ("run.throughput[x].gpus=3", "--set run.throughput[x].gpus", "not a path", ""),
        ("run.phases[9].name=x", "--set run.phases[9].name", "run.phases has 3 entries", "set the whole list"),
        ("run.phases.name=x", "--set run.phases.name", "run.phases is a list", "run.phases[0] to run.phases[2]"),
        ("run[0].kind=x", "--set run[0].kind", "run is a section, not a list", ""),
        ("name.first=x", "--set name.first", "name has no keys below it", ""),
        ("fleet.nodes=[1", "--set fleet.nodes", "'[1': not YAML", ""),
        ("fleet.nodes=0", "--set fleet.nodes", "between 1 and 100,000; got 0", ""),
        ("fleet.spares=400", "--set fleet.spares", "400 spares of 16 nodes leave no node", ""),
        ("data.hot_dataset=5", "--set data.hot_dataset", "a size needs a unit; got 5", "as in 5GB"),
        ("fleet.instance_types=[p4d]", "--set fleet.instance_types", "not an instance type", ""),
        ("name=", "--set name", "name must be text; got nothing", ""),
        ("purchase.options=[spt]", "--set purchase.options", "unknown purchase option 'spt'", "did you mean spot?"),
        ("assumptions.a=[1]", "--set assumptions.a", "assumptions.a must be a number; got a list", ""),
    ],
)
def test_every_message_names_the_override(override, where, message, remedy):
    problem = only(FULL, override)
    assert (problem.where, problem.line) == (where, None)
    assert message in problem.message
    assert remedy in problem.remedy
    assert str(problem).startswith(f"{where}: ")


def test_overrides_and_the_file_are_reported_together():
    found = problems(FULL.replace("40d", "40"), "fleet.nodes=0", "x=1")
    assert [problem.where for problem in found] == ["--set fleet.nodes", "--set x", "p.yaml"]


@given(st.text(max_size=40), st.text(max_size=20))
def test_any_override_is_applied_or_refused_with_a_message(path, value):
    _, labels, found = apply_overrides({"fleet": {"nodes": [1, 2]}, "name": "x"}, [f"{path}={value}"])
    assert len(labels) + len(found) == 1
    assert all(len(str(problem)) < 1000 for problem in found)
