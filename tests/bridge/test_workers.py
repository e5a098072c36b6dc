"""A pool of workers on the real provider's code: up, nothing to do, a node more, down, at a moto server."""

from __future__ import annotations

from copy import deepcopy

from pulumi.runtime.proto import provider_pb2 as messages

from infra.graph import resource_graph
from tests.bridge.alone import Alone, plain, struct, urn_of
from tests.bridge.conftest import Lives
from tests.bridge.known import LACKING
from tests.bridge.layouts import small
from tests.bridge.names import bridge_token
from tests.bridge.test_layouts import KEPT, planned
from tests.bridge.test_replaces import ID, every, said

WORKERS = "workers"
ENVIRONMENT = "aws:batch/computeEnvironment:ComputeEnvironment"
LINKED = "arn:aws:iam::123456789012:role/aws-service-role/batch.amazonaws.com/AWSServiceRoleForBatch"


def test_it_comes_up_and_stays_as_it_is(lives: Lives):
    up = lives.runs[WORKERS]["up"].well()
    made = {step.name: step.type for step in up.steps if step.operation == "create"}
    assert made == planned(WORKERS)
    assert {kind for kind in made.values() if ":batch/" in kind} - LACKING.keys() == {
        "aws:batch/jobDefinition:JobDefinition"
    }
    assert lives.runs[WORKERS]["again"].well().counts == {}
    assert lives.runs[WORKERS]["refresh"].well().counts == {}


def test_a_node_more_is_one_update(lives: Lives):
    """The compute environment is only written down (LACKING), but the real code says what has to be made anew."""
    resize = lives.runs[WORKERS]["resize"].well()
    assert resize.counts == {"update": 1}
    assert set(resize.step("fleet-environment", "update").diff) == {"computeResources"}


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


def test_another_template_changes_the_compute_environment_in_place(offline: Alone, schema):
    """A new worker file or a larger root volume is a new version of the template. A compute environment that the
    provider would make anew for it could not be: its name is taken, and the queue keeps it."""
    inputs = every()[ENVIRONMENT]
    news, refused = offline.check(ENVIRONMENT, inputs)
    assert not refused
    made = plain(offline.create(ENVIRONMENT, inputs, preview=True).state)
    state = said(schema, schema["resources"][bridge_token(ENVIRONMENT)]["properties"], made) | {"serviceRole": LINKED}
    after = deepcopy(plain(news))
    after["computeResources"]["launchTemplate"]["version"] = "2"
    asked = messages.DiffRequest(
        id=ID, urn=urn_of(ENVIRONMENT), type=ENVIRONMENT, olds=struct(state), news=struct(after), old_inputs=news
    )
    found = offline.forward.call("Diff", asked)
    assert (list(found.diffs), list(found.replaces)) == (["computeResources"], [])
