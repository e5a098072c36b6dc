"""Whole weeks by the cluster's clock, and what a file's jobs are said to be."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from planner.demand.sacct_file import jobs_in
from planner.demand.shown import JobsShown, jobs_shown
from planner.demand.weeks import Weeks, weeks_in
from planner.report.wording.demand import facts, trust

BERLIN = ZoneInfo("Europe/Berlin")
HEAD = "JobID|Account|Submit|Start|End|State|NNodes|AllocTRES\n"


def _text(when: list[datetime], tres: str = "gres/gpu=8") -> str:
    rows = [
        f"{at}|lab|{one:%Y-%m-%dT%H:%M:%S}|{one:%Y-%m-%dT%H:%M:%S}|{one + timedelta(hours=1):%Y-%m-%dT%H:%M:%S}|"
        f"COMPLETED|1|{tres}\n"
        for at, one in enumerate(when)
    ]
    return HEAD + "".join(rows)


def _read(text: str, zone: ZoneInfo = BERLIN) -> tuple[Weeks, JobsShown]:
    found = jobs_in(text, "jobs.txt", zone)
    weeks = weeks_in(found, "jobs.txt", zone, None, None)
    return weeks, jobs_shown(found, weeks, zone.key)


@pytest.mark.parametrize("first", [date(2026, 10, 19), date(2027, 3, 22)], ids=["autumn", "spring"])
def test_nine_in_the_morning_stays_nine_where_the_clock_changes(first: date) -> None:
    days = [datetime(first.year, first.month, first.day, 9) + timedelta(days=day) for day in range(14)]
    late = days[-1].replace(hour=23, minute=30)
    weeks, _ = _read(_text([*days, late]))
    assert weeks.count == 2
    hours = [weeks.hour(one) for one in weeks.jobs]
    assert [one % 24 for one in hours] == [9.0] * 14 + [23.5]
    assert [one // 168 for one in hours] == [0.0] * 7 + [1.0] * 8


def test_the_day_after_the_last_whole_week_is_named_by_the_clock() -> None:
    """Two weeks from 19 October and a day: what is left out begins on 2 November, not on 1 November at 23:00."""
    days = [datetime(2026, 10, 19, 9) + timedelta(days=day) for day in range(15)]
    weeks, _ = _read(_text(days))
    assert [(one.jobs, "from 2026-11-02 on" in one.why) for one in weeks.left] == [(1, True)]


def test_one_week_and_one_node_are_singular() -> None:
    _, shown = _read(_text([datetime(2026, 9, 7, 9) + timedelta(days=day) for day in range(7)]))
    said = dict(facts(shown))
    assert said["For a plan"] == "1 whole week from 2026-09-07"
    assert said["Largest job"] == "1 node"


def test_jobs_without_a_gpu_and_parts_of_gpus_are_said() -> None:
    days = [datetime(2026, 9, 7, 9) + timedelta(days=day) for day in range(9)]
    lines = _text(days[:8], "gres/gpu=1,gres/gpu:a100_1g.5gb=1")
    lines += _text(days[8:], "cpu=8").removeprefix(HEAD).replace("0|lab", "99|lab")
    said = trust(_read(lines)[1])
    assert any("1 job ran without a GPU" in text for text in said)
    assert any("a100_1g.5gb" in text for text in said)
