"""Hours by type from cost exports: what ran counts once, what did not run does not, in every format."""

from __future__ import annotations

import csv
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner

from planner.cli.demand import command
from planner.demand.read import hours_of
from planner.errors import UsageProblem

FOCUS = (
    *("ChargeCategory", "SkuMeter", "PricingUnit", "PricingQuantity", "ChargePeriodStart", "ChargePeriodEnd"),
    *("CommitmentDiscountStatus", "RegionId"),
)
CUR = (
    *("line_item_line_item_type", "line_item_usage_type", "pricing_unit", "line_item_usage_amount"),
    *("line_item_usage_start_date", "line_item_usage_end_date", "product_region_code"),
)
BEGIN = datetime(2026, 9, 1, tzinfo=UTC)
TYPES = ("p4d.24xlarge", "p5.48xlarge")


def focus(hour: int, usage: str, hours: float, *, status: str = "", region: str = "us-east-1", long: int = 1) -> list:
    begin, end = (BEGIN + timedelta(hours=h) for h in (hour, hour + long))
    return ["Usage", usage, "Hrs", hours, f"{begin:%Y-%m-%dT%H:%M:%SZ}", f"{end:%Y-%m-%dT%H:%M:%SZ}", status, region]


# in each of two hours 3 p4d, one of them covered, half of an hour on spot, and what did not run
ROWS = [
    row
    for hour in range(2)
    for row in (
        focus(hour, "BoxUsage:p4d.24xlarge", 2),
        focus(hour, "BoxUsage:p4d.24xlarge", 1, status="Used"),
        focus(hour, "SpotUsage:p5.48xlarge", 0.5),
        focus(hour, "UnusedBox:p4d.24xlarge", 4, status="Unused"),
        focus(hour, "BoxUsage:p4d.24xlarge", 4, status="Unused"),
        focus(hour, "Reservation:p4d.24xlarge", 7),
        focus(hour, "EBS:VolumeUsage.gp3", 9),
        focus(hour, "USW2-BoxUsage:p4d.24xlarge", 5, region="us-west-2"),
        focus(hour, "BoxUsage:x9.huge", 1),
    )
]


def write(path: Path, columns: tuple[str, ...], rows: list) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([columns, *rows])
    return path


def check(path: Path) -> None:
    found = hours_of(str(path), "us-east-1", TYPES)
    assert {name: list(hours) for name, hours in found.firm.items()} == {TYPES[0]: [3, 3], TYPES[1]: [0, 0]}
    assert {name: list(hours) for name, hours in found.interruptible.items()} == {TYPES[1]: [0.5, 0.5]}
    assert found.first == BEGIN
    assert found.left_out == (("in us-west-2", 10), ("of x9.huge, which the price book does not have", 2))
    assert found.covered == pytest.approx(2 / 9)


@pytest.mark.parametrize("with_pyarrow", [True, False])
def test_what_ran_counts_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, with_pyarrow: bool) -> None:
    if not with_pyarrow:
        monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    check(write(tmp_path / "focus.csv", FOCUS, ROWS))


def test_parquet_and_a_folder_say_the_same(tmp_path: Path) -> None:
    import pyarrow.csv
    import pyarrow.parquet

    folder = tmp_path / "parts"
    folder.mkdir()
    for at, rows in enumerate((ROWS[:7], ROWS[7:])):
        table = pyarrow.csv.read_csv(write(tmp_path / "part.csv", FOCUS, rows))
        pyarrow.parquet.write_table(table, folder / f"{at}.parquet")
    check(folder)


def test_reserved_hours_of_cur_are_no_fees(tmp_path: Path) -> None:
    kinds = [
        ("Usage", "BoxUsage:p4d.24xlarge", 1),
        ("DiscountedUsage", "HeavyUsage:p4d.24xlarge", 2),
        ("SavingsPlanCoveredUsage", "BoxUsage:p4d.24xlarge", 4),
        ("SavingsPlanNegation", "BoxUsage:p4d.24xlarge", 4),
        ("RIFee", "HeavyUsage:p4d.24xlarge", 720),
    ]
    rows = [
        [kind, usage, "Hrs", n, "2026-09-01 00:00:00", "2026-09-01 01:00:00", "us-east-1"] for kind, usage, n in kinds
    ]
    found = hours_of(str(write(tmp_path / "cur.csv", CUR, rows)), "us-east-1", TYPES)
    assert list(found.firm["p4d.24xlarge"]) == [7]
    assert found.covered == pytest.approx(6 / 7)


@pytest.mark.parametrize(
    ("rows", "columns", "said"),
    [
        ([focus(0, "BoxUsage:p4d.24xlarge", 48, long=24)], FOCUS, "by day or month; create one by the hour"),
        (
            [focus(0, "BoxUsage:p4d.24xlarge", 1, region="eu-west-1")],
            FOCUS,
            "there are some in eu-west-1",
        ),
        ([r[:7] for r in ROWS], FOCUS[:7], "no column that says which: RegionId"),
        ([["Usage", 1]], ("lineItem/LineItemType", "x"), "legacy Cost and Usage Report"),
        ([focus(0, "BoxUsage:x9.huge", 1)], FOCUS, "price book has none of these types: x9.huge"),
        ([["Usage", "BoxUsage:p4d.24xlarge", "Hrs", 1, "noon", "noon", "", ""]], FOCUS, "'noon' is no time"),
    ],
)
def test_what_is_no_demand_by_the_hour_says_why(tmp_path: Path, rows: list, columns: tuple, said: str) -> None:
    with pytest.raises(UsageProblem) as error:
        hours_of(str(write(tmp_path / "export.csv", columns, rows)), "us-east-1", TYPES)
    assert said in str(error.value)
    assert "export.csv" in str(error.value) or "price book" in said


def test_the_same_part_twice_is_refused(tmp_path: Path) -> None:
    for name in ("a.csv", "b.csv"):
        write(tmp_path / name, FOCUS, ROWS)
    with pytest.raises(UsageProblem, match="would count twice: keep one of them"):
        hours_of(str(tmp_path), "us-east-1", TYPES)


def test_demand_show_reads_it(tmp_path: Path) -> None:
    path = write(tmp_path / "focus.csv", FOCUS, ROWS)
    screen = CliRunner().invoke(command, ["show", str(path)], catch_exceptions=False, standalone_mode=False).stdout
    said = " ".join(screen.split())
    assert "p4d.24xlarge: 16 instance-hours; peak 8" in said
    assert "Regions are added up: us-east-1, us-west-2" in said
