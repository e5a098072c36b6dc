"""Hourly demand from CSV: what is read, and what is refused with its line."""

from __future__ import annotations

import pytest

from planner.demand.read import hours_of
from planner.errors import PlanProblems

HEAD = "hour,instance_type,instances\n"


def _read(tmp_path, text, head=HEAD):
    (tmp_path / "demand.csv").write_text(head + text, encoding="utf-8")
    return hours_of(str(tmp_path / "demand.csv"), "us-east-1", ())


def _refused(tmp_path, text, head=HEAD):
    with pytest.raises(PlanProblems) as error:
        _read(tmp_path, text, head)
    return str(error.value)


def test_a_type_without_a_row_did_not_run(tmp_path):
    found = _read(tmp_path, "2026-01-31T13:00Z,p4d.24xlarge,3\n2026-01-31T14:00Z,p5.48xlarge,2\n")
    assert {name: list(hours) for name, hours in found.firm.items()} == {"p4d.24xlarge": [3, 0], "p5.48xlarge": [0, 2]}
    assert found.first.isoformat() == "2026-01-31T13:00:00+00:00"
    assert not found.assumed_utc
    assert not found.interruptible


def test_what_may_be_interrupted_is_a_part(tmp_path):
    head = "instance_type,hour,interruptible,instances\n"
    found = _read(tmp_path, "p4d.24xlarge,2026-01-31 13:00:00,1,3\n", head)
    assert list(found.firm["p4d.24xlarge"]) == [2]
    assert list(found.interruptible["p4d.24xlarge"]) == [1]
    assert found.assumed_utc


def test_offsets_are_read_as_the_hours_of_utc_that_they_are(tmp_path):
    found = _read(tmp_path, "2026-01-31T13:00+01:00,p4d.24xlarge,3\n2026-01-31T13:00Z,p4d.24xlarge,4\n")
    assert list(found.firm["p4d.24xlarge"]) == [3, 4]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("2026-01-31T13:00Z,p4d.24xlarge,3\n2026-01-31T16:00Z,p4d.24xlarge,3\n", ":3:1: 2 hours are missing after"),
        ("2026-01-31T13:00Z,p4d.24xlarge,3\n2026-01-31T13:00Z,p4d.24xlarge,1\n", ":3:1: p4d.24xlarge at 2026-01-31"),
        ("2026-01-31T13:00Z,p4d.24xlarge,3\n2026-01-31T14:00,p4d.24xlarge,1\n", ":3:1: some hours name a time zone"),
        ("2026-01-31 13:00 PST,p4d.24xlarge,3\n", "names of time zones are not read"),
        ("2026-01-31T13:00+05:30,p4d.24xlarge,3\n", "not the begin of an hour in UTC"),
        ("2026-01-31T13:30Z,p4d.24xlarge,3\n", "not the begin of an hour in UTC"),
        ("2026-01-31T13:00Z,p4d.24xlarge,-3\n", "no number of instances"),
        ("2026-01-31T13:00Z,p4d.24xlarge,nan\n", "no number of instances"),
        ("2026-01-31T13:00Z,p4d,3\n", "'p4d' is no instance type"),
        ("2026-01-31T13:00Z,p4d.24xlarge\n", "2 of 3 columns"),
        ("", "no row after the header"),
    ],
)
def test_what_cannot_be_read_is_said_with_its_line_and_a_remedy(tmp_path, text, said):
    found = _refused(tmp_path, text)
    assert said in found
    assert "\n    " in found


def test_a_missing_column_is_named(tmp_path):
    assert "no column instances" in _refused(tmp_path, "2026-01-31T13:00Z,p4d.24xlarge\n", "hour,instance_type\n")


def test_more_interruptible_than_there_are_is_refused(tmp_path):
    found = _refused(tmp_path, "2026-01-31T13:00Z,p4d.24xlarge,3,4\n", HEAD.strip() + ",interruptible\n")
    assert "at most instances" in found


def test_many_problems_end_at_twenty(tmp_path):
    assert _refused(tmp_path, "x,p4d.24xlarge,1\n" * 50).count("is no time") == 20


def test_no_file_says_what_to_give(tmp_path):
    with pytest.raises(PlanProblems, match="no such file") as error:
        hours_of(str(tmp_path / "none.csv"), "us-east-1", ())
    assert "give hours as CSV with the columns hour,instance_type,instances" in str(error.value)


def test_jobs_are_for_a_fleet(tmp_path):
    with pytest.raises(PlanProblems, match="jobs of sacct, not hours") as error:
        _read(tmp_path, "", "JobID|Submit\n")
    assert "kind: fleet" in str(error.value)
