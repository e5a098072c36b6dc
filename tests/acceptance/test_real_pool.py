"""Acceptance on a pool of four real nodes, beside its plan; then one of them is slowed, and found.

The plan is of four p4d; what they are here goes into it by --measured, as after a first acceptance on AWS.
"""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from planner.acceptance.ask import POOL, Asked, measured
from planner.acceptance.judge import Accepted, lines_of
from planner.acceptance.line import MISS, NOT_MEASURED, PASS, Line
from planner.acceptance.written import next_plan
from planner.estimate.request import Request
from planner.plan.values_file import as_overrides
from planner.stack.spec import ClusterSpec
from tests.acceptance.local import LocalNodes
from tests.acceptance.plans import SCENARIO, planned
from tests.pool.cluster import BUCKET, Cluster, Shape, standing

pytestmark = pytest.mark.real
SLOW = "40mbit"


def accepted(nodes: LocalNodes, request: Request, spec: ClusterSpec) -> dict[str, Line]:
    asked = Asked(
        run=f"t{time.time_ns()}",
        sizes=(100_000, 1_000_000),
        checkpoint_bytes=40_000_000,
        storage=POOL,
        gpus=0,
        tcp=False,
        read_s=3,
        most_bytes=16_000_000,
        processes=1,
        threads=4,
        forget=False,
        limit_s=240,
    )
    found, bucket = measured(nodes, asked)
    assert bucket == BUCKET
    lines = lines_of(Accepted(request=request, scenario=SCENARIO, spec=spec, found=found))
    for line in lines:
        print(line.state, line.id, line.said, line.means)
    return {line.id: line for line in lines}


def left(cluster: Cluster) -> list[str]:
    return [entry["Key"] for entry in cluster.s3.client().list_objects_v2(Bucket=BUCKET).get("Contents", ())]


def test_four_nodes_beside_their_plan_and_one_of_them_slowed(pool_machine: None, tmp_path: Path) -> None:
    request, spec = planned(tmp_path)
    with standing(Shape(nodes=4, drives=1, drive_gib=1.0, proxies=1)) as cluster:
        nodes = LocalNodes(cluster)
        first = accepted(nodes, request, spec)
        assert first["ready"].state == PASS
        # loop devices on two cores are no p4d: the plan says so, and its next version has them
        assert first["read.1000000"].state == MISS
        assert first["all-reduce"].state == NOT_MEASURED
        values = next_plan(list(first.values()), request.central(recording=False), "an acceptance")
        again, spec = planned(tmp_path, *as_overrides(values))

        slowed = cluster.nodes[2]
        cluster.network.slow(slowed.host, SLOW)
        second = accepted(nodes, again, spec)
        slow = second["slow-nodes"]
        assert slow.state == MISS
        assert slowed.name in slow.said
        assert all(node.name not in slow.said for node in cluster.nodes if node is not slowed)
        assert slow.mends == f"planner node swap --stack four --node {slowed.name}"
        reads = second["read.1000000"]
        assert reads.measured is not None
        assert first["read.1000000"].measured is not None
        assert reads.planned == pytest.approx(first["read.1000000"].measured, rel=0.02)
        assert reads.state == MISS
        assert reads.measured < 0.7 * reads.planned
        # 32 GPUs want 0.64 GB/s, which is more than any part of this machine gives: every miss is days
        assert reads.change is not None
        assert reads.change.days[1] > 1
        assert reads.change.usd[1] > 0
        assert left(cluster) == []

        cluster.network.mend(slowed.host)
        third = accepted(LocalNodes(cluster, unready=[slowed.name]), again, spec)
        assert third["ready"].state == MISS
        assert f"{slowed.name}: gpus: 7 of 8" in third["ready"].said
        assert third["read.1000000"].measured is not None  # by the other three
