"""Numbered equations: pure functions with units, limits and a source, whose formula can be shown step by step.

Each equation is written twice on purpose: as the function that the planner runs, and as `steps`, the same
formula in text. `planner calc` evaluates the text and prints it; a test checks that the two agree.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import FunctionType
from typing import Any, TypeVar, cast

from planner.models.formula import format_number

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """One input of an equation. default is None if a value is required."""

    name: str
    unit: str
    default: Any = None


@dataclass(frozen=True, kw_only=True)
class Equation:
    """One numbered equation.

    number: shown on the lines of a bill, like "S2". name: for `planner calc`.
    docstring: the function's own, as it is written.
    steps: assignments in plain arithmetic; the last one assigns `result`.
    show: for equations that are loops: returns the steps for given inputs.
    refuse: why there is no result for given inputs, or ""; for `planner calc`.
    """

    number: str
    name: str
    function: Callable[..., Any]
    docstring: str
    parameters: tuple[Parameter, ...]
    result_unit: str
    source: str
    steps: tuple[str, ...]
    show: Callable[..., list[str]] | None = None
    refuse: Callable[..., str] | None = None

    @property
    def text(self) -> str:
        """The docstring without its indentation; without units and source."""
        return inspect.cleandoc(self.docstring)

    @property
    def summary(self) -> str:
        return summary_of(self.text)


def summary_of(docstring: str) -> str:
    """The first paragraph, on one line."""
    return " ".join(docstring.split("\n\n", 1)[0].split())


_REGISTRY: dict[str, Equation] = {}
_BY_NUMBER: dict[str, Equation] = {}
_BY_FUNCTION: dict[Callable[..., Any], Equation] = {}


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
    """Register a function as a numbered equation and add units, number and source to its docstring.

    Every parameter must be keyword-only and have a unit. Raises TypeError, KeyError or ValueError otherwise.
    """

    def register(function: F) -> F:
        # every command registers some hundred functions: the code object answers in a tenth of a signature's time
        plain = cast(FunctionType, function)
        code, defaults = plain.__code__, plain.__kwdefaults__ or {}
        count = code.co_kwonlyargcount
        if code.co_argcount or code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS):
            other = next(
                one for one in inspect.signature(function).parameters.values() if one.kind is not one.KEYWORD_ONLY
            )
            raise TypeError(f"{name}: {other.name} must be keyword-only")
        parameters = [
            Parameter(name=one, unit=units[one], default=defaults.get(one)) for one in code.co_varnames[:count]
        ]
        if name in _REGISTRY or number in _BY_NUMBER:
            raise ValueError(f"equation {number} {name} is registered twice")
        entry = Equation(
            number=number,
            name=name,
            function=function,
            docstring=function.__doc__ or "",
            parameters=tuple(parameters),
            result_unit=result_unit,
            source=source,
            steps=steps,
            show=show,
            refuse=refuse,
        )
        _REGISTRY[name] = _BY_NUMBER[number] = _BY_FUNCTION[function] = entry
        function.__doc__ = manual(entry)
        return function

    return register


def manual(entry: Equation) -> str:
    """The docstring that `help` shows: text, unit of every parameter and of the result, number and source.

    What is added is indented as a docstring is, which `help` takes away.
    """
    parameters = [f"    {_parameter(parameter)}" for parameter in entry.parameters]
    formula = [f"    {step}" for step in entry.steps]
    added = [
        "",
        "Parameters:",
        *parameters,
        "",
        f"Result: {entry.result_unit}",
        "",
        f"Equation {entry.number}, {entry.name}" + (":" if formula else ""),
        *formula,
        "",
        f"Source: {entry.source}",
    ]
    return "\n".join([entry.docstring.rstrip(), *(f"    {line}" if line else "" for line in added)])


def _parameter(parameter: Parameter) -> str:
    default = "" if parameter.default is None else f" (default {format_number(parameter.default)})"
    return f"{parameter.name}: {parameter.unit}{default}"


def registered() -> tuple[Equation, ...]:
    """Every equation of the modules imported so far; planner.models.catalogue imports them all."""
    return tuple(_REGISTRY.values())


def numbered(number: str) -> Equation:
    """The equation of that number, of the modules imported so far. Raises KeyError."""
    return _BY_NUMBER[number]


def equation_of(function: Callable[..., Any]) -> Equation:
    """The equation of a registered function. Raises KeyError."""
    return _BY_FUNCTION[function]
