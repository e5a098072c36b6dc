"""Reads, saves and restores of layouts without a pool: three nodes of this machine with the programs of the bundle,
over S3 and over a folder that all of them see. `lfs` stands in: no Lustre runs here.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from infra.node.zipped import launch_file
from planner.acceptance.ask import FOLDER, S3, Asked, measured
from planner.acceptance.judge import Accepted, lines_of
from planner.acceptance.line import MISS, NOT_MEASURED, PASS, Line
from planner.account.commands import Member, Said
from tests.acceptance.plans import SCENARIO, planned
from tests.cluster.bucket import Bucket, bucket

# flags as llapi_hsm_state_get(3) has them: S3 has a file from the second look on; `hsm_release` releases it
LFS = """#!{python}
import os, sys
verb, files = sys.argv[1], sys.argv[2:]
for file in files:
    flags = int(os.getxattr(file, "user.hsm")) if "user.hsm" in os.listxattr(file) else 0
    if verb == "hsm_state":
        print(f"{{file}}: (0x{{flags:08x}}) words of it, archive_id:1")
    os.setxattr(file, "user.hsm", str({archived} | 0x4 * (verb == "hsm_release") | flags).encode())
"""
pytestmark = pytest.mark.real
NODES = ("i-1", "i-2", "i-3")
READS = ("read.100000", "read.1000000")


class HereNodes:
    """Nodes that are processes here. folder: in the place of /opt/planner; lfs: what the node has in its place."""

    def __init__(self, folder: Path, data: Bucket, lfs: str) -> None:
        self.folder, self.data = folder, data
        (folder / "bin").mkdir()
        (folder / "planner-launch.pyz").write_bytes(launch_file())
        for name, text in {"planner-ready": "#!/bin/sh\n", "lfs": lfs}.items():
            (folder / "bin" / name).write_text(text)
            (folder / "bin" / name).chmod(0o755)
        (folder / "bin" / "python3").symlink_to(sys.executable)

    def members(self) -> tuple[Member, ...]:
        return tuple(Member(id=id, host="") for id in NODES)

    def run(self, ids: Sequence[str], command: str, limit_s: float) -> dict[str, Said]:
        with ThreadPoolExecutor(len(ids)) as threads:
            return dict(zip(ids, threads.map(lambda id: self._one(id, command), ids), strict=True))

    def _one(self, id: str, command: str) -> Said:
        path = f"{self.folder}/bin:{os.environ['PATH']}"
        environment = {**self.data.environment(), "PLANNER_INSTANCE": id, "PATH": path, "HOME": str(self.folder)}
        here = command.replace("/opt/planner", str(self.folder))
        done = subprocess.run(
            ["sh", "-c", here], env=environment, capture_output=True, text=True, timeout=120, check=False
        )
        return Said(well=not done.returncode, out=done.stdout, err=done.stderr)


@pytest.fixture(scope="module")
def data() -> Iterator[Bucket]:
    with bucket() as made:
        yield made


def accepted(nodes: HereNodes, tmp_path: Path, layout: str, storage: str) -> dict[str, Line]:
    scenario = SCENARIO.replace("converged", layout)
    request, spec = planned(tmp_path, f"storage.layouts=[{layout}]", scenario=scenario)
    asked = Asked(
        run="r1",
        sizes=(100_000, 1_000_000),
        checkpoint_bytes=20_000_000,
        storage=storage,
        gpus=0,
        tcp=False,
        folder=str(tmp_path / "fsx") if storage == FOLDER else "",
        linked="checkpoints" if storage == FOLDER else "",
        read_s=1,
        files_s=0.5,
        most_bytes=4_000_000,
        processes=1,
        threads=2,
        forget=False,
        limit_s=100,
    )
    found, _ = measured(nodes, asked)
    lines = lines_of(Accepted(request=request, scenario=spec.scenario, spec=spec, found=found))
    for line in lines:
        print(line.state, line.id, line.said, line.means)
    return {line.id: line for line in lines}


def test_s3_alone_is_read_by_all_nodes_at_once(data: Bucket, tmp_path: Path):
    lines = accepted(HereNodes(tmp_path, data, LFS), tmp_path, "s3-stream", S3)
    for id in (*READS, "checkpoint-save", "checkpoint-restore"):
        assert lines[id].measured, lines[id].said
        assert lines[id].low is not None
    read = lines["read.1000000"]
    # a server in one thread of Python is no S3: the plan's reads are not reached, and the miss has its price
    assert read.state == MISS
    assert read.measured is not None
    assert read.planned is not None
    assert read.measured < read.planned
    assert read.assumption == "s3.read_gb_per_s_per_node"
    assert data.keys("") == []


def test_files_are_read_and_a_checkpoint_comes_back_from_s3(data: Bucket, tmp_path: Path):
    (tmp_path / "fsx" / "checkpoints").mkdir(parents=True)
    lfs = LFS.format(python=sys.executable, archived=0x9)
    lines = accepted(HereNodes(tmp_path, data, lfs), tmp_path, "fsx-lustre", FOLDER)
    for id in (*READS, "checkpoint-save", "checkpoint-restore", "files"):
        assert lines[id].measured, lines[id].said
    assert lines["slow-nodes"].state == PASS
    assert list((tmp_path / "fsx").rglob("*")) == [tmp_path / "fsx" / "checkpoints"]


def test_what_s3_never_gets_is_no_restore(data: Bucket, tmp_path: Path):
    (tmp_path / "fsx" / "checkpoints").mkdir(parents=True)
    no_lustre = "#!/bin/sh\necho no such file system >&2\nexit 1\n"
    lines = accepted(HereNodes(tmp_path, data, no_lustre), tmp_path, "fsx-lustre", FOLDER)
    assert lines["checkpoint-save"].measured
    restore = lines["checkpoint-restore"]
    assert (restore.state, restore.measured, restore.said) == (NOT_MEASURED, None, "lfs: no such file system")
