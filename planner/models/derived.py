"""Numbers that know where they come from: an equation, its inputs, and the origin of each of them.

An origin is one text of a few kinds:
  plan:fleet.nodes                        what the plan says, or its default
  assumption:goodput.restart_minutes      an assumption, at its central value
  price:fleet.compute                     the unit price of that line of the bill: source, date and grade stand there
  catalogue:p4d.24xlarge.network_mbps     hardware of an instance type
  rule:words                              a constant of AWS or of ours, with its source
  run:goodput.mtbf_hours                  another number of the same scenario, derived itself
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

from planner.models.equation import numbered

if TYPE_CHECKING:
    from planner.models.number import Number

KINDS = ("plan", "assumption", "price", "catalogue", "rule", "run")
PRICE = "price:"  # the unit price of the very line that it is an input of

# an input before it is one: its value and its origin; and its unit where no equation says it
Given = tuple[Any, str]
Told = tuple[Any, str, str]


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
    """A number of a scenario with what gave it: a float, an array with one entry a draw, or a day.

    equation: its number, or "" where `how` says in words what plain arithmetic was done with the inputs.
    """

    id: str
    value: Number
    unit: str
    equation: str
    inputs: tuple[Input, ...]
    how: str = ""

    def arguments(self) -> dict[str, Any]:
        """The inputs by name, as the equation takes them."""
        return {entry.name: entry.value for entry in self.inputs}


def inputs_of(equation: str, given: Mapping[str, Given] | Mapping[str, Told]) -> tuple[Input, ...]:
    """What was given as inputs; an equation says the unit of each."""
    units = {} if not equation else {p.name: p.unit for p in numbered(equation).parameters}
    return tuple(
        Input(name=name, value=what[0], unit=what[2] if len(what) > 2 else units[name], origin=what[1])  # type: ignore[misc]
        for name, what in given.items()
    )


def plain_value(value: Any) -> Any:
    """A number as a float; tables, days and what is not there as they are."""
    if value is None or isinstance(value, (str, date, tuple)):
        return value
    return float(value)


def plain(found: Iterable[Derived]) -> tuple[Derived, ...]:
    """The same with plain floats, for reports."""
    return tuple(
        Derived(
            id=entry.id,
            value=plain_value(entry.value),
            unit=entry.unit,
            equation=entry.equation,
            inputs=plain_inputs(entry.inputs),
            how=entry.how,
        )
        for entry in found
    )


def plain_inputs(inputs: tuple[Input, ...]) -> tuple[Input, ...]:
    return tuple(
        entry
        if type(entry.value) is float
        else Input(name=entry.name, value=plain_value(entry.value), unit=entry.unit, origin=entry.origin)
        for entry in inputs
    )
