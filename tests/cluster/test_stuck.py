"""docs/day-2.md, "The queue is stuck": each cause, made on purpose, is named by planner-jobs and mended."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from fleet_pool.slurm import command
from fleet_pool.slurm.blocks import PREFIX
from fleet_pool.slurm.settings import BEFORE_END, Block

from tests.cluster.cluster import Cluster
from tests.cluster.conftest import SETTINGS, needs_slurm
from tests.cluster.page import Shell, causes, section, typed

pytestmark = needs_slurm
CAUSES = causes()
GROUP = "p5-48xlarge"
JOB = ("--gres=gpu:h100:8", "--ntasks-per-node=1", "--time=30")
SPEECH = ("--account=speech", *JOB)


@pytest.fixture(scope="module")
def shell(slurm: Cluster) -> Shell:
    return Shell(slurm, SETTINGS)


def test_each_row_of_the_page_has_a_test():
    assert set(CAUSES) == {
        *("the controller does not answer", "its user is no longer in the plan"),  # test_day2
        *("the accounting database does not answer", "nodes are drained or down", "its queue is closed"),
        *("the Capacity Block has not begun, or the job's time limit passes its end", "held by an operator"),
        *("its project has all the nodes that it may have", "held: its node could not start it"),
        *("jobs of a higher priority come first", "waits for nodes"),
    }


def test_a_healthy_queue(quiet: Cluster, shell: Shell):
    for looks in typed("The queue is stuck"):
        shell.run(looks)
    large = quiet.sbatch("sleep 300", *SPEECH, "--nodes=7", name="large")
    quiet.is_(large, "RUNNING")
    waits = quiet.sbatch("true", *SPEECH, "--nodes=8", name="waits")
    shell.says(waits, "waits for nodes")
    behind = quiet.sbatch("true", *SPEECH, "--nodes=8", name="behind")
    shell.says(behind, "jobs of a higher priority come first")
    (priorities,) = CAUSES["waits for nodes"]
    assert waits in shell.run(priorities)


@pytest.mark.parametrize("nodes", [1, 8])
def test_nodes_out(nodes: int, quiet: Cluster, shell: Shell):
    reasons, back = CAUSES["nodes are drained or down"]
    quiet.run("scontrol", "update", "NodeName=ALL", "State=DRAIN", "Reason=xid 79")
    job = quiet.sbatch("true", *SPEECH, f"--nodes={nodes}", name="out")
    shell.says(job, "nodes are drained or down")
    assert "xid 79" in shell.run(reasons)
    shell.run(back, NODE="ALL")
    quiet.is_(job, "RUNNING", "COMPLETED")


def test_a_node_that_is_down_is_named(quiet: Cluster, shell: Shell):
    quiet.run("scontrol", "update", f"NodeName={GROUP}-3", "State=DOWN", "Reason=gone")
    job = quiet.sbatch("true", *SPEECH, "--nodes=1", f"--nodelist={GROUP}-3", name="named")
    shell.says(job, f"nodes are drained or down: {GROUP}-3")
    shell.run(CAUSES["nodes are drained or down"][1], NODE=f"{GROUP}-3")
    quiet.is_(job, "RUNNING", "COMPLETED")


def test_a_limit_that_passes_the_end_of_the_block(quiet: Cluster, shell: Shell):
    until, shorter = CAUSES["the Capacity Block has not begun, or the job's time limit passes its end"]
    ends = datetime.now(UTC).replace(microsecond=0) + BEFORE_END + timedelta(minutes=15)
    assert command.apply(replace(SETTINGS, blocks=(Block(group=GROUP, ends=ends),))) == 0
    job = quiet.sbatch("true", *SPEECH, "--nodes=1", name="beyond")
    shell.says(job, "the Capacity Block has not begun, or the job's time limit passes its end")
    assert f"{PREFIX}{GROUP}" in shell.run(until)
    shell.run(shorter, JOB=job)
    quiet.is_(job, "RUNNING", "COMPLETED")
    quiet.run("scontrol", "delete", f"reservation={PREFIX}{GROUP}")


@pytest.mark.parametrize("state", ["DOWN", "INACTIVE"])
def test_a_queue_that_is_closed(state: str, quiet: Cluster, shell: Shell):
    shows, opens = CAUSES["its queue is closed"]
    quiet.run("scontrol", "update", "PartitionName=normal", "State=DOWN")
    job = quiet.sbatch("true", *SPEECH, "--nodes=1", name="closed")
    quiet.run("scontrol", "update", "PartitionName=normal", f"State={state}")
    shell.says(job, "its queue is closed")
    assert f"State={state}" in shell.run(shows)
    shell.run(opens)
    quiet.is_(job, "RUNNING", "COMPLETED")


def test_a_project_at_its_limit(quiet: Cluster, shell: Shell):
    vision = ("--account=vision", *JOB)
    quiet.is_(quiet.sbatch("sleep 300", *vision, "--nodes=5", name="first"), "RUNNING")
    job = quiet.sbatch("true", *vision, "--nodes=2", name="second")
    shell.says(job, "its project has all the nodes that it may have")


def test_held(quiet: Cluster, shell: Shell):
    _, release = CAUSES["held by an operator"]
    assert CAUSES["held: its node could not start it"][1] == release
    job = quiet.sbatch("true", *SPEECH, "--nodes=1", "--hold", name="held")
    shell.run(f"sudo scontrol hold {job}")
    shell.says(job, "held by")
    shell.run(release, JOB=job)
    quiet.is_(job, "RUNNING", "COMPLETED")


def test_a_node_that_cannot_start_a_job(quiet: Cluster, shell: Shell):
    reasons, release = CAUSES["held: its node could not start it"]
    spool = quiet.folder / f"spool.{GROUP}-1"
    spool.rename(quiet.folder / "away")
    job = quiet.sbatch("true", *SPEECH, "--nodes=1", f"--nodelist={GROUP}-1", name="launch")
    shell.says(job, "held: its node could not start it")
    (quiet.folder / "away").rename(spool)
    shell.run(reasons)
    shell.run(release, JOB=job)
    quiet.is_(job, "RUNNING", "COMPLETED")


def test_what_nobody_has_is_refused(quiet: Cluster, shell: Shell):
    wants = "sbatch --account=speech --nodes=1 --gres=gpu:h100:16 --wrap true"
    assert "Requested node configuration is not available" in shell.run(wants, fails=True)
    (shows,) = (one for one in section("The queue is stuck").split("`") if one.startswith("sinfo --Format"))
    assert "gpu:h100:8" in shell.run(shows)


def test_the_database_is_down(quiet: Cluster, shell: Shell):
    (looks,) = CAUSES["the accounting database does not answer"]
    quiet.is_(quiet.sbatch("sleep 300", *SPEECH, "--nodes=7", name="runs"), "RUNNING")
    quiet.end("slurmdbd")
    job = quiet.sbatch("true", *SPEECH, "--nodes=2", name="accepted")
    said = shell.run("planner-jobs", fails=True)
    assert "the accounting database does not answer: jobs start, run and cost as ever" in said
    assert f"{job} " in said, "what waits is shown all the same"
    assert "runs" in shell.run(looks)
    quiet.start("slurmdbd", "-D")
    quiet.until("the database", "sacctmgr", "-nP", "show", "cluster")
    quiet.wait("dollars", lambda: "Projects, spent since" in shell.run("planner-jobs"), 60)
