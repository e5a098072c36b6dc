"""`planner.to_frame`: the values of the JSON and the CSV as columns."""

from __future__ import annotations

import csv
import sys
from io import StringIO

import pandas
import pytest

import planner
import pricing
from planner.report.data.comparison_csv import COLUMNS, render


@pytest.fixture(scope="module")
def frame(comparison):
    return planner.to_frame(comparison)


@pytest.fixture(scope="module")
def bills(comparison):
    return planner.to_frame(comparison, bills=True)


def test_a_row_a_scenario_with_the_values_of_the_json(comparison, frame):
    listed = comparison.to_dict()["scenarios"]
    assert list(frame["id"]) == [entry["id"] for entry in listed]
    for column, key, part in (
        ("cost_usd_plan", "cost_usd", "plan"),
        ("cost_usd_p90", "cost_usd", "p90"),
        ("cost_usd_plan_percentile", "cost_usd", "plan_percentile"),
        ("days_p50", "days", "p50"),
        ("goodput_mtbf_hours", "goodput", "mtbf_hours"),
        ("storage_read_gb_per_s", "storage", "read_gb_per_s"),
    ):
        assert list(frame[column]) == [entry[key][part] for entry in listed], column
    assert list(frame["nodes"]) == [entry["nodes"] for entry in listed]
    assert frame["complete"].dtype == bool


def test_every_key_of_a_scenario_is_a_column_but_its_tables(comparison, frame):
    keys = set(comparison.to_dict()["scenarios"][0])
    absent = {key for key in keys if not any(column == key or column.startswith(f"{key}_") for column in frame)}
    assert absent == {"bill", "cash", "futures"}


def test_the_columns_do_not_depend_on_what_is_known(frame):
    plan = planner.load("examples/small.yaml", set={"purchase.options": ["spot"], "constraints.max_cost_usd": 1})
    nothing = planner.to_frame(planner.compare(plan, draws=0))
    assert list(nothing.columns) == list(frame.columns)
    assert nothing["on_time_fraction"].dtype == nothing["ingest_days"].dtype == float


def test_bills_have_the_cells_of_the_csv(comparison, bills):
    assert tuple(bills.columns) == COLUMNS
    rows = list(csv.DictReader(StringIO(render(comparison))))
    assert len(bills) == len(rows)
    for column in ("x_Scenario", "x_Line", "PricingUnit", "x_PriceDate", "x_Equation"):
        assert list(bills[column]) == [row[column] for row in rows], column
    for column in ("PricingQuantity", "EffectiveCost", "x_ScenarioCostP90"):
        assert list(bills[column]) == [float(row[column]) for row in rows], column
    assert list(bills["x_Feasible"]) == [row["x_Feasible"] == "true" for row in rows]


def test_bills_add_up_to_the_planned_costs(comparison, bills):
    sums = bills.groupby("x_Scenario")["EffectiveCost"].sum()
    for scenario in comparison:
        assert sums[scenario.id] == pytest.approx(scenario.cost_usd.plan, abs=1e-4)


def test_a_line_without_a_price_has_no_cost(plan):
    book = pricing.open_book().without(lambda table, row: table == "metered" and row["service"] == "AmazonS3")
    bills = planner.to_frame(planner.compare(plan, prices=book, draws=0), bills=True)
    missing = bills[bills["x_Note"].str.startswith("no price for")]
    assert len(missing) > 0
    assert missing["EffectiveCost"].isna().all()
    assert bills["EffectiveCost"].dtype == float


def test_without_pandas_the_extra_is_named(comparison, monkeypatch):
    assert pandas.__version__
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(planner.UsageProblem, match=r"pip install -e '\.\[notebook\]'"):
        planner.to_frame(comparison)
