"""`compare -f focus`, checked against the rules that FOCUS 1.2 publishes.

focus_1_2.csv: column, feature level, whether it may be null, type and allowed values, from the specification's pages of
columns (github.com/FinOps-Open-Cost-and-Usage-Spec/FOCUS_Spec, v1.2). The project's own validator is not installed
here: its release on PyPI (1.0.0) asks for columns that FOCUS 1.2 does not have.
"""

from __future__ import annotations

import csv
import io
import json
import re
from datetime import date, datetime
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner

from planner.cli.compare import command
from planner.decide.compare import compare
from planner.decide.comparison import Comparison
from planner.estimate.request import Request
from planner.models.tiered_storage import tiered_storage
from planner.plan.types import Plan
from planner.report.data.focus_csv import COLUMNS, render
from tests.builders import book_of, plan_of

RULES = {
    row["column"]: row
    for row in csv.DictReader(io.StringIO((Path(__file__).parent / "focus_1_2.csv").read_text(encoding="utf-8")))
}
PURCHASES = (
    *("on-demand", "spot", "spot-fallback", "capacity-block"),
    *("ri-1y-standard-no-upfront", "sp-1y-instance-no-upfront", "ri-3y-standard-partial-upfront"),
    "ri-1y-standard-all-upfront",
)
START = date(2026, 10, 20)
TIME = "%Y-%m-%dT%H:%M:%SZ"
Row = dict[str, str]


def _plan() -> Plan:
    """Twelve days over the end of a month, data kept for 60 days after it, salaries."""
    return plan_of(
        start="2026-10-20",
        run={"work": {"gpu_hours": 9000}},
        purchase={"options": list(PURCHASES)},
        storage={"retention": "60d", "layouts": ["converged", "fsx-lustre"]},
        people={"engineers": 1},
    )


@cache
def _compared() -> tuple[Comparison, Plan]:
    plan = _plan()
    return compare(Request(plan=plan, plan_sha256="0" * 64, book=book_of(), draws=20)), plan


def _rows(id: str) -> list[Row]:
    comparison, plan = _compared()
    scenario = next(s for s in comparison.scenarios if s.id == id)
    return list(csv.DictReader(io.StringIO(render(comparison, scenario, plan, START), newline="")))


def _ids() -> list[str]:
    return [s.id for s in _compared()[0].scenarios if s.bill]


IDS = [f"{layout}/p4d.24xlarge/{purchase}" for layout in ("converged", "fsx-lustre") for purchase in PURCHASES]


def test_every_purchase_option_is_covered():
    assert {id.rpartition("/")[2] for id in _ids()} >= set(PURCHASES) - {"spot"}


def cell_is_allowed(column: str, text: str) -> bool:
    rule = RULES[column]
    if not text:
        return rule["nulls"] == "yes"
    if rule["values"]:
        return text in rule["values"].split("|")
    if rule["type"] == "decimal":
        return bool(re.fullmatch(r"-?\d+(\.\d+)?(e[+-]\d+)?", text))
    if rule["type"] == "time":
        return datetime.strptime(text, TIME).strftime(TIME) == text
    if rule["type"] == "json":
        return all(isinstance(value, str) for value in json.loads(text).values())
    return text == text.strip()


def test_all_columns_of_focus_are_there_and_every_other_is_marked_as_ours():
    assert {name for name in COLUMNS if not name.startswith("x_")} == set(RULES)
    assert len(set(COLUMNS)) == len(COLUMNS)


@pytest.mark.parametrize("id", IDS)
def test_every_row_keeps_the_published_rules(id):
    rows = _rows(id) if id in _ids() else []
    for row in rows:
        wrong = {name: row[name] for name in RULES if not cell_is_allowed(name, row[name])}
        assert not wrong
        check_conditions(row)


def check_conditions(row: Row) -> None:
    """Rules that join several columns."""
    purchase, commitment = row["ChargeCategory"] == "Purchase", row["CommitmentDiscountId"]
    quantity = float(row["PricingQuantity"])
    for kind in ("List", "Contracted"):
        assert float(row[f"{kind}Cost"]) == pytest.approx(quantity * float(row[f"{kind}UnitPrice"]), rel=1e-9)
    assert (row["ChargeFrequency"] == "Usage-Based") != purchase
    assert not purchase or float(row["EffectiveCost"]) == 0
    assert (row["PricingCategory"] == "Committed") == bool(commitment and not purchase)
    assert bool(row["CommitmentDiscountStatus"]) == bool(commitment and not purchase)
    for name in ("Category", "Type", "Quantity", "Unit", "Name"):
        assert bool(row[f"CommitmentDiscount{name}"]) == bool(commitment)
    assert bool(row["ConsumedQuantity"]) == (not purchase and row["CommitmentDiscountStatus"] != "Unused")
    assert bool(row["ConsumedUnit"]) == bool(row["ConsumedQuantity"])
    assert bool(row["CapacityReservationStatus"]) == bool(row["CapacityReservationId"] and not purchase)
    assert row["ServiceSubcategory"] in RULES["ServiceSubcategory"]["values"].split("|")
    begin, end, opened, closed = (
        datetime.strptime(row[name], TIME)
        for name in ("ChargePeriodStart", "ChargePeriodEnd", "BillingPeriodStart", "BillingPeriodEnd")
    )
    assert begin < end
    assert opened <= begin < closed
    assert end <= closed or row["ChargeFrequency"] == "One-Time"
    assert opened.day == closed.day == 1


@pytest.mark.parametrize("id", IDS)
def test_both_costs_add_up_to_the_planned_cost_by_line_and_in_all(id):
    if id not in _ids():
        pytest.skip("AWS does not sell it")
    scenario = next(s for s in _compared()[0].scenarios if s.id == id)
    rows = _rows(id)
    total = sum(line.effective_cost for line in scenario.bill)
    assert sum(float(row["BilledCost"]) for row in rows) == pytest.approx(total, rel=1e-9)
    for line in scenario.bill:
        mine = [row for row in rows if row["x_Line"] == line.line and row["ChargeCategory"] == "Usage"]
        assert sum(float(row["EffectiveCost"]) for row in mine) == pytest.approx(line.effective_cost, rel=1e-9)
        assert sum(float(row["PricingQuantity"]) for row in mine) == pytest.approx(line.quantity, rel=1e-9)


def test_a_capacity_block_is_billed_whole_on_its_first_day():
    rows = _rows("converged/p4d.24xlarge/capacity-block")
    (paid,) = (row for row in rows if row["ChargeCategory"] == "Purchase")
    used = [row for row in rows if row["PricingCategory"] == "Committed"]
    assert paid["ChargeFrequency"] == "One-Time"
    assert paid["BillingPeriodStart"] == "2026-10-01T00:00:00Z"
    assert float(paid["BilledCost"]) == pytest.approx(sum(float(row["EffectiveCost"]) for row in used), rel=1e-9)
    assert {row["CapacityReservationStatus"] for row in used} == {"Used", "Unused"}
    assert all(float(row["BilledCost"]) == 0 for row in used)


def test_a_partial_upfront_is_half_on_day_one_and_half_by_the_hours_of_36_months():
    rows = _rows("converged/p4d.24xlarge/ri-3y-standard-partial-upfront")
    once = [row for row in rows if row["ChargeFrequency"] == "One-Time"]
    monthly = [row for row in rows if row["ChargeFrequency"] == "Recurring"]
    half = sum(float(row["BilledCost"]) for row in once)
    assert len(once) == 1
    assert sum(float(row["BilledCost"]) for row in monthly) == pytest.approx(half, rel=1e-9)
    # three years of 8,760 hours from 2026-10-20 on end on 2029-10-19, after the leap day of 2028
    assert (len(monthly), monthly[-1]["ChargePeriodEnd"]) == (37, "2029-10-19T00:00:00Z")
    november = next(row for row in monthly if row["ChargePeriodStart"].startswith("2026-11"))
    assert float(november["BilledCost"]) == pytest.approx(half * 720 / (3 * 8760), rel=1e-9)


def test_the_tiers_of_s3_start_again_each_month():
    comparison, _ = _compared()
    scenario = next(s for s in comparison.scenarios if s.id == "converged/p4d.24xlarge/on-demand")
    line = next(line for line in scenario.bill if line.line == "storage.s3.standard")
    given = {entry.name: entry.value for entry in line.inputs}
    rows = [row for row in _rows(scenario.id) if row["x_Line"] == line.line]
    # October has 12 of its 31 days, November is whole
    first = tiered_storage(**(given | {"hours": 12 * 24}))
    both = tiered_storage(**(given | {"hours": 12 * 24 + 720}))
    assert [float(row["EffectiveCost"]) for row in rows[:2]] == pytest.approx([first, both - first], rel=1e-9)
    stored = given["stored_gb"]
    assert [float(row["PricingQuantity"]) for row in rows[:2]] == pytest.approx([stored * 12 / 31, stored], rel=1e-9)
    assert rows[-1]["ChargePeriodEnd"] > "2026-12-29"  # 60 days after the run


def test_salaries_are_of_no_provider_of_the_cloud():
    row = next(row for row in _rows("converged/p4d.24xlarge/on-demand") if row["x_Line"] == "people.staff")
    assert (row["ProviderName"], row["Tags"]) == ("in-house", "")


def test_rows_have_the_tags_that_the_stack_sets():
    row = next(row for row in _rows("converged/p4d.24xlarge/on-demand") if row["x_Line"] == "fleet.ebs")
    assert json.loads(row["Tags"]) == {"planner:stack": "dev", "planner:component": "fleet"}


def test_only_one_scenario_is_written_and_only_this_format_names_one():
    runner = CliRunner()
    done = runner.invoke(command, ["examples/small.yaml", "--draws", "0", "-f", "focus", "-q", "--scenario", "2"])
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert done.exit_code == 0
    assert len({row["x_Scenario"] for row in rows}) == 1
    refused = runner.invoke(command, ["examples/small.yaml", "--scenario", "best"])
    assert "--scenario applies only to -f focus" in str(refused.exception)
