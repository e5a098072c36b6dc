"""The sheet of a run: every number is calculated and recorded in one place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Any, TypeVar

from planner.models.derived import Derived, Input, Sourced, SourcedQuantity, inputs_of
from planner.models.equation import equation_of

if TYPE_CHECKING:
    from planner.models.number import Number

N = TypeVar("N", bound="Number | date")


class Sheet:
    """Records how each number was calculated, so that what `planner explain` shows is what was done.

    recording: whether derivations are kept; runs of draws skip them unless someone asks for an explanation.
    """

    def __init__(self, recording: bool = True) -> None:
        self.recording = recording
        self._entries: list[Derived] = []

    def equation(self, id: str, function: Callable[..., N], /, **inputs: Sourced) -> N:
        """The result of a numbered equation for some inputs."""
        value = function(**{name: sourced[0] for name, sourced in inputs.items()})
        if self.recording:
            entry = equation_of(function)
            self._entries.append(
                Derived(
                    id=id,
                    value=value,
                    unit=entry.result_unit,
                    equation=entry.number,
                    inputs=inputs_of(entry.number, inputs),
                )
            )
        return value

    def arithmetic(
        self, id: str, value: N, unit: str, expression: str, label: str = "", /, **inputs: SourcedQuantity
    ) -> N:
        """A number that the caller calculated, with the same calculation as an expression over the inputs.

        label: what the expression means, where its names do not say it.
        """
        if self.recording:
            self._record(id, value, unit, inputs, expression=expression, label=label)
        return value

    def taken(self, id: str, unit: str, /, **source: tuple[N, str]) -> N:
        """A number that equals its only input, in the same unit."""
        ((name, (value, origin)),) = source.items()
        if self.recording:
            self._record(id, value, unit, {name: (value, origin, unit)})
        return value

    def statistic(
        self, id: str, value: float, unit: str, expression: str, label: str, /, **inputs: SourcedQuantity
    ) -> None:
        """A statistic over draws. expression: over the arrays of draws; inputs: the numbers that were drawn."""
        if self.recording:
            self._record(id, value, unit, inputs, expression=expression, label=label, of_draws=True)

    def _record(
        self, id: str, value: Number | date, unit: str, inputs: Mapping[str, SourcedQuantity], **formula: Any
    ) -> None:
        units = tuple(
            Input(name=name, value=amount, unit=own_unit, origin=origin)
            for name, (amount, origin, own_unit) in inputs.items()
        )
        self._entries.append(Derived(id=id, value=value, unit=unit, equation="", inputs=units, **formula))

    def include(self, derived: Iterable[Derived], names: Mapping[str, str]) -> None:
        """Add the numbers of another sheet. names: new ids of some of them."""
        if not names:
            self._entries += derived
            return
        for entry in derived if self.recording else ():
            inputs = tuple(
                replace(part, origin=f"run:{names[part.where]}") if part.kind == "run" and part.where in names else part
                for part in entry.inputs
            )
            self._entries.append(replace(entry, id=names.get(entry.id, entry.id), inputs=inputs))

    @property
    def derived(self) -> tuple[Derived, ...]:
        """Everything recorded, in the order of calculation."""
        return tuple(self._entries)


UNRECORDED = Sheet(recording=False)
