"""Jobs of a file as a fleet's demand: no work is lost or added, the queue is that of the same jobs written as streams,
and every mistake is named with its place."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from planner.api.books import book_for
from planner.demand.sacct_file import jobs_in
from planner.demand.weeks import weeks_in
from planner.errors import PlanProblems
from planner.fleet.check import check_book
from planner.fleet.compare import compare_fleet
from planner.fleet.model import Jobs, Owner, Rules
from planner.fleet.past import Past, past_of
from planner.fleet.queue import simulated
from planner.fleet.result import FleetComparison
from planner.fleet.workload import MONTH_HOURS, jobs_of
from planner.plan.load import LoadedFleet, load_any
from planner.plan.yamlfile import read_yaml
from planner.report.wording import fleet as words
from planner.report.wording import fleet_demand
from tests.fleet.plans import BOOK, PLAN
from tests.fleet.plans import loaded as of_text

GPUS = {"p4d.24xlarge": 8, "p5.48xlarge": 8, "g6e.12xlarge": 4}
HEAD = "JobID|Account|Partition|Submit|Start|End|State|NNodes|AllocTRES\n"
MONDAY = datetime(2026, 9, 7, tzinfo=UTC)
EXACT = "assumptions={fleet.demand_factor: {value: 1}, goodput.failures_per_1000_node_days: {value: 0.001}}"
FROM_FILE = """
apiVersion: planner/v1
name: from a file
start: 2026-11-02
run: {kind: fleet, months: 3}
groups: [{instance_type: p4d.24xlarge, nodes: 8}]
demand: {file: jobs.txt, zone: UTC}
"""


def row(at: float, hours: float, gpus: int, account: str = "vision", *, number: int = 1, **more: str) -> str:
    """A job that starts when it is submitted, `at` hours from Monday. more: other columns."""
    submit, end = MONDAY + timedelta(hours=at), MONDAY + timedelta(hours=at + hours)
    given = {
        "JobID": str(number),
        "Account": account,
        "Partition": "gpu",
        "Submit": f"{submit:%Y-%m-%dT%H:%M:%S}",
        "Start": f"{submit:%Y-%m-%dT%H:%M:%S}",
        "End": f"{end:%Y-%m-%dT%H:%M:%S}",
        "State": "COMPLETED",
        "NNodes": str(math.ceil(gpus / 8)),
        "AllocTRES": f"billing=9,gres/gpu={gpus},node=1",
    }
    return "|".join((given | more)[name] for name in HEAD.strip().split("|")) + "\n"


# two weeks: a job of a node and one of a GPU each day, one of two nodes on each Monday
ROWS = [
    text
    for day in range(14)
    for text in (
        row(24 * day + 9, 10, 8, number=10 * day),
        row(24 * day + 10, 4, 1, "speech", number=10 * day + 1, State="FAILED"),
        *([row(24 * day + 11, 20, 16, number=10 * day + 2)] if day % 7 == 0 else []),
    )
]
WORK = 14 * (10 * 8 + 4 * 1) + 2 * 20 * 16  # GPU-hours


def loaded(folder: Path, *overrides: str, rows: str = "".join(ROWS), plan: str = FROM_FILE) -> LoadedFleet:
    (folder / "jobs.txt").write_text(rows if rows.startswith("JobID") else HEAD + rows, encoding="utf-8")
    (folder / "fleet.yaml").write_text(plan, encoding="utf-8")
    found: Any = load_any(folder / "fleet.yaml", overrides=overrides)
    return found


def past(found: LoadedFleet) -> Past:
    of = past_of(found, GPUS)
    assert of is not None
    return of


def compared(found: LoadedFleet, runs: int = 2) -> FleetComparison:
    return compare_fleet(found, book_for(BOOK), runs=runs)


def work(jobs: Jobs, slots: int) -> float:
    """GPU-hours at speed 1 on nodes of 8 GPUs."""
    return float((jobs.nodes / slots * 8) @ jobs.hours)


def test_the_weeks_hold_the_work_of_the_file(tmp_path: Path) -> None:
    found = loaded(tmp_path)
    assert (found.weeks.count, found.weeks.left) == (2, ())
    assert found.weeks.work(found.weeks.jobs) == pytest.approx(WORK)
    of = past(found)
    assert of.slots == 8  # a job of one GPU is an eighth of a node
    assert float(of.size / of.slots * 8 @ of.hours) == pytest.approx(WORK)


def test_an_outcome_has_exactly_the_work_of_its_weeks(tmp_path: Path) -> None:
    """At a factor and a growth of 1 every job of the drawn weeks runs once, at its day and hour."""
    found = loaded(tmp_path)
    of = past(found)
    for draw in range(5):
        jobs = jobs_of(found.plan, GPUS, np.ones(2), (0, draw), of)
        begun = [week * 168 + of.at[of.week == drawn] for week, drawn in enumerate(of.drawn(14, [0, draw, *b"weeks"]))]
        expected = np.concatenate(begun)
        assert jobs.submit.tolist() == pytest.approx(sorted(expected[expected < 3 * MONTH_HOURS]))
        assert sorted(np.unique(jobs.submit % 24)) == pytest.approx([9, 10, 11])
    totals = [work(jobs_of(found.plan, GPUS, np.ones(2), (0, draw), of), of.slots) for draw in range(60)]
    assert np.mean(totals) == pytest.approx(WORK / 2 * 3 * MONTH_HOURS / 168, rel=0.02)


def test_growth_and_factors_repeat_jobs(tmp_path: Path) -> None:
    found = loaded(tmp_path, "demand.growth=50%")
    of = past(found)
    jobs = jobs_of(found.plan, GPUS, np.array([2.0, 1.0]), (0, 0), of)
    by_month = np.bincount((jobs.submit[jobs.owner == 0] // MONTH_HOURS).astype(int))
    assert by_month[1] / by_month[0] == pytest.approx(1.5, rel=0.1)
    one = jobs_of(found.plan, GPUS, np.ones(2), (0, 0), of)
    assert (jobs.owner == 0).sum() == pytest.approx(2 * (one.owner == 0).sum(), rel=0.05)
    assert (
        jobs.submit[jobs.owner == 1].tolist() == one.submit[one.owner == 1].tolist()
    )  # another project's are the same


def test_months_of_a_project_bound_its_jobs(tmp_path: Path) -> None:
    found = loaded(tmp_path, "projects=[{name: speech, from_month: 2, to_month: 2}]")
    jobs = jobs_of(found.plan, GPUS, np.ones(2), (0, 0), past(found))
    mine = jobs.submit[jobs.owner == 0]
    assert MONTH_HOURS <= mine.min() <= mine.max() < 2 * MONTH_HOURS


def test_the_same_jobs_as_streams_wait_and_cost_as_much(tmp_path: Path) -> None:
    """A year of the streams of another plan, written as sacct prints them, is a plan with nearly the same figures."""
    streams = of_text("run.months=12", "groups.0.nodes=16")
    jobs = jobs_of(streams.plan, GPUS, np.ones(2), (6, 0))
    names = [project.name for project in streams.plan.projects]
    rows = "".join(
        row(at, hours, 8 * nodes, names[owner], number=number)
        for number, (at, nodes, hours, owner) in enumerate(
            zip(jobs.submit.tolist(), jobs.nodes.tolist(), jobs.hours.tolist(), jobs.owner.tolist(), strict=True)
        )
    )
    changed = read_yaml(PLAN, "x").data | {"demand": {"file": "jobs.txt", "zone": "UTC"}}
    changed["projects"] = [
        {"name": "vision", "deadline": "3d", "data": "200TB", "hot": "60TB"},
        {"name": "speech", "share": 2, "data": "50TB", "hot": "20TB"},
    ]
    found = loaded(tmp_path, "run.months=12", "groups.0.nodes=16", rows=rows, plan=json.dumps(changed, default=str))
    file, by_rate = (compared(one, 4) for one in (found, streams))
    for one, other in zip(
        sorted(file.scenarios, key=lambda s: s.id), sorted(by_rate.scenarios, key=lambda s: s.id), strict=True
    ):
        assert one.cost_usd is not None
        assert other.cost_usd is not None
        assert one.wait_hours is not None
        assert other.wait_hours is not None
        assert one.cost_usd.plan == pytest.approx(other.cost_usd.plan, rel=0.03)
        assert one.wait_hours.plan == pytest.approx(other.wait_hours.plan, rel=0.2)


def test_what_each_project_pays_adds_up_to_the_bill(tmp_path: Path) -> None:
    found = compared(loaded(tmp_path, "projects=[{name: vision, data: 50TB, hot: 20TB}]"))
    for one in found.scenarios:
        assert one.cost_usd is not None
        assert [part.project for part in one.show_back] == ["vision", "speech"]
        assert math.fsum(part.usd for part in one.show_back) == pytest.approx(one.cost_usd.plan, rel=1e-9)


def test_what_did_not_complete_is_not_useful(tmp_path: Path) -> None:
    found = loaded(tmp_path, EXACT)
    assert [(one.name, one.unfinished) for one in found.plan.projects] == [("speech", 1.0), ("vision", 0.0)]
    best = compared(found).scenarios[0]
    speech, vision = best.show_back
    assert speech.useful_gpu_hours == 0
    assert vision.useful_gpu_hours == pytest.approx(sum(vision.node_hours) * 8, rel=0.01)


def test_jobs_run_where_they_ran(tmp_path: Path) -> None:
    groups = "groups=[{instance_type: p4d.24xlarge, nodes: 8}, {instance_type: p5.48xlarge, nodes: 8}]"
    rows = "".join(ROWS).replace("|gpu|", "|h100|").replace("gres/gpu=1,", "gres/gpu:a100=1,gres/gpu=1,")
    found = loaded(tmp_path, groups, "demand.ran_on={H100: p5.48xlarge, a100: p4d.24xlarge}", rows=rows)
    speech, vision = compared(found).scenarios[0].show_back
    assert (speech.node_hours[1], vision.node_hours[0]) == (0, 0)
    # at 2.5 times the speed of p4d, work that took 10 hours on p5 is 25 hours of p4d
    both = loaded(
        tmp_path, groups, "demand.ran_on={h100: p5.48xlarge}", "demand.types={p5.48xlarge: 2.5, p4d.24xlarge: 1}",
        rows=rows,
    )  # fmt: skip
    of = past(both)
    assert float(of.size / of.slots * 8 @ of.hours) == pytest.approx(2.5 * WORK)
    assert of.ways == (((1, 2.5), (0, 1.0)),)


def test_jobs_of_a_few_gpus_share_a_node() -> None:
    jobs = Jobs(
        submit=np.zeros(9), nodes=np.array([1] * 8 + [8]), hours=np.ones(9), limit=np.ones(9), owner=np.zeros(9, int)
    )
    ran = simulated(jobs, [Owner()], [8], Rules(parts=8), 10.0)
    assert ran.start.tolist() == [0.0] * 8 + [1.0]
    assert ran.busy(0, 3).tolist() == [8, 8, 0]


def test_a_failure_takes_the_parts_of_one_node() -> None:
    """A job of two nodes in eighths: what fails is one of them, so the other's parts are free for the next job."""
    jobs = Jobs(
        submit=np.array([0.0, 0.5]), nodes=np.array([16, 8]), hours=np.array([50.0, 1.0]), limit=np.ones(2),
        owner=np.zeros(2, int),
    )  # fmt: skip
    rules = Rules(parts=8, failures=0.05, repair=1_000.0, policy="fcfs")
    seed = next(s for s in range(50) if simulated(jobs, [Owner()], [16], rules, 40.0, s).failures)
    ran = simulated(jobs, [Owner()], [16], rules, 200.0, seed)
    assert ran.failures == 1
    assert not np.isfinite(ran.end[0])  # eight parts are left, and it needs sixteen


def test_a_file_without_gpus_has_whole_nodes(tmp_path: Path) -> None:
    found = loaded(tmp_path, rows="".join(ROWS).replace("gres/gpu", "gres/other"))
    assert past(found).slots == 1
    assert found.weeks.work(found.weeks.jobs) == pytest.approx(14 * (10 + 4) + 2 * 20 * 2)
    of = compared(found).from_file
    assert of is not None
    assert "names no GPUs" in " ".join(fleet_demand.details(of))


def test_the_answer_names_the_file_and_what_is_left_out(tmp_path: Path) -> None:
    rows = "".join(ROWS) + row(30, 1, 8, number=900, Start="None", State="CANCELLED by 7", AllocTRES="")
    rows += row(31, 5, 8, number=901, AllocTRES="cpu=8")
    found = loaded(tmp_path, rows=rows)
    of = compared(found).from_file
    assert of is not None
    assert [(one.jobs, one.node_hours) for one in of.weeks.left] == [(1, 0), (1, 5)]
    assert dict(of.work) == pytest.approx({"vision": WORK - 14 * 4, "speech": 14 * 4})
    said = " ".join([*words.heading(compared(found)), *words.notes(compared(found))])
    assert of.sha256[:12] in said
    assert "2 whole weeks from 2026-09-07" in said
    assert "28 jobs" not in said
    again = loaded(tmp_path, rows=rows + row(40, 1, 8, number=902))
    assert again.sha256 != found.sha256  # the plan's hash is that of its inputs
    assert again.plan.demand is not None
    with pytest.raises(PlanProblems, match="is another file"):
        loaded(tmp_path, f"demand.sha256={again.plan.demand.sha256}", rows=rows)


def test_weeks_begin_where_every_job_is_listed() -> None:
    """sacct lists of the days before its start only what still ran: those are no quiet weeks."""
    old = row(-24 * 20, 24 * 21, 8, number=1)
    found = jobs_in(HEAD + old + "".join(ROWS), "jobs.txt", UTC_ZONE)
    weeks = weeks_in(found, "jobs.txt", UTC_ZONE, None, None)
    assert (weeks.first_day, weeks.count, [one.jobs for one in weeks.left]) == (MONDAY.date(), 2, [1])
    all_of_it = weeks_in(found, "jobs.txt", UTC_ZONE, MONDAY.date() - timedelta(days=21), None)
    assert (all_of_it.count, all_of_it.left) == (5, ())


def test_a_quiet_weekend_ends_a_week() -> None:
    """Nobody submits on the last Sunday, but jobs ran until then."""
    rows = [text for day, text in ((n, row(24 * n + 9, 30, 8, number=n)) for n in range(13))]
    found = jobs_in(HEAD + "".join(rows), "jobs.txt", UTC_ZONE)
    assert weeks_in(found, "jobs.txt", UTC_ZONE, None, None).count == 2
    assert weeks_in(found, "jobs.txt", UTC_ZONE, None, MONDAY.date() + timedelta(days=12)).count == 1


UTC_ZONE: Any = UTC


EVERY = "".join(ROWS)
TWO_KINDS = "groups=[{instance_type: p4d.24xlarge, nodes: 8}, {instance_type: g6e.12xlarge, nodes: 8}]"
AGAIN = EVERY + ROWS[0].replace("T19:00", "T20:00")


@pytest.mark.parametrize(
    ("rows", "where", "said", "remedy"),
    [
        (EVERY[:-20], "jobs.txt:", "the file is cut short", "run sacct again"),
        (EVERY[:-1], "jobs.txt:", "the last line has no end", "run sacct again"),
        (EVERY + row(20, 1, 128, number=77), "jobs.txt:32:1", "job 77 of vision needs 16 nodes", "more nodes"),
        (AGAIN, "jobs.txt:32:1", "of line 2 again, with another end", "run sacct once"),
        ("".join(ROWS[:4]), "jobs.txt:1:1", "less than a week", "--starttime"),
        ("JobID,Submit\n", "fleet.yaml:7", "has no jobs", "planner mix"),
    ],
    ids=["cut in a row", "cut at its end", "larger than the fleet", "overlap", "short", "hours"],
)
def test_a_mistake_of_the_file_is_named_with_its_line(
    tmp_path: Path, rows: str, where: str, said: str, remedy: str
) -> None:
    with pytest.raises(PlanProblems) as problems:
        check_book(loaded(tmp_path, rows=rows), book_for(BOOK))
    (one,) = problems.value.problems
    assert where in f"{one.where}:{one.line}:{one.column}"
    assert said in one.message
    assert remedy in one.remedy


@pytest.mark.parametrize(
    ("override", "where", "said", "remedy"),
    [
        ("demand.zone=null", "jobs.txt:2:1", "names no time zone", "demand.zone"),
        ("demand.zone=Mars", "demand.zone", "no such time zone", "Europe/Berlin"),
        ("demand.file=none.txt", "demand.file", "no such file", "plan file's folder"),
        ("projects=[{name: visoin}]", "projects", "no job of the account visoin", "did you mean vision"),
        ("projects=[{name: vision, jobs: [{per_day: 1, hours: 1h}]}]", "projects", "has jobs of that", "another name"),
        ("demand.ran_on={a10g: p4d.24xlarge}", "demand.ran_on", "in a partition a10g", "it has gpu"),
        ("demand.types={p5.48xlarge: 1}", "demand.types", "none of the fleet's types", "p4d.24xlarge"),
        ("demand.from=2026-12-01", "jobs.txt:1:1", "no job from 2026-12-01", "check demand.from"),
        ("demand={file: jobs.txt, from: 2026-09-09, to: 2026-09-08}", "demand", "is after", "both days"),
    ],
)
def test_a_mistake_of_the_plan_is_named_with_its_place(
    tmp_path: Path, override: str, where: str, said: str, remedy: str
) -> None:
    with pytest.raises(PlanProblems) as problems:
        loaded(tmp_path, override)
    (one,) = problems.value.problems
    assert where in f"{one.where}:{one.line}:{one.column}"
    assert said in one.message
    assert remedy in one.remedy


def test_every_project_that_cannot_use_the_fleet_is_named(tmp_path: Path) -> None:
    for override, said, count in (
        ("demand.ran_on={gpu: p5.48xlarge}", "which no group has", 2),
        (TWO_KINDS, "whose nodes differ in GPUs", 2),
    ):
        with pytest.raises(PlanProblems, match=said) as problems:
            check_book(loaded(tmp_path, override), book_for(BOOK))
        assert [one.line for one in problems.value.problems] == [2, 3]
        assert len(problems.value.problems) == count


def test_without_projects_or_a_file_nobody_uses_a_fleet(tmp_path: Path) -> None:
    for text, said in (
        (FROM_FILE.replace("demand: {file: jobs.txt, zone: UTC}\n", ""), "nobody uses the fleet"),
        (PLAN.replace(", jobs: [{gpu_hours_per_month: 20000, nodes: 2, hours: 12h}]", ""), "speech has no jobs"),
    ):
        with pytest.raises(PlanProblems, match=said):
            loaded(tmp_path, plan=text)


def test_many_accounts_are_one_project(tmp_path: Path) -> None:
    rows = "".join(row(n % 330, 1, 8, f"lab{n}", number=n) for n in range(300)) + row(335, 1, 8, number=999)
    found = loaded(tmp_path, rows=rows)
    assert len(found.plan.projects) == 200
    assert "other-accounts" in [one.name for one in found.plan.projects]
    assert found.weeks.work(found.weeks.jobs) == pytest.approx(
        float((of := past(found)).size / of.slots * 8 @ of.hours)
    )
