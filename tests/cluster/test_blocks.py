"""The life of two Capacity Blocks on a real Slurm: jobs wait for a start, save before an end, and go on elsewhere."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from fleet_pool.slurm import command
from fleet_pool.slurm.blocks import PREFIX, SHOW_RESERVATIONS, reservations, stamp
from fleet_pool.slurm.settings import BEFORE_END, LAST_CALL
from fleet_pool.slurm.settings import Block as Ends
from fleet_pool.slurm.settings import Cluster as Settings

from planner.stack.spec import Block
from tests.cluster.bucket import Bucket, bucket, launcher
from tests.cluster.cluster import Cluster
from tests.cluster.conftest import SETTINGS, cancel_all, own_cluster, standing, wait_until_idle
from tests.cluster.specs import slurm_spec

pytestmark = own_cluster
FIRST, SECOND = "p5-48xlarge", "p5-48xlarge-b2"
NOT_FIRST = f"--exclude={FIRST}-[1-4]"
NOT_SECOND = f"--exclude={SECOND}-[1-4]"
WHOLE = ("--gres=gpu:h100:8", "--account=speech")
WORK = f"{sys.executable} {Path(__file__).with_name('work.py')}"


def settings(ends: datetime | None) -> Settings:
    """The first block ends then, the second much later."""
    later = datetime.now(UTC) + timedelta(days=5)
    return replace(SETTINGS, blocks=(Ends(group=FIRST, ends=ends), Ends(group=SECOND, ends=later.replace(second=0))))


@pytest.fixture(scope="module")
def slurm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    further = (Block(nodes=4, reservation_id="cr-0bbb2222cccc3333d", ends="2026-12-20T11:30:00Z"),)
    spec = slurm_spec(buying="capacity-block", further=further)
    with standing(tmp_path_factory.mktemp("blocks"), spec) as found:
        yield found


@pytest.fixture
def quiet(slurm: Cluster) -> Iterator[Cluster]:
    yield slurm
    cancel_all(slurm)
    for name in re.findall(r"ReservationName=(\S+)", command.run(*SHOW_RESERVATIONS)):
        slurm.run("scontrol", "delete", f"reservation={name}")
    wait_until_idle(slurm)


def now() -> datetime:
    return datetime.now(UTC).replace(microsecond=0)


def test_a_job_that_would_pass_the_end_is_not_started_and_one_that_can_be_short_gets_what_is_left(quiet: Cluster):
    ends = now() + timedelta(minutes=60)
    assert command.apply(settings(ends)) == 0
    assert reservations(command.run(*SHOW_RESERVATIONS))[f"{PREFIX}{FIRST}"] == stamp(ends - BEFORE_END)
    long = quiet.sbatch("sleep 60", "--nodes=2", "--time=30", NOT_SECOND, *WHOLE, name="long")
    short = quiet.sbatch("sleep 60", "--nodes=2", "--time=10", NOT_SECOND, *WHOLE, name="short")
    able = quiet.sbatch("sleep 60", "--nodes=2", "--time=30", "--time-min=5", NOT_SECOND, *WHOLE, name="able")
    free = quiet.sbatch("sleep 60", "--nodes=2", "--time=30", *WHOLE, name="free")
    for job in (short, able, free):
        quiet.is_(job, "RUNNING")
    hours, minutes, _ = map(int, quiet.of_job(able, "TimeLimit").split(":"))
    assert 5 <= 60 * hours + minutes <= 15
    assert quiet.of_job(free, "NodeList").startswith(SECOND)
    assert quiet.state(long) == "PENDING"
    quiet.wait("the reason", lambda: quiet.reason(long).startswith("ReqNodeNotAvail"), 30)
    # a longer block: the reservation moves, and the job starts
    for job in (short, able):
        quiet.run("scancel", job)
    assert command.apply(settings(ends + timedelta(hours=24))) == 0
    assert reservations(command.run(*SHOW_RESERVATIONS))[f"{PREFIX}{FIRST}"] == stamp(
        ends + timedelta(hours=24) - BEFORE_END
    )
    quiet.is_(long, "RUNNING")


def test_jobs_wait_in_the_queue_until_the_block_begins(quiet: Cluster):
    """AWS PCS itself keeps the nodes of a scheduled block in a maintenance reservation; here it is made by hand."""
    waits = ("starttime=now", "duration=1-0", "user=root", "flags=maint", f"nodes={FIRST}-[1-4]")
    quiet.run("scontrol", "create", f"reservation={FIRST}-scheduled", *waits)
    assert command.apply(settings(now() + timedelta(days=2))) == 0, "ours may overlap it"
    early = quiet.sbatch("sleep 2", "--nodes=4", "--time=10", NOT_SECOND, *WHOLE, name="early")
    quiet.wait("the reason", lambda: quiet.reason(early).startswith("ReqNodeNotAvail"), 30)
    quiet.wait("the nodes' state", lambda: quiet.states()[f"{FIRST}-1"].startswith("maint"), 30)
    counted = replace(settings(None), usd_per_node_hour={FIRST: 1.0, SECOND: 1.0})
    assert command.nodes_out(counted, command.run(*command.SHOW_STATES)) == 0, "who waits for a block is not out"
    quiet.run("scontrol", "delete", f"reservation={FIRST}-scheduled")
    quiet.is_(early, "RUNNING", "COMPLETED")


def test_a_gang_that_asks_for_one_block_gets_no_nodes_of_two(quiet: Cluster):
    for number, group in enumerate((FIRST, SECOND)):
        quiet.is_(
            quiet.sbatch("sleep 300", "--nodes=1", "--time=10", f"--nodelist={group}-1", *WHOLE, name=f"holds{number}"),
            "RUNNING",
        )
    one = "--constraint=[block-1|block-2]"
    three = quiet.sbatch("sleep 300", "--nodes=3", "--time=10", one, *WHOLE, name="three")
    four = quiet.sbatch("sleep 1", "--nodes=4", "--time=10", one, *WHOLE, name="four")
    quiet.is_(three, "RUNNING")
    assert quiet.of_job(three, "NodeList") in (f"{FIRST}-[2-4]", f"{SECOND}-[2-4]")
    quiet.run("scancel", three)
    free = ("idle", "planned")
    quiet.wait("six free", lambda: sum(state in free for state in quiet.states().values()) == 6, 30)
    assert quiet.state(four) == "PENDING", "four nodes are free in no block, though six are free"
    quiet.run("scancel", "--name=holds1")
    quiet.is_(four, "RUNNING", "COMPLETED")
    assert quiet.of_job(four, "NodeList") in (f"{FIRST}-[1-4]", f"{SECOND}-[1-4]")


@pytest.fixture(scope="module")
def data() -> Iterator[Bucket]:
    with bucket() as made:
        yield made


def test_before_the_end_jobs_save_are_requeued_and_go_on_in_the_next_block(
    quiet: Cluster, data: Bucket, monkeypatch: pytest.MonkeyPatch
):
    enough = quiet.folder / "enough"
    for name, value in {**data.environment(), "ENOUGH": str(enough)}.items():
        monkeypatch.setitem(quiet.environment, name, value)
    work = f"{launcher(quiet.folder)} -- {WORK} 100000 0.1"
    saves = quiet.sbatch(work, "--nodes=2", "--time=120", *WHOLE, name="saves")
    deaf = quiet.sbatch(
        "trap '' TERM; echo begins; while true; do sleep 0.5; done", "--nodes=2", "--time=120", *WHOLE, name="deaf"
    )
    for job in (saves, deaf):
        quiet.is_(job, "RUNNING")
        assert quiet.of_job(job, "NodeList").startswith(f"{FIRST}-[")
    quiet.wait("a commit", lambda: bool(data.commits(f"slurm-{saves}")), 60)
    ends = now() + BEFORE_END + timedelta(seconds=10)
    for before in (timedelta(minutes=2), timedelta(minutes=1)):  # nothing changes while there is time
        assert command.apply(settings(ends), now=ends - BEFORE_END - before) == 0
    assert [quiet.state(job) for job in (saves, deaf)] == ["RUNNING", "RUNNING"]
    assert command.apply(settings(ends), now=ends - BEFORE_END) == 0
    quiet.wait("the next start", lambda: quiet.output("saves").count("rank 0 of 2 begins") == 2, 90)
    out = quiet.output("saves")
    begins = [int(step) for step in re.findall(r"rank 0 of 2 begins at step (\d+)", out)]
    (told,) = re.findall(r"rank 0 told to end at step (\d+)", out)
    assert begins == [0, int(told)]
    assert quiet.of_job(saves, "NodeList").startswith(SECOND)
    assert quiet.state(deaf) == "RUNNING", "it was told, and does not listen"
    assert command.apply(settings(ends), now=ends - LAST_CALL) == 0
    quiet.wait("the next start of the other", lambda: quiet.output("deaf").count("begins") == 2, 90)
    assert quiet.of_job(deaf, "NodeList").startswith(SECOND)
    # nothing more starts on the block
    late = quiet.sbatch("sleep 1", "--nodes=1", "--time=1", NOT_SECOND, *WHOLE, name="late")
    quiet.wait("the reason", lambda: quiet.reason(late).startswith("ReqNodeNotAvail"), 30)
    enough.touch()
    quiet.is_(saves, "COMPLETED")
    assert data.ends_whole(f"slurm-{saves}") > int(told)
