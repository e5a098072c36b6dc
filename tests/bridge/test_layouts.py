"""Each layout on the real provider's code: it comes up, stays as it is, grows by a node, is put right after somebody
changed it, is changed where that makes things anew, and goes down again."""

from __future__ import annotations

from typing import Any

import pytest

from infra.deployer import policies
from infra.graph import resource_graph
from planner.stack.spec import LAYOUTS, ClusterSpec
from tests.bridge.conftest import Lives
from tests.bridge.drift import DRIFTS
from tests.bridge.known import LACKING
from tests.bridge.layouts import other, small
from tests.engine.cloud.kinds import replaces
from tests.infra.specs import GANGS

KEPT = {"aws:kms/alias:Alias", "aws:kms/key:Key"}  # and all of the data bucket's
# what a node more changes: the group's size, and the alarm that counts its nodes. The reservation nobody gave: AWS's
# own choice, which is known only after the change
RESIZED = {
    "fleet-group": {"desiredCapacity", "maxSize", "minSize", "capacityReservationSpecification"},
    "guard-alarm-fleet-count": {"threshold"},
}
# what the provider asks and does without
NOT_NEEDED = {"iam:GetUser": "whose account it is; where that is refused, sts:GetCallerIdentity says it"}


# besides what is made anew everywhere
ANEW = {
    "converged": {"pool-node-0", "pool-node-1"},
    "fsx-lustre": {"lustre-file-system"},
    "separate-nvme": {"pool-node-0", "pool-node-1"},
    "s3-stream": set[str](),
}


def inputs(spec: ClusterSpec) -> dict[str, tuple[str, dict[str, Any]]]:
    """Logical name -> type and inputs of everything that a stack has."""
    resources = resource_graph(spec)["resources"]
    return {entry["name"]: (entry["type"], entry["inputs"]) for entry in resources}


def planned(layout: str) -> dict[str, str]:
    """Logical name -> type of everything that `planner preview` shows of the same stack."""
    resources = resource_graph(small(layout))["resources"]
    return {entry["name"]: entry["type"] for entry in resources if entry["type"].startswith("aws:")}


@pytest.mark.parametrize("layout", GANGS)
def test_it_comes_up(lives: Lives, layout: str):
    up = lives.runs[layout]["up"].well()
    made = {step.name: step.type for step in up.steps if step.operation == "create"}
    assert made == planned(layout)
    assert up.counts == {"create": len(made)}
    # most of it is made by the real code at an AWS of sorts; the rest is checked and planned by the real code
    assert sum(kind not in LACKING for kind in made.values()) > 0.8 * len(made)


@pytest.mark.parametrize("layout", GANGS)
def test_it_stays_as_it_is(lives: Lives, layout: str):
    again = lives.runs[layout]["again"].well()
    assert again.counts == {}
    assert len(again.steps) >= len(planned(layout))


@pytest.mark.parametrize("layout", GANGS)
def test_one_node_more_is_two_updates_and_no_replacement(lives: Lives, layout: str):
    resize = lives.runs[layout]["resize"].well()
    assert resize.counts == {"update": len(RESIZED)}
    assert {step.name: set(step.diff) for step in resize.steps if step.operation == "update"} == RESIZED


@pytest.mark.parametrize("layout", GANGS)
def test_a_refresh_sees_what_somebody_did_and_nothing_else(lives: Lives, layout: str):
    seen = lives.runs[layout]["refresh"].well()
    found = {step.name: step.operation for step in seen.steps if step.operation not in ("same", "refresh")}
    assert found == {name: drift.seen for name, drift in DRIFTS.items()}


@pytest.mark.parametrize("layout", GANGS)
def test_the_next_up_puts_it_back(lives: Lives, layout: str):
    back = lives.runs[layout]["back"].well()
    assert set(back.names("create")) == {name for name, drift in DRIFTS.items() if drift.seen == "delete"}
    for name, drift in DRIFTS.items():
        if drift.back:
            assert set(drift.back) <= set(back.step(name, "update").diff)


@pytest.mark.parametrize("layout", GANGS)
def test_what_is_made_anew_is_what_the_stand_in_makes_anew(lives: Lives, layout: str):
    """The same change under tests/engine would take down and put up the same things, for the same inputs."""
    back = lives.runs[layout]["back"].well()
    before, after = inputs(small(layout)), inputs(other(layout))
    expected = {}
    for name, (kind, now) in after.items():
        was = before[name][1]
        changed = [key for key in {*was, *now} if was.get(key) != now.get(key)]
        if anew := replaces(kind, was, now, sorted(changed)):
            expected[name] = set(anew)
    assert {step.name: set(step.replaces) for step in back.steps if step.operation == "replace"} == expected
    assert expected.keys() >= ANEW[layout] | {"guard-subscription", "artefacts-object-stack"}
    order = [(step.operation, step.name) for step in back.steps if step.name.startswith("pool-node-")]
    for number in range(small(layout).control.count):  # one interface holds one node: the old one goes first
        node = f"pool-node-{number}"
        assert order.index(("delete-replaced", node)) < order.index(("create-replacement", node))
    assert [name for operation, name in order if operation == "delete-replaced"] == sorted({name for _, name in order})


@pytest.mark.parametrize("layout", GANGS)
def test_it_goes_down_but_for_the_data(lives: Lives, layout: str):
    destroy = lives.runs[layout]["destroy"].well()
    gone = {step.name for step in destroy.steps if step.operation == "delete"}
    kept = {name for name, kind in planned(layout).items() if kind in KEPT or name.startswith("tier-bucket")}
    assert gone == planned(layout).keys() - kept
    assert destroy.counts == {"delete": len(gone)}


def test_the_deployer_may_do_all_that_the_provider_asks(lives: Lives):
    """The policies of infra/ are written by hand: here is what the provider's code really calls."""
    may = {
        action
        for name, policy in policies().items()
        if "reserve" not in name
        for statement in policy["Statement"]
        for action in statement["Action"]
    }
    assert lives.asked - may == NOT_NEEDED.keys()
    assert len(lives.asked & may) > 100


def test_nothing_is_left_at_aws_but_the_data_and_its_key(lives: Lives):
    expected = set()
    for layout in LAYOUTS:
        expected |= {f"s3: planner-{layout}-data-123456789012-us-east-1", f"kms: alias/planner-{layout}-data"}
    keys = {left for left in lives.left if left.startswith("kms: ") and not left.startswith("kms: alias/")}
    assert sorted(set(lives.left) - keys) == sorted(expected)
    assert len(keys) == len(LAYOUTS)
