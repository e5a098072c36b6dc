"""The life of a stack of each layout under the real engine: up, nothing to do, drift, resize, replacement, down."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from planner import clock
from planner.stack.canary import as_canary
from planner.stack.leaving import off_spot
from planner.stack.spec import Block, ClusterSpec, Fallback
from planner.stack.switching import switched
from tests.engine.cloud.store import tags_of
from tests.engine.specs import NEXT_AMI, NEXT_CONTROL_AMI, SECOND_BLOCK, small
from tests.engine.stand import KEPT_PREFIXES, Stand
from tests.engine.steps import Run

pytestmark = pytest.mark.usefixtures("engine_built")
REPLACED = ("create-replacement", "delete-replaced", "replace")


@pytest.mark.parametrize("layout", ["converged", "fsx-lustre"])  # tests/bridge leads all of them through the same
def test_a_stack_comes_up_changes_and_goes_down(layout, tmp_path):
    stand = Stand(tmp_path, small(layout))
    _comes_up(stand)
    _stays(stand)
    _drifts(stand)
    _is_resized(stand)
    _gets_a_new_image(stand)
    _gets_other_nodes(stand)
    _goes_down(stand)


def _comes_up(stand: Stand) -> None:
    preview = stand.engine.preview().well()
    assert sorted(preview.names("create")) == sorted(stand.names)
    assert stand.cloud.standing() == []
    up = stand.engine.up().well()
    assert sorted(up.names("create")) == sorted(stand.names)
    assert up.counts == {"create": len(stand.names)}
    assert stand.strays() == []
    rows = stand.check()
    assert {row.found for row in rows} <= {"both", "state"}
    # what the engine told first stands first: the urns of the preview without an engine are the engine's
    assert {step.urn for step in up.steps} == {stand.entries[name]["urn"] for name in stand.names}


def _stays(stand: Stand) -> None:
    before = _inputs(stand)
    assert stand.engine.up().well().counts == {}
    assert stand.engine.refresh().well().counts == {}
    assert _inputs(stand) == before


def _drifts(stand: Stand) -> None:
    """Somebody changes the stack at AWS: the refresh sees it, and the next `up` puts it back."""
    before = _inputs(stand)
    with stand.cloud.open(write=True) as state:
        things = {
            tags_of(thing).get("planner:name"): thing for thing in state["things"].values() if not thing.get("by")
        }
        for name, value in (("fleet-group", {"maxSize": 9}), ("guard-alarm-fleet-count", {"threshold": 99})):
            for part in ("inputs", "outputs"):
                things[name][part] |= value
        rule = things["firewall-out-fleet-to-anywhere-443"]
        del state["things"][f"{rule['type']} {rule['id']}"]
    seen = stand.engine.refresh().well()
    assert sorted(seen.names("update")) == ["fleet-group", "guard-alarm-fleet-count"]
    assert seen.names("delete") == [rule["inputs"]["tags"]["planner:name"]]
    back = stand.engine.up().well()
    assert back.counts == {"update": 2, "create": 1}
    assert back.step("fleet-group").diff == ("maxSize",)
    assert _inputs(stand) == before


def _is_resized(stand: Stand) -> None:
    nodes = stand.spec.fleet.nodes
    _is_shown(stand, nodes + 1)
    grown = _changed(stand, replace(small(stand.spec.layout, nodes=nodes + 1), plan_sha256="d" * 64))
    updated = ["fleet-group", "guard-alarm-fleet-count", "guard-topic"]
    assert sorted(grown.names("update")) == updated
    assert grown.step("guard-topic").diff == ("tags",)
    assert grown.step("fleet-group").diff == ("desiredCapacity", "maxSize", "minSize")
    assert grown.step("guard-alarm-fleet-count").diff == ("threshold",)
    assert _nodes(stand) == nodes + 1


def _is_shown(stand: Stand, nodes: int) -> None:
    """`pulumi preview --diff` shows the values that change, and changes nothing itself."""
    before = stand.spec
    stand.engine.write(replace(small(before.layout, nodes=nodes), plan_sha256="d" * 64))
    shown = stand.engine.preview("--diff").well().stdout
    assert f"desiredCapacity: {nodes - 1} => {nodes}" in shown.replace(" : ", ": ")
    assert shown.count("(update)") == 3
    assert not any(word in shown for word in ("(create)", "(delete)", "(replace)"))
    stand.engine.write(before)


def _gets_a_new_image(stand: Stand) -> None:
    """The template gets a version and the group is told of it. Control nodes are made anew, at their address."""
    addresses = {one["id"] for one in stand.cloud.standing() if one["type"].endswith(":NetworkInterface")}
    up = _changed(stand, small(stand.spec.layout, ami=NEXT_AMI, control_ami=NEXT_CONTROL_AMI))
    assert up.step("fleet-template", "update").diff == ("imageId",)
    assert "launchTemplate" in up.step("fleet-group", "update").diff
    nodes = [f"pool-node-{number}" for number in range(stand.spec.control.count)]
    assert {name for step in REPLACED for name in up.names(step)} == set(nodes)
    for name in nodes:
        assert up.step(name, "replace").replaces == ("ami",)
        order = [step.operation for step in up.steps if step.name == name and step.operation in REPLACED]
        # two instances cannot have one interface: the old one goes first
        assert order.index("delete-replaced") < order.index("create-replacement")
    assert {one["id"] for one in stand.cloud.standing() if one["type"].endswith(":NetworkInterface")} == addresses


def _gets_other_nodes(stand: Stand) -> None:
    """Another instance type in the other profile of interfaces: one template changes, and nothing is made anew."""
    layout = stand.spec.layout
    other = small(layout, instance_type="p5.48xlarge", profile="bandwidth", ami=NEXT_AMI, control_ami=NEXT_CONTROL_AMI)
    up = _changed(stand, other)
    assert sorted(up.names("update")) == ["fleet-group", "fleet-template", "guard-dashboard"]
    assert up.counts == {"update": 3}
    assert up.step("fleet-template").diff == ("instanceType", "networkInterfaces", "userData")
    assert up.step("fleet-group").diff == ("launchTemplate",)


def _goes_down(stand: Stand) -> None:
    data = [name for name in stand.names if name.startswith(KEPT_PREFIXES)]
    before = _inputs(stand)
    with stand.cloud.open(write=True) as state:
        bucket = next(one for one in state["things"].values() if one["id"].startswith("planner-dev-data"))
        bucket["objects"] = 7
    down = stand.engine.destroy("--exclude-protected").well()
    assert sorted(down.names("delete")) == sorted(set(stand.names) - set(data))
    assert "the data bucket with all object versions, billed by size" in down.stdout
    assert f"its key, billed {stand.spec.usd_per_hour['storage.kms.key'] * 24:.4f} $/day" in down.stdout
    assert stand.left_of_destroy() == []
    assert sorted(known.name for known in stand.known()) == sorted(data)
    rows = stand.check()
    assert {row.name for row in rows if row.retained} >= {"tier-bucket", "tier-key"}
    assert all(row.retained for row in rows)
    if stand.spec.layout != "s3-stream":  # of the data the layouts do not differ
        return
    # it comes up again over its own data
    assert stand.engine.refresh(program=True).well().counts == {}
    up = stand.engine.up().well()
    assert sorted(up.names("create")) == sorted(set(stand.names) - set(data))
    assert not {name for step in (*REPLACED, "update", "delete") for name in up.names(step)}
    stand.engine.destroy("--exclude-protected").well()
    # and lets go of the data without touching it
    stand.engine.destroy("--ignore-protect").well()
    assert stand.known() == ()
    assert stand.left_of_destroy() == []
    kept = [key for key in before if key in _inputs(stand)]
    assert sorted(kept) == sorted(_inputs(stand)), "the data stands as it did"
    assert {row.name for row in stand.check() if row.found == "AWS only"} == {"tier-bucket", "tier-key"}
    refused = stand.engine.up()
    assert refused.failed
    assert "there already" in refused.told


def _changed(stand: Stand, spec: ClusterSpec) -> Run:
    """`up` with another spec; the data is never part of it."""
    stand.engine.write(spec)
    planned = _steps(stand.engine.preview().well())
    up = stand.engine.up().well()
    assert _steps(up) <= planned, "what a preview does not know yet may stay the same, and nothing else changes"
    assert not [step.name for step in up.steps if step.name.startswith(KEPT_PREFIXES) and step.operation != "same"]
    assert stand.strays() == []
    return up


def _steps(run: Run) -> set[tuple[str, str]]:
    return {(step.name, step.operation) for step in run.steps if step.operation not in ("same", "read", "refresh")}


def _inputs(stand: Stand) -> dict[str, Any]:
    """What stands at AWS, besides what groups launch."""
    things = [one for one in stand.cloud.standing() if not one.get("by")]
    return {f"{one['type']} {tags_of(one).get('planner:name') or one['id']}": one["inputs"] for one in things}


def _nodes(stand: Stand) -> int:
    return len(_node_ids(stand))


def _node_ids(stand: Stand) -> set[str]:
    group = next(one for one in stand.cloud.standing() if one["id"] == "planner-dev-fleet-group")
    by = f"{group['type']} {group['id']}"
    return {one["id"] for one in stand.cloud.standing() if one.get("by") == by and one["kind"] == "instance"}


@pytest.mark.parametrize("buying", ["on-demand", "spot"])
def test_a_canary_comes_up_alone_and_the_others_join_it(buying: str, tmp_path: Path):
    """All but the size of one group is there with the first node; then that size alone changes."""
    whole = small("converged", nodes=4, buying=buying)
    stand = Stand(tmp_path, as_canary(whole))
    up = stand.engine.up().well()
    assert sorted(up.names("create")) == sorted(stand.names)
    assert "with 1 of 4 GPU nodes, the canary" in up.stdout
    canary = _node_ids(stand)
    assert len(canary) == 1
    assert stand.engine.up().well().counts == {}
    raised = _changed(stand, whole)
    assert raised.counts == {"update": 1}
    assert raised.step("fleet-group").diff == ("desiredCapacity", "minSize")
    assert canary < _node_ids(stand)
    assert _nodes(stand) == 4
    # back is no way: it would end three nodes that work
    stand.engine.write(as_canary(whole))
    for run in (stand.engine.preview(), stand.engine.up()):
        assert run.failed
        assert "the whole fleet is deployed, and a canary is one node" in run.told
    assert _nodes(stand) == 4


def test_what_runs_holds_its_placement(tmp_path: Path):
    """From nodes bought on demand to a block: the group changes, and the placement goes once no node is in it."""
    stand = Stand(tmp_path, small("s3-stream"))
    stand.engine.up().well()
    spot = switched(stand.spec, small("s3-stream", buying="spot"))
    moved = _changed(stand, spot)
    assert sorted(moved.names("update")) == ["fleet-group", "guard-dashboard"]
    stand.engine.write(switched(spot, small("s3-stream", buying="capacity-block")))
    refused = stand.engine.up()
    assert list(refused.errors) == ["fleet-placement"]
    assert "in use by i-" in refused.errors["fleet-placement"]
    _end_nodes(stand)
    assert stand.engine.up().well().counts == {"delete": 1}
    assert stand.engine.up().well().counts == {}


def test_the_fleet_waits_for_its_block_and_keeps_the_size_that_the_start_sets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    spec = small("s3-stream", buying="capacity-block")
    stand = Stand(tmp_path, replace(spec, buying=replace(spec.buying, starts="2026-11-24T11:30:00Z")))
    stand.engine.up().well()
    assert _nodes(stand) == 0
    sizes = {"minSize": 2, "desiredCapacity": 2}
    with stand.cloud.open(write=True) as state:  # the scheduled action of the start, by AWS's clock
        group = next(one for one in state["things"].values() if one["id"] == "planner-dev-fleet-group")
        for part in ("inputs", "outputs"):
            group[part] |= sizes
    stand.engine.refresh().well()
    assert stand.engine.up().well().counts == {}
    group = next(one for one in stand.cloud.standing() if one["id"] == "planner-dev-fleet-group")
    assert {key: group["inputs"][key] for key in sizes} == sizes
    # AWS drops a scheduled action that has run, and takes none in the past
    monkeypatch.setattr(clock, "now", lambda: datetime(2026, 11, 24, 12, tzinfo=UTC))
    _forget(stand, "block-start")
    stand.engine.refresh().well()
    again = stand.engine.up().well()
    assert "guard-block-start" not in again.names("create"), "it would be in the past"
    # what watches the fleet takes it for one that is there; the fleet itself stays
    assert all(name.startswith("guard-") for name in again.names("create", "update", "delete", *REPLACED))


def _forget(stand: Stand, schedule: str) -> None:
    with stand.cloud.open(write=True) as state:
        things = state["things"]
        (key,) = [key for key, one in things.items() if one["inputs"].get("scheduledActionName") == schedule]
        del things[key]


@pytest.mark.parametrize("ends", ["2025-12-01T11:30:00Z", "2026-11-21T12:45:00Z"])
def test_a_block_that_is_over_is_refused_before_anything_is_made(ends: str, tmp_path: Path):
    spec = small("s3-stream", buying="capacity-block")
    stand = Stand(tmp_path, replace(spec, buying=replace(spec.buying, ends=ends)))
    for run in (stand.engine.preview(), stand.engine.up()):
        assert run.failed
        assert f"ends at {ends}" in run.told
    assert stand.cloud.standing() == []


def test_a_fleet_of_two_blocks_has_two_groups(tmp_path: Path):
    spec = small("s3-stream", buying="capacity-block", nodes=3)
    further = Block(nodes=1, reservation_id=SECOND_BLOCK, ends=spec.buying.ends)
    stand = Stand(tmp_path, replace(spec, buying=replace(spec.buying, further_blocks=(further,))))
    stand.engine.up().well()
    groups = [
        one["inputs"]["maxSize"]
        for one in stand.cloud.standing()
        if one["id"].startswith("planner-dev-fleet-group") and "launchTemplate" in one["inputs"]
    ]
    assert sorted(groups) == [1, 2]
    assert stand.engine.up().well().counts == {}


def test_a_larger_address_plan_is_refused_and_harms_nothing(tmp_path: Path):
    stand = Stand(tmp_path, small("s3-stream"))
    stand.engine.up().well()
    before = _inputs(stand)
    stand.engine.write(small("s3-stream", nodes=400))
    preview = stand.engine.preview().well()
    assert preview.step("network-subnet-nodes", "replace").replaces == ("cidrBlock",)
    refused = stand.engine.up()
    assert "InvalidSubnet.Conflict" in refused.errors["network-subnet-nodes"]
    stand.engine.write(small("s3-stream"))
    stand.engine.up().well()
    assert _inputs(stand) == before


def _end_nodes(stand: Stand) -> None:
    """The nodes that run are ended, and the group launches others by its new template."""
    with stand.cloud.open(write=True) as state:
        for key, thing in list(state["things"].items()):
            if thing.get("by"):
                del state["things"][key]


@pytest.mark.parametrize("layout", ["converged", "fsx-lustre"])
def test_a_run_that_leaves_spot_keeps_all_but_the_market(layout: str, tmp_path: Path):
    """`planner leave` writes one word; the group changes in place, and the alarm of the rule goes."""
    base = small(layout, buying="spot")
    rule = Fallback(threshold_hours=12.5, nodes=2, restart_hours=0.2, checkpoint_interval_hours=0.5)
    spot = replace(base, scenario=f"{layout}/p4d.24xlarge/spot-fallback", fallback=rule)
    stand = Stand(tmp_path, spot)
    up = stand.engine.up().well()
    assert sum(name.endswith("spot-loss") for name in up.names("create")) == 1
    moved = _changed(stand, off_spot(spot))
    assert not [step for step in moved.steps if step.operation in REPLACED]
    changed = {step.name for step in moved.steps if step.operation == "update"}
    assert "fleet-group" in changed
    assert not changed & {"data-bucket", "lustre-file-system", "pool-node-0", "network-vpc", "fleet-template"}
    # the plan pays for a number of alarms: another one takes the place of the rule's
    assert len(moved.names("delete")) == len(moved.names("create")) == 1
    assert moved.names("delete")[0].endswith("spot-loss")
    assert stand.engine.up().well().counts == {}
