"""A comparison as a pandas DataFrame: a row a scenario, or a row a bill line."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from planner.answer.ranges import Range
from planner.api.arguments import checked_comparison, python_of
from planner.decide.comparison import Comparison
from planner.errors import UsageProblem
from planner.estimate.result import Goodput, Scenario, StorageFacts
from planner.extras import how_to_install
from planner.models.bill import PlannedLine
from planner.report.data import comparison_csv
from planner.report.data.compared_json import bill_line
from planner.report.data.comparison_json import scenario_document

if TYPE_CHECKING:
    import pandas

    from planner.api.pools import PoolComparison

# what has parts -> its parts; a column is named after both, as days_p90 or storage_usable_tb
PARTS: dict[str, tuple[str, ...]] = {
    "days": (*(part.name for part in fields(Range)), "lower_bound"),
    "cost_usd": (*(part.name for part in fields(Range)), "lower_bound", "plan_percentile"),
    "usd_per_useful_gpu_hour": (*(part.name for part in fields(Range)), "lower_bound"),
    "goodput": tuple(part.name for part in fields(Goodput)),
    "storage": tuple(part.name for part in fields(StorageFacts)),
}
NOT_ONE_VALUE = ("bill", "cash", "futures")  # they have rows of their own: in the frame of bills, and in the JSON
# numbers also where every row lacks one
NUMBERS = ("ingest_days", "on_time_fraction", "unfinished_fraction", "cheapest_fraction", "below_best_fraction")
BILL_NUMBERS = (
    *("PricingQuantity", "ListUnitPrice", "x_EffectiveUnitPrice", "ListCost", "EffectiveCost", "x_UsdPerHour"),
    *("x_ScenarioCostP10", "x_ScenarioCostP50", "x_ScenarioCostP90"),
)
TRUTH = {"true": True, "false": False, "": None}


def to_frame(comparison: Comparison | PoolComparison, *, bills: bool = False) -> pandas.DataFrame:
    """A DataFrame with the scenarios in their order, or with bills=True the lines of all bills.

    A scenario's columns are the keys of `planner compare -f json`, a range being one column each for its planned
    value and its percentiles: `cost_usd_plan`, `days_p90`, `storage_usable_tb`. A name ends in its unit, or begins
    with it: USD, days, hours, decimal TB and GB, fractions of 1; rates are per second. A bill's columns are those of
    `-f csv`, FOCUS's names: costs in USD, `PricingQuantity` in `PricingUnit`; a line without a price has no cost.

    Raises UsageProblem where pandas is not installed: it comes with the extra `notebook`.
    """
    return python_of(comparison).to_frame(comparison, bills=bills)


def training_frame(comparison: Comparison, *, bills: bool) -> pandas.DataFrame:
    """What `to_frame` gives for a training plan."""
    checked_comparison(comparison, "to_frame")
    pandas = pandas_for("to_frame")
    if bills:
        frame = pandas.DataFrame(list(comparison_csv.rows_of(comparison)), columns=list(comparison_csv.COLUMNS))
        for column in ("x_Complete", "x_Feasible", "x_CarriedBack"):
            frame[column] = [TRUTH[text] for text in frame[column]]
        numbers = BILL_NUMBERS
    else:
        frame = pandas.DataFrame([_row(scenario) for scenario in comparison.scenarios])
        numbers = NUMBERS
    for column in numbers:
        frame[column] = pandas.to_numeric(frame[column])
    return frame


def bill_frame(bill: Sequence[PlannedLine]) -> pandas.DataFrame:
    """A row a line of one bill, with the keys of `planner compare -f json` as columns, without the inputs."""
    rows = [{key: value for key, value in bill_line(line).items() if key != "inputs"} for line in bill]
    return pandas_for("to_frame").DataFrame(rows)


def flat(document: Mapping[str, Any], left_out: Container[str] = ()) -> dict[str, Any]:
    """A choice's document as one row: parts of a range as columns, lists as text."""
    row: dict[str, Any] = {}
    for key, value in document.items():
        if key in left_out:
            continue
        if isinstance(value, dict):
            row |= {f"{key}_{part}": number for part, number in value.items()}
        else:
            row[key] = "; ".join(value) if isinstance(value, list) else value
    return row


def pandas_for(caller: str) -> Any:
    """The module pandas. caller: the function that needs it. Raises UsageProblem where it is not installed."""
    try:
        import pandas
    except ModuleNotFoundError as error:
        if error.name != "pandas":
            raise
        raise UsageProblem(f"{caller} needs pandas, which is not installed: {how_to_install('notebook')}") from None
    return pandas


def _row(scenario: Scenario) -> dict[str, Any]:
    """One flat row of what the JSON says of a scenario; the same columns for each."""
    row: dict[str, Any] = {}
    for key, value in scenario_document(scenario).items():
        if key in PARTS:
            row |= {f"{key}_{part}": (value or {}).get(part) for part in PARTS[key]}
        elif isinstance(value, list):
            if key not in NOT_ONE_VALUE:
                row[key] = "; ".join(value)
        else:
            row[key] = value
    return row
