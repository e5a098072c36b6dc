"""docs/day-2.md: its procedures on a real Slurm, by the commands that are printed there."""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from fleet_pool.slurm import accounting, command
from fleet_pool.slurm.settings import Project

from tests.cluster.cluster import Cluster
from tests.cluster.conftest import SETTINGS, own_cluster, standing
from tests.cluster.page import PAGE, Shell, causes, typed
from tests.cluster.specs import slurm_spec

pytestmark = own_cluster
NODE = "p5-48xlarge-3"
JOB = ("--gres=gpu:h100:8", "--ntasks-per-node=1", "--time=30")
SPEECH = ("--account=speech", *JOB)
# told to end it saves, and asks for another start
SAVES = """srun bash -c "trap 'echo saved; exit 75' TERM; echo begins; for ((n = 0; n < 600; n++)); do sleep 0.2; done"
"""


@pytest.fixture(scope="module")
def slurm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with standing(tmp_path_factory.mktemp("day2"), slurm_spec(), new=":") as found:
        yield found


@pytest.fixture(scope="module")
def shell(slurm: Cluster) -> Shell:
    return Shell(slurm, SETTINGS)


def state(shell: Shell, shows: str, **values: str) -> list[list[str]]:
    """Rows of name, state, reason."""
    rows = [row.split(maxsplit=2) for row in shell.run(shows, fails=False, **values).splitlines()[1:]]
    return [row for row in rows if row[0] == values.get("NODE", row[0])]


def gone(shell: Shell, shows: str, **values: str) -> bool:
    """Slurm shows a node without an instance with ~, or not at all (PrivateData=cloud)."""
    return all(row[1].endswith("~") for row in state(shell, shows, **values))


def test_swap_a_node(quiet: Cluster, shell: Shell):
    drain, who, save, shows, down = typed("Swap a node")
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
    shell.run(down, NODE=node)
    quiet.wait("it is gone", lambda: gone(shell, shows, NODE=node), 60)
    quiet.run("scontrol", "update", f"NodeName={node}", "State=POWER_UP")  # AWS PCS keeps the size of its groups
    quiet.wait("another", lambda: state(shell, shows, NODE=node) == [[node, "idle", "none"]], 90)
    assert (quiet.folder / "launched").read_text().split() == [node]
    after = quiet.sbatch("hostname", *SPEECH, "--nodes=1", f"--nodelist={node}", name="after")
    quiet.is_(after, "COMPLETED")


def test_a_drain_is_taken_back(quiet: Cluster, shell: Shell):
    shell.run(typed("Swap a node")[0], NODE=NODE)
    (back,) = re.findall(r"`(sudo scontrol update NodeName=\$NODE\s+State=RESUME)`\. If", PAGE)
    shell.run(back.replace("\n", " "), NODE=NODE)
    quiet.wait("it is back", lambda: quiet.states()[NODE] == "idle", 30)


def test_drain_for_an_image(quiet: Cluster, shell: Shell):
    down, shows = typed("Drain for an image")
    busy, free = "p5-48xlarge-5", "p5-48xlarge-6"
    go_on = quiet.folder / "go-on"
    job = quiet.sbatch(
        f"until [ -e {go_on} ]; do sleep 0.2; done", *SPEECH, "--nodes=1", f"--nodelist={busy}", name="goes-on"
    )
    quiet.is_(job, "RUNNING")
    nodes = "p5-48xlarge-[5-6]"
    shell.run(down, NODES=nodes)
    assert dict(row[:2] for row in state(shell, shows, NODES=nodes))[busy].startswith("drain")
    go_on.touch()
    quiet.is_(job, "COMPLETED")
    quiet.wait("both are gone", lambda: gone(shell, shows, NODES=nodes), 60)
    assert quiet.of_job(job, "Restarts") == "0"
    quiet.run("scontrol", "update", f"NodeName={nodes}", "State=POWER_UP")
    quiet.wait("others", lambda: {row[1] for row in state(shell, shows, NODES=nodes)} == {"idle"}, 90)
    assert {busy, free} <= set((quiet.folder / "launched").read_text().split())


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


@pytest.fixture
def ben(slurm: Cluster) -> Iterator[str]:
    """A user who may read the cluster's files. pytest's own folders, of which its workers have one more, let nobody."""
    shut = {folder: folder.stat().st_mode for folder in (slurm.folder, *slurm.folder.parents)}
    shut = {folder: mode for folder, mode in shut.items() if not mode & 0o001}
    name = f"planner-t-{os.getpid()}"
    subprocess.run(["useradd", "--no-create-home", name], check=True)
    try:
        for folder, mode in shut.items():
            folder.chmod(mode | 0o011)
        yield name
    finally:
        for folder, mode in shut.items():
            folder.chmod(mode)
        subprocess.run(["userdel", name], check=True)


def test_someone_leaves(ben: str, quiet: Cluster, shell: Shell):
    look, save, end, shows = typed("Someone leaves")
    shows = shows.replace("show", "-nP show")
    vision, speech = SETTINGS.projects
    both = replace(
        SETTINGS, projects=(replace(vision, users=(*vision.users, ben)), replace(speech, users=("root", ben)))
    )
    assert command.apply(both) == 0
    assert accounting.known("", "", users=command.run(*accounting.SHOW_USERS)).defaults[ben] == "vision"
    mine = ("--account=vision", f"--uid={ben}", "--chdir=/tmp", "--output=/dev/null", *JOB)
    runs = quiet.sbatch(SAVES, *mine, "--nodes=2", name="runs")
    quiet.is_(runs, "RUNNING")
    waits = quiet.sbatch("sleep 1", *mine, "--nodes=6", name="waits")
    left = replace(both, projects=(vision, both.projects[1]))
    assert command.apply(left) == 0
    shell.says(waits, "its user is no longer in the plan")
    with pytest.raises(AssertionError, match="Job violates accounting/QOS policy"):
        quiet.sbatch("true", *mine, "--nodes=1", name="late")
    other = quiet.sbatch("true", *mine, "--account=speech", "--nodes=1", name="other")
    quiet.is_(other, "COMPLETED")  # the other project has them still
    for _ in range(2):
        assert command.apply(left) == 0, "nothing is killed, and nothing is refused by Slurm"
    assert quiet.state(runs) == "RUNNING"
    said = shell.run(look, WHO=ben)
    assert re.search(rf"^{runs} vision RUNNING", said, flags=re.MULTILINE)
    assert re.search(rf"^{waits} vision PENDING", said, flags=re.MULTILINE)
    # what runs is let save: it waits then
    shell.run(save, WHO=ben)
    quiet.wait("it waits", lambda: quiet.state(runs) == "PENDING", 60)
    assert quiet.of_job(runs, "Restarts") == "1"
    shell.says(runs, "its user is no longer in the plan")
    # named again, all of it goes on
    assert command.apply(both) == 0
    quiet.is_(runs, "RUNNING")
    assert command.apply(left) == 0
    shell.run(end, WHO=ben)
    quiet.wait("no job", lambda: not quiet.run("squeue", "--noheader", f"--user={ben}"), 60)
    assert command.apply(left) == 0
    assert shell.run(shows, WHO=ben).split() == [f"speech|{ben}"]
    assert accounting.known("", "", users=command.run(*accounting.SHOW_USERS)).defaults[ben] == "speech"
    assert int(shell.run(f"sacct --noheader --allusers -X --user={ben} --account=vision | wc -l")) == 2
    for _ in range(2):
        assert command.apply(SETTINGS) == 0
    assert shell.run(shows, WHO=ben) == ""


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
    ends = quiet.sbatch("sleep 6; echo done", *SPEECH, "--nodes=3", name="ends")
    for job in (runs, ends):
        quiet.is_(job, "RUNNING")
    waits = quiet.sbatch("true", *SPEECH, "--nodes=4", name="patient")
    quiet.end("slurmctld")
    assert "DOWN" in shell.run(ping, fails=True)
    assert "the controller does not answer" in shell.run("planner-jobs", fails=True)
    assert causes()["the controller does not answer"] == [ping]
    end = time.monotonic() + 30
    while "done" not in quiet.output("ends"):
        assert time.monotonic() < end
        time.sleep(0.2)
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
