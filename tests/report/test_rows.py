"""JSON and CSV: sums, keys, names."""

from __future__ import annotations

import csv
import io
import json
import math
from dataclasses import replace

import pytest

from planner.decide.result import Comparison
from planner.report import as_csv, as_json
from tests.report.scenes import HOSTILE, named, small

FOCUS = {
    "ServiceName", "ServiceCategory", "ChargeCategory", "PricingCategory", "PricingQuantity", "PricingUnit",
    "ListUnitPrice", "ListCost", "EffectiveCost", "BillingCurrency", "RegionId",
}  # fmt: skip


def rows_of(comparison: Comparison) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(as_csv.render(comparison), newline="")))


def noted(text: str) -> Comparison:
    """A comparison in whose bills a note and a source hold `text`."""
    scenarios = tuple(
        replace(s, bill=tuple(replace(line, note=text, price_source=text) for line in s.bill))
        for s in small().scenarios
    )
    return replace(small(), scenarios=scenarios)


def test_bills_add_up_in_both() -> None:
    document = json.loads(as_json.render(small()))
    sums: dict[str, list[float]] = {}
    for row in rows_of(small()):
        if row["EffectiveCost"]:
            sums.setdefault(row["x_Scenario"], []).append(float(row["EffectiveCost"]))
    for scenario in document["scenarios"]:
        if scenario["feasible"]:
            planned = scenario["cost_usd"]["plan"]
            assert math.fsum(line["effective_cost"] for line in scenario["bill"]) == pytest.approx(planned, abs=1e-6)
            assert math.fsum(sums[scenario["id"]]) == pytest.approx(planned, abs=1e-6)


def test_columns_are_focus_names_or_marked_as_ours() -> None:
    assert {name for name in as_csv.COLUMNS if not name.startswith("x_")} == FOCUS
    assert len(set(as_csv.COLUMNS)) == len(as_csv.COLUMNS)


def test_every_row_has_every_column() -> None:
    table = list(csv.reader(io.StringIO(as_csv.render(small()))))
    assert {len(row) for row in table} == {len(as_csv.COLUMNS)}


def test_lines_without_a_price_are_rows_without_a_cost() -> None:
    missing = [row for row in rows_of(small()) if row["x_Note"].startswith("no price for")]
    assert len(missing) == sum(len(s.unpriced) for s in small().scenarios)
    for row in missing:
        assert row["EffectiveCost"] == ""
        assert row["x_Complete"] == "false"
        assert row["RegionId"] == "us-east-1"
    for row in rows_of(small()):
        assert (row["x_ScenarioCostP50"] == "") == (row["x_Complete"] == "false")


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_comes_back_whole(name: str) -> None:
    text = HOSTILE[name]
    whole = text.encode("utf-8", "backslashreplace").decode()
    written = as_csv.render(noted(text))
    written.encode("utf-8")
    notes = {row["x_Note"].removeprefix("'") for row in csv.DictReader(io.StringIO(written, newline=""))}
    assert whole in notes
    document = as_json.render(named(text))
    document.encode("utf-8")
    assert json.loads(document)["plan"]["name"] == text


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_no_cell_is_a_formula(start: str) -> None:
    for row in rows_of(noted(f"{start}cmd|' /C calc'!A0")):
        assert not any(cell[:1] in ("=", "+", "-", "@") and not _number(cell) for cell in row.values())


def _number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def test_two_renders_are_equal() -> None:
    for form in (as_json, as_csv):
        assert form.render(small()) == form.render(small())
