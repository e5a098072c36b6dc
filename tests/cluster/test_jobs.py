"""`planner jobs` on a real Slurm: who waits and why, and accounting in dollars at the plan's rates."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from fleet_pool.slurm import jobs as shown
from fleet_pool.slurm.settings import written

from planner.cli.main import command as planner
from tests.cluster.cluster import Cluster
from tests.cluster.conftest import SETTINGS, needs_slurm
from tests.cluster.specs import USD_PER_NODE_HOUR

pytestmark = needs_slurm
WHOLE = ("--gres=gpu:h100:8", "--ntasks-per-node=1")


@pytest.fixture
def say(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """What `planner jobs` prints."""
    path = tmp_path / "slurm.json"
    path.write_text(written(SETTINGS))

    def run(*words: str) -> str:
        capsys.readouterr()
        assert planner.main(["jobs", "--settings", str(path), *words], standalone_mode=False) == 0
        return capsys.readouterr().out

    return run


def known(slurm: Cluster, job: str, *states: str) -> None:
    """The database hears of a start and of an end a moment later."""
    ask = ("sacct", "-XnP", f"--jobs={job}", "--format=State")
    slurm.wait(f"accounting of {job}", lambda: slurm.run(*ask).split() == list(states), 60)


def test_what_runs_and_what_waits_with_its_reason_and_its_expected_start(quiet: Cluster, say: Callable[..., str]):
    busy = quiet.sbatch("sleep 60", "--account=vision", "--nodes=6", "--time=10", *WHOLE, name="busy")
    quiet.is_(busy, "RUNNING")
    known(quiet, busy, "RUNNING")
    large = quiet.sbatch("sleep 1", "--account=speech", "--nodes=8", "--time=60", *WHOLE, name="large")
    over = quiet.sbatch("sleep 1", "--account=vision", "--nodes=1", "--time=60", *WHOLE, name="over")
    quiet.wait("reasons", lambda: (quiet.reason(large), quiet.reason(over)) == ("Resources", "AssocGrpNodeLimit"), 60)
    quiet.wait("an expected start", lambda: quiet.of_job(large, "StartTime") != "Unknown", 60)
    data = json.loads(say("-f", "json"))
    (running,) = data["running"]
    assert (running["job"], running["project"], running["nodes"]) == (busy, "vision", 6)
    assert running["usd_per_hour"] == pytest.approx(6 * USD_PER_NODE_HOUR)
    waiting = {one["job"]: one for one in data["waiting"]}
    assert waiting[large]["why"] == "waits for nodes"
    assert waiting[large]["expected"].startswith("20")
    assert waiting[over]["why"] == "its project has all the nodes that it may have"
    text = say()
    assert "Running: 1\n" in text
    assert "Waiting: 2\n" in text
    assert "$588.00" in text
    (vision,) = (one for one in data["projects"] if one["name"] == "vision")
    assert (vision["jobs"], vision["waiting"], vision["usd_per_hour"]) == (1, 1, pytest.approx(588))


def test_cost_is_every_start_at_the_plan_s_rate(quiet: Cluster, say: Callable[..., str]):
    one = quiet.sbatch("sleep 4", "--account=speech", "--nodes=3", "--time=10", *WHOLE, name="one")
    part = quiet.sbatch("sleep 4", "--account=vision", "--gres=gpu:h100:2", "--time=10", name="part")
    again = quiet.sbatch("sleep 4", "--account=vision", "--nodes=1", "--time=10", *WHOLE, name="again")
    quiet.is_(again, "RUNNING")
    quiet.run("scontrol", "requeue", again)
    for job in (one, part, again):
        quiet.is_(job, "COMPLETED")
    known(quiet, f"{one},{part},{again}", *["COMPLETED"] * 3)
    rows = [row for row in csv.DictReader(io.StringIO(say("--cost"))) if row["job"] in (one, part, again)]
    assert sorted(row["job"] for row in rows) == sorted([one, part, again, again]), "both starts cost"
    raw = quiet.run(
        "sacct", "-DXnP", f"--jobs={one},{part},{again}", "--format=JobID,ElapsedRaw,State", "--starttime=2020-01-01"
    )
    nodes = {one: 3.0, part: 0.25, again: 1.0}
    expected = sorted(
        (job, f"{nodes[job] * int(seconds) / 3600 * USD_PER_NODE_HOUR:.2f}")
        for job, seconds, _ in (line.split("|") for line in raw.splitlines())
    )
    assert sorted((row["job"], row["usd"]) for row in rows) == expected
    assert sum(float(row["usd"]) for row in rows) > 0.3
    spent = {one["name"]: one for one in json.loads(say("-f", "json"))["projects"]}
    of_speech = [row for row in csv.DictReader(io.StringIO(say("--cost"))) if row["project"] == "speech"]
    assert spent["speech"]["usd"] == pytest.approx(
        sum(float(row["usd"]) for row in of_speech), abs=0.01 * len(of_speech)
    )


def test_a_job_without_a_price_has_no_dollars(quiet: Cluster, capsys: pytest.CaptureFixture[str], tmp_path: Path):
    job = quiet.sbatch("sleep 30", "--account=speech", "--nodes=1", "--time=10", *WHOLE, name="free")
    quiet.is_(job, "RUNNING")
    known(quiet, job, "RUNNING")
    path = tmp_path / "slurm.json"
    path.write_text(written(replace(SETTINGS, usd_per_node_hour={})))
    assert shown.main(["--settings", str(path)]) == 0
    assert "no price" in capsys.readouterr().out


def test_a_wrong_day_is_refused(say: Callable[..., str], capsys: pytest.CaptureFixture[str], tmp_path: Path):
    path = tmp_path / "other.json"
    path.write_text(written(SETTINGS))
    assert shown.main(["--settings", str(path), "--since", "1 May"]) == 2
    assert "write a day like 2026-11-01" in capsys.readouterr().err
