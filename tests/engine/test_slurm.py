"""The life of a stack with a Slurm cluster under the real engine: up, drift, resize, projects, image, nodes, down."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from planner.layouts.registry import DEPLOYED
from planner.stack.canary import as_canary
from planner.stack.spec import ClusterSpec, OtherType, Project
from planner.stack.switching import switched
from tests.cluster.specs import LINES, MARKETS, SCHEDULER
from tests.engine.cloud.store import tags_of
from tests.engine.specs import NEXT_AMI, small
from tests.engine.stand import KEPT_PREFIXES, Stand

pytestmark = pytest.mark.usefixtures("engine_built")
QUEUES = ["scheduler-queue-high", "scheduler-queue-low", "scheduler-queue-normal"]


def spec(layout: str = "s3-stream", **changes: Any) -> ClusterSpec:
    made = small(layout, **changes)
    projects = (Project(name="vision", share=3, max_nodes=1), Project(name="speech", share=1))
    scheduler = replace(SCHEDULER, gres="a100", projects=projects)
    return replace(made, scheduler=scheduler, usd_per_hour={**made.usd_per_hour, **LINES})


def test_a_cluster_comes_up_changes_and_goes_down(tmp_path: Path):
    stand = Stand(tmp_path, spec())
    up = stand.engine.up().well()
    assert up.counts == {"create": len(stand.names)}
    order = [step.name for step in up.steps if step.operation == "create"]
    # nodes boot after their rights, their settings and their cluster are there; queues come last
    for first in ("fleet-pcs-role-data", "network-gateway-s3", "scheduler-cluster"):
        assert order.index(first) < order.index("fleet-group")
    assert order.index("scheduler-settings") < order.index("scheduler-login-group")
    assert order.index("fleet-group") < min(map(order.index, QUEUES))
    assert _nodes(stand) == 3  # the login node too
    assert stand.engine.up().well().counts == {}
    assert stand.engine.refresh().well().counts == {}
    _drifts(stand)

    grown = _changed(stand, replace(spec(nodes=3), plan_sha256="d" * 64))
    assert sorted(grown.names("update")) == ["fleet-group", "guard-dashboard", "guard-topic"]
    assert grown.counts == {"update": 3}, "at most six changes"
    assert _nodes(stand) == 4

    # other projects are a file for the login node: no node is replaced, nothing drains
    one = replace(spec(nodes=3), scheduler=replace(spec().scheduler, projects=(Project(name="all", share=1),)))  # type: ignore[type-var]
    assert _changed(stand, one).counts == {"update": 2}  # and the plan's hash on the topic

    image = _changed(stand, spec(nodes=3, ami=NEXT_AMI))
    assert set(image.names("update")) >= {"fleet-group", "fleet-template", "scheduler-login-group"}
    assert not image.names("replace", "create", "delete")

    # a newer Slurm is an update of the controller in place (AWS's schema: Version is not create-only)
    newer = spec(nodes=3, ami=NEXT_AMI)
    newer = replace(newer, scheduler=replace(newer.scheduler, version="26.05"))  # type: ignore[type-var]
    assert _changed(stand, newer).names("update") == ["scheduler-cluster"]

    # AWS PCS changes the type of no group: the new one is there before the old one goes, and the queues follow
    other = spec(nodes=3, ami=NEXT_AMI, instance_type="p5.48xlarge")
    other = _changed(stand, replace(other, scheduler=newer.scheduler))
    assert other.names("replace") == ["fleet-group"]
    order = [(step.operation, step.name) for step in other.steps]
    assert order.index(("create-replacement", "fleet-group")) < min(order.index(("update", name)) for name in QUEUES)
    assert max(order.index(("update", name)) for name in QUEUES) < order.index(("delete-replaced", "fleet-group"))
    assert "scheduler-cluster" not in {name for operation, name in order if operation != "same"}

    data = [name for name in stand.names if name.startswith(KEPT_PREFIXES)]
    down = stand.engine.destroy("--exclude-protected").well()
    gone = down.names("delete")
    assert max(map(gone.index, QUEUES)) < gone.index("fleet-group") < gone.index("scheduler-cluster")
    assert down.counts == {"delete": len(stand.names) - len(data)}
    assert stand.left_of_destroy() == []


def test_a_canary_has_no_node_until_a_job_and_the_whole_fleet_follows(tmp_path: Path):
    stand = Stand(tmp_path, as_canary(spec(nodes=3)))
    stand.engine.up().well()
    assert _nodes(stand) == 1, "the login node"
    assert _changed(stand, spec(nodes=3)).names("update") == ["scheduler-settings", "fleet-group"]
    assert _nodes(stand) == 4
    stand.engine.write(as_canary(spec(nodes=3)))
    assert "this would end the others" in stand.engine.up().told


@pytest.mark.parametrize("layout", [name for name in DEPLOYED if name not in ("s3-stream", "converged")])
def test_every_other_layout_has_a_cluster_that_comes_up_and_goes_down(layout: str, tmp_path: Path):
    stand = Stand(tmp_path, spec(layout))
    up = stand.engine.up().well()
    assert up.counts == {"create": len(stand.names)}
    assert stand.engine.up().well().counts == {}
    stand.engine.destroy("--exclude-protected").well()
    assert stand.left_of_destroy() == []


def test_a_stack_without_a_cluster_needs_a_word_to_get_one(tmp_path: Path):
    before = small("s3-stream")
    stand = Stand(tmp_path, before)
    stand.engine.up().well()
    stand.engine.write(spec())
    refused = stand.engine.up()
    assert refused.failed
    assert "the GPU nodes with the jobs on them" in refused.told
    stand.engine.write(switched(before, spec()))
    moved = stand.engine.up().well()
    assert "fleet-group" in moved.names("create")
    assert "fleet-group" in moved.names("delete")
    # the data and the network stay
    assert not [name for name in moved.names("delete", "replace") if name.startswith(("network-", *KEPT_PREFIXES))]
    assert stand.engine.up().well().counts == {}


def test_spot_with_fallback_has_a_group_of_each_market(tmp_path: Path):
    """From spot alone: the second group joins the queues, no node is replaced, and it has none without a job."""
    alone = spec(buying="spot")
    stand = Stand(tmp_path, alone)
    stand.engine.up().well()
    both = _both(alone, deadline_hours=360.0)
    added = _changed(stand, both)
    assert added.names("create") == ["fleet-group-on-demand"]
    assert set(added.names("update")) == {"scheduler-settings", "scheduler-pcs-role-data", "guard-dashboard", *QUEUES}
    assert not added.names("replace", "delete")
    assert _nodes(stand) == 3, "On-Demand nodes wait for a job"
    assert stand.engine.refresh().well().counts == {}
    # another deadline is a file for the login node
    assert _changed(stand, _both(alone, deadline_hours=400.0)).names("update") == ["scheduler-settings"]
    stand.engine.destroy("--exclude-protected").well()
    assert stand.left_of_destroy() == []


def _both(alone: ClusterSpec, deadline_hours: float) -> ClusterSpec:
    assert alone.scheduler
    markets = replace(MARKETS, nodes=2, deadline_hours=deadline_hours)
    return replace(
        alone,
        scenario=f"{alone.scenario}-fallback",
        scheduler=replace(alone.scheduler, markets=markets),
        metered=(*alone.metered, "fleet.compute-on-demand"),
    )


def _drifts(stand: Stand) -> None:
    """Somebody changes a queue at AWS: the refresh sees it, and the next `up` puts it back."""
    with stand.cloud.open(write=True) as state:
        (queue,) = [
            one for one in state["things"].values() if tags_of(one).get("planner:name") == "scheduler-queue-high"
        ]
        found = json.loads(queue["inputs"]["desiredState"])
        found["SlurmConfiguration"]["SlurmCustomSettings"] = []
        for part in ("inputs", "outputs"):
            queue[part]["desiredState"] = json.dumps(found)
    assert stand.engine.refresh().well().names("update") == ["scheduler-queue-high"]
    assert stand.engine.up().well().names("update") == ["scheduler-queue-high"]


def _changed(stand: Stand, after: ClusterSpec) -> Any:
    stand.engine.write(after)
    run = stand.engine.up().well()
    assert not [step.name for step in run.steps if step.name.startswith(KEPT_PREFIXES) and step.operation != "same"]
    assert stand.strays() == []
    assert stand.engine.up().well().counts == {}
    return run


def _nodes(stand: Stand) -> int:
    return sum(one.get("kind") == "instance" for one in stand.cloud.standing())


def test_a_second_instance_type_joins_a_cluster_that_runs_and_leaves_it_again(tmp_path: Path):
    """Only resources that list all groups change; each type gets a template, a group and queues of its own."""
    alone = spec("converged")
    stand = Stand(tmp_path, alone)
    stand.engine.up().well()
    both = _with_p5(alone)
    own = {f"fleet-{part}-p5-48xlarge" for part in ("group", "placement", "template")}
    queues = {f"{name}-p5-48xlarge" for name in QUEUES}
    alarms = {"guard-alarm-fleet-idle-p5-48xlarge", "guard-alarm-fleet-problems-p5-48xlarge"}
    added = _changed(stand, both)
    assert set(added.names("create")) - alarms == own | queues
    assert {"scheduler-settings", "guard-dashboard"} <= set(added.names("update"))
    assert not [
        name for name in added.names("update", "replace", "delete") if name.startswith(("fleet-", "scheduler-q"))
    ]
    assert _nodes(stand) == 1 + 2 + 1, "the login node, p4d, p5"
    stand.engine.write(alone)
    gone = stand.engine.up().well()
    assert own | queues <= set(gone.names("delete"))
    assert not [name for name in gone.names("update", "replace") if name.startswith(("fleet-", "scheduler-q"))]
    stand.engine.destroy("--exclude-protected").well()
    assert stand.left_of_destroy() == []


def _with_p5(alone: ClusterSpec) -> ClusterSpec:
    assert alone.scheduler
    nodes = small("s3-stream", nodes=1, instance_type="p5.48xlarge").fleet
    others = (OtherType(fleet=nodes, gres="h100", usd_per_node_hour=98.0),)
    return replace(
        alone,
        scenario=f"fleet/p4d.24xlargex{alone.fleet.nodes}+p5.48xlargex1/on-demand",
        scheduler=replace(alone.scheduler, others=others),
    )
