"""A run that outlasts its Capacity Block, under the real engine: it is extended, or its nodes become On-Demand."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from planner.stack.extensions import with_ends
from planner.stack.leaving import off_blocks
from planner.stack.spec import Block, ClusterSpec
from planner.stack.timestamps import parse_timestamp
from tests.engine.specs import SECOND_BLOCK, small
from tests.engine.stand import KEPT_PREFIXES, Stand
from tests.engine.steps import Run

pytestmark = pytest.mark.usefixtures("engine_built")
GROUP, TEMPLATE = "planner-dev-fleet-group", "planner-dev-fleet-template"


def in_block(layout: str, **buying: Any) -> ClusterSpec:
    spec = small(layout, buying="capacity-block")
    return replace(spec, buying=replace(spec.buying, **buying))


def ids(stand: Stand) -> set[str]:
    """What exists at AWS besides nodes, by id."""
    return {one["id"] for one in stand.cloud.standing() if not one.get("by")}


def thing(stand: Stand, name: str) -> dict[str, Any]:
    return next(one for one in stand.cloud.standing() if one["inputs"].get("name") == name)


def nodes(stand: Stand) -> int:
    by = f"{thing(stand, GROUP)['type']} {GROUP}"
    return sum(one.get("by") == by and one["kind"] == "instance" for one in stand.cloud.standing())


def block_ends(stand: Stand) -> None:
    """What the schedule and AWS do at the end: every group of the fleet is set to zero, and its nodes are gone."""
    with stand.cloud.open(write=True) as state:
        for key, one in list(state["things"].items()):
            if one.get("by") and one["by"].rpartition(" ")[2].startswith(GROUP):
                del state["things"][key]
            elif one["type"].endswith(":Group") and one["id"].startswith(GROUP):
                for part in ("inputs", "outputs"):
                    one[part] |= {"minSize": 0, "desiredCapacity": 0, "maxSize": 0}


def moved(stand: Stand, spec: ClusterSpec, *flags: str) -> Run:
    """`up` with another spec, which replaces nothing and does not touch what holds data."""
    stand.engine.write(spec)
    up = stand.engine.up(*flags).well()
    changed = [step for step in up.steps if step.operation not in ("same", "refresh", "read")]
    assert not [step.name for step in changed if "replace" in step.operation]
    assert not [step.name for step in changed if step.name.startswith(KEPT_PREFIXES)]
    assert stand.strays() == []
    return up


@pytest.mark.parametrize("layout", ["converged", "fsx-lustre"])
def test_a_run_that_leaves_its_block_keeps_all_but_the_purchase(layout: str, tmp_path: Path):
    spec = in_block(layout)
    stand = Stand(tmp_path, spec)
    stand.engine.up().well()
    before, template = ids(stand), thing(stand, TEMPLATE)
    assert {"instanceMarketOptions", "capacityReservationSpecification"} <= set(template["inputs"])
    block_ends(stand)
    assert nodes(stand) == 0
    up = moved(stand, off_blocks(spec, 87.83), "--refresh")
    assert set(up.names("delete")) == {"guard-block-end"}
    assert up.names("create") == ["fleet-placement"]
    assert set(up.names("update")) == {"fleet-group", "fleet-template", "guard-dashboard"}
    assert not {"instanceMarketOptions", "capacityReservationSpecification"} & set(thing(stand, TEMPLATE)["inputs"])
    assert thing(stand, TEMPLATE)["id"] == template["id"]
    group = thing(stand, GROUP)["inputs"]
    assert (group["minSize"], group["desiredCapacity"], group["maxSize"]) == (2, 2, 2)
    assert group["protectFromScaleIn"] is True, "no schedule ends these nodes"
    assert nodes(stand) == 2
    # the schedule had set it to zero, which only --refresh sees: the provider sends AWS the sizes that differ
    (diff,) = (step.diff for step in up.steps if step.name == "fleet-group" and step.diff)
    assert {"minSize", "desiredCapacity", "maxSize"} <= set(diff)
    (gone,) = before - ids(stand)
    assert "block-end" in gone, "storage, network and guards are those that were there"
    assert stand.engine.up().well().counts == {}


def test_a_run_that_leaves_two_blocks_has_one_group(tmp_path: Path):
    spec = in_block("s3-stream")
    further = Block(nodes=1, reservation_id=SECOND_BLOCK, ends=spec.buying.ends)
    spec = replace(spec, fleet=replace(spec.fleet, nodes=3), buying=replace(spec.buying, further_blocks=(further,)))
    stand = Stand(tmp_path, spec)
    stand.engine.up().well()
    block_ends(stand)
    up = moved(stand, off_blocks(spec, 87.83), "--refresh")
    assert {"fleet-group-2", "fleet-template-2", "guard-block-end", "guard-block-end-2"} <= set(up.names("delete"))
    assert nodes(stand) == 3
    assert stand.engine.up().well().counts == {}


def test_a_block_that_was_extended_ends_later_and_nothing_else_changes(tmp_path: Path):
    spec = in_block("s3-stream")
    stand = Stand(tmp_path, spec)
    stand.engine.up().well()
    before = ids(stand)
    ends = parse_timestamp(spec.buying.ends) + timedelta(days=2)
    up = moved(stand, with_ends(spec, {spec.buying.reservation_id: ends}))
    assert up.counts == {"update": 1}
    assert up.step("guard-block-end").diff == ("startTime",)
    assert ids(stand) == before
    assert nodes(stand) == 2
