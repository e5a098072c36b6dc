"""`planner stack` and `planner preview` of a worker pool, as a user calls them."""

from __future__ import annotations

import json

import pytest

from tests.stack.test_choose_workers import PLAN, SPOT
from tests.typed import planner


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plan.yaml").write_text(PLAN)

    def call(*words: str):
        return planner(words[0], "plan.yaml", "--draws", "20", *words[1:])

    return call


def test_from_the_plan_to_a_preview(run, tmp_path):
    done = run("stack", "--scenario", SPOT, "-o", ".", "--image", "acme/train:1")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "AWS Batch in us-east-1: 1 to 20 x g5.2xlarge in 1 zone, spot" in (done.stdout + done.stderr)
    assert "--array-properties size=60" in (done.stdout + done.stderr)
    assert "container image" not in (done.stdout + done.stderr)  # it was given
    assert (tmp_path / "Pulumi.yaml").exists()
    assert run("stack", "--check").returncode == 0
    shown = run("preview", "--scenario", SPOT, "-f", "json")
    kinds = {entry["type"] for entry in json.loads(shown.stdout)["resources"]}
    assert "aws:batch/computeEnvironment:ComputeEnvironment" in kinds
    assert "aws:autoscaling/group:Group" not in kinds
    drawn = run("preview", "--scenario", SPOT, "-f", "svg")
    assert "Workers: g5.2xlarge" in drawn.stdout


def test_lint_of_the_plan_has_nothing_to_say(run):
    found = planner("lint", "plan.yaml", "--scenario", SPOT)
    assert found.returncode == 0, found.stdout
    assert "No problems found" in found.stdout


def test_a_file_of_another_choice_is_not_overwritten(run):
    assert run("stack", "--scenario", SPOT, "-o", ".").returncode == 0
    other = run("stack", "--scenario", "workers/g5.2xlarge/on-demand", "-o", ".")
    assert (other.returncode, "is of workers/spot" in (other.stdout + other.stderr)) == (2, True)
    assert run("stack", "--scenario", "workers/g5.2xlarge/on-demand", "-o", ".", "--switch").returncode == 0
    assert run("stack", "--scenario", SPOT, "--check").returncode == 2


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--scenario", SPOT, "--ami", "ami-0123456789abcdef0"), "--ami: not of a worker pool"),
        (("--scenario", "workers/listed/list"), "price list"),
        (("--check",), "does not exist"),
    ],
)
def test_what_does_not_fit_is_said(run, words, says):
    done = run("stack", *words)
    assert done.returncode == 2
    assert says in " ".join((done.stdout + done.stderr).split())
    assert "Traceback" not in (done.stdout + done.stderr)


def test_an_image_is_of_workers_alone():
    done = planner("stack", "examples/small.yaml", "--scenario", "best", "--image", "a/b", "-o", "-")
    assert (done.returncode, "of worker pools" in (done.stdout + done.stderr)) == (2, True)
