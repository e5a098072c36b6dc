"""The job scripts of examples/jobs on a real Slurm: with a stand-in for torchrun, and one with PyTorch itself."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cluster.bucket import ROOT, Bucket, bucket, launcher
from tests.cluster.cluster import Cluster
from tests.cluster.conftest import needs_slurm
from tools.torch_cpu import FOLDER, installed

pytestmark = needs_slurm
JOBS = ROOT / "examples/jobs"
WORK = Path(__file__).with_name("work.py")


@pytest.fixture(scope="module")
def data() -> Iterator[Bucket]:
    with bucket() as made:
        yield made


@pytest.fixture
def node(quiet: Cluster, data: Bucket, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Cluster:
    """With `planner-launch`, and a `torchrun` that only checks its words and counts to 20."""
    for name, words in (
        ("planner-launch", f'exec {launcher(quiet.folder)} "$@"'),
        ("torchrun", f'test "$1" = --nproc-per-node && exec {sys.executable} {WORK} 20 0.05'),
    ):
        (tmp_path / name).write_text(f"#!/bin/sh\n{words}\n")
        (tmp_path / name).chmod(0o755)
    path = f"{tmp_path}:{quiet.environment.get('PATH', os.environ['PATH'])}"
    for name, value in {**data.environment(), "PATH": path}.items():
        monkeypatch.setitem(quiet.environment, name, value)
    return quiet


def test_there_is_one_for_each_kind_of_job():
    assert {path.stem for path in JOBS.glob("*.sbatch")} == {"single-node", "gang", "array", "dcp"}


@pytest.mark.parametrize(
    ("name", "words", "runs", "nodes"),
    [("single-node", (), 1, 1), ("gang", (), 1, 4), ("array", ("--array=0-7",), 8, 1)],
)
def test_it_runs_as_it_stands(name: str, words: tuple[str, ...], runs: int, nodes: int, node: Cluster, data: Bucket):
    script = str(JOBS / f"{name}.sbatch")
    job = node.run("sbatch", "--parsable", "--account=speech", f"--chdir={node.folder}", *words, script).strip()
    node.wait("its end", lambda: set(node.state(job).split()) == {"COMPLETED"}, 120)
    ids = [f"slurm-{job}_{number}" for number in range(runs)] if runs > 1 else [f"slurm-{job}"]
    assert all(set(data.commits(id)) == {10, 20} for id in ids)
    outputs = [path.read_text() for path in node.folder.glob(f"{name}-{job}*.out")]
    assert len(outputs) == runs
    assert all(text.count("done at step 20") == nodes for text in outputs)


@pytest.fixture
def torch_node(node: Cluster, monkeypatch: pytest.MonkeyPatch) -> Cluster:
    """With the real torchrun."""
    if not installed():
        pytest.skip("PyTorch is not here: `make torch-real` installs it into .tools/torch (2.4 GB) and runs this")
    torchrun = Path(node.environment["PATH"].partition(":")[0], "torchrun")
    torchrun.write_text(f'#!/bin/sh\nexec {FOLDER / "bin/torchrun"} "$@"\n')
    for name, value in (("OMP_NUM_THREADS", "1"), ("PYTHONWARNINGS", "ignore"), ("GLOO_SOCKET_IFNAME", "lo")):
        monkeypatch.setitem(node.environment, name, value)
    shutil.copy(JOBS / "dcp_train.py", node.folder)
    (node.folder / "staging").mkdir(exist_ok=True)
    return node


def test_distributed_checkpoints_of_pytorch_are_saved_in_the_background_and_resumed(torch_node: Cluster, data: Bucket):
    node, steps = torch_node, 60
    sbatch = ("sbatch", "--parsable", "--account=speech", "--gres=gpu:1", f"--chdir={node.folder}")
    words = (str(JOBS / "dcp.sbatch"), "--steps", str(steps), "--save-every", "10", "--staging", "staging")
    whole = node.run(*sbatch, *words).strip()
    stopped = node.run(*sbatch, *words, "--pace-s", "0.3").strip()
    node.wait("a commit", lambda: 10 in data.commits(f"slurm-{stopped}"), 180)
    node.run("scancel", "--signal=TERM", stopped)
    said = {}
    for job in (whole, stopped):
        node.is_(job, "COMPLETED")
        said[job] = (node.folder / f"dcp-{job}.out").read_text()
    begins = [int(step) for step in re.findall(r"begins at step (\d+)", said[stopped])]
    assert begins[0] == 0
    assert 10 < begins[1] < steps
    assert node.of_job(stopped, "Restarts") == "1"
    (ends,) = re.findall(rf"ends at step {steps}, weights (\S+)", said[whole])
    assert f"ends at step {steps}, weights {ends}" in said[stopped], "equal weights"
