"""Backfill, shares, limits and preemption on a real Slurm with the settings that the stack sends."""

from __future__ import annotations

import pytest
from fleet_pool.slurm import REQUEUE_CODE, accounting, command

from tests.cluster.cluster import Cluster
from tests.cluster.conftest import SETTINGS, needs_slurm

pytestmark = needs_slurm
# what a job does that can save: told to end, it saves and asks for another start
STEP = f"""#!/bin/bash
trap 'echo saved; exit {REQUEUE_CODE}' TERM
echo start ${{SLURM_RESTART_COUNT:-0}}
for n in $(seq 300); do sleep 0.2; done
"""
NODES = ("--gres=gpu:h100:8", "--ntasks-per-node=1")


def test_the_database_has_what_the_plan_says_and_nothing_is_left_to_do(quiet: Cluster):
    found = accounting.known(command.run(*accounting.SHOW_QOS), command.run(*accounting.SHOW_ACCOUNTS))
    assert accounting.commands(SETTINGS, found) == []
    assert found.accounts["vision"][:2] == ("3", "node=6")
    assert found.qos["high"][1] == {"low"}
    assert found.qos["normal"][1] == {"low"}
    assert found.qos["low"][2] == "00:05:00"


def test_a_later_small_job_fills_the_hole_before_a_large_one(quiet: Cluster):
    busy = quiet.sbatch("sleep 30", "--account=speech", "--nodes=6", "--time=60", *NODES, name="busy")
    quiet.is_(busy, "RUNNING")
    large = quiet.sbatch("sleep 1", "--account=speech", "--nodes=8", "--time=60", *NODES, name="large")
    small = quiet.sbatch("sleep 1", "--account=vision", "--nodes=2", "--time=20", *NODES, name="small")
    quiet.is_(small, "RUNNING", "COMPLETED")
    assert quiet.state(large) == "PENDING"
    assert quiet.state(busy) == "RUNNING"


def test_a_project_gets_no_more_nodes_than_the_plan_gives_it(quiet: Cluster):
    first = quiet.sbatch("sleep 20", "--account=vision", "--nodes=5", "--time=5", *NODES, name="first")
    quiet.is_(first, "RUNNING")
    second = quiet.sbatch("sleep 1", "--account=vision", "--nodes=2", "--time=5", *NODES, name="second")
    quiet.wait("the reason", lambda: quiet.reason(second) == "AssocGrpNodeLimit", 30)
    other = quiet.sbatch("sleep 1", "--account=speech", "--nodes=2", "--time=5", *NODES, name="other")
    quiet.is_(other, "RUNNING", "COMPLETED")


def test_who_has_used_less_of_its_share_goes_first(quiet: Cluster):
    """vision has three shares, speech one. Jobs of six of the eight nodes: no two of them run at once."""

    def sent(account: str, seconds: int) -> str:
        return quiet.sbatch(
            f"sleep {seconds}", f"--account={account}", "--nodes=6", "--time=5", *NODES, name=f"by-{account}"
        )

    def forgets(account: str) -> None:
        quiet.run("sacctmgr", "-i", "modify", "account", "where", f"name={account}", "set", "RawUsage=0")

    def count() -> None:
        """Slurm counts use each minute, and as its controller starts."""
        quiet.end("slurmctld")
        quiet.start("slurmctld", "-D")
        quiet.until("the controller", "scontrol", "ping")

    def first(*accounts: str) -> tuple[str, dict[str, float]]:
        """Of jobs that wait, sent in this order, while one of vision runs; and what a share of each has used."""
        busy = sent("vision", 300)
        quiet.is_(busy, "RUNNING")
        jobs = {sent(account, 1): account for account in accounts}
        count()
        quiet.run("scancel", busy)
        rows = quiet.run("sshare", "-nP", "--format=Account,User,RawShares,RawUsage").splitlines()
        accounts_of = (row.strip().split("|") for row in rows if row.startswith((" vision||", " speech||")))
        found = {name: int(use) / int(share) for name, _, share, use in accounts_of}
        for job in jobs:
            quiet.is_(job, "COMPLETED")
        return jobs[min(jobs, key=lambda job: quiet.of_job(job, "StartTime"))], found

    for account in ("vision", "speech"):
        forgets(account)
    quiet.is_(sent("speech", 5), "COMPLETED")
    who, of_a_share = first("speech", "vision")
    assert of_a_share["speech"] > of_a_share["vision"], f"jobs took too long here: {of_a_share}"
    assert who == "vision", "speech was there before"
    forgets("speech")
    who, of_a_share = first("vision", "speech")
    assert (who, of_a_share["speech"]) == ("speech", 0)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--account=nobody",), "Invalid account"),
        (("--account=speech", "--time=15-0"), "time limit"),
        (("--account=speech", "--gres=gpu:a100:1"), "not available"),
    ],
)
def test_a_job_that_may_never_run_is_refused(words: tuple[str, ...], why: str, quiet: Cluster):
    with pytest.raises(AssertionError, match=why):
        quiet.sbatch("true", *words, name="refused")


def test_a_job_of_high_takes_nodes_of_low_which_saves_and_starts_again(quiet: Cluster):
    step = quiet.folder / "step.sh"
    step.write_text(STEP)
    step.chmod(0o755)
    low = quiet.sbatch(
        f"srun {step}",
        *("--account=speech", "--partition=low", "--qos=low", "--nodes=8", "--time=60", *NODES),
        name="low",
    )
    quiet.is_(low, "RUNNING")
    quiet.wait("its start", lambda: quiet.output("low").count("start 0") == 8, 30)
    high = quiet.sbatch(
        "sleep 3", "--account=vision", "--partition=high", "--qos=high", "--nodes=6", "--time=60", *NODES, name="high"
    )
    quiet.is_(high, "RUNNING", "COMPLETED")
    quiet.wait("the next start", lambda: quiet.output("low").count("start 1") == 8, 60)
    assert quiet.output("low").count("saved") == 8
    assert quiet.of_job(low, "Restarts") == "1"
