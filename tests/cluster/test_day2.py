"""docs/day-2.md: its procedures on a real Slurm, by the commands that are printed there."""

from __future__ import annotations

import re
import time
from dataclasses import replace
from pathlib import Path

import pytest
from fleet_pool.slurm import accounting, command
from fleet_pool.slurm.settings import Project

from tests.cluster.cluster import Cluster
from tests.cluster.conftest import SETTINGS, needs_slurm
from tests.cluster.page import PAGE, Shell, causes, typed

pytestmark = needs_slurm
NODE = "p5-48xlarge-3"
JOB = ("--gres=gpu:h100:8", "--ntasks-per-node=1", "--time=30")
SPEECH = ("--account=speech", *JOB)
# told to end it saves, and asks for another start
SAVES = """srun bash -c "trap 'echo saved; exit 75' TERM; echo begins; for ((n = 0; n < 600; n++)); do sleep 0.2; done"
"""


@pytest.fixture(scope="module")
def shell(slurm: Cluster) -> Shell:
    return Shell(slurm, SETTINGS)


def state(shell: Shell, shows: str, **values: str) -> list[list[str]]:
    """Rows of name, state, reason."""
    return [row.split(maxsplit=2) for row in shell.run(shows, **values).splitlines()[1:]]


def test_a_job_leaves_a_node_that_is_to_be_swapped(quiet: Cluster, shell: Shell):
    drain, who, save, shows, _ = typed("Swap a node")
    job = quiet.sbatch(SAVES, *SPEECH, "--nodes=2", name="gang")
    quiet.is_(job, "RUNNING")
    quiet.wait("its start", lambda: quiet.output("gang").count("begins") == 2, 30)
    node = quiet.run("scontrol", "show", "hostnames", quiet.of_job(job, "NodeList")).split()[0]
    shell.run(drain, NODE=node)
    assert job in shell.run(who, NODE=node)
    shell.run(save, NODE=node)
    assert state(shell, shows, NODE=node)[0][2] == "swap: slow link"
    quiet.wait("the next start", lambda: quiet.output("gang").count("begins") == 4, 90)
    assert quiet.output("gang").count("saved") == 2
    assert node not in quiet.run("scontrol", "show", "hostnames", quiet.of_job(job, "NodeList")).split()
    quiet.run("scancel", job)
    quiet.run("scontrol", "update", f"NodeName={node}", "State=RESUME")


def test_a_drain_is_taken_back(quiet: Cluster, shell: Shell):
    shell.run(typed("Swap a node")[0], NODE=NODE)
    (back,) = re.findall(r"`(sudo scontrol update NodeName=\$NODE\s+State=RESUME)`\. If", PAGE)
    shell.run(back.replace("\n", " "), NODE=NODE)
    quiet.wait("it is back", lambda: quiet.states()[NODE] == "idle", 30)


def test_add_a_project(quiet: Cluster, shell: Shell):
    shows, would = typed("Add a project")
    assert "Invalid account" in shell.run(would, fails=True)
    robots = Project(name="robots", share=2, max_nodes=4, users=("eva", "root"))
    grown = replace(SETTINGS, projects=(*SETTINGS.projects, robots))
    assert command.apply(grown) == 0
    rows = shell.run(shows.replace("show", "-nP show"), fails=False).split()
    assert rows == ["robots||2|node=4", *(f"robots|{user}|parent|" for user in ("eva", "planner-job", "root"))]
    assert "to start at" in shell.run(would)
    assert accounting.commands(grown, found()) == []
    # the project ends: nobody submits any more, and it leaves with planner-job last
    for _ in range(3):
        assert command.apply(SETTINGS) == 0
    assert shell.run(shows.replace("show", "-nP show")).split() == ["robots||2|node=4"]
    assert "Invalid account" in shell.run(would, fails=True)
    assert command.apply(SETTINGS) == 0
    assert accounting.left(SETTINGS, found()) == []


def found() -> accounting.Known:
    return accounting.known(command.run(*accounting.SHOW_QOS), command.run(*accounting.SHOW_ACCOUNTS))


def test_someone_leaves(quiet: Cluster, shell: Shell):
    """root, whose name is in both projects of the tests: another user of this machine may not read its slurm.conf."""
    _, _, end, shows = typed("Someone leaves")
    shows, who = shows.replace("show", "-nP show"), "root"
    vision, speech = SETTINGS.projects
    runs = quiet.sbatch(SAVES, "--account=vision", *JOB, "--nodes=2", name="runs")
    quiet.is_(runs, "RUNNING")
    waits = quiet.sbatch("sleep 1", "--account=vision", *JOB, "--nodes=6", name="waits")
    left = replace(SETTINGS, projects=(replace(vision, users=("ana",)), speech))
    assert command.apply(left) == 0
    shell.says(waits, "its user is no longer in the plan")
    with pytest.raises(AssertionError, match="Job violates accounting/QOS policy"):
        quiet.sbatch("true", "--account=vision", *JOB, "--nodes=1", name="late")
    other = quiet.sbatch("true", *SPEECH, "--nodes=1", name="other")
    quiet.is_(other, "COMPLETED")  # the other project has them still
    for _ in range(2):
        assert command.apply(left) == 0, "nothing is killed, and nothing is refused by Slurm"
    assert quiet.state(runs) == "RUNNING"
    # named again, what waits goes on
    assert command.apply(SETTINGS) == 0
    quiet.run("scancel", runs)
    quiet.is_(waits, "COMPLETED")
    assert command.apply(left) == 0
    shell.run(end, WHO=who)
    quiet.wait("no job", lambda: not quiet.run("squeue", "--noheader", f"--user={who}"), 60)
    for _ in range(2):
        assert command.apply(left) == 0
    rows = shell.run(shows, WHO=who).split()
    assert f"vision|{who}" not in rows
    assert f"speech|{who}" in rows
    assert command.apply(SETTINGS) == 0


def test_who_is_added_by_hand_stays(quiet: Cluster):
    quiet.run("sacctmgr", "-i", "add", "user", "guest", "Account=speech")
    for _ in range(2):
        assert command.apply(SETTINGS) == 0
    assert ("speech", "guest") in found().users
    quiet.run("sacctmgr", "-i", "delete", "user", "where", "name=guest")


def test_the_controller_is_updated(quiet: Cluster, shell: Shell):
    versions, ping, queue = typed("The controller is updated")
    assert re.fullmatch(r"\s*8 Version=[\d.]+\n", shell.run(versions))
    runs = quiet.sbatch("echo begins; sleep 300", *SPEECH, "--nodes=4", name="lives")
    ends = quiet.sbatch("sleep 8; echo done", *SPEECH, "--nodes=3", name="ends")
    for job in (runs, ends):
        quiet.is_(job, "RUNNING")
    waits = quiet.sbatch("true", *SPEECH, "--nodes=4", name="patient")
    quiet.end("slurmctld")
    assert "DOWN" in shell.run(ping, fails=True)
    assert "the controller does not answer" in shell.run("planner-jobs", fails=True)
    assert causes()["the controller does not answer"] == [ping]
    time.sleep(10)
    assert "done" in quiet.output("ends")
    quiet.start("slurmctld", "-D")
    quiet.until("the controller", "scontrol", "ping")
    shell.run(queue)
    quiet.is_(ends, "COMPLETED")
    quiet.is_(waits, "COMPLETED")
    assert quiet.state(runs) == "RUNNING"
    assert quiet.of_job(runs, "Restarts") == "0"
    assert quiet.output("lives").count("begins") == 1


def test_each_procedure_has_a_test():
    titles = re.findall(r"^## (.*)$", PAGE, flags=re.MULTILINE)
    assert titles == [
        *("The queue is stuck", "Swap a node", "Drain for an image", "Add a project", "Someone leaves"),
        *("The controller is updated", "What is proven"),
    ]
    assert Path(__file__).with_name("test_stuck.py").exists()
