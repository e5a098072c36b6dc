"""The life of a stack with files over the pool under the real engine: up, nothing to do, drift, growth, down."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from planner.stack.spec import ClusterSpec
from tests.engine.cloud.store import tags_of
from tests.engine.specs import small
from tests.engine.stand import KEPT_PREFIXES, Stand
from tests.infra.specs import with_files

pytestmark = pytest.mark.usefixtures("engine_built")
DATABASE = "files-database"


def _database(stand: Stand, **changes: Any) -> dict[str, Any]:
    """The inputs of the database at AWS. changes: what somebody sets there."""
    with stand.cloud.open(write=True) as state:
        found = next(one for one in state["things"].values() if tags_of(one).get("planner:name") == DATABASE)
        for part in ("inputs", "outputs"):
            found[part] |= changes
        return dict(found["inputs"])


def _grown(spec: ClusterSpec) -> ClusterSpec:
    assert spec.files is not None
    return replace(spec, files=replace(spec.files, storage_gib=60), plan_sha256="d" * 64)


def test_the_database_comes_before_the_nodes_and_goes_only_when_two_people_say_so(tmp_path: Path) -> None:
    stand = Stand(tmp_path, with_files(small("converged")))
    preview = stand.engine.preview().well()
    assert sorted(preview.names("create")) == sorted(stand.names)
    up = stand.engine.up().well()
    assert up.counts == {"create": len(stand.names)}
    order = [step.name for step in up.steps if step.operation == "create"]
    for first in (DATABASE, "files-rotation", "fleet-role-data"):
        assert order.index(first) < order.index("fleet-group")
    assert stand.engine.up().well().counts == {}
    assert stand.engine.refresh().well().counts == {}

    _database(stand, backupRetentionPeriod=1)
    assert stand.engine.refresh().well().names("update") == [DATABASE]
    back = stand.engine.up().well()
    assert (back.counts, back.step(DATABASE).diff) == ({"update": 1}, ("backupRetentionPeriod",))

    stand.engine.write(_grown(stand.spec))
    grown = stand.engine.up().well()
    assert grown.step(DATABASE).diff == ("allocatedStorage",)
    assert not grown.names("replace", "create", "delete"), "no file is lost, and no node drains"
    assert stand.check()

    assert stand.engine.destroy().failed, "data and database are protected"
    assert stand.engine.destroy("--exclude-protected").failed, "RDS protects it too"
    assert _database(stand)["deletionProtection"]
    _database(stand, deletionProtection=False)
    stand.engine.destroy("--exclude-protected").well()
    assert stand.left_of_destroy() == []
    data = [name for name in stand.names if name.startswith(KEPT_PREFIXES)]
    assert data
