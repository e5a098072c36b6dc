"""What is said of queues that only grow, of ties, and of weeks without a job: from the plan to the sentence."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import pytest

import planner
from planner.fleet.result import FleetComparison
from planner.report.wording import fleet as words

HEAD = "JobID|Account|Submit|Start|End|State|NNodes|AllocTRES\n"
PLAN = """
apiVersion: planner/v1
name: jobs
region: us-east-1
start: 2026-12-01
run: {{kind: fleet, months: 3}}
groups: [{{instance_type: p4d.24xlarge, nodes: {nodes}}}]
demand: {{file: jobs.txt, zone: UTC}}
purchase: {{options: [on-demand], mix: {mix}}}
{more}
"""
FIXED = """assumptions:
  fleet.demand_factor: {value: 1, low: 1, high: 1}
  goodput.failures_per_1000_node_days: {value: 0.001, low: 0.001, high: 0.001}
"""


def _row(number: int, when: datetime, hours: float, nodes: int) -> str:
    times = "|".join(f"{at:%Y-%m-%dT%H:%M:%S}" for at in (when, when, when + timedelta(hours=hours)))
    return f"{number}|lab|{times}|COMPLETED|{nodes}|gres/gpu={8 * nodes},node={nodes}\n"


def _daily(days: int, hours: float, nodes: int = 1, each: int = 1) -> list[str]:
    begin = datetime(2026, 9, 7)
    when = [begin + timedelta(days=day, hours=9) for day in range(days) for _ in range(each)]
    return [_row(at, one, hours, nodes) for at, one in enumerate(when)]


def _compared(
    folder: Path, rows: list[str], nodes: str, more: str = FIXED, *, mix: bool = False, draws: int = 2
) -> FleetComparison:
    (folder / "jobs.txt").write_text(HEAD + "".join(rows))
    (folder / "plan.yaml").write_text(PLAN.format(nodes=nodes, more=more, mix=str(mix).lower()))
    found = planner.compare(planner.load(folder / "plan.yaml"), draws=draws)
    assert isinstance(found, FleetComparison)
    return found


def test_jobs_after_a_queue_was_given_up_do_not_lower_its_wait(tmp_path: Path) -> None:
    """Four node-days of work a day: one node falls three days behind each day, and is given up when 14 days of its own
    time wait, in the fifth day. Of its jobs, the first waits nothing and the last nearly five days."""
    found = _compared(tmp_path, _daily(14, 24.0, each=4), "[1, 4]")
    one, four = (next(s for s in found.scenarios if s.nodes[0][1] == count) for count in (1, 4))
    assert one.finish_fraction == 0
    assert one.wait_hours is not None
    assert 24 < one.wait_hours.plan < 120
    assert sum(w.jobs for w in one.waits) < 30  # of 365
    assert words.wait_cell(one, one.wait_hours.plan).startswith(">")
    assert words.mean_wait(four) == "0 seconds"


def test_the_mean_wait_lies_within_those_of_its_sizes(tmp_path: Path) -> None:
    """In outcomes with more jobs each waits longer: the mean over jobs is not the mean of the outcomes' means."""
    rows = [*_daily(14, 20.0, each=3), *(row.replace("lab", "big") for row in _daily(14, 9.0, nodes=2))]
    rows = [f"{at}|{row.partition('|')[2]}" for at, row in enumerate(rows)]
    row = _compared(tmp_path, rows, "4", more="", draws=12).scenarios[0]
    assert row.wait_hours is not None
    assert len(row.waits) == 2
    jobs = sum(w.jobs for w in row.waits)
    assert row.wait_hours.plan == pytest.approx(sum(w.jobs * w.mean_hours for w in row.waits) / jobs)
    assert min(w.mean_hours for w in row.waits) <= row.wait_hours.plan <= max(w.mean_hours for w in row.waits)


def test_a_tie_names_the_choice_that_its_reason_is_about(tmp_path: Path) -> None:
    """In every other week a node less costs as much as the waiting it saves, so 3, 4 and 5 nodes tie. The reason's two
    amounts are those of the two that are named."""
    begin = datetime(2026, 9, 7, 9)
    when = [begin + timedelta(days=day) for day in range(28) for _ in range(5 if day // 7 % 2 else 1)]
    rows = [_row(at, one, 12.0, 1) for at, one in enumerate(when)]
    found = _compared(tmp_path, rows, "[3, 4, 5]", "waiting: {usd_per_gpu_hour: 0.055}\n" + FIXED, draws=20)
    best = found.best
    assert best is not None
    assert len(found.answer.tied) == 3
    said = words.why(found, best)
    named = [s for s in found.scenarios if s is not best and f"as much as {words.nodes(s)} within" in said]
    assert len(named) == 1
    assert f"instead of {words.figures.usd(named[0].effort_usd)})" in said


def test_many_choices_beyond_the_limits_take_a_few_lines(tmp_path: Path) -> None:
    found = _compared(tmp_path, _daily(14, 24.0, each=40), "[1, 2, 4, 8, 12]")
    assert found.best is None
    assert found.scenarios[0].nodes
    said = [text for text in words.answer(found) if "grows without end" in text]
    assert len(said) == 1
    assert all(f"{count} p4d" in said[0] for count in (1, 2, 4, 8, 12))


def test_what_cannot_be_bought_is_named_without_a_number_of_nodes(tmp_path: Path) -> None:
    (tmp_path / "jobs.txt").write_text(HEAD + "".join(_daily(14, 1.0)))
    plan = PLAN.format(nodes="mix", more="", mix="false").replace(
        "[on-demand]", "[on-demand, ri-1y-standard-no-upfront]"
    )
    (tmp_path / "plan.yaml").write_text(plan.replace("p4d.24xlarge", "p5.48xlarge"))
    found = planner.compare(planner.load(tmp_path / "plan.yaml"), draws=2)
    assert isinstance(found, FleetComparison)
    said = next(text for text in words.notes(found) if text.startswith("Not compared"))
    assert said.startswith("Not compared: Reserved Instances")


def test_weeks_without_a_job_are_said_and_can_be_drawn(tmp_path: Path) -> None:
    """One job with a date half a year later: 24 of 26 weeks are empty, and an outcome can consist of them alone."""
    rows = [*_daily(7, 10.0), _row(99, datetime(2027, 3, 7), 1.0, 1)]
    found = _compared(tmp_path, rows, "2", draws=40)
    assert any("No job in 24 of the 26 whole weeks" in text for text in words.notes(found))
    assert found.best is not None
