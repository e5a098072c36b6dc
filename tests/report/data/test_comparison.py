"""JSON and CSV: sums, keys, names."""

from __future__ import annotations

import csv
import io
import json
import math
from dataclasses import replace

import pytest

from planner import __version__
from planner.decide.comparison import Comparison
from planner.report.data import comparison_csv, comparison_json
from tests.builders import compared, plan_of
from tests.report.scenes import HOSTILE, named, small

FOCUS = {
    "ServiceName", "ServiceCategory", "ChargeCategory", "PricingCategory", "PricingQuantity", "PricingUnit",
    "ListUnitPrice", "ListCost", "EffectiveCost", "BillingCurrency", "RegionId", "CommitmentDiscountStatus",
    "ProviderName", "ChargeDescription",
}  # fmt: skip


def rows_of(comparison: Comparison) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(comparison_csv.render(comparison), newline="")))


def noted(text: str) -> Comparison:
    """A comparison in whose bills a note and a source hold `text`."""
    scenarios = tuple(
        replace(s, bill=tuple(replace(line, note=text, price_source=text) for line in s.bill))
        for s in small().scenarios
    )
    return replace(small(), scenarios=scenarios)


def test_bills_add_up_in_both() -> None:
    document = json.loads(comparison_json.render(small()))
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
    assert {name for name in comparison_csv.COLUMNS if not name.startswith("x_")} == FOCUS
    assert len(set(comparison_csv.COLUMNS)) == len(comparison_csv.COLUMNS)


def test_every_row_has_every_column() -> None:
    table = list(csv.reader(io.StringIO(comparison_csv.render(small()))))
    assert {len(row) for row in table} == {len(comparison_csv.COLUMNS)}


def test_lines_without_a_price_are_rows_without_a_cost() -> None:
    missing = [row for row in rows_of(small()) if row["x_Note"].startswith("no price for")]
    assert len(missing) == sum(len(s.unpriced) for s in small().scenarios)
    for row in missing:
        assert row["EffectiveCost"] == ""
        assert row["x_Complete"] == "false"
        assert row["RegionId"] == "us-east-1"
    for row in rows_of(small()):
        assert (row["x_ScenarioCostP50"] == "") == (row["x_Complete"] == "false")


def test_every_row_says_which_plan_book_draws_and_program_it_is_of() -> None:
    comparison = replace(small(), plan_name="a\nname")
    document = comparison_json.document(comparison)
    wanted = {
        "x_Plan": "a name",
        "x_PlanSha256": comparison.plan_sha256,
        "x_PriceBook": document["prices"]["as_of"],
        "x_Seed": str(comparison.seed),
        "x_Draws": str(comparison.draws),
        "x_PlannerVersion": __version__,
        "x_ModelSha256": document["planner"]["model_sha256"],
    }
    rows = rows_of(comparison)
    assert any(row["x_Note"].startswith("no price for") for row in rows)
    for row in rows:
        assert {name: row[name] for name in wanted} == wanted


def test_a_row_says_who_charges_what_also_without_a_price() -> None:
    away = compared(plan_of(region="eu-west-1", people={"engineers": 1}), draws=5)
    rows = rows_of(away)
    missing = {row["x_Line"]: row for row in rows if row["x_Note"].startswith("no price for")}
    services = {name: row["ServiceName"] for name, row in missing.items()}
    assert services["storage.s3.standard"] == "Amazon Simple Storage Service"
    assert services["storage.kms.key"] == "AWS Key Management Service"
    assert services["fleet.compute"] == "Amazon Elastic Compute Cloud"
    for row in rows:
        assert row["ChargeCategory"] == "Usage"
        assert row["ServiceCategory"]
        assert row["ChargeDescription"].startswith(f"{row['ServiceName']}: {row['x_Line']}")
        assert row["ProviderName"] == ("" if row["x_Line"].startswith("people.") else "AWS")


def test_what_is_bought_ahead_is_spread_over_used_and_unused_hours() -> None:
    """FOCUS: a charge of the category Purchase has no effective cost; only hours that it covers have one."""
    options = ["on-demand", "spot", "capacity-block", "ri-1y-standard-no-upfront", "sp-1y-instance-no-upfront"]
    rows = rows_of(compared(plan_of(purchase={"options": options}), draws=5))
    status: dict[str, dict[str, str]] = {}
    for row in rows:
        if row["x_Line"].startswith("fleet.") and row["EffectiveCost"] and row["x_Line"] != "fleet.ebs":
            purchase = row["x_Scenario"].rpartition("/")[2]
            status.setdefault(purchase, {})[row["x_Line"]] = row["CommitmentDiscountStatus"]
        else:
            assert row["CommitmentDiscountStatus"] == ""
    term = {"fleet.compute": "Used", "fleet.commitment-unused": "Unused"}
    assert status == {
        "on-demand": {"fleet.compute": ""},
        "spot": {"fleet.compute": ""},
        "capacity-block": {"fleet.compute": "Used", "fleet.block-unused": "Unused"},
        "ri-1y-standard-no-upfront": term,
        "sp-1y-instance-no-upfront": term,
    }


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_comes_back_whole(name: str) -> None:
    text = HOSTILE[name]
    whole = text.encode("utf-8", "backslashreplace").decode()
    written = comparison_csv.render(noted(text))
    written.encode("utf-8")
    notes = {row["x_Note"].removeprefix("'") for row in csv.DictReader(io.StringIO(written, newline=""))}
    assert whole in notes
    document = comparison_json.render(named(text))
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
    for form in (comparison_json, comparison_csv):
        assert form.render(small()) == form.render(small())
