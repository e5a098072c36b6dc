"""A file system that is about to go: what would be lost is named, by the program of the bundle. `lfs` stands in."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from infra.node.zipped import launch_file

# S3 has the files whose name does not begin with "new"; those of "late" from the second look on
LFS = """#!{python}
import os, sys
for path in sys.argv[2:]:
    name, seen = os.path.basename(path), path.replace("/fsx/", "/seen/").replace("/checkpoints/", "-")
    has = not name.startswith("new") and (not name.startswith("late") or os.path.exists(seen))
    if name.startswith("late"):
        open(seen, "w").close()
    flags = 9 if has else 11 if name == "new-dirty" else 0
    print(f"{{path}}: (0x{{flags:08x}})" + (" exists archived, archive_id:1" if has else ""))
"""


@pytest.fixture
def fsx(tmp_path: Path) -> Path:
    for name in ("fsx/checkpoints/run 1", "fsx/dataset", "seen", "bin"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "fsx/checkpoints/run 1/COMMIT").write_text("1")
    (tmp_path / "fsx/dataset/shard-1").write_text("x")
    (tmp_path / "bin/lfs").write_text(LFS.format(python=sys.executable))
    (tmp_path / "bin/lfs").chmod(0o755)
    (tmp_path / "planner-launch.pyz").write_bytes(launch_file())
    return tmp_path / "fsx"


def flushed(fsx: Path, *words: str) -> tuple[int, str]:
    names = ("--exported=checkpoints", "--read=dataset", "--wait-s=3")
    done = subprocess.run(
        [sys.executable, "-m", "fleet_pool.node.flush", str(fsx), *names, *words],
        env={"PYTHONPATH": f"{fsx.parent}/planner-launch.pyz", "PATH": f"{fsx.parent}/bin:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.returncode, done.stderr


def test_what_s3_has_may_go_and_an_export_is_waited_for(fsx: Path):
    assert flushed(fsx, "--look") == (0, "")
    (fsx / "checkpoints/late-1").write_text("x")
    assert flushed(fsx, "--look") == (0, "")


@pytest.mark.parametrize(
    ("file", "says"),
    [
        ("checkpoints/new-1", "S3 does not have 1 files, such as {fsx}/checkpoints/new-1, after 3 s"),
        ("checkpoints/new-dirty", "S3 does not have 1 files, such as {fsx}/checkpoints/new-dirty, after 3 s"),
        ("notes", "1 files, such as {fsx}/notes, in no folder that S3 gets: copy or delete"),
    ],
)
def test_what_only_the_file_system_has_is_named(fsx: Path, file: str, says: str):
    (fsx / file).write_text("x")
    assert flushed(fsx) == (0, "")
    assert flushed(fsx, "--look") == (13, f"flush: {says.format(fsx=fsx)}\n")


def test_a_job_that_still_writes_stops_it(fsx: Path):
    job = subprocess.Popen([sys.executable, "-c", "input()"], cwd=fsx / "checkpoints", stdin=subprocess.PIPE)
    try:
        code, said = flushed(fsx)
        assert (code, said) == (13, f"flush: process {job.pid} uses {fsx}: stop the jobs\n")
    finally:
        job.communicate(b"\n")
