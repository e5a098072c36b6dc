"""Numbered equations: a pure function with units, derivation, limits and source that can show its steps.

An equation is written twice on purpose: as the function that the planner runs, and as `steps`, the same
formula in text. `planner calc` evaluates the text and prints it; a test holds the two together.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """One input of an equation. default is None where a value must be given."""

    name: str
    unit: str
    default: Any = None


@dataclass(frozen=True, kw_only=True)
class Equation:
    """One numbered equation.

    number: what the bill prints beside a line, like "S2". name: what `planner calc` takes.
    steps: assignments in plain arithmetic; the last one assigns `result`.
    show: for equations that are loops, writes the steps itself from the inputs.
    refuse: why AWS or the arithmetic has no answer at some inputs, "" where there is one; for `planner calc`.
    """

    number: str
    name: str
    function: Callable[..., Any]
    parameters: tuple[Parameter, ...]
    result_unit: str
    source: str
    steps: tuple[str, ...]
    show: Callable[..., list[str]] | None = None
    refuse: Callable[..., str] | None = None

    @property
    def summary(self) -> str:
        return summary_of(self.text)

    @property
    def text(self) -> str:
        return inspect.getdoc(self.function) or ""


def summary_of(docstring: str) -> str:
    """The first paragraph, on one line."""
    return " ".join(docstring.split("\n\n", 1)[0].split())


_REGISTRY: dict[str, Equation] = {}
_BY_NUMBER: dict[str, Equation] = {}
_BY_FUNCTION: dict[Callable[..., Any], Equation] = {}

_FUNCTIONS: Mapping[str, Callable[..., float]] = {
    "ceil": math.ceil,
    "floor": math.floor,
    "exp": math.exp,
    "log": math.log,
    "log2": math.log2,
    "sqrt": math.sqrt,
    "expm1": math.expm1,
    "min": min,
    "max": max,
}


def equation(
    number: str,
    name: str,
    *,
    units: Mapping[str, str],
    result_unit: str,
    source: str,
    steps: tuple[str, ...] = (),
    show: Callable[..., list[str]] | None = None,
    refuse: Callable[..., str] | None = None,
) -> Callable[[F], F]:
    """Register a function as a numbered equation. Every parameter must be keyword-only and have a unit."""

    def register(function: F) -> F:
        parameters = []
        for parameter in inspect.signature(function).parameters.values():
            if parameter.kind is not inspect.Parameter.KEYWORD_ONLY:
                raise TypeError(f"{name}: {parameter.name} must be keyword-only")
            default = None if parameter.default is inspect.Parameter.empty else parameter.default
            parameters.append(Parameter(name=parameter.name, unit=units[parameter.name], default=default))
        if name in _REGISTRY or number in _BY_NUMBER:
            raise ValueError(f"equation {number} {name} is registered twice")
        _REGISTRY[name] = _BY_NUMBER[number] = _BY_FUNCTION[function] = Equation(
            number=number,
            name=name,
            function=function,
            parameters=tuple(parameters),
            result_unit=result_unit,
            source=source,
            steps=steps,
            show=show,
            refuse=refuse,
        )
        return function

    return register


def registered() -> tuple[Equation, ...]:
    """Every equation of the modules imported so far; planner.models.catalogue imports them all."""
    return tuple(_REGISTRY.values())


def numbered(number: str) -> Equation:
    """The equation of that number, of the modules imported so far."""
    return _BY_NUMBER[number]


def equation_of(function: Callable[..., Any]) -> Equation:
    """The equation that a function was registered as."""
    return _BY_FUNCTION[function]


def evaluate_steps(entry: Equation, inputs: Mapping[str, Any]) -> tuple[list[str], float]:
    """Run an equation's text on numbers.

    Returns the printed steps, each with the numbers put in, and the result of the last one.
    """
    scope: dict[str, Any] = dict(inputs)
    lines = []
    for step in entry.steps:
        target, expression = (part.strip() for part in step.split("=", 1))
        # the text is ours, written in this package; user input reaches it only as numbers
        scope[target] = eval(compile(expression, entry.name, "eval"), {"__builtins__": {}, **_FUNCTIONS}, scope)
        shown = _put_in_numbers(expression, scope)
        middle = "" if shown == expression or shown == format_number(scope[target]) else f" = {shown}"
        lines.append(f"{target} = {expression}{middle} = {format_number(scope[target])}")
    return lines, float(scope["result"])


def _put_in_numbers(expression: str, scope: Mapping[str, Any]) -> str:
    import re

    def number(match: re.Match[str]) -> str:
        word = match[0]
        return format_number(scope[word]) if word in scope else word

    return re.sub(r"[A-Za-z_][A-Za-z_0-9]*", number, expression)


def written(value: Any) -> str:
    """An input as `planner calc` takes it: twelve digits, tables as 0:50:0.023,50:inf:0.022, days as 2026-10-05."""
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, list | tuple):
        return ",".join(":".join(written(cell) for cell in row) for row in value)
    return f"{value:.12g}"


def format_number(value: Any) -> str:
    """A number as a person reads it: up to nine significant digits, thousands separated."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}"
    if abs(value) < 1e-4 or abs(value) >= 1e15:
        return f"{value:.6g}"
    digits = max(0, 8 - math.floor(math.log10(abs(value))))
    text = f"{value:,.{min(digits, 10)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
