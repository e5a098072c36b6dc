"""`planner-launch` in jobs of a real Slurm: ranks, rendezvous, restarts from COMMIT, arrays, preemption."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cluster.bucket import Bucket, bucket, launcher
from tests.cluster.cluster import Cluster
from tests.cluster.conftest import needs_slurm

pytestmark = needs_slurm
NODES = ("--gres=gpu:h100:8", "--account=speech", "--time=60")
WORK = f"{sys.executable} {Path(__file__).with_name('work.py')}"


@pytest.fixture(scope="module")
def data() -> Iterator[Bucket]:
    with bucket() as made:
        yield made


@pytest.fixture
def jobs(quiet: Cluster, data: Bucket, monkeypatch: pytest.MonkeyPatch) -> Cluster:
    enough(quiet).unlink(missing_ok=True)
    for name, value in {**data.environment(), "ENOUGH": str(enough(quiet))}.items():
        monkeypatch.setitem(quiet.environment, name, value)
    return quiet


def enough(cluster: Cluster) -> Path:
    return cluster.folder / "enough"


def script(cluster: Cluster, words: str, *options: str) -> str:
    return f"{launcher(cluster.folder)} {' '.join(options)} -- {words}"


def sum_of(steps: int) -> int:
    return sum(step**2 for step in range(1, steps + 1))


def test_every_node_has_its_rank_and_rank_0_is_on_the_first_node(jobs: Cluster, data: Bucket):
    job = jobs.sbatch(script(jobs, f"{WORK} 20 0.05"), "--nodes=4", *NODES, name="gang")
    jobs.is_(job, "COMPLETED")
    out = jobs.output("gang")
    ranks = re.findall(r"rank (\d) of 4 begins at step 0, rank 0 at (\S+)", out)
    assert sorted(rank for rank, _ in ranks) == ["0", "1", "2", "3"]
    assert {where.partition(":")[0] for _, where in ranks} == {"127.0.0.1"}, "all nodes of the tests have this address"
    assert len({where for _, where in ranks}) == 1
    assert data.commits(f"slurm-{job}") == {10: {"sum": sum_of(10)}, 20: {"sum": sum_of(20)}}
    # the output of each rank outlives the nodes
    kept = data.keys(f"launch-logs/slurm-{job}/")
    assert len([key for key in kept if "console" in key]) == 4


def test_a_job_that_gives_way_resumes_from_what_it_saved_and_ends_as_if_nothing_had_been(jobs: Cluster, data: Bucket):
    low = jobs.sbatch(
        script(jobs, f"{WORK} 100000 0.1"), "--nodes=8", "--partition=low", "--qos=low", *NODES, name="resumes"
    )
    jobs.wait("a commit", lambda: len(data.commits(f"slurm-{low}")) > 1, 60)
    high = jobs.sbatch("sleep 2", "--nodes=4", "--partition=high", "--qos=high", *NODES, name="urgent")
    jobs.is_(high, "RUNNING", "COMPLETED")
    jobs.wait("its next start", lambda: jobs.output("resumes").count("rank 0 of 8 begins") == 2, 90)
    enough(jobs).touch()
    jobs.is_(low, "COMPLETED")
    out = jobs.output("resumes")
    begins = [int(step) for step in re.findall(r"rank 0 of 8 begins at step (\d+)", out)]
    (told,) = re.findall(r"rank 0 told to end at step (\d+)", out)
    assert begins == [0, int(told)], "no step is done twice"
    assert data.ends_whole(f"slurm-{low}") > int(told)
    assert jobs.of_job(low, "Restarts") == "1"


def test_what_follows_a_requeue_by_hand_a_failure_and_a_cancel(jobs: Cluster, data: Bucket):
    """Four jobs at once."""
    two, long = ("--nodes=2", *NODES), f"{WORK} 100000 0.1"
    requeued = jobs.sbatch(script(jobs, long), *two, name="byhand")
    cancelled = jobs.sbatch(script(jobs, long), *two, name="cancelled")
    fails = jobs.sbatch(script(jobs, f"{WORK} 30 0.05 15", "--name", "fails"), *two, name="fails")
    hopeless = jobs.sbatch(script(jobs, "false", "--restarts", "1"), *two, name="hopeless")

    jobs.wait("a commit", lambda: len(data.commits(f"slurm-{requeued}")) > 1, 60)
    jobs.run("scontrol", "requeue", requeued)
    jobs.wait("a commit", lambda: bool(data.commits(f"slurm-{cancelled}")), 60)
    jobs.run("scancel", cancelled)
    jobs.is_(cancelled, "CANCELLED")
    assert jobs.of_job(cancelled, "Restarts") == "0"

    jobs.is_(fails, "COMPLETED")
    assert "exit code 9: starts again from COMMIT 10" in jobs.output("fails"), "while there is progress"
    assert data.ends_whole("fails") == 30

    jobs.wait("its next start", lambda: jobs.output("byhand").count("rank 0 of 2 begins") == 2, 90)
    enough(jobs).touch()
    jobs.is_(requeued, "COMPLETED")
    begins = [int(step) for step in re.findall(r"rank 0 of 2 begins at step (\d+)", jobs.output("byhand"))]
    assert begins[0] == 0
    assert 20 <= begins[1] < data.ends_whole(f"slurm-{requeued}")

    jobs.is_(hopeless, "FAILED")
    assert jobs.output("hopeless").count("rank 0 of 2 starts") == 2
    assert jobs.of_job(hopeless, "ExitCode") == "1:0", "its own code"


def test_a_job_does_not_resume_from_what_another_cluster_s_job_of_its_number_left(jobs: Cluster):
    left = jobs.sbatch(script(jobs, f"{WORK} 10 0", '--name "slurm-$((SLURM_JOB_ID + 1))"'), "--nodes=2", *NODES)
    jobs.is_(left, "COMPLETED")
    job = jobs.sbatch(script(jobs, f"{WORK} 20 0"), "--nodes=2", *NODES, name="another")
    assert int(job) == int(left) + 1
    jobs.is_(job, "FAILED")
    out = jobs.output("another")
    assert f"checkpoints/slurm-{job}/ has a COMMIT of step 10: another cluster's job had this number. --name" in out


def test_jobs_of_an_array_share_a_node_and_have_checkpoints_of_their_own(jobs: Cluster, data: Bucket):
    words = ("--array=0-7", "--nodes=1", "--gres=gpu:h100:1", "--cpus-per-task=8", "--account=speech", "--time=10")
    job = jobs.sbatch(script(jobs, f"{WORK} 10 0.05"), *words, name="array")
    jobs.wait("all of them", lambda: sum(bool(data.commits(f"slurm-{job}_{n}")) for n in range(8)) == 8, 60)
    hosts = jobs.run("sacct", "-XnP", f"--jobs={job}", "--format=NodeList").split()
    assert set(hosts) == {"p5-48xlarge-1"}


def test_nodes_are_slurm_s_to_say(jobs: Cluster):
    job = jobs.sbatch(script(jobs, "true", "--nodes", "3"), "--nodes=2", *NODES, name="wrong")
    jobs.is_(job, "FAILED")
    assert "--nodes 3, but the job has 2: leave it out" in jobs.output("wrong")
