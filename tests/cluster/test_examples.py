"""The job scripts of examples/jobs on a real Slurm, with a stand-in for torchrun."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cluster.bucket import ROOT, Bucket, bucket, launcher
from tests.cluster.cluster import Cluster
from tests.cluster.conftest import needs_slurm

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
    assert {path.stem for path in JOBS.iterdir()} == {"single-node", "gang", "array"}


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
