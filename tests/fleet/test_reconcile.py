"""The plan of a fleet beside its bill, by project."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from planner.cli import main
from tests.fleet.plans import PLAN

SMALL = ("--draws", "2", "--prices", "2026-10-10", "-q", "--set", "groups.0.nodes=40")
SACCT = """\
JobID|Account|Submit|Start|End|State|NNodes|AllocTRES
1|vision|2026-11-03T00:00:00|2026-11-03T00:00:00|2026-11-23T00:00:00|COMPLETED|3|gres/gpu=24
2|speech|2026-11-03T00:00:00|2026-11-03T00:00:00|2026-11-23T00:00:00|COMPLETED|1|gres/gpu=8
3|guests|2026-11-03T00:00:00|2026-11-03T00:00:00|2026-11-13T00:00:00|FAILED|1|gres/gpu=8
"""


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A plan, the forecast of its bill, and a cluster's accounting."""
    (tmp_path / "fleet.yaml").write_text(PLAN)
    (tmp_path / "sacct.txt").write_text(SACCT)
    with pytest.raises(SystemExit):
        main.run(["compare", str(tmp_path / "fleet.yaml"), *SMALL, "-f", "focus", "-o", str(tmp_path / "bill.csv")])
    return tmp_path


def ran(files: Path, capsys: pytest.CaptureFixture[str], *more: str) -> tuple[str, str]:
    capsys.readouterr()
    with pytest.raises(SystemExit):
        main.run(["reconcile", str(files / "fleet.yaml"), *SMALL, "--bill", str(files / "bill.csv"), *more])
    return capsys.readouterr()


def by_sacct(files: Path) -> tuple[str, ...]:
    return "--sacct", str(files / "sacct.txt"), "--zone", "UTC"


def test_a_bill_is_divided_by_the_node_hours_of_jobs(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Three nodes of vision and one of speech for 20 days, one of an account that the plan does not have for 10: 1,440,
    480 and 240 node-hours of 2,160. Planned is the show-back, and both add up to the plan's cost."""
    out, _ = ran(files, capsys, *by_sacct(files), "-f", "csv")
    rows = {row["line"]: row for row in csv.DictReader(io.StringIO(out))}
    billed = {name: float(row["billed_usd"]) for name, row in rows.items()}
    planned = {name: float(row["planned_usd"]) for name, row in rows.items()}
    assert [float(row["billed_quantity"]) for row in rows.values()] == [1440, 480, 240]
    assert rows["guests"]["in_plan"] == "false"
    assert billed["vision"] == pytest.approx(sum(billed.values()) * 1440 / 2160)
    assert billed["speech"] == pytest.approx(sum(billed.values()) * 480 / 2160)
    assert sum(planned.values()) == pytest.approx(sum(billed.values()), rel=1e-6)
    shown, _ = ran(files, capsys, *by_sacct(files))
    assert "guests: $" in shown
    assert "billed node-hours jobs held 2,160" in shown


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ((), "give what sacct printed"),
        (("--jobs", "x.csv"), "--jobs: not of a fleet"),
        (("--stack", "dev,prod"), "is of the stack prod"),
    ],
)
def test_what_a_fleet_cannot_be_asked(
    files: Path, capsys: pytest.CaptureFixture[str], more: tuple[str, ...], said: str
) -> None:
    assert said in ran(files, capsys, *(by_sacct(files) if more else ()), *more)[1]


def test_jobs_of_another_cluster_are_refused(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sacct = files / "sacct.txt"
    sacct.write_text(SACCT.replace("=24", "=24000"))
    assert "of p4d.24xlarge: give the accounting of the stack's own cluster" in ran(files, capsys, *by_sacct(files))[1]
    sacct.write_text(SACCT.replace("2026-11", "2025-11"))
    assert "no job ran between 2026-11-02 and 2027-02" in ran(files, capsys, *by_sacct(files))[1]


def test_a_job_whose_type_nobody_says_is_refused(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan = files / "fleet.yaml"
    plan.write_text(PLAN.replace("nodes: [24, 40]}]", "nodes: 40}, {instance_type: p5.48xlarge, nodes: 2}]"))
    assert "nothing says on which type job 1 ran" in ran(files, capsys, *by_sacct(files))[1]
