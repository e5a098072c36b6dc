"""Where a gang starts next, without a Slurm: the login node decides as the rule that is replayed, tick for tick."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from fleet_pool.problems import UsageProblem
from fleet_pool.slurm import command, markets
from fleet_pool.slurm.markets import EVERY_S, RESERVATION, Gang, Looked, Start
from fleet_pool.slurm.patient import Task
from fleet_pool.slurm.settings import Cluster, Markets, Project

from planner.spot.job import Job
from planner.spot.patient import PatientProgress
from planner.spot.replay import View, Wish, replay, task_of
from planner.spot.trace import Flags

MARKETS = Markets(
    spot="p5-48xlarge",
    on_demand="p5-48xlarge-od",
    nodes=4,
    work_hours=240,
    deadline_hours=360,
    changeover_hours=0.25,
)
CLUSTER = Cluster(
    projects=(
        Project(name="vision", share=1, max_nodes=0, users=()),
        Project(name="a", share=1, max_nodes=0, users=()),
    ),
    blocks=(),
    usd_per_node_hour={"p5-48xlarge": 40.0, "p5-48xlarge-od": 98.0},
    gpus_per_node=8,
    markets=MARKETS,
    as_jobs_need=("p5-48xlarge-od",),
)


class LoginNode:
    """The login node's decisions for each job, as a rule that is replayed."""

    name = "login node"

    def begin(self, job: Job, available: Flags) -> Callable[[View], Wish]:
        seen: dict[int, Looked] = {}
        task = task_of(job)

        def rule(view: View) -> Wish:
            spot, on_demand = np.zeros_like(view.available), np.zeros_like(view.available)
            for one in range(available.shape[1]):
                sees = bool(view.available[one])
                seen[one] = markets.look(seen.get(one), sees, float(view.elapsed))
                on = "spot" if view.on_spot[one] else "on-demand" if view.on_demand[one] else ""
                wish = markets.decide(
                    task,
                    on,
                    seen[one],
                    float(view.progress[one]),
                    float(view.elapsed),
                    works=bool(view.warming[one] == 0),
                )
                spot[one], on_demand[one] = wish
            return spot, on_demand

        return rule


@pytest.mark.parametrize(("work", "deadline", "changeover"), [(8, 12, 0.2), (8, 9, 0.1), (12, 30, 0.4)])
@pytest.mark.parametrize("mean_h", [0.2, 1.0, 4.0])
def test_the_login_node_decides_as_simulate_does(work: float, deadline: float, changeover: float, mean_h: float):
    job = Job.of_hours(EVERY_S, work=work, deadline=deadline, changeover=changeover, price_ratio=2.5)
    rng = np.random.default_rng(7)
    flips = rng.random((job.ticks, 6)) < EVERY_S / 3600 / mean_h
    up = (np.cumsum(flips, axis=0) + np.arange(6)) % 2 == 0
    one, other = replay(up, job, PatientProgress()), replay(up, job, LoginNode())
    for name in ("spot_ticks", "on_demand_ticks", "starts", "end"):
        assert getattr(one, name).tolist() == getattr(other, name).tolist(), name
    assert one.on_demand_ticks.any()
    assert one.spot_ticks.any()


def line(**changes: str) -> str:
    row = {
        "job": "7",
        "state": "PENDING",
        "nodes": "4",
        "reservation": "(null)",
        "on": "",
        "comment": "(null)",
        **changes,
    }
    return "|".join(row.values())


def test_the_gang_of_the_plan_and_those_that_state_a_deadline():
    found = markets.gang_of(line(), MARKETS)
    assert found == Gang(
        job="7",
        nodes=4,
        on="",
        sent=False,
        task=Task(work=240 * 3600, deadline=360 * 3600, changeover=900),
        run="slurm-7",
    )
    own = markets.gang_of(line(nodes="2", comment="work=20h deadline=2d checkpoints=mine|x"), MARKETS)
    assert own is not None
    assert (own.task.work, own.task.deadline, own.run) == (72_000, 172_800, "mine|x")
    assert markets.gang_of(line(nodes="2"), MARKETS) is None
    assert markets.gang_of(line(job="7_[1-3]"), MARKETS) is None, "an array is no gang"
    assert markets.gang_of(line(reservation="planner-end-x"), MARKETS) is None, "somebody else has decided"
    there = markets.gang_of(line(state="RUNNING", on="p5-48xlarge-od-[1-4]", reservation=RESERVATION), MARKETS)
    assert there is not None
    assert (there.on, there.sent) == ("on-demand", True)
    spot = markets.gang_of(line(state="RUNNING", on="p5-48xlarge-[1-4]"), MARKETS)
    assert spot is not None
    assert spot.on == "spot"


@pytest.mark.parametrize("comment", ["work=20d", "work=20 deadline=30d", "work=a deadline=b", "deadline=1d"])
def test_a_comment_that_says_it_wrongly_is_an_error_of_that_job(comment: str):
    with pytest.raises(UsageProblem, match=r"job 7: comment .* write --comment="):
        markets.gang_of(line(comment=comment), MARKETS)


def test_work_counts_until_the_newest_commit_of_each_start():
    """10,000 s with a COMMIT after 9,000; 5,000 s without one; 2,000 s so far. Each start costs 900 s."""
    text = (
        "2026-12-01T00:00:00|2026-12-01T00:00:00|2026-12-01T02:46:40\n"
        "2026-12-01T02:46:40|2026-12-01T03:00:00|2026-12-01T04:23:20\n"
        "2026-12-01T04:23:20|2026-12-01T05:00:00|Unknown\n"
    )
    submitted, found = markets.starts(text)
    assert [start.begins - submitted for start in found] == [0, 10_800, 18_000]
    now = found[-1].begins + 2000
    assert markets.progress(found, [submitted + 9000, submitted + 4000], 900, now) == 8100 + 0 + 1100
    assert markets.progress(found[:1], [], 900, now) == 0, "what was never saved is lost"
    assert markets.progress([Start(begins=0, ends=100)], [104], 0, 200) == 100, "S3 dates it when it is whole"


@pytest.mark.parametrize(
    ("on", "sent", "on_demand", "expected"),
    [
        ("", False, False, []),
        ("", False, True, ["update"]),
        ("", True, False, ["update"]),
        ("spot", False, False, []),
        ("spot", False, True, ["update", "--signal=TERM"]),
        ("on-demand", True, True, []),
        ("on-demand", True, False, ["update", "--signal=TERM"]),
    ],
)
def test_what_is_run(on: str, sent: bool, on_demand: bool, expected: list[str]):
    gang = Gang(job="7", nodes=4, on=on, sent=sent, task=Task(work=1, deadline=2, changeover=0), run="slurm-7")
    assert [words[1] for words in markets.commands(gang, (not on_demand, on_demand))] == expected


def test_on_demand_nodes_are_reserved_for_every_project_and_are_not_out_without_a_job():
    nodes = ("p5-48xlarge-1", "p5-48xlarge-od-1", "p5-48xlarge-od-2")
    (made,) = markets.reservation(CLUSTER, nodes, "No reservations in the system")
    assert made[:3] == ("scontrol", "create", f"reservation={RESERVATION}")
    assert {"accounts=a,vision", "nodes=p5-48xlarge-od-1,p5-48xlarge-od-2"} <= set(made)
    there = f"ReservationName={RESERVATION} StartTime=x Users=(null) Accounts=vision,a Licenses=(null)"
    assert list(markets.reservation(CLUSTER, nodes, there)) == []
    (changed,) = markets.reservation(CLUSTER, nodes, there.replace("vision,a", "vision"))
    assert changed == ("scontrol", "update", f"reservation={RESERVATION}", "accounts=a,vision")
    assert list(markets.reservation(CLUSTER, nodes[:1], "")) == []
    assert command.nodes_out(CLUSTER, "p5-48xlarge-1|down\np5-48xlarge-od-1|idle~\n") == 1
    assert (
        markets.idle("p5-48xlarge", {"p5-48xlarge-1": "idle", "p5-48xlarge-2": "idle*", "p5-48xlarge-od-1": "idle"})
        == 1
    )
