"""What the real provider's code needs: engine, bridge, the provider's binary. Skipped by name where one is missing."""

from __future__ import annotations

import fcntl
import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pulumi.runtime.proto import provider_pb2 as messages

from planner.stack.spec import LAYOUTS
from tests.bridge import alone, binary, layouts, moto_server, process
from tests.bridge.actions import PROVIDER, asked
from tests.bridge.standing import standing
from tests.engine.driver import Run, need_engine

ROOT = Path(__file__).resolve().parents[2]
UNBUILT = (
    "the Terraform bridge is not built here: `python -m tools.gotools pulumi-resource-terraform-provider` builds it"
)
LATEST_S = 900  # all layouts, on a machine that does other things too


@dataclass(frozen=True, kw_only=True)
class Lives:
    """runs: layout -> step -> what the engine did. left: what stands at AWS after all were destroyed.

    asked: IAM actions of all that the provider asked.
    """

    runs: Mapping[str, Mapping[str, Run]]
    left: tuple[str, ...]
    asked: frozenset[str]


@pytest.fixture(scope="session")
def provider(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Terraform AWS provider under the name that the bridge wants."""
    if not process.BRIDGE.built:
        pytest.skip(UNBUILT)
    found = binary.found()
    if found is None:
        pytest.skip(binary.MISSING)
    return process.named(found, tmp_path_factory.mktemp("provider"))


@pytest.fixture(scope="session")
def offline(provider: Path) -> Iterator[alone.Alone]:
    """The provider without anybody to ask: what Check and plans say."""
    nobody = moto_server.credentials("http://127.0.0.1:9")  # the port that throws everything away
    with alone.running(provider, nobody, offline=True) as found:
        yield found


@pytest.fixture(scope="session")
def schema(offline: alone.Alone) -> dict[str, Any]:
    """The bridge's own schema of the types that a stack may hold."""
    return json.loads(offline.forward.bridge.GetSchema(messages.GetSchemaRequest()).schema)


@pytest.fixture(scope="session")
def moto(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of an AWS on loopback."""
    with moto_server.running(tmp_path_factory.mktemp("moto")) as address:
        yield address


@pytest.fixture(scope="session")
def at_moto(provider: Path, moto: str) -> Iterator[alone.Alone]:
    """The provider at moto, one resource at a time, with nothing put right."""
    with alone.running(provider, moto_server.credentials(moto)) as found:
        yield found


@pytest.fixture(scope="session")
def lives(provider: Path, tmp_path_factory: pytest.TempPathFactory) -> Lives:
    """What the engine did with each layout. All stand up at once, at one moto server, and once for all workers."""
    need_engine()
    shared = tmp_path_factory.getbasetemp()
    shared = (shared.parent if "gw" in shared.name else shared) / "layouts"  # pytest-xdist: a folder for each worker
    shared.mkdir(exist_ok=True)
    with (shared / "lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        if not (shared / "done").exists():
            _all(shared, provider)
            (shared / "done").touch()
    left = (shared / "left").read_text().splitlines()
    runs = {layout: layouts.read(shared / layout) for layout in LAYOUTS}
    return Lives(runs=runs, left=tuple(left), asked=frozenset(asked(shared / moto_server.RECORDED, PROVIDER)))


def _all(shared: Path, provider: Path) -> None:
    with moto_server.running(shared) as address:
        before = standing(address)
        lives = {}
        for layout in LAYOUTS:
            (shared / layout).mkdir()
            words = ["-m", "tests.bridge.layouts", layout, str(shared / layout), address, str(provider)]
            lives[layout] = subprocess.Popen([*process.with_its_parent(), sys.executable, *words], cwd=ROOT)
        try:
            codes = {layout: life.wait(LATEST_S) for layout, life in lives.items()}
        finally:
            for life in lives.values():
                life.kill()
        assert not any(codes.values()), codes
        left = standing(address) - before
        (shared / "left").write_text("\n".join(sorted(left)))
