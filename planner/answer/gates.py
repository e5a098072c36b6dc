"""Gates: conditions on a finished comparison that give a failing exit code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from planner.answer.compared import Compared
from planner.answer.price_age import ALL_LINES, StalePrice
from planner.answer.row import R, Row
from planner.errors import ExitCode

FEASIBLE, LIMITS = "feasible", "limits"
STRICT_HINT = "; purchase.options and storage.layouts can leave out scenarios"


@dataclass(frozen=True, kw_only=True)
class Gates:
    """The caller's conditions. None: no such gate. at: the figure of cost and days to check, "plan",
    "p50" or "p90"."""

    strict: bool = False
    max_cost_usd: float | None = None
    max_days: float | None = None
    max_unpriced: int | None = None
    at: str = "p50"

    @property
    def asked_for(self) -> bool:
        """Whether the caller set any gate."""
        return self.strict or any(gate is not None for gate in (self.max_cost_usd, self.max_days, self.max_unpriced))


@dataclass(frozen=True, kw_only=True)
class Violation:
    """A gate that fails. gate: its name, as in the options: max-cost, max-days, max-unpriced, strict-dates,
    strict-prices; LIMITS for all limits of cost and days; FEASIBLE, which every comparison has to pass."""

    code: ExitCode
    message: str
    gate: str = FEASIBLE


def violations(comparison: Compared[R], gates: Gates) -> list[Violation]:
    """Every gate that fails. Of the eligible scenarios one has to stay within the limits of cost and days."""
    found = []
    eligible = [s for s in comparison.scenarios if s.eligible]
    limited = gates.max_cost_usd is not None or gates.max_days is not None
    if not any(scenario.feasible for scenario in comparison.scenarios):
        found.append(Violation(code=ExitCode.GATE, message=f"no scenario is feasible{_nearest(comparison)}"))
    elif limited and not eligible:
        message = f"no scenario is eligible{_nearest(comparison)}"
        found.append(Violation(code=ExitCode.GATE, message=message, gate=LIMITS))
    elif limited and not any(_passes(s, gates) for s in eligible):
        found += _over(eligible[0], gates)
    weak = comparison.weak_lines
    if gates.strict and comparison.stale:
        found.append(Violation(code=ExitCode.STALE, message=_out_of_date(comparison.stale), gate="strict-dates"))
    if gates.strict and weak:
        message = _first(weak, "lines unpriced, bounded, grade C or carried back") + STRICT_HINT
        found.append(Violation(code=ExitCode.UNPRICED, message=message, gate="strict-prices"))
    missing = sum(len(s.unpriced) for s in comparison.scenarios if s.feasible)
    if gates.max_unpriced is not None and missing > gates.max_unpriced:
        message = f"{missing} unpriced lines; at most {gates.max_unpriced} are allowed"
        found.append(Violation(code=ExitCode.UNPRICED, message=message, gate="max-unpriced"))
    return found


def _checked(scenario: Row, gates: Gates) -> list[tuple[float, float, str]]:
    """(limit, figure, what) of each limit."""
    name = {"plan": "planned", "p50": "P50", "p90": "P90"}[gates.at]
    assert scenario.cost_usd is not None and scenario.days is not None  # noqa: PT018  it is eligible
    found = [
        (gates.max_cost_usd, getattr(scenario.cost_usd, gates.at), f"{name} cost in USD"),
        (gates.max_days, getattr(scenario.days, gates.at), f"{name} days"),
    ]
    return [(limit, value, what) for limit, value, what in found if limit is not None]


def _passes(scenario: Row, gates: Gates) -> bool:
    return all(value <= limit for limit, value, _ in _checked(scenario, gates))


def _over(scenario: Row, gates: Gates) -> list[Violation]:
    """What the first eligible scenario exceeds, where none passes."""
    over = [check for check in _checked(scenario, gates) if check[1] > check[0]]
    return [
        Violation(
            code=ExitCode.GATE,
            message=f"no eligible scenario passes: {what} of {scenario.id} is {value:,.2f}, above {limit:,.2f}",
            gate="max-days" if what.endswith("days") else "max-cost",
        )
        for limit, value, what in over
    ]


def _nearest(comparison: Compared[R]) -> str:
    return f"; {comparison.relaxations[0].options} makes one so" if comparison.relaxations else ""


def exit_code(found: Sequence[Violation]) -> ExitCode:
    """The lowest exit code of the violations; 0 without any."""
    return min((violation.code for violation in found), default=ExitCode.OK)


def _out_of_date(stale: Sequence[StalePrice]) -> str:
    if stale[0].later:
        what = "prices" if stale[0].line == ALL_LINES else f"the price of {stale[0].line}"
        are, they = ("are", "they are") if stale[0].line == ALL_LINES else ("is", "it is")
        return f"{what} of {stale[0].price_date} {are} later than {stale[0].day}, the day that {they} for"
    oldest = max(stale, key=lambda entry: entry.age_days - entry.limit_days)
    count = f"{len(stale)} price{'s are' if len(stale) > 1 else ' is'} out of date"
    return f"{count}: that of {oldest.line} is {oldest.age_days} days old, the limit is {oldest.limit_days}"


def _first(items: tuple[str, ...], what: str) -> str:
    return f"{len(items)} {what}: {items[0]}" + (", and more" if len(items) > 1 else "")
