"""How to calculate an explained number again: its command, or those of its parts and the arithmetic that is left."""

from __future__ import annotations

import math
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from planner.decide.comparison import Comparison
from planner.decide.explain import Explanation, reached
from planner.decide.leaders import rank_of
from planner.estimate.derivations import is_percentile
from planner.models.derived import Derived, Input
from planner.models.line_numbers import PRODUCT
from planner.report.wording import figures
from planner.report.wording.origins import amount, command

_SAME = 1e-9  # relative: what a reader gets with the parts as they are printed
TITLE, PARTS_TITLE, ONE_PART_TITLE = "To calculate it", "To calculate it, part by part", "To calculate one of its parts"


@dataclass(frozen=True, kw_only=True)
class Step:
    """A line of text, or a command to paste into a shell. level: how deep it is indented, from 1."""

    text: str = ""
    command: str = ""
    level: int = 1


def calculation(
    comparison: Comparison, found: Explanation, again: Sequence[str], most: int | None = None
) -> tuple[str, list[Step]]:
    """A title and steps; no steps where there is no command. again: the plan and the options to repeat. most: of the
    parts, the largest ones; None for all."""
    derived = found.derived
    if is_percentile(derived.id) and comparison.draws:
        return TITLE, _drawn(comparison, found, again)
    own = _commands(derived, found.known, 2 if derived.expression == PRODUCT else 1)
    if own:
        quantity = [] if derived.equation else [Step(text=f"{derived.inputs[0].where}:")]
        return TITLE, [*quantity, *own]
    joined = _joined(derived, found.known, most)
    if joined:
        return (PARTS_TITLE if len(derived.inputs) > 1 else TITLE), joined
    nearest = next((entry for entry in reached(found.known, derived) if entry.equation), None)
    if nearest is None:
        return ONE_PART_TITLE, []
    return ONE_PART_TITLE, [Step(text=f"{nearest.id}:"), Step(command=command(nearest), level=2)]


def _drawn(comparison: Comparison, found: Explanation, again: Sequence[str]) -> list[Step]:
    """A percentile is not arithmetic: the same draws give it again."""
    given = {"--draws": comparison.draws, "--seed": comparison.seed}
    named = [word for name, value in given.items() if name not in again for word in (name, str(value))]
    words = " ".join(shlex.quote(figures.visible(word)) for word in (*again, *named))
    place = f"scenarios[{rank_of(comparison, found.scenario) - 1}].{found.derived.id}"
    return [Step(command=f"planner compare {words} -f json"), Step(text=f"in its output: {place}")]


def _commands(derived: Derived, known: Mapping[str, Derived], level: int) -> list[Step]:
    """The command of a number that has one; of a bill line that of its quantity, and the multiplication."""
    if derived.equation:
        return [Step(command=command(derived), level=level)]
    if derived.expression != PRODUCT:
        return []
    quantity, each = derived.inputs
    behind = known.get(quantity.where)
    if behind is None or not behind.equation:
        return []
    product = f"{amount(each.value, each.unit)} = {amount(derived.value, derived.unit)}"
    return [Step(command=command(behind), level=level), Step(text=f"times {product}", level=level)]


def _joined(derived: Derived, known: Mapping[str, Derived], most: int | None) -> list[Step]:
    """One command a part, and the addition or multiplication that gives the number; empty where it is neither, or where
    no part has a command. most: of many parts only so many, without the addition."""
    parts = [entry for entry in derived.inputs if isinstance(entry.value, float | int)]
    if len(parts) != len(derived.inputs) or not isinstance(derived.value, float | int):
        return []
    sign = _sign(derived, [float(part.value) for part in parts])
    if not sign:
        return []
    steps: list[Step] = []
    largest = largest_of(parts, most)
    for part in largest:
        behind = known.get(part.where) if part.kind == "run" else None
        commands = _commands(behind, known, 2) if behind else []
        steps += [Step(text=f"{behind.id}:"), *commands] if behind and commands else []
    if not steps:
        return []
    if len(largest) < len(parts):
        return [*steps, Step(text=f"{figures.many(len(parts) - len(largest), 'smaller part')}: --all")]
    together = f" {sign} ".join(amount(part.value, "") for part in parts)
    return [*steps, Step(text=f"{together} = {amount(derived.value, derived.unit)}")]


def largest_of(parts: Sequence[Input], most: int | None) -> list[Input]:
    """So many of the parts, the largest ones, in their order; all of them where there are few more."""
    if most is None or len(parts) <= 2 * most:
        return list(parts)

    def size(part: Input) -> float:
        return abs(part.value) if isinstance(part.value, float | int) else math.inf

    kept = sorted(parts, key=size, reverse=True)[:most]
    return [part for part in parts if part in kept]


def _sign(derived: Derived, values: list[float]) -> str:
    """How the inputs give the number: added, multiplied, or "" otherwise."""
    value = derived.value
    if not values or not isinstance(value, float | int):
        return ""
    same_unit = all(part.unit == derived.unit for part in derived.inputs)
    if same_unit and math.isclose(math.fsum(values), value, rel_tol=_SAME):
        return "+"
    return "x" if len(values) > 1 and math.isclose(math.prod(values), value, rel_tol=_SAME) else ""
