"""Numbers with their derivation: an equation or an expression, its inputs, and the origin of each input.

An origin is one text of a few kinds:
  plan:fleet.nodes                        a value of the plan, or its default
  assumption:goodput.restart_minutes      an assumption, at its central value
  price:fleet.compute                     the unit price of that line of the bill, which has source, date and grade
  catalogue:p4d.24xlarge.network_mbps     hardware of an instance type
  rule:words                              a constant, with its source
  run:goodput.mtbf_hours                  another number of the same scenario, with a derivation of its own
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import TYPE_CHECKING, Any

from planner.models.equation import numbered
from planner.models.formula import RESULT, evaluate_steps

if TYPE_CHECKING:
    from planner.models.number import Number

KINDS = ("plan", "assumption", "price", "catalogue", "rule", "run")
PRICE = "price:"  # the unit price of the very line that it is an input of

# an input at a call site: its value and its origin, and its unit if no equation gives it
Sourced = tuple[Any, str]
SourcedQuantity = tuple[Any, str, str]


@dataclass(frozen=True, kw_only=True, slots=True)
class Input:
    """One input of an equation. value: a number, or a table of tiers, or a day."""

    name: str
    value: Any
    unit: str
    origin: str

    @property
    def kind(self) -> str:
        return self.origin.partition(":")[0]

    @property
    def where(self) -> str:
        """The origin without its kind: `fleet.nodes`."""
        return self.origin.partition(":")[2]


@dataclass(frozen=True, kw_only=True, slots=True)
class Derived:
    """A number of a scenario with its inputs: a float, an array with one entry per draw, or a day.

    equation: the number of a numbered equation over the inputs, or "".
    expression: plain arithmetic over the names of the inputs, in the language of planner.models.formula, or "".
    With neither, the number is its only input, unchanged.
    label: what the expression means; "" if its names say it.
    of_draws: the expression is a statistic over the draws of its names, not over the inputs.
    """

    id: str
    value: Number | date
    unit: str
    equation: str
    inputs: tuple[Input, ...]
    expression: str = ""
    label: str = ""
    of_draws: bool = False

    def arguments(self) -> dict[str, Any]:
        """The inputs by name, as arguments of the equation."""
        return {entry.name: entry.value for entry in self.inputs}

    @property
    def source(self) -> Input | None:
        """The input that this number equals; None if it is calculated."""
        return None if self.equation or self.expression else self.inputs[0]


def steps_of(derived: Derived) -> list[str]:
    """The equation or expression with its numbers, line by line; nothing for a number that is an input."""
    if derived.equation:
        entry = numbered(derived.equation)
        arguments = {p.name: p.default for p in entry.parameters} | derived.arguments()
        return entry.show(**arguments) if entry.show else evaluate_steps(entry.steps, arguments)[0]
    if derived.expression and not derived.of_draws:
        return evaluate_steps((f"{RESULT} = {derived.expression}",), derived.arguments())[0]
    return []


def inputs_of(equation: str, inputs: Mapping[str, Sourced]) -> tuple[Input, ...]:
    """Inputs of a numbered equation, with their units. Raises KeyError for a name that the equation does not have."""
    units = _units(equation)
    return tuple(
        [Input(name=name, value=value, unit=units[name], origin=origin) for name, (value, origin) in inputs.items()]
    )


@cache
def _units(equation: str) -> dict[str, str]:
    return {parameter.name: parameter.unit for parameter in numbered(equation).parameters}


_NO_NUMBERS: tuple[type, ...] = (str, date, tuple, type(None))


def plain_value(value: Any) -> Any:
    """A number as a float; tables, days and None unchanged."""
    return value if isinstance(value, _NO_NUMBERS) else float(value)


def plain(found: Iterable[Derived]) -> tuple[Derived, ...]:
    """The same with plain floats, for reports."""
    return tuple(
        Derived(  # not `replace`, which takes five times as long
            id=entry.id,
            value=plain_value(entry.value),
            unit=entry.unit,
            equation=entry.equation,
            inputs=plain_inputs(entry.inputs),
            expression=entry.expression,
            label=entry.label,
            of_draws=entry.of_draws,
        )
        for entry in found
    )


def plain_inputs(inputs: tuple[Input, ...]) -> tuple[Input, ...]:
    """The same with plain floats, for reports."""
    for entry in inputs:
        if type(entry.value) is not float:
            break
    else:
        return inputs
    return tuple(
        [  # a list is made faster than a generator is run
            entry
            if type(entry.value) is float
            else Input(name=entry.name, value=plain_value(entry.value), unit=entry.unit, origin=entry.origin)
            for entry in inputs
        ]
    )
