"""What the login node reads, says and changes, without a Slurm."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import NamedTemporaryFile

import pytest
from fleet_pool.problems import UsageProblem
from fleet_pool.slurm import blocks, canary, command, jobs, waiting
from fleet_pool.slurm.settings import BEFORE_END, LAST_CALL, Block, Cluster, Project, read, written

ENDS = datetime(2026, 12, 1, 11, 30, tzinfo=UTC)
CLUSTER = Cluster(
    projects=(Project(name="vision", share=3, max_nodes=6, users=("ana",)),),
    blocks=(Block(group="p5-48xlarge", ends=ENDS), Block(group="p5-48xlarge-b2", ends=None)),
    usd_per_node_hour={"p5-48xlarge": 90.0, "p5-48xlarge-b2": 40.0},
    gpus_per_node=8,
)
NAME = "planner-end-p5-48xlarge"
STANDS = {NAME: blocks.stamp(ENDS - BEFORE_END)}


def test_what_the_stack_writes_the_login_node_reads(tmp_path: Path):
    path = tmp_path / "slurm.json"
    path.write_text(written(CLUSTER))
    assert read(path) == CLUSTER


def test_a_canary_has_three_jobs_one_after_another_and_one_that_ran_is_enough():
    name, failed = "planner-canary-ami-1", ["NODE_FAIL", "DEADLINE", "CANCELLED by 0"]
    for count in range(3):
        words = canary.told(name, failed[:count], 20.0).words
        assert (words[0], f"--job-name={name}" in words, "--no-requeue" in words) == ("sbatch", True, True)
        assert canary.told(name, [*failed[:count], "PENDING"], 20.0).words == ()
        ran = canary.told(name, [*failed[:count], "COMPLETED"], 20.0)
        assert (ran.words, "ready" in ran.says) == ((), True)
    over = canary.told(name, failed, 20.0)
    assert (over.words, "given up after 3 failed starts, at most $60" in over.says) == ((), True)
    assert read_again(replace(CLUSTER, canary=name)).canary == name


def read_again(cluster: Cluster) -> Cluster:
    with NamedTemporaryFile("w+") as file:
        file.write(written(cluster))
        file.flush()
        return read(file.name)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"projects": [{}], "blocks": []}'])
def test_a_file_that_is_no_settings_is_refused(text: str, tmp_path: Path):
    path = tmp_path / "slurm.json"
    path.write_text(text)
    with pytest.raises(UsageProblem, match="no settings file"):
        read(path)


def seen(**changes: object) -> blocks.Seen:
    found = blocks.Seen(
        nodes={"p5-48xlarge": ("p5-48xlarge-1", "p5-48xlarge-2")}, jobs={"p5-48xlarge": ("7", "8")}, reservations=STANDS
    )
    return replace(found, **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("before_end", "expected"),
    [
        (timedelta(days=2), []),
        (BEFORE_END + timedelta(seconds=1), []),
        (BEFORE_END, [("scancel", "--signal=TERM", "7"), ("scancel", "--signal=TERM", "8")]),
        (LAST_CALL, [("scontrol", "requeue", "7"), ("scontrol", "requeue", "8")]),
    ],
)
def test_jobs_are_told_in_time(before_end: timedelta, expected: list[tuple[str, ...]]):
    assert blocks.commands(CLUSTER.blocks, seen(), ENDS - before_end) == expected


def test_the_reservation_is_made_once_moves_with_an_extension_and_stays_once_it_has_begun():
    early = ENDS - timedelta(hours=5)
    (made,) = blocks.commands(CLUSTER.blocks, seen(reservations={}), early)
    assert made[:3] == ("scontrol", "create", f"reservation={NAME}")
    assert f"starttime={blocks.stamp(ENDS - BEFORE_END)}" in made
    longer = (Block(group="p5-48xlarge", ends=ENDS + timedelta(days=1)),)
    gone, moved = blocks.commands(longer, seen(), early)
    assert gone == ("scontrol", "delete", f"reservation={NAME}")
    assert f"starttime={blocks.stamp(ENDS + timedelta(days=1) - BEFORE_END)}" in moved
    late = blocks.commands(CLUSTER.blocks, seen(reservations={}, jobs={}), ENDS - LAST_CALL)
    assert "starttime=now" in late[0]
    assert blocks.commands(CLUSTER.blocks, seen(nodes={}), ENDS) == [], "its nodes are gone"


def test_nodes_of_a_group_are_not_those_of_another_block():
    names = ("p5-48xlarge-1", "p5-48xlarge-12", "p5-48xlarge-b2-1", "login-1")
    assert blocks.nodes_of("p5-48xlarge", names) == ("p5-48xlarge-1", "p5-48xlarge-12")
    assert blocks.nodes_of("p5-48xlarge-b2", names) == ("p5-48xlarge-b2-1",)


@pytest.mark.parametrize(
    ("state", "out"),
    [
        *(("idle", 0), ("allocated", 0), ("mixed", 0), ("reserved", 0), ("maint", 0)),
        *(("drained", 1), ("draining", 1), ("down*", 1), ("idle*", 1), ("idle~", 1), ("mixed#", 1), ("fail", 1)),
    ],
)
def test_which_nodes_take_no_jobs(state: str, out: int):
    assert command.nodes_out(CLUSTER, f"p5-48xlarge-1|{state}\nlogin-1|down\np5-48xlarge-b2-1|idle\n") == out


def row(nodes: str, tres: str, seconds: int = 7200, state: str = "COMPLETED") -> str:
    return f"5|a|vision|ana|normal|{state}|2026-12-01T08:00:00|{seconds}|{tres}|{nodes}"


@pytest.mark.parametrize(
    ("nodes", "tres", "usd"),
    [
        ("p5-48xlarge-[1-4]", "cpu=1,gres/gpu=32,node=4", 4 * 2 * 90.0),
        ("p5-48xlarge-b2-3", "gres/gpu=2,node=1", 0.25 * 2 * 40.0),
        ("p5-48xlarge-7", "cpu=4,node=1", 2 * 90.0),
        ("p5-48xlarge-b2-[1-2],p5-48xlarge-b2-5", "gres/gpu=24,node=3", 3 * 2 * 40.0),
        ("other-1", "gres/gpu=8,node=1", None),
    ],
)
def test_a_job_costs_the_rate_of_its_nodes(nodes: str, tres: str, usd: float | None):
    (found,) = jobs.ran(row(nodes, tres), CLUSTER)
    assert found.usd == (None if usd is None else pytest.approx(usd))


def test_a_sum_with_a_part_that_has_no_price_has_none():
    text = "\n".join((row("p5-48xlarge-1", "gres/gpu=8,node=1"), row("other-1", "gres/gpu=8,node=1")))
    (project,) = jobs.by_project(jobs.ran(text, CLUSTER), ())
    assert project.usd is None
    assert project.gpu_hours == pytest.approx(32)


def test_a_job_that_never_had_nodes_costs_nothing_and_reasons_are_in_words():
    assert jobs.ran("6|b|vision|ana|normal|CANCELLED by 0|Unknown|0||None assigned", CLUSTER) == []
    assert waiting.in_words("ReqNodeNotAvail, May be reserved for other job") == waiting.BEFORE_BLOCK_OR_BEYOND
    assert waiting.in_words("Licenses") == "Licenses"
    (found,) = waiting.waiting("9|vision|ana|low|2|Priority|N/A|a|b")
    assert (found.why, found.expected, found.name) == ("jobs of a higher priority come first", "", "a|b")
