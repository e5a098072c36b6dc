"""The sheet on which a run is worked out: every number is done and written down in one place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from planner.models.derived import Derived, Given, Told, inputs_of
from planner.models.equation import equation_of

if TYPE_CHECKING:
    from planner.models.number import Number


class Sheet:
    """Works numbers out and writes down how, in one place, so that what is explained is what was done.

    kept: whether anything is written down; a run of draws has no use for it unless somebody asks.
    """

    def __init__(self, kept: bool = True) -> None:
        self.kept = kept
        self._entries: list[Derived] = []

    def equation(self, id: str, function: Callable[..., Number], /, **given: Given) -> Number:
        """What a numbered equation gives for some inputs."""
        value = function(**{name: what[0] for name, what in given.items()})
        if self.kept:
            entry = equation_of(function)
            inputs = inputs_of(entry.number, given)
            self._entries.append(
                Derived(id=id, value=value, unit=entry.result_unit, equation=entry.number, inputs=inputs)
            )
        return value

    def words(self, id: str, value: Number, unit: str, how: str, /, **given: Told) -> Number:
        """A number of plain arithmetic, that the caller has done. Every input brings its unit."""
        if self.kept:
            self._entries.append(
                Derived(id=id, value=value, unit=unit, equation="", inputs=inputs_of("", given), how=how)
            )
        return value

    def take(self, derived: Iterable[Derived], names: Mapping[str, str]) -> None:
        """Numbers of another sheet, some of them under other names here."""
        for entry in derived if self.kept else ():
            inputs = tuple(
                replace(part, origin=f"run:{names[part.where]}") if part.kind == "run" and part.where in names else part
                for part in entry.inputs
            )
            self._entries.append(replace(entry, id=names.get(entry.id, entry.id), inputs=inputs))

    @property
    def derived(self) -> tuple[Derived, ...]:
        """All that was written down, in the order in which it was done."""
        return tuple(self._entries)


UNKEPT = Sheet(kept=False)
