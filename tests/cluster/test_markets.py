"""Spot and On-Demand nodes in one queue of a real Slurm: a gang starts next where patient progress sends it."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from fleet_pool.problems import Code
from fleet_pool.slurm import command
from fleet_pool.slurm.markets import RESERVATION
from fleet_pool.slurm.settings import Cluster as Settings

from infra.scheduler import settings_of
from tests.cluster.bucket import Bucket, bucket, launcher
from tests.cluster.cluster import Cluster
from tests.cluster.conftest import SETTINGS, cancel_all, own_cluster, standing
from tests.cluster.specs import MARKETS, two_markets

pytestmark = own_cluster
NODES = 2
SPEC = two_markets(nodes=NODES, markets=replace(MARKETS, nodes=NODES))
SPOT, ON_DEMAND = "p5-48xlarge-[1-2]", "p5-48xlarge-od-[1-2]"
ON_SPOT = tuple(f"p5-48xlarge-{number}" for number in range(1, NODES + 1))
WHOLE = ("--gres=gpu:h100:8", "--account=speech", "--time=120")
WORK = f"{sys.executable} {Path(__file__).with_name('work.py')}"


@pytest.fixture
def slurm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with standing(tmp_path_factory.mktemp("markets"), SPEC) as found:
        yield found


@pytest.fixture
def data() -> Iterator[Bucket]:
    with bucket() as made:
        yield made


class Login:
    """The login node: looks when the test says so, at a time of its own."""

    def __init__(self, folder: Path) -> None:
        self.seen, self.enough, self.now = folder / "seen.json", folder / "enough", datetime.now(UTC)
        own = settings_of(SPEC)
        self.settings: Settings = replace(own, projects=SETTINGS.projects)

    def looks(self, **later: float) -> None:
        """After so much more time, in which nothing changes."""
        self.now = max(self.now + timedelta(**later), datetime.now(UTC))
        assert command.apply(self.settings, now=self.now, seen=self.seen) == 0


@pytest.fixture
def login(slurm: Cluster, data: Bucket, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Login]:
    found = Login(tmp_path)
    at_bucket = _aws(tmp_path, data.endpoint)
    monkeypatch.setenv("PATH", f"{at_bucket}:{os.environ['PATH']}")
    for name, value in {**data.environment(), "ENOUGH": str(found.enough)}.items():
        monkeypatch.setenv(name, value)
        monkeypatch.setitem(slurm.environment, name, value)
    yield found
    cancel_all(slurm)


def _aws(folder: Path, endpoint: str) -> Path:
    """A folder with the CLI that reads the bucket: Debian 12's (2.9) takes no endpoint from the environment."""
    made, own = folder / "bin", shutil.which("aws")
    made.mkdir()
    (made / "aws").write_text(
        f'#!/bin/sh\ncase "$1" in s3*) exec {own} --endpoint-url {endpoint} "$@" ;; esac\nexec {own} "$@"\n'
    )
    (made / "aws").chmod(0o755)
    return made


def starts(slurm: Cluster, name: str) -> list[int]:
    return [int(step) for step in re.findall(r"rank 0 of 2 begins at step (\d+)", slurm.output(name))]


def sent(slurm: Cluster, job: str) -> bool:
    return RESERVATION in slurm.run("squeue", "--noheader", f"--jobs={job}", "--format=%v")


def test_a_gang_waits_goes_on_demand_and_back_to_spot(slurm: Cluster, data: Bucket, login: Login):
    login.looks(minutes=1)
    assert f"ReservationName={RESERVATION}" in slurm.run("scontrol", "show", "reservation")
    gang = slurm.sbatch(f"{launcher(slurm.folder)} -- {WORK} 100000 0.1", "--nodes=2", *WHOLE, name="gang")
    slurm.is_(gang, "RUNNING")
    assert slurm.of_job(gang, "NodeList") == SPOT
    slurm.wait("a commit", lambda: bool(data.commits(f"slurm-{gang}")), 60)
    # one that has no deadline waits for spot, and launches no On-Demand node
    small = slurm.sbatch("sleep 1", "--nodes=1", *WHOLE, name="small")
    login.looks(minutes=2)
    assert slurm.state(small) == "PENDING"
    assert {slurm.states()[f"p5-48xlarge-od-{n}"] for n in (1, 2)} == {"idle~"}

    # AWS's notice of two minutes, which a node passes on; what waits for spot must not start for a moment meanwhile
    slurm.run("scontrol", "hold", small)
    slurm.run("scancel", "--signal=TERM", gang)
    slurm.is_(gang, "PENDING")
    slurm.vanish(*ON_SPOT)
    slurm.run("scontrol", "release", small)
    login.looks(hours=1)
    assert not sent(slurm, gang), "on schedule, it waits for spot"
    login.looks(hours=5)
    assert sent(slurm, gang)
    slurm.is_(gang, "RUNNING")
    assert slurm.of_job(gang, "NodeList") == ON_DEMAND
    assert slurm.state(small) == "PENDING"
    slurm.wait("its start", lambda: len(starts(slurm, "gang")) == 2, 60)

    slurm.run("scancel", small)
    slurm.come_back(*ON_SPOT)
    login.looks(minutes=10)
    assert slurm.of_job(gang, "NodeList") == ON_DEMAND, "capacity has to last before it is trusted"
    login.looks(hours=2)
    assert not sent(slurm, gang)
    slurm.wait("its third start", lambda: len(starts(slurm, "gang")) == 3, 60)
    assert slurm.of_job(gang, "NodeList") == SPOT
    login.looks(minutes=1)
    login.enough.touch()
    slurm.is_(gang, "COMPLETED")
    begins = starts(slurm, "gang")
    told = re.findall(r"rank 0 told to end at step (\d+)", slurm.output("gang"))
    assert begins == [0, *map(int, told)], "it goes on from what it saved when it was told"
    assert len(told) == 2
    assert data.ends_whole(f"slurm-{gang}") > begins[-1]
    slurm.wait("On-Demand nodes go", lambda: slurm.states()["p5-48xlarge-od-1"].startswith("idle~"), 90)


def test_one_that_has_no_time_to_lose_starts_on_demand_and_stays(slurm: Cluster, login: Login):
    late = slurm.sbatch(
        "sleep 600", "--nodes=2", "--comment=work=20d deadline=480.4h", *WHOLE, "--begin=now+8", name="late"
    )
    login.looks(minutes=1)
    assert sent(slurm, late)
    wrong = slurm.sbatch("sleep 600", "--nodes=1", "--comment=work=soon", *WHOLE, "--begin=now+3600", name="wrong")
    assert command.apply(login.settings, seen=login.seen) == Code.AWS, "it is said each minute, and harms nobody else"
    assert not sent(slurm, wrong)
    slurm.run("scancel", wrong)
    slurm.is_(late, "RUNNING")
    assert slurm.of_job(late, "NodeList") == ON_DEMAND
    login.looks(hours=3)
    assert slurm.state(late) == "RUNNING"
