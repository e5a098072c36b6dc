"""The program as the engine runs it: the stack file's cluster in, resources and prices out, refusals before either."""

from __future__ import annotations

import contextvars
import hashlib
import json
import logging
from dataclasses import replace
from pathlib import Path

import pulumi
import pytest
from fleet_pool.settings import DAEMON
from pulumi.runtime import mocks, rpc
from pulumi.runtime.config import set_all_config

from infra import __main__ as program
from infra.graph import PROJECT, _own_loop, _Recording
from infra.node import built
from infra.node.built import POOL_FILE
from infra.node.zipped import pool_file
from planner.stack.plain_data import to_mapping
from planner.stack.spec import PLACEHOLDER, ClusterSpec
from tests.infra.specs import graph_of, spec_of


@pytest.fixture(autouse=True)
def bundle_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder as `make bundle` leaves it, with a daemon of three bytes whose hash is the expected one."""
    (tmp_path / DAEMON).write_bytes(b"elf")
    (tmp_path / POOL_FILE).write_bytes(pool_file())
    monkeypatch.setattr(built, "DAEMON_SHA256", hashlib.sha256(b"elf").hexdigest())
    monkeypatch.setattr(built, "FOLDER", tmp_path)
    return tmp_path


def up(spec: ClusterSpec | None, *, region: str = "us-east-1", preview: bool = False) -> _Recording:
    """The program of `pulumi up` on a stack with this cluster; what it asked for."""
    config = {"aws:region": region}
    if spec is not None:
        config[f"{PROJECT}:cluster"] = json.dumps(to_mapping(spec))
    monitor = _Recording("dev")

    def run() -> None:
        set_all_config(config)
        with _own_loop() as loop:
            mocks.set_mocks(monitor.mocks, project=PROJECT, stack="dev", preview=preview, monitor=monitor)
            mocks.test(lambda: program.main())()
            loop.run_until_complete(loop.shutdown_default_executor())

    contextvars.copy_context().run(run)
    return monitor


def test_it_asks_for_what_the_preview_shows():
    assert set(up(spec_of("separate-nvme")).requests) == {
        entry["urn"] for entry in graph_of("separate-nvme")["resources"]
    }


def test_it_prints_the_dollars_of_each_component(caplog):
    with caplog.at_level(logging.INFO):
        up(spec_of("s3-stream"))
    # 880.32 + 0.18 for the fleet; 0.045 + 0.005 + 0.03 for the network
    assert "fleet          880.5000 $/hour" in caplog.text
    assert "network          0.0800 $/hour" in caplog.text


@pytest.mark.parametrize(
    ("spec", "region", "said"),
    [
        (None, "us-east-1", "planner stack PLAN --scenario best --stack dev"),
        (spec_of(stack="prod"), "us-east-1", "prod"),
        (spec_of(), "eu-west-1", "eu-west-1"),
        (replace(spec_of(), zone_id=f"{PLACEHOLDER}-zone-id"), "us-east-1", "still placeholders: zone_id"),
    ],
)
def test_what_does_not_fit_is_refused_before_anything_is_asked_for(spec, region, said):
    with pytest.raises(pulumi.RunError, match=said):
        up(spec, region=region)


def test_a_preview_takes_placeholders():
    monitor = up(replace(spec_of("s3-stream"), zone_id=f"{PLACEHOLDER}-zone-id"), preview=True)
    assert len(monitor.requests) == len(graph_of("s3-stream")["resources"])


def asset_of(monitor: _Recording, name: str) -> object:
    request = next(request for request in monitor.requests.values() if request.name == name)
    return rpc.deserialize_properties(request.object)["source"]


def test_the_built_files_are_uploaded(bundle_folder):
    monitor = up(spec_of())
    for name, part in ((DAEMON, "aisnode"), (POOL_FILE, "planner-pool")):
        found = asset_of(monitor, f"artefacts-object-{part}")
        assert isinstance(found, pulumi.FileAsset)
        assert Path(found.path) == bundle_folder / name


@pytest.mark.parametrize(
    ("file", "said"),
    [
        (DAEMON, "aisnode is not built; run `make bundle`"),
        (POOL_FILE, "planner-pool.pyz is not built; run `make bundle`"),
    ],
)
def test_without_its_bundle_a_pool_does_not_come_up_but_is_previewed(bundle_folder, caplog, file, said):
    (bundle_folder / file).unlink()
    with pytest.raises(pulumi.RunError, match=said):
        up(spec_of("separate-nvme"))
    with caplog.at_level(logging.WARNING):
        monitor = up(spec_of("separate-nvme"), preview=True)
    assert said.partition(";")[0] in caplog.text
    assert isinstance(asset_of(monitor, "artefacts-object-aisnode"), pulumi.StringAsset)


def test_a_bundle_of_another_version_is_refused(bundle_folder):
    (bundle_folder / POOL_FILE).write_bytes(b"older")
    with pytest.raises(pulumi.RunError, match=r"planner-pool\.pyz is of another version"):
        up(spec_of())


def test_a_layout_without_a_pool_needs_no_bundle(bundle_folder):
    for file in bundle_folder.iterdir():
        file.unlink()
    names = {request.name for request in up(spec_of("s3-stream")).requests.values()}
    assert {name for name in names if name.startswith("artefacts-object-")} == {
        "artefacts-object-start",
        "artefacts-object-stack",
        "artefacts-object-planner-launch",
    }
