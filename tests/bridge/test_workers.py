"""A pool of workers on the real provider's code: up, nothing to do, down, at a moto server."""

from __future__ import annotations

from infra.graph import resource_graph
from tests.bridge.conftest import Lives
from tests.bridge.known import LACKING
from tests.bridge.layouts import small
from tests.bridge.test_layouts import KEPT, planned

WORKERS = "workers"


def test_it_comes_up_and_stays_as_it_is(lives: Lives):
    up = lives.runs[WORKERS]["up"].well()
    made = {step.name: step.type for step in up.steps if step.operation == "create"}
    assert made == planned(WORKERS)
    assert {kind for kind in made.values() if ":batch/" in kind} - LACKING.keys() == {
        "aws:batch/jobDefinition:JobDefinition"
    }
    assert lives.runs[WORKERS]["again"].well().counts == {}
    assert lives.runs[WORKERS]["refresh"].well().counts == {}


def test_it_goes_down_but_for_the_data(lives: Lives):
    destroy = lives.runs[WORKERS]["destroy"].well()
    gone = {step.name for step in destroy.steps if step.operation == "delete"}
    kept = {name for name, kind in planned(WORKERS).items() if kind in KEPT or name.startswith("tier-bucket")}
    assert gone == planned(WORKERS).keys() - kept


def test_what_it_needs_of_batch_is_three_types():
    types = {entry["type"] for entry in resource_graph(small(WORKERS))["resources"]}
    assert {kind for kind in types if ":batch/" in kind} == {
        "aws:batch/computeEnvironment:ComputeEnvironment",
        "aws:batch/jobDefinition:JobDefinition",
        "aws:batch/jobQueue:JobQueue",
    }
