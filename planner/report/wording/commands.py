"""The commands that give an explained number again: its own, or those of its parts and what is left to do with them."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterable, Mapping, Sequence

from planner.decide.comparison import Comparison
from planner.decide.explain import Explanation, reached
from planner.estimate.derivations import is_percentile
from planner.models.derived import Derived
from planner.models.line_numbers import PRODUCT
from planner.report.terminal.columns import command as pasted
from planner.report.terminal.columns import wrap
from planner.report.wording import figures
from planner.report.wording.origins import amount, command
from planner.report.wording.recommendation import rank_of

_SAME = 1e-9  # relative: what a reader gets with the parts as they are printed


def by_hand(comparison: Comparison, found: Explanation, width: int, again: Sequence[str]) -> list[str]:
    """A heading and commands; nothing where there is none. again: the plan and what else a command must repeat."""
    derived = found.derived
    if is_percentile(derived.id) and comparison.draws:
        return _drawn(comparison, found, width, again)
    own = _commands(derived, found.known, width, "    " if derived.expression == PRODUCT else "  ")
    if own:
        quantity = [] if derived.equation else wrap(f"  {derived.inputs[0].where}:", width, "    ")
        return ["By hand", *quantity, *own]
    joined = _joined(derived, found.known, width)
    if joined:
        return joined
    nearest = next((entry for entry in reached(found.known, derived) if entry.equation), None)
    if nearest is None:
        return []
    return ["One of its parts by hand", *wrap(f"  {nearest.id}:", width), *pasted(command(nearest), width, "    ")]


def _drawn(comparison: Comparison, found: Explanation, width: int, again: Sequence[str]) -> list[str]:
    """A percentile is no arithmetic: the same draws give it again."""
    given = {"--draws": comparison.draws, "--seed": comparison.seed}
    named = [word for name, value in given.items() if name not in again for word in (name, str(value))]
    asked = " ".join(shlex.quote(figures.visible(word)) for word in (*again, *named))
    place = f"scenarios[{rank_of(comparison, found.scenario) - 1}].{found.derived.id}"
    return ["By hand", *pasted(f"planner compare {asked} -f json", width), *wrap(f"  there as {place}", width, "    ")]


def _commands(derived: Derived, known: Mapping[str, Derived], width: int, indent: str) -> list[str]:
    """The command of a number that has one; of a line of a bill that of its quantity, and the multiplication."""
    if derived.equation:
        return pasted(command(derived), width, indent)
    if derived.expression != PRODUCT:
        return []
    quantity, each = derived.inputs
    behind = known.get(quantity.where)
    if behind is None or not behind.equation:
        return []
    product = f"{amount(each.value, each.unit)} = {amount(derived.value, derived.unit)}"
    return [*pasted(command(behind), width, indent), *wrap(f"{indent}and that x {product}", width, f"{indent}  ")]


def _joined(derived: Derived, known: Mapping[str, Derived], width: int) -> list[str]:
    """One command a part, and the addition or multiplication that makes them the number; nothing where it is neither,
    or where no part has a command."""
    parts = [entry for entry in derived.inputs if isinstance(entry.value, float | int)]
    if len(parts) != len(derived.inputs) or not isinstance(derived.value, float | int):
        return []
    sign = _sign(derived, [float(part.value) for part in parts])
    if not sign:
        return []
    lines = []
    for part in parts:
        behind = known.get(part.where) if part.kind == "run" else None
        commands = _commands(behind, known, width, "    ") if behind else []
        lines += [*wrap(f"  {behind.id}:", width, "    "), *commands] if behind and commands else []
    if not lines:
        return []
    sum_ = f" {sign} ".join(amount(part.value, "") for part in parts)
    what = "By hand, part by part" if len(parts) > 1 else "By hand"
    return [what, *lines, *wrap(f"  {sum_} = {amount(derived.value, derived.unit)}", width, "    ")]


def _sign(derived: Derived, values: Iterable[float]) -> str:
    """How the inputs make the number: added, multiplied, or "" otherwise."""
    values, value = list(values), derived.value
    if not values or not isinstance(value, float | int):
        return ""
    same_unit = all(part.unit == derived.unit for part in derived.inputs)
    if same_unit and math.isclose(math.fsum(values), value, rel_tol=_SAME):
        return "+"
    return "x" if len(values) > 1 and math.isclose(math.prod(values), value, rel_tol=_SAME) else ""
