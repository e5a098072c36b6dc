"""Which assumption of the plan a measured rate contradicts, and the value of it that gives that rate."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from planner.acceptance.planned import Quantity, Table
from planner.estimate.evaluate import Evaluated
from planner.layouts.base import Service
from planner.models.number import Number
from planner.models.values import Values
from planner.plan.assumptions import Assumption

NEAR = 0.01  # of the measured rate
STEPS = 60  # of a bisection: beyond the precision of a float


def knob_of(quantity: Quantity, found: Evaluated, table: Table, measured: float) -> tuple[str, float] | None:
    """(assumption, value) by which the plan has what was measured; None where no single one reaches it. measured: in
    GB/s, or in the unit of the one knob that is the value itself."""
    if quantity.of is None:
        [key] = quantity.knobs
        return key, min(max(measured, table[key].least), table[key].most)
    used = Values(table=table, recording=False)
    found.layout.service(used)
    for key in quantity.knobs:
        if key not in used.used:
            continue
        value = _solved(key, quantity.of, found, table, measured)
        if value is not None:
            return key, value
    return None


def fixed(table: Table, key: str, value: float) -> dict[str, Assumption]:
    """The table with one assumption known."""
    return {**table, key: replace(table[key], value=value, low=value, high=value)}


def _solved(key: str, of: Callable[[Service], Number], found: Evaluated, table: Table, measured: float) -> float | None:
    """By bisection: a rate does not fall when what limits it rises."""

    def rate(value: float) -> float:
        return float(of(found.layout.service(Values(table=fixed(table, key, value), recording=False))))

    low, high = math.log(table[key].least), math.log(table[key].most)
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if rate(math.exp(middle)) < measured else (low, middle)
    value = math.exp(high)
    return value if abs(rate(value) / measured - 1) <= NEAR else None
