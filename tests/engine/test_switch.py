"""A live stack changes its layout under the real engine: not by accident, and the file system not at all until told."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from planner.stack.canary import as_canary
from planner.stack.switching import switched
from tests.engine.cloud.faults import Fault
from tests.engine.driver import FILE_SYSTEM
from tests.engine.specs import small
from tests.engine.stand import Stand

pytestmark = pytest.mark.usefixtures("engine_built")


def test_a_file_system_goes_only_by_the_word_and_without_its_protection(tmp_path: Path):
    old, new = small("fsx-lustre"), small("s3-stream", region_of="fsx-lustre")
    stand = Stand(tmp_path, old)
    stand.engine.up().well()
    before = {one["id"] for one in stand.cloud.standing()}
    stand.engine.write(new)
    for run in (stand.engine.preview(), stand.engine.up()):
        assert run.failed
        assert "what is deployed is of fsx-lustre/on-demand" in run.told
        assert "every file that S3 does not have" in run.told
    assert {one["id"] for one in stand.cloud.standing()} == before
    stand.engine.write(switched(old, new))
    refused = stand.engine.up()
    assert refused.failed
    assert "protected" in refused.told
    assert any(one["type"].endswith(":LustreFileSystem") for one in stand.cloud.standing())
    stand.engine.plain("state", "unprotect", FILE_SYSTEM.format(stack="dev"), "--yes", "--stack", "dev").well()
    assert "lustre-file-system" in stand.engine.up().well().names("delete")
    assert stand.engine.up().well().counts == {}


def test_control_nodes_stay_under_nodes_that_run(tmp_path: Path):
    old, new = small("converged"), small("s3-stream")
    stand = Stand(tmp_path, old)
    stand.engine.up().well()
    stand.engine.write(new)
    refused = stand.engine.up()
    assert "the control nodes, and with them the pool that running jobs read" in refused.told
    assert not refused.steps
    stand.engine.write(old)
    assert stand.engine.up().well().counts == {}


def test_less_capacity_is_another_file_system_and_stops_before_the_first(tmp_path: Path):
    stand = Stand(tmp_path, small("fsx-lustre"))
    stand.engine.up().well()
    assert stand.spec.lustre is not None
    stand.engine.write(replace(stand.spec, lustre=replace(stand.spec.lustre, capacity_gib=2400)))
    assert "marked for protection" in str(stand.engine.up().errors)
    assert sum(one["type"].endswith(":LustreFileSystem") for one in stand.cloud.standing()) == 1


@pytest.mark.parametrize("canary_first", [False, True])
def test_an_update_that_fails_says_what_it_began(tmp_path: Path, canary_first: bool):
    """The whole fleet is there, and the update says that it failed: a canary would end all nodes but one."""
    whole = small("s3-stream", nodes=3)
    stand = Stand(tmp_path, as_canary(whole) if canary_first else whole)
    if canary_first:
        stand.engine.up().well()
        stand.engine.write(whole)
        stand.faults.plan(Fault(operation="update", name="fleet-group", way="lost"))
    else:
        stand.faults.plan(Fault(operation="create", name="guard-dashboard", way="fail"))
    assert stand.engine.up().failed
    assert sum(one.get("kind") == "instance" for one in stand.cloud.standing()) == 3
    stand.engine.write(as_canary(whole))
    refused = stand.engine.up()
    assert refused.failed
    assert "this would end the others" in refused.told
    assert not refused.steps
    stand.engine.write(small("converged", nodes=3))
    assert "what is deployed is of s3-stream/on-demand" in stand.engine.up().told
    stand.engine.write(whole)
    stand.engine.up().well()
    assert stand.engine.up().well().counts == {}


def test_a_first_update_that_was_killed_is_not_forgotten(tmp_path: Path):
    """It has no outputs yet; its network says by a tag what it began as, and its nodes stand."""
    whole = small("s3-stream", nodes=3)
    stand = Stand(tmp_path, whole)
    assert stand.kill_at([Fault(operation="create", name="guard-dashboard", way="after")], stand.engine.up)
    stand.unlock()
    assert sum(one.get("kind") == "instance" for one in stand.cloud.standing()) == 3
    for other, says in ((as_canary(whole), "this would end the others"), (small("converged"), "is of s3-stream/")):
        stand.engine.write(other)
        refused = stand.engine.up()
        assert refused.failed
        assert says in refused.told
        assert not refused.steps
    stand.engine.write(whole)
    stand.after_kill()
    stand.engine.up().well()
    assert stand.engine.up().well().counts == {}
