"""The KEY=VALUE inputs of `planner calc`, and the command that would complete them."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from planner.cli.options import book_for
from planner.errors import UsageProblem

if TYPE_CHECKING:
    from planner.models.equation import Equation, Parameter


def read_inputs(entry: Equation, inputs: tuple[str, ...], prices: str | None) -> tuple[dict[str, Any], list[str]]:
    """(values by input name, notes about prices). Raises UsageProblem that names every fault."""
    from planner.models.inputs_in_text import read_assignments, value_in_text

    notes: list[str] = []

    def value(parameter: Parameter, text: str) -> Any:
        found, note = value_in_text(parameter, text, lambda: book_for(prices))
        notes.extend([note] if note else [])
        return found

    values, faults, missing = read_assignments(entry, inputs, value)
    faults += [f"{p.name} [{p.unit}] is missing" for p in missing]
    if faults:
        example = _example(entry, inputs) if missing and len(faults) == len(missing) else ""
        raise UsageProblem("; ".join(faults) + example)
    return values, notes


def _example(entry: Equation, inputs: tuple[str, ...]) -> str:
    """The command as typed, completed with a sample value for each missing input."""
    from planner.models.inputs_in_text import parameter_named

    given = {p.name for text in inputs if (p := parameter_named(entry, text.partition("=")[0].strip()))}
    rest = [f"{p.name}={sample(p)}" for p in entry.parameters if p.default is None and p.name not in given]
    words = " ".join([*(shlex.quote(text) for text in inputs), *rest])
    return f"\n    like this: planner calc {entry.number} {words}\n    `planner calc {entry.number}` explains each"


def sample(parameter: Parameter) -> str:
    if parameter.unit == "YYYY-MM-DD":
        return "2026-10-05"
    if ":" in parameter.unit:
        return "0:inf:0.023" if parameter.unit.split(",")[0].count(":") == 2 else "8:128.2,16:254.0"
    return {"fraction": "0.9", "days": "14"}.get(parameter.unit, "100")
