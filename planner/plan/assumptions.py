"""assumptions.csv: estimates that no price list has, with range, unit, year and source; and a plan's overrides."""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from fleet_pool import settings

if TYPE_CHECKING:
    # a type only: equations and their units must not load pydantic
    from planner.plan.types import Assumption as Override


@dataclass(frozen=True, kw_only=True)
class Assumption:
    """One assumption: central value, 5th and 95th percentile, and source.

    least, most: what a plan may set, and what draws stay within. origin: "default" (assumptions.csv) or "plan".
    """

    key: str
    value: float
    low: float
    high: float
    unit: str
    year: str
    source: str
    origin: str = "default"
    least: float = -math.inf
    most: float = math.inf

    @property
    def whole(self) -> bool:
        """Whether it counts things, so that only whole numbers make sense."""
        return self.unit in COUNTED


# units of things that are counted, with their singular
COUNTED = {"nodes": "node", "prefixes": "prefix", "endpoints": "endpoint", "alarms": "alarm"}
# settings of ours, not assumptions: their cells in the table say `set`; the value is in the pool's settings
SET = {
    "converged.low_watermark_fraction": settings.LOW_WATERMARK_PERCENT / 100,
    "pool.control_nodes": float(settings.CONTROL_NODES),
}


@cache
def default_assumptions() -> Mapping[str, Assumption]:
    """The shipped table by key. Raises ValueError where least <= low <= value <= high <= most does not hold."""
    table = {}
    with Path(__file__).with_name("assumptions.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            entry = Assumption(
                key=row["key"],
                value=_number(row, "value"),
                low=_number(row, "low"),
                high=_number(row, "high"),
                unit=row["unit"],
                year=row["year"],
                source=row["source"],
                least=float(row["least"]),
                most=float(row["most"]),
            )
            if not entry.least <= entry.low <= entry.value <= entry.high <= entry.most or entry.key in table:
                order = "least <= low <= value <= high <= most"
                raise ValueError(f"assumptions.csv: {entry.key} is listed twice, or {order} does not hold")
            table[entry.key] = entry
    return table


def _number(row: Mapping[str, str], column: str) -> float:
    return SET[row["key"]] if row[column] == "set" else float(row[column])


def resolve(overrides: Mapping[str, float | Override]) -> Mapping[str, Assumption]:
    """The table with a plan's overrides. A bare number keeps the default's relative range around it, but a
    share of 0 or 1 is certain; a mapping without low or high is exact on that side."""
    table = dict(default_assumptions())
    for key, override in overrides.items():
        base = table[key]
        if not isinstance(override, int | float):
            table[key] = replace(
                base,
                value=override.value,
                low=override.value if override.low is None else override.low,
                high=override.value if override.high is None else override.high,
                source=override.source,
                year="",
                origin="plan",
            )
        else:
            table[key] = _moved(base, float(override))
    return table


def _moved(base: Assumption, value: float) -> Assumption:
    if base.unit == "fraction" and value in (0.0, 1.0) and value != base.value:
        low = high = value
    elif base.value and value:
        low, high = (bound * value / base.value for bound in (base.low, base.high))
    else:
        # the ends move with the value, except an end at 0: a range from 1e-9 to 0.03 would be one of powers of ten
        low, high = (bound if bound == 0 else bound + value - base.value for bound in (base.low, base.high))
    low, high = max(base.least, low), min(base.most, high)
    return replace(base, value=value, low=min(low, value), high=max(high, value), source="plan", year="", origin="plan")
