"""P4: what it costs to operate a layout and a purchase, which no bill has: hours of an engineer."""

from __future__ import annotations

from planner.models.equation import equation
from planner.models.number import Number
from planner.models.sheet import Sheet
from planner.models.values import Values
from pricing.offers import HOURS_PER_MONTH, PurchaseOption

WORK_YEAR_HOURS = 2080  # 52 weeks of 40 hours


@equation(
    "P4",
    "effort-cost",
    units={
        "layout_hours": "h/month",
        "purchase_hours": "h/month",
        "run_hours": "h",
        "usd_per_engineer_year": "USD/year",
        "overhead_fraction": "fraction",
    },
    result_unit="USD",
    source="hours are Guesstimates, effort.* of the assumptions; an engineer as in P1, 2,080 hours a year",
    steps=(
        f"months = run_hours / {HOURS_PER_MONTH}",
        f"usd_per_hour = usd_per_engineer_year * (1 + overhead_fraction) / {WORK_YEAR_HOURS}",
        "result = (layout_hours + purchase_hours) * months * usd_per_hour",
    ),
)
def effort_cost(
    *,
    layout_hours: Number,
    purchase_hours: Number,
    run_hours: Number,
    usd_per_engineer_year: Number,
    overhead_fraction: Number = 0.325,
) -> Number:
    """Cost of the time that operating a storage layout and a purchase takes during a run."""
    usd_per_hour = usd_per_engineer_year * (1 + overhead_fraction) / WORK_YEAR_HOURS
    return (layout_hours + purchase_hours) * run_hours / HOURS_PER_MONTH * usd_per_hour


def effort_usd(layout: str, option: PurchaseOption, hours: Number, values: Values, sheet: Sheet) -> Number:
    """Of a run of so many hours; recorded as `effort_usd`."""

    def monthly(what: str) -> tuple[Number, str]:
        return values.given(f"effort.{what.replace('-', '_')}_hours_per_month")

    return sheet.equation(
        "effort_usd",
        effort_cost,
        layout_hours=monthly(layout),
        purchase_hours=monthly(option.family),
        run_hours=(hours, "run:run.hours"),
        usd_per_engineer_year=values.given("people.usd_per_engineer_year"),
        overhead_fraction=values.given("people.overhead_fraction"),
    )
