"""Gates: conditions on a finished comparison that give a failing exit code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from planner.decide.comparison import Comparison
from planner.decide.price_age import StalePrice
from planner.errors import ExitCode

STRICT_HINT = "; purchase.options and storage.layouts can leave out scenarios"


@dataclass(frozen=True, kw_only=True)
class Gates:
    """The caller's conditions. None: no such gate. at: the figure of cost and days to check, "plan", "p50" or "p90"."""

    strict: bool = False
    max_cost_usd: float | None = None
    max_days: float | None = None
    max_unpriced: int | None = None
    at: str = "plan"


@dataclass(frozen=True, kw_only=True)
class Violation:
    code: ExitCode
    message: str


def violations(comparison: Comparison, gates: Gates) -> list[Violation]:
    """Every gate that fails. Cost and days are those of the first complete scenario."""
    found = []
    if not any(scenario.feasible for scenario in comparison.scenarios):
        nearest = f"; {comparison.relaxations[0].options} makes one so" if comparison.relaxations else ""
        found.append(Violation(code=ExitCode.GATE, message=f"no scenario is feasible{nearest}"))
    best, name = comparison.best, {"plan": "planned", "p50": "P50", "p90": "P90"}[gates.at]
    for limit, value, what in (
        (gates.max_cost_usd, best and best.cost_usd and getattr(best.cost_usd, gates.at), f"{name} cost in USD"),
        (gates.max_days, best and best.days and getattr(best.days, gates.at), f"{name} days"),
    ):
        if limit is None:
            continue
        if value is None:
            found.append(Violation(code=ExitCode.GATE, message=f"no complete scenario whose {what} could be checked"))
        elif value > limit:
            message = f"{what} of {best.id if best else ''} is {value:,.2f}, above {limit:,.2f}"
            found.append(Violation(code=ExitCode.GATE, message=message))
    weak = comparison.weak_lines
    if gates.strict and comparison.stale:
        found.append(Violation(code=ExitCode.STALE, message=_out_of_date(comparison.stale)))
    if gates.strict and weak:
        message = _first(weak, "lines unpriced, grade C or carried back") + STRICT_HINT
        found.append(Violation(code=ExitCode.UNPRICED, message=message))
    missing = sum(len(s.unpriced) for s in comparison.scenarios if s.feasible)
    if gates.max_unpriced is not None and missing > gates.max_unpriced:
        message = f"{missing} unpriced lines; at most {gates.max_unpriced} are allowed"
        found.append(Violation(code=ExitCode.UNPRICED, message=message))
    return found


def exit_code(found: Sequence[Violation]) -> ExitCode:
    """The lowest exit code of the violations; 0 without any."""
    return min((violation.code for violation in found), default=ExitCode.OK)


def _out_of_date(stale: Sequence[StalePrice]) -> str:
    oldest = max(stale, key=lambda entry: entry.age_days - entry.limit_days)
    count = f"{len(stale)} price{'s are' if len(stale) > 1 else ' is'} out of date"
    return f"{count}: that of {oldest.line} is {oldest.age_days} days old, the limit is {oldest.limit_days}"


def _first(items: tuple[str, ...], what: str) -> str:
    return f"{len(items)} {what}: {items[0]}" + (", and more" if len(items) > 1 else "")
