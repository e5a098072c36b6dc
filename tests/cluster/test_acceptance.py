"""Collectives of an acceptance in a real Slurm: a job takes all nodes, or nothing is measured. torchrun stands in."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest

from planner.acceptance import ask
from planner.acceptance.ask import S3, Asked, measured
from planner.acceptance.found import Found
from planner.account.commands import Member, Said
from tests.cluster.bucket import Bucket, bucket, launcher
from tests.cluster.cluster import Cluster
from tests.cluster.conftest import needs_slurm

pytestmark = needs_slurm
ASKED = Asked(run="r", sizes=(1,), checkpoint_bytes=0, storage=S3, gpus=8, tcp=True, slurm=True)
# what planner-health says on rank 0, with the ranks that Slurm started and the network that it was told
TORCHRUN = """#!/bin/sh
[ "$SLURM_PROCID" = 0 ] || exit 0
case "$*" in
  *" pair "*) echo "planner-health: $SLURMD_NODENAME: pair: slow beside the others, see /tmp/x" ;;
  *) echo "planner-health:   ${NCCL_NET:+1}1.5 GB/s over $SLURM_JOB_NUM_NODES nodes: all of them" ;;
esac
"""


class SlurmNodes:
    """Two nodes, as their instances; what they run is what a node of the cluster runs."""

    def __init__(self, cluster: Cluster, data: Bucket) -> None:
        self.cluster, self.data = cluster, data
        programs = cluster.folder / "programs"
        programs.mkdir(exist_ok=True)
        launch = f'#!/bin/sh\nexec {launcher(cluster.folder)} "$@"\n'
        for name, text in {"planner-ready": "#!/bin/sh\n", "planner-launch": launch, "torchrun": TORCHRUN}.items():
            (programs / name).write_text(text)
            (programs / name).chmod(0o755)
        self.path = f"{programs}:{os.environ['PATH']}"

    def members(self) -> tuple[Member, ...]:
        return (Member(id="i-1", host="10.0.0.1"), Member(id="i-2", host="10.0.0.2"))

    def run(self, ids: Sequence[str], command: str, limit_s: float) -> dict[str, Said]:
        environment = {**self.cluster.environment, **self.data.environment(), "PATH": self.path}
        if " --me " in command:
            return {id: Said(well=False, out="", err="not asked here") for id in ids}
        done = subprocess.run(
            ["sh", "-c", command], env=environment, capture_output=True, text=True, timeout=120, check=False
        )
        return {id: Said(well=not done.returncode, out=done.stdout, err=done.stderr) for id in ids}


@pytest.fixture(scope="module")
def data() -> Iterator[Bucket]:
    with bucket() as made:
        yield made


def accepted(quiet: Cluster, data: Bucket, run: str) -> Found:
    found, _ = measured(SlurmNodes(quiet, data), replace(ASKED, run=run))
    print(found)
    return found


def test_a_job_measures_between_all_nodes_with_and_without_efa(quiet: Cluster, data: Bucket):
    found = accepted(quiet, data, "free")
    assert (found.all_reduce, found.tcp) == (1.5, 11.5), found.why
    assert found.slow_pairs == ("p5-48xlarge-1",)
    assert not quiet.run("squeue", "--noheader").strip()


def test_where_jobs_have_the_nodes_nothing_is_measured(quiet: Cluster, data: Bucket, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(ask, "ALLOCATION", ask.ALLOCATION.replace("--immediate=60", "--immediate=2"))
    job = quiet.sbatch("sleep 60", "--nodes=8", "--exclusive", "--account=speech", "--time=5", name="busy")
    quiet.is_(job, "RUNNING")
    found = accepted(quiet, data, "busy")
    assert found.all_reduce is None
    assert "salloc" in found.why["all-reduce"]
    assert quiet.state(job) == "RUNNING"
