"""The life of a pool of workers under the real engine: up, nothing to do, resize, another image, down."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from planner.stack.spec import Buying, ClusterSpec
from tests.engine.specs import ZONE
from tests.engine.stand import KEPT_PREFIXES, Stand
from tests.infra.specs import fleet_of, spec_of

pytestmark = pytest.mark.usefixtures("engine_built")


def spec(nodes: int = 40, image: str = "111122223333.dkr.ecr.us-east-1.amazonaws.com/train:1") -> ClusterSpec:
    made = spec_of("workers", scenario="workers/g6.xlarge/spot", buying=Buying(kind="spot"), zone_id=ZONE)
    assert made.workers is not None
    fleet = replace(fleet_of("g6.xlarge", nodes), ami="")
    return replace(made, fleet=fleet, workers=replace(made.workers, image=image, memory_mib=14_000))


def test_a_pool_of_workers_comes_up_changes_and_goes_down(tmp_path):
    stand = Stand(tmp_path, spec())
    up = stand.engine.up().well()
    assert up.counts == {"create": len(stand.names)}
    order = [step.name for step in up.steps if step.operation == "create"]
    # no node boots before its rights are there, and its way out
    for first in ("fleet-role-agent", "artefacts-object-planner-worker", "network-route-nat", "network-gateway-s3"):
        assert order.index(first) < order.index("fleet-environment")
    assert stand.engine.up().well().counts == {}
    assert stand.engine.refresh().well().counts == {}

    stand.engine.write(replace(spec(nodes=41), plan_sha256="d" * 64))
    shown = stand.engine.preview("--diff").well().stdout
    assert re.search(r"maxVcpus *: 160 => 164", shown)
    grown = stand.engine.up().well()
    assert sorted(grown.names("update")) == ["fleet-environment", "guard-topic"]
    assert grown.counts == {"update": 2}

    stand.engine.write(spec(nodes=41, image="111122223333.dkr.ecr.us-east-1.amazonaws.com/train:2"))
    other = stand.engine.up().well()
    assert sorted(other.names("update")) == ["fleet-job", "guard-topic"]
    assert other.step("fleet-job").diff == ("containerProperties",)

    data = [name for name in stand.names if name.startswith(KEPT_PREFIXES)]
    down = stand.engine.destroy("--exclude-protected").well()
    gone = down.names("delete")
    assert gone.index("fleet-queue") < gone.index("fleet-environment") < gone.index("fleet-role-agent")
    assert down.counts == {"delete": len(stand.names) - len(data)}
