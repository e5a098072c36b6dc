"""The job of a canary on a real Slurm: sent once, seen in accounting, given up after three that failed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from fleet_pool.slurm import canary, command

from tests.cluster.cluster import Cluster
from tests.cluster.conftest import SETTINGS, needs_slurm, wait_until_idle

pytestmark = needs_slurm


@pytest.fixture
def out(slurm: Cluster) -> Iterator[Cluster]:
    """No node takes jobs."""
    names = ",".join(slurm.names)
    slurm.run("scontrol", "update", f"nodename={names}", "state=drain", "reason=trial")
    yield slurm
    slurm.run("scontrol", "update", f"nodename={names}", "state=resume")
    wait_until_idle(slurm)


def jobs(slurm: Cluster, name: str) -> list[str]:
    return slurm.run(*canary.show(name)).split("\n")[:-1]


def test_one_job_is_sent_and_its_end_is_the_answer(slurm: Cluster, capsys: pytest.CaptureFixture[str]):
    wanted = replace(SETTINGS, canary="planner-canary-ami-good-1")
    assert command.apply(wanted) == 0
    slurm.wait("the canary's job", lambda: jobs(slurm, wanted.canary) == ["COMPLETED"])
    capsys.readouterr()
    for _ in range(2):
        assert command.apply(wanted) == 0
    assert jobs(slurm, wanted.canary) == ["COMPLETED"]
    assert "canary: the node is ready" in capsys.readouterr().out


def test_three_that_fail_are_all(out: Cluster, capsys: pytest.CaptureFixture[str]):
    wanted = replace(SETTINGS, canary="planner-canary-ami-bad-1")
    for count in range(1, 4):
        for _ in range(2):  # a job that waits is not sent again
            assert command.apply(wanted) == 0
            out.wait("accounting", lambda count=count: len(jobs(out, wanted.canary)) == count)
        assert jobs(out, wanted.canary)[-1] == "PENDING"
        out.run("scancel", f"--name={wanted.canary}")
        out.wait("the end", lambda count=count: not any("PENDING" in one for one in jobs(out, wanted.canary)))
    capsys.readouterr()
    assert command.apply(wanted) == 0
    assert len(jobs(out, wanted.canary)) == 3
    assert "given up after 3 failed starts, at most $" in capsys.readouterr().out


def test_a_job_that_no_node_takes_in_time_is_given_up_by_slurm(out: Cluster):
    name = "planner-canary-ami-late-1"
    words = ["--deadline=now+65seconds" if word.startswith("--deadline") else word for word in canary._job(name)]
    out.run(*[word.replace("--time=5", "--time=1") for word in words])
    out.wait("its deadline", lambda: jobs(out, name) == ["DEADLINE"], 150)
