"""A comparison as CSV in FOCUS's column names: one row a bill line, and one for each line without a price."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from typing import Any

from planner.decide.comparison import Comparison
from planner.models.bill import SERVICES
from planner.report.data.compared_json import bill_line, percentile_usd
from planner.report.data.encoding import utf8
from planner.report.data.provenance import made_by
from planner.report.wording.figures import visible

COLUMNS = (
    "x_Scenario",
    "x_Line",
    "ServiceName",
    "ServiceCategory",
    "ChargeCategory",
    "PricingCategory",
    "PricingQuantity",
    "PricingUnit",
    "ListUnitPrice",
    "x_EffectiveUnitPrice",
    "ListCost",
    "EffectiveCost",
    "BillingCurrency",
    "x_UsdPerHour",
    "x_Equation",
    "x_PriceDate",
    "x_PriceGrade",
    "x_PriceBasis",
    "x_PriceSource",
    "x_Complete",
    "x_Note",
    "RegionId",
    "x_Feasible",
    "x_CarriedBack",
    "x_ScenarioCostP10",
    "x_ScenarioCostP50",
    "x_ScenarioCostP90",
    "CommitmentDiscountStatus",
    "ProviderName",
    "ChargeDescription",
    "x_Plan",
    "x_PlanSha256",
    "x_PriceBook",
    "x_Seed",
    "x_Draws",
    "x_PlannerVersion",
    "x_ModelSha256",
    "x_EffectiveUnitPriceLow",
    "x_EffectiveUnitPriceHigh",
)


class Rows(list[str]):
    """What the writer writes, row by row, each ended by a bare line feed."""

    def write(self, row: str) -> None:
        self.append(row.removesuffix("\r\n") + "\n")


def _truth(value: bool) -> str:
    return str(value).lower()


def safe(value: object) -> object:
    """A cell that a spreadsheet will not run as a formula."""
    text = "" if value is None else value
    return f"'{text}" if isinstance(text, str) and text[:1] in ("=", "+", "-", "@", "\t", "\r") else text


def _charge(service: str, line: str, note: str) -> tuple[str, str]:
    """FOCUS's provider of a charge, and its description: what it is for, in one text."""
    described = f"{SERVICES[service][0]}: {line}" + (f", {note}" if note else "")
    return "" if service == "people" else "AWS", described


def render(comparison: Comparison) -> str:
    """Every bill under each other, as `rows_of` has them, so that a spreadsheet runs no cell as a formula."""
    written = Rows()
    # with "\r\n" as its end of line the writer also quotes a lone carriage return, which readers take for one
    writer = csv.writer(written, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    writer.writerows([safe(cell) for cell in row] for row in rows_of(comparison))
    return utf8("".join(written))


def rows_of(comparison: Comparison) -> Iterator[list[Any]]:
    """One row a bill line, in the order of COLUMNS. A row without a cost is a line without a price; a sum over one
    x_Scenario is its planned cost, and the x_ScenarioCost columns repeat its range on each of its rows, where it is
    complete."""
    program = made_by()
    origin = (
        visible(comparison.plan_name),
        comparison.plan_sha256,
        comparison.prices.as_of,
        *(comparison.seed, comparison.draws, program["version"], program["model_sha256"]),
    )
    for scenario in comparison.scenarios:
        cost = scenario.cost_usd
        spread = (
            [percentile_usd(part) for part in (cost.p10, cost.p50, cost.p90)]
            if cost and scenario.complete
            else [None] * 3
        )
        feasible = _truth(scenario.feasible)
        for line in scenario.bill:
            data = bill_line(line)
            row = [
                scenario.id,
                *(data[k] for k in ("line", "service_name", "service_category", "charge_category")),
                *(data[k] for k in ("pricing_category", "pricing_quantity", "pricing_unit", "list_unit_price")),
                *(data[k] for k in ("effective_unit_price", "list_cost", "effective_cost")),
                "USD",
                *(data[k] for k in ("usd_per_hour", "equation", "price_date", "price_grade", "price_basis")),
                *(data[k] for k in ("price_source",)),
                _truth(scenario.complete),
                data["note"],
                *(comparison.region, feasible, _truth(line.carried_back), *spread),
                data["commitment_discount_status"],
                *_charge(line.service, line.line, data["note"]),
                *origin,
                *(data[k] for k in ("effective_unit_price_low", "effective_unit_price_high")),
            ]
            yield row
        for missing in scenario.unpriced:
            note = f"no price for {missing.what}; nearest: " + ", ".join(missing.nearest)
            service = (missing.line, *SERVICES[missing.service], "Usage")
            blank = [""] * (COLUMNS.index("x_Complete") - 1 - len(service))
            row = [scenario.id, *service, *blank, "false", note, comparison.region, feasible, "", *spread]
            row += ["", *_charge(missing.service, missing.line, "no price"), *origin, None, None]
            yield row
