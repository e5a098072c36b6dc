"""docs/day-2.md on a real Slurm: its commands as they stand there, before jobs that run and wait."""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from fleet_pool.slurm import command
from fleet_pool.slurm import jobs as planner_jobs
from fleet_pool.slurm.settings import Cluster as Settings
from fleet_pool.slurm.settings import Project, written

from tests.cluster.cluster import ROOT, Cluster
from tests.cluster.conftest import SETTINGS, needs_slurm, wait_until_idle

pytestmark = needs_slurm
DOCUMENT = (ROOT / "docs/day-2.md").read_text(encoding="utf-8")
WHOLE = ("--gres=gpu:h100:8", "--ntasks-per-node=1")
SLURM = ("sacctmgr", "scontrol", "squeue", "sinfo", "scancel")


def commands(section: str) -> list[str]:
    """The commands of Slurm below a heading."""
    text = DOCUMENT.split(f"## {section}\n")[1].split("\n## ")[0]
    found = [line[2:] for line in text.splitlines() if line.startswith("$ ")]
    return [line for line in found if line.split()[0] in SLURM]


@pytest.fixture
def do(quiet: Cluster) -> Callable[..., str]:
    """The nth command of a section, with what stands for NODE, JOB, USER; what it says."""

    def run(section: str, at: int, **words: str) -> str:
        line = commands(section)[at]
        for name, value in words.items():
            line = re.sub(rf"\b{name.upper()}\b", value, line)
        return quiet.run(*shlex.split(line))

    return run


@pytest.fixture
def why(quiet: Cluster, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[[], str]:
    """What planner-jobs prints, errors included."""
    path = tmp_path / "slurm.json"
    path.write_text(written(SETTINGS))

    def run() -> str:
        capsys.readouterr()
        planner_jobs.main(["--settings", str(path)])
        said = capsys.readouterr()
        return said.out + said.err

    return run


def submit(slurm: Cluster, seconds: int, nodes: int, name: str, *words: str) -> str:
    return slurm.sbatch(
        f"sleep {seconds}", f"--nodes={nodes}", "--time=10", "--account=speech", *WHOLE, *words, name=name
    )


def nodes_of(slurm: Cluster, job: str) -> str:
    return slurm.of_job(job, "NodeList")


def test_a_node_is_swapped_while_jobs_run(quiet: Cluster, do: Callable[..., str]) -> None:
    section = "Swap a node"
    ends = submit(quiet, 20, 1, "ends")
    quiet.is_(ends, "RUNNING")
    node = nodes_of(quiet, ends)
    do(section, 0, node=node)
    assert ends in do(section, 1, node=node)
    assert do(section, 2, node=node).startswith("draining swap: slow in all-reduce")
    others = submit(quiet, 1, 7, "others")
    quiet.is_(others, "COMPLETED")
    quiet.is_(ends, "COMPLETED")
    quiet.wait("drained", lambda: do(section, 2, node=node).startswith("drained"), 30)
    do(section, 5, node=node)  # it was well after all
    wait_until_idle(quiet)


def test_a_job_that_should_not_wait_starts_on_other_nodes(quiet: Cluster, do: Callable[..., str]) -> None:
    section = "Swap a node"
    job = submit(quiet, 60, 1, "moved", "--requeue")
    quiet.is_(job, "RUNNING")
    node = nodes_of(quiet, job)
    do(section, 0, node=node)
    do(section, 3, job=job)
    quiet.wait("another node", lambda: quiet.state(job) == "RUNNING" and nodes_of(quiet, job) != node, 90)
    quiet.run("scancel", job)
    # the one command that nodes which Slurm did not start refuse; AWS PCS starts its own
    assert "power_down_asap" in commands(section)[4]
    do(section, 5, node=node)


def test_a_reservation_keeps_all_nodes_for_an_image(quiet: Cluster, do: Callable[..., str]) -> None:
    section = "Drain for an image"
    do(section, 2)
    assert "Flags=MAINT" in do(section, 3)
    long = submit(quiet, 1, 1, "long", "--time=180")
    short = submit(quiet, 1, 1, "short")
    quiet.is_(short, "COMPLETED")
    assert quiet.state(long) == "PENDING"
    do(section, 4)
    quiet.is_(long, "COMPLETED")
    do(section, 0, node=quiet.names[2])
    assert quiet.names[2] in do(section, 1)
    quiet.run("scontrol", "update", f"nodename={quiet.names[2]}", "state=resume")


def with_people(project: str, *users: str) -> Settings:
    one = Project(name=project, share=2, max_nodes=4, users=users)
    return replace(SETTINGS, projects=(*SETTINGS.projects, one))


def test_a_project_comes_and_its_last_person_leaves_with_jobs_in_the_queue(
    quiet: Cluster, do: Callable[..., str]
) -> None:
    """Submitted by root, whose name is in the project; ana's is beside it."""
    assert command.apply(with_people("maps", "root", "ana")) == 0
    shown = do("Add a project", 0)
    assert "maps||2|node=4" in shown
    assert "maps|ana|parent|" in shown
    works = quiet.sbatch("sleep 25", "--nodes=1", "--time=10", "--account=maps", *WHOLE, name="works")
    quiet.is_(works, "RUNNING")
    waits = quiet.sbatch("true", "--nodes=1", "--time=10", "--account=maps", "--begin=now+1hour", *WHOLE, name="waits")
    left = with_people("maps", "ana")
    assert command.apply(left) == 0
    assert (quiet.state(works), quiet.state(waits)) == ("RUNNING", "CANCELLED")
    more = ("sbatch", "--account=maps", "--time=1", "--wrap=true")
    refused = subprocess.run(more, capture_output=True, text=True, env=quiet.environment, check=False)
    assert "job submit limit" in refused.stderr
    assert works in do("Someone leaves", 0, user="root")
    assert "maps|root|0" in do("Someone leaves", 2, user="root")
    # back again before it is over
    assert command.apply(with_people("maps", "root", "ana")) == 0
    assert "maps|root|0" not in do("Someone leaves", 2, user="root")
    assert command.apply(left) == 0
    quiet.is_(works, "COMPLETED")
    quiet.wait("an empty queue", lambda: not quiet.run("squeue", "--noheader", "--account=maps").strip(), 60)
    assert command.apply(left) == 0
    assert "maps|root" not in do("Someone leaves", 2, user="root")
    # the project goes as a whole; nobody else's account is touched
    assert command.apply(SETTINGS) == 0
    associations = quiet.run("sacctmgr", "-nP", "show", "assoc", "format=Account,User")
    assert "maps|\n" in associations
    assert "maps|ana" not in associations
    assert "speech|root" in associations
    assert command.apply(SETTINGS) == 0
    assert "maps" in quiet.run("sacct", "-XnP", "--accounts=maps", "--format=Account")


def test_who_was_added_by_hand_in_another_account_stays(quiet: Cluster) -> None:
    quiet.run("sacctmgr", "-i", "add", "account", "visitors")
    quiet.run("sacctmgr", "-i", "add", "user", "gast", "Account=visitors")
    assert command.apply(SETTINGS) == 0
    assert "visitors|gast" in quiet.run("sacctmgr", "-nP", "show", "assoc", "format=Account,User")


def test_jobs_outlive_a_controller_that_goes_and_comes_back(
    quiet: Cluster, do: Callable[..., str], why: Callable[[], str]
) -> None:
    section = "The controller is updated"
    assert "Version=" in do(section, 0)
    runs = submit(quiet, 15, 6, "runs")
    quiet.is_(runs, "RUNNING")
    waits = submit(quiet, 1, 8, "waits")
    quiet.end("slurmctld")
    assert "Unable to contact slurm controller" in why()
    quiet.start("slurmctld", "-D")
    quiet.until("the controller", "scontrol", "ping")
    assert "UP" in do(section, 1)
    quiet.is_(runs, "COMPLETED")
    quiet.is_(waits, "COMPLETED")
    wait_until_idle(quiet)


def test_jobs_start_while_the_database_is_away_and_are_accounted_for_after(
    quiet: Cluster, why: Callable[[], str]
) -> None:
    quiet.end("slurmdbd")
    job = submit(quiet, 2, 1, "unseen")
    quiet.is_(job, "COMPLETED")
    said = why()
    assert "Waiting: 0" in said
    assert "sacct" in said
    quiet.start("slurmdbd", "-D")
    quiet.until("the database", "sacctmgr", "-nP", "show", "cluster")
    ask = ("sacct", "-XnP", f"--jobs={job}", "--format=State")
    quiet.wait("its accounting", lambda: quiet.run(*ask).split() == ["COMPLETED"], 90)


def causes() -> dict[str, str]:
    """What the table of the last section says beside what planner-jobs prints."""
    rows = re.findall(r"^\| `([^`|]+)` \| ([^|]+) \|", DOCUMENT.split("## The queue is stuck")[1], re.MULTILINE)
    return {seen: cause.strip() for seen, cause in rows}


def test_each_cause_of_a_stuck_queue_is_named_as_the_table_has_it(quiet: Cluster, why: Callable[[], str]) -> None:
    every = ",".join(quiet.names)
    quiet.run("scontrol", "update", f"nodename={every}", "state=drain", "reason=image")
    job = submit(quiet, 1, 2, "drained")
    quiet.wait("drained", lambda: "its nodes take no jobs" in why(), 60)
    quiet.run("scontrol", "update", f"nodename={every}", "state=resume")
    quiet.is_(job, "COMPLETED")
    quiet.run("scontrol", "update", "partition=normal", "state=down")
    job = submit(quiet, 1, 2, "closed", "--partition=normal")
    quiet.wait("closed", lambda: "its queue is closed" in why(), 60)
    quiet.run("scontrol", "update", "partition=normal", "state=up")
    quiet.is_(job, "COMPLETED")
    full = quiet.sbatch("sleep 60", "--nodes=6", "--time=10", "--account=vision", *WHOLE, name="full")
    quiet.is_(full, "RUNNING")
    quiet.sbatch("true", "--nodes=1", "--time=10", "--account=vision", *WHOLE, name="limit")
    quiet.wait("limit", lambda: "its project has all the nodes that it may have" in why(), 60)
    held = quiet.sbatch("true", "--nodes=1", "--time=10", "--account=speech", "--hold", *WHOLE, name="held")
    assert quiet.reason(held) == "JobHeldUser"
    for words, said in (
        (("--gres=gpu:a100:8", "--account=speech"), "Requested node configuration is not available"),
        (("--account=nobody",), "Invalid account"),
    ):
        wrong = ("sbatch", "--time=5", "--wrap=true", *words)
        done = subprocess.run(wrong, capture_output=True, text=True, env=quiet.environment, check=False)
        assert said in done.stderr
    named = causes()
    for seen in ("its nodes take no jobs", "its queue is closed", "its project has all the nodes that it may have"):
        assert seen in named
    assert all(quiet.run(*shlex.split(line)) for line in commands("The queue is stuck") if "ping" in line)
