"""`compare -f focus` of a worker pool, by the same published rules as a training plan."""

from __future__ import annotations

import csv
import io
import json
from datetime import date
from functools import cache
from pathlib import Path

import pytest

from planner.errors import UsageProblem
from planner.plan.load import LoadedPool, load_any
from planner.report.data.focus_csv import STACK, render_even
from planner.stack import choose_workers
from planner.worker_pool.compare import compare_pool
from planner.worker_pool.result import PoolComparison, PoolScenario
from tests.builders import book_of
from tests.report.data.test_focus import RULES, Row, cell_is_allowed, check_conditions

START = date(2026, 10, 30)
PLAN = Path(__file__).parents[3] / "examples" / "worker-pool.yaml"


@cache
def compared(*overrides: str) -> PoolComparison:
    """Jobs that begin two days before the end of October, and end in November."""
    loaded = load_any(PLAN, overrides=("start=2026-10-30", "jobs.model=1GB", *overrides))
    assert isinstance(loaded, LoadedPool)
    return compare_pool(loaded, book_of(), runs=3)


def rows_of(one: PoolScenario) -> list[Row]:
    return list(csv.DictReader(io.StringIO(render_even(compared(), one, one.instance_type, START), newline="")))


def test_every_row_keeps_the_published_rules():
    kinds = set()
    for one in compared().scenarios:
        for row in rows_of(one):
            assert not {name: row[name] for name in RULES if not cell_is_allowed(name, row[name])}
            check_conditions(row)
            kinds.add((row["ProviderName"], row["PricingCategory"]))
    assert kinds == {("AWS", "Dynamic"), ("AWS", "Standard"), ("price list", "Standard")}


def test_every_line_adds_up_to_the_bill_and_all_to_the_planned_cost():
    for one in compared().scenarios:
        rows = rows_of(one)
        for line in one.bill:
            mine = [row for row in rows if row["x_Line"] == line.line]
            assert sum(float(row["EffectiveCost"]) for row in mine) == pytest.approx(line.effective_cost, rel=1e-9)
            assert sum(float(row["ListCost"]) for row in mine) == pytest.approx(line.list_cost, rel=1e-9)
        assert one.cost_usd is not None
        assert sum(float(row["BilledCost"]) for row in rows) == pytest.approx(one.cost_usd.plan, rel=1e-9)


def test_the_month_ends_after_two_days_by_hand():
    """48 hours by the clock are in October. GB-months count by hours of their month: 48 / 744 there, the rest / 720."""
    one = next(s for s in compared().scenarios if s.id == "workers/g5.xlarge/on-demand")
    assert one.days is not None
    hours = one.days.plan * 24
    october = {row["x_Line"]: row for row in rows_of(one) if row["BillingPeriodStart"] == "2026-10-01T00:00:00Z"}
    bill = {line.line: line for line in one.bill}
    node, stored = "fleet.compute", "storage.s3.standard"
    assert float(october[node]["EffectiveCost"]) == pytest.approx(bill[node].effective_cost * 48 / hours, rel=1e-9)
    of_month = (48 / 744) / (48 / 744 + (hours - 48) / 720)
    assert float(october[stored]["PricingQuantity"]) == pytest.approx(bill[stored].quantity * of_month, rel=1e-9)
    assert (october[node]["PricingUnit"], october[stored]["PricingUnit"]) == ("Hours", "GB-Months")
    assert json.loads(october[node]["Tags"]) == {"planner:stack": STACK, "planner:component": "fleet"}
    assert choose_workers.STACK == STACK


def test_a_price_list_is_in_no_region_and_no_stack():
    one = next(s for s in compared().scenarios if s.option is None)
    assert {(row["RegionId"], row["Tags"]) for row in rows_of(one)} == {("", "")}


def test_a_pool_that_never_ends_has_no_bill_by_month():
    found = compared("workers[0].interruptions.mean_life=1s")
    one = next(s for s in found.scenarios if s.option is None)
    with pytest.raises(UsageProblem, match="never end"):
        render_even(found, one, one.instance_type, START)
