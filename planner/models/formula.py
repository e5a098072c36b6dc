"""Formulas as text: the arithmetic in equations and derivations, evaluated on numbers.

Each step is one Python expression over the names of the inputs, earlier steps and FUNCTIONS.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from numbers import Real
from typing import Any

from planner.models.calendar_months import calendar_months

RESULT = "result"
NOTHING = 1e-12  # smaller than any quantity here that somebody would measure: what is left of a difference or a product


def _row(rows: Sequence[tuple[float, float]], key: float) -> float:
    """The second column of the row whose first is `key`."""
    return dict(rows)[key]


FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "ceil": math.ceil,
    "floor": math.floor,
    "exp": math.exp,
    "log": math.log,
    "log2": math.log2,
    "sqrt": math.sqrt,
    "expm1": math.expm1,
    "min": min,
    "max": max,
    "sum": math.fsum,
    "product": math.prod,
    "row": _row,
    "calendar_months": calendar_months,
}
ALL_INPUTS = "inputs"  # in a formula: the values of all inputs, for sums over lines whose names are not identifiers


def evaluate_steps(steps: Sequence[str], inputs: Mapping[str, Any]) -> tuple[list[str], float]:
    """Run the steps of a formula on numbers.

    Returns the steps as text, each with its numbers, and the value of the last one, which assigns `result`.
    Raises NameError for a name that is neither an input, an earlier step nor a function.
    """
    scope: dict[str, Any] = {ALL_INPUTS: tuple(inputs.values()), **inputs}
    lines: list[str] = []
    for step in steps:
        target, expression = (part.strip() for part in step.split("=", 1))
        # the text is part of this package; user input is only numbers
        scope[target] = eval(compile(expression, target, "eval"), {"__builtins__": {}, **FUNCTIONS}, scope)
        shown = _put_in_numbers(expression, scope)
        between = "" if shown == expression or shown == format_number(scope[target]) else f" = {shown}"
        lines.append(f"{target} = {expression}{between} = {format_number(scope[target])}")
    return lines, float(scope[RESULT])


def _put_in_numbers(expression: str, scope: Mapping[str, Any]) -> str:
    def number(match: re.Match[str]) -> str:
        value = scope.get(match[0])
        return format_number(value) if isinstance(value, int | float) else match[0]

    return re.sub(r"[A-Za-z_][A-Za-z_0-9]*", number, expression)


def written(value: Any) -> str:
    """An input in the form of `planner calc`: twelve digits, tables as 0:50:0.023,50:inf:0.022, days as 2026-10-05."""
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Real):
        return f"{value:.12g}"
    return ",".join(":".join(written(cell) for cell in row) for row in value)


def format_number(value: Any) -> str:
    """A number for people: up to nine significant digits, thousands separated by commas."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    if math.isinf(value):
        return f"{value}"
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}"
    if abs(value) < NOTHING:
        return "0"
    if abs(value) < 1e-4 or abs(value) >= 1e15:
        return f"{value:.6g}"
    digits = max(0, 8 - math.floor(math.log10(abs(value))))
    text = f"{value:,.{min(digits, 10)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
