"""`planner.load`: the command line's plan, its overrides and its messages."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import numpy as np
import pytest

import planner
from planner.plan.load import load_plan
from tests.typed import SMALL
from tests.typed import planner as typed


@pytest.mark.parametrize(
    ("key", "value", "text"),
    [
        ("fleet.nodes", 16, "16"),
        ("fleet.nodes", np.int64(16), "16"),
        ("data.hot_dataset", "4TB", "4TB"),
        ("storage.layouts", ["converged", "s3-stream"], "[converged, s3-stream]"),
        ("storage.layouts", np.array(["converged"]), "[converged]"),
        ("start", date(2026, 10, 5), "2026-10-05"),
        ("run.deadline", None, "null"),
        ("name", 'an "\\ odd: name, ü', "'an \"\\ odd: name, ü'"),
        ("assumptions.goodput.restart_minutes.value", 12.5, "12.5"),
    ],
)
def test_a_value_from_python_means_what_it_means_after_set(key, value, text):
    assert planner.load(SMALL, set={key: value}).sha256 == load_plan(SMALL, overrides=[f"{key}={text}"]).sha256


def test_a_plan_has_its_settings_and_a_short_representation(plan):
    assert (plan.name, plan.region, plan.settings.fleet.nodes) == ("small", "us-east-1", plan.plan.fleet.nodes)
    assert repr(plan) == f"Plan(name='small', region='us-east-1', where={SMALL!r}, sha256={plan.sha256!r})"
    assert planner.load(Path(SMALL)).sha256 == load_plan(SMALL).sha256


@pytest.mark.parametrize(
    ("path", "overrides"),
    [
        ("no-such-plan.yaml", {}),
        (SMALL, {"fleet.node": 16}),
        (SMALL, {"fleet.nodes": "many"}),
        (SMALL, {"fleet.nodes": -1, "data.hot_dataset": "4 parsecs"}),
    ],
)
def test_problems_are_the_command_lines(path, overrides):
    with pytest.raises(planner.PlanProblems) as raised:
        planner.load(path, set=overrides)
    said = typed("validate", path, *(word for key, value in overrides.items() for word in ("--set", f"{key}={value}")))
    assert said.returncode == raised.value.exit_code == 2
    expected = said.stdout + said.stderr
    for key in overrides:  # each names the value as it was given
        expected = expected.replace(f"--set {key}: ", f"set[{key!r}]: ")
    assert str(raised.value).strip() in expected
    assert "--set" not in str(raised.value)
    assert all(isinstance(problem, planner.Problem) for problem in raised.value.problems)


@pytest.mark.parametrize("values", [["fleet.nodes=8"], "fleet.nodes=8", 8])
def test_set_is_a_mapping(values):
    with pytest.raises(planner.UsageProblem, match="set must be a mapping from paths to values"):
        planner.load(SMALL, set=values)


@pytest.mark.parametrize("key", ["", 3, "fleet.nodes=8"])
def test_a_key_of_set_is_a_path(key):
    with pytest.raises(planner.UsageProblem, match="a key is the path of a value"):
        planner.load(SMALL, set={key: 8})


@pytest.mark.parametrize("path", [None, 5, {"fleet": 8}])
def test_a_plan_is_loaded_from_a_path(path):
    with pytest.raises(planner.UsageProblem, match="load needs the path of a plan file"):
        planner.load(path)


@pytest.mark.parametrize("value", [object(), float("nan"), {1, 2}])
def test_what_a_plan_file_cannot_hold_is_refused_by_name(value):
    with pytest.raises(planner.UsageProblem, match=r"^set\['fleet.nodes'\]: "):
        planner.load(SMALL, set={"fleet.nodes": value})
