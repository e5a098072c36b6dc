"""Files a second: the real program on a folder here, and what becomes of its answers."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from infra.node.zipped import launch_file
from planner.acceptance.ask import S3, Asked, measured
from planner.acceptance.found import Found
from planner.acceptance.judge import Accepted, lines_of
from planner.acceptance.line import NOT_MEASURED, PASS
from planner.stack.spec import Lustre
from tests.acceptance.plans import SCENARIO, planned
from tests.acceptance.test_ask import IDS, Nodes, said, well

ASKED = Asked(run="r", sizes=(1,), checkpoint_bytes=0, storage=S3, gpus=0, tcp=False, folder="/fsx")


def ran(archive: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "fleet_pool.node.file_bench", *words]
    environment = {"PYTHONPATH": str(archive)}
    return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60, check=False)


def test_the_program_of_the_bundle_counts_files_and_leaves_none(tmp_path: Path):
    archive, folder = tmp_path / "planner-launch.pyz", tmp_path / "fsx"
    archive.write_bytes(launch_file())
    folder.mkdir()
    done = ran(archive, str(folder), "--seconds", "0.5", "--processes", "2")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["files_per_s"] > 10
    assert list(folder.iterdir()) == []
    missing = ran(archive, str(tmp_path / "not-mounted"))
    assert (missing.returncode, missing.stdout) == (4, "")
    assert "No such file or directory" in missing.stderr


def test_files_of_all_nodes_add_up_and_a_node_without_them_is_said():
    def answer(id: str, command: str):
        return said('{"files_per_s": 100.5}\n') if "file_bench /fsx" in command else well(id, command)

    found, _ = measured(Nodes(answer), ASKED)
    assert found.files_per_s == 3 * 100.5
    assert "files" not in found.why

    def one_fails(id: str, command: str):
        lacks = id == IDS[1] and "file_bench" in command
        return said("", well=False, err="file_bench: /fsx: Permission denied\n") if lacks else answer(id, command)

    found, _ = measured(Nodes(one_fails), ASKED)
    assert (found.files_per_s, found.why["files"]) == (None, "i-2: file_bench: /fsx: Permission denied")


def test_files_stand_beside_what_the_file_system_is_sized_for(tmp_path: Path):
    request, spec = planned(tmp_path)
    lustre = Lustre(deployment="PERSISTENT_2", capacity_gib=1200, mbps_per_tib=125, metadata_iops=12_000)
    with_files = replace(spec, lustre=lustre)

    def line(found: Found):
        lines = lines_of(Accepted(request=request, scenario=SCENARIO, spec=with_files, found=found))
        return next(line for line in lines if line.id == "files")

    assert line(Found(nodes=IDS)).state == NOT_MEASURED
    measured_line = line(Found(nodes=IDS, files_per_s=301.5))
    assert (measured_line.state, measured_line.measured) == (PASS, 301.5)
    assert "12,000 metadata operations" in measured_line.said
