"""Each published figure replayed through the planner's own equations and plans, and what that says of both."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from planner.errors import PlanProblems
from planner.evidence.case import Case
from planner.evidence.inputs import (
    DRAWS,
    SEED,
    Computed,
    Inputs,
    Refused,
    Unreadable,
    alternatives,
    assumption_named,
    equation_named,
    parted,
)
from planner.evidence.plan_cases import figure_of, settings_of, warning_of
from planner.evidence.unseen import by_the_others
from planner.models.number import quantiles
from planner.models.units import WrongUnit, converted
from planner.models.values import Values

REPRODUCED = "reproduced"
PLAUSIBLE = "plausible"
CONTRADICTED = "contradicted"
NOT_ASKED = "not asked"
VERDICTS = (REPRODUCED, PLAUSIBLE, CONTRADICTED, NOT_ASKED)

PLAN, ASSUMPTION = "plan", "assumption"
NEWCOMER = "newcomer"  # the plan of somebody who knows FLOP and a fleet
# FSx sells 1,200 GiB as "1.2 TiB", so that in its sizes a TiB has 1,000 GiB
_FSX_SIZES = ("S4", "S17")


@dataclass(frozen=True, kw_only=True)
class Result:
    """What one case came to.

    equation: by number, `plan`, `assumption`, or "". low, high: the computed ends, equal for one number, in the unit of
    the case; None if nothing was computed. p10, p50, p90: of the draws, None if no input is uncertain. said: what a
    refusal or warning says. why: one sentence for a contradiction, or why it was not asked; else "".
    """

    case: Case
    verdict: str
    equation: str
    low: float | None = None
    high: float | None = None
    p10: float | None = None
    p50: float | None = None
    p90: float | None = None
    said: str = ""
    why: str = ""

    @property
    def counted(self) -> bool:
        """Whether the published outcome is one number and the computed one an interval."""
        return self.p10 is not None and self.case.published.is_figure

    @property
    def bare(self) -> bool:
        """Whether the plan had nothing of the run but FLOP and a fleet, as a newcomer writes it."""
        return self.equation == PLAN and settings_of(self.case)[0]["file"] == NEWCOMER

    @property
    def covered(self) -> bool:
        """Whether the published outcome lies inside P10-P90."""
        if self.p10 is None or self.p90 is None:
            return False
        return _within(self.case.published.low, self.p10, self.p90)


@dataclass(frozen=True, kw_only=True)
class Coverage:
    """How often P10-P90 holds what happened. ratio: median of published over P50; None without an outcome.
    by_the_others: how many would lie inside, were the range of each what the others took."""

    inside: int
    of: int
    ratio: float | None
    by_the_others: int

    @classmethod
    def of_results(cls, results: Sequence[Result]) -> Coverage:
        ratios = [r.case.published.low / r.p50 for r in results if r.p50]
        return cls(
            inside=sum(r.covered for r in results),
            of=len(results),
            ratio=statistics.median(ratios) if ratios else None,
            by_the_others=by_the_others([r.case.published.low / r.low for r in results if r.low]),
        )


@dataclass(frozen=True, kw_only=True)
class Backtest:
    """Every result, in the order of the cases."""

    results: tuple[Result, ...]

    def count(self, verdict: str) -> int:
        return sum(result.verdict == verdict for result in self.results)

    @property
    def informed(self) -> Coverage:
        """Published outcomes against intervals that had the run's own inputs."""
        return Coverage.of_results([r for r in self.results if r.counted and not r.bare])

    @property
    def bare(self) -> Coverage:
        """Whole runs against what the default says from FLOP and fleet alone."""
        return Coverage.of_results([r for r in self.results if r.counted and r.bare])


def backtest(cases: Sequence[Case]) -> Backtest:
    """Replay every case. Raises PlanProblems with every row that names something that does not exist."""
    problems, results = [], []
    for case in cases:
        try:
            results.append(_result(case))
        except Unreadable as error:
            problems.append(case.problem(str(error)))
    if problems:
        raise PlanProblems(tuple(problems))
    return Backtest(results=tuple(results))


def _result(case: Case) -> Result:
    if not case.equation:
        why = case.comment or "the row names no equation and no plan that could answer it"
        return Result(case=case, verdict=NOT_ASKED, equation="", why=why)
    ways: dict[str, tuple[str, Callable[[Case], Computed]]] = {
        PLAN: (PLAN, _of_plan),
        ASSUMPTION: (ASSUMPTION, _of_assumption),
    }
    if case.equation in ways:
        name, compute = ways[case.equation]
    else:
        name, compute = equation_named(case.equation).number, _of_equation
    if case.published.refusal:
        return _negative(case, name, compute)
    try:
        found = [compute(one) for one in alternatives(case)]
    except Refused as error:
        said = _first(error)
        return Result(case=case, verdict=CONTRADICTED, equation=name, said=said, why=case.comment or said)
    return _judged(case, name, found)


def _first(error: Exception) -> str:
    """The first line of a message: what is refused, without how to mend a file."""
    return str(error).splitlines()[0].strip()


def _negative(case: Case, name: str, compute: Callable[[Case], Computed]) -> Result:
    """A case that must be refused, or that a plan must warn of."""
    try:
        warned = warning_of(case) if name == PLAN and "warns" in case.inputs else ""
        computed = None if name == PLAN and "warns" in case.inputs else compute(case)
    except Refused as error:
        return Result(case=case, verdict=REPRODUCED, equation=name, said=f"refused: {_first(error)}")
    if warned:
        return Result(case=case, verdict=REPRODUCED, equation=name, said=f"warned: {warned}")
    value = None if computed is None else computed.planned
    why = case.comment or "the planner answers without a warning what it should refuse"
    return Result(case=case, verdict=CONTRADICTED, equation=name, low=value, high=value, why=why)


def _of_equation(case: Case) -> Computed:
    entry = equation_named(case.equation)
    found = Inputs(case).computed(case.equation, case.inputs)
    return _in_unit(found, case, entry.result_unit, entry.number)


def _of_plan(case: Case) -> Computed:
    figure = figure_of(case)
    ends = None if figure.p10 == figure.p90 else np.array([figure.p10, figure.p90])
    # draws with these quantiles
    draws = None if ends is None else np.array([ends[0], ends[0], figure.p50, ends[1], ends[1]])
    return _in_unit(Computed(planned=figure.planned, draws=draws), case, figure.unit, "")


def _of_assumption(case: Case) -> Computed:
    keys = [text.removeprefix("key=").strip() for text in parted(case.inputs, ";")]
    assumption = assumption_named(keys[0] if keys else "")
    values = Values(table={assumption.key: assumption}, draws=DRAWS, seed=SEED, recording=False)
    drawn = np.broadcast_to(np.asarray(values[assumption.key], dtype=float), (DRAWS,))
    return _in_unit(Computed(planned=assumption.value, draws=drawn), case, assumption.unit, "")


def _in_unit(found: Computed, case: Case, unit: str, number: str) -> Computed:
    """In the unit of the published figure. Raises Unreadable for a unit of another kind."""
    to = case.unit
    if number in _FSX_SIZES and to == "TiB":
        factor = 1 / 1000
    else:
        try:
            factor = converted(1.0, unit, to) if to else 1.0
        except WrongUnit as error:
            raise Unreadable(f"unit {to!r} does not fit the result, in {unit}: {error}") from None
    draws = None if found.draws is None else found.draws * factor
    return replace(found, planned=found.planned * factor, draws=draws)


def _judged(case: Case, name: str, found: Sequence[Computed]) -> Result:
    """The verdict on a figure, a range or a bound."""
    low, high = min(one.planned for one in found), max(one.planned for one in found)
    drawn = [one.draws for one in found if one.draws is not None]
    p10 = p50 = p90 = None
    if drawn:
        ends = [quantiles(np.asarray(draws), (0.1, 0.5, 0.9)) for draws in drawn]
        p10, p50, p90 = min(end[0] for end in ends), ends[0][1], max(end[2] for end in ends)
    verdict = _verdict(case, low, high, p10, p90)
    result = Result(case=case, verdict=verdict, equation=name, low=low, high=high, p10=p10, p50=p50, p90=p90)
    return replace(result, why=case.comment or _difference(result)) if verdict == CONTRADICTED else result


def _verdict(case: Case, low: float, high: float, p10: float | None, p90: float | None) -> str:
    published = case.published
    wide_low, wide_high = (low if p10 is None else min(p10, low)), (high if p90 is None else max(p90, high))
    if published.is_bound:
        if published.low < low and high < published.high:
            return REPRODUCED
        return PLAUSIBLE if wide_high > published.low and wide_low < published.high else CONTRADICTED
    if published.is_figure:
        figure, margin = published.low, published.margin(published.low)
        # every alternative, so that a wide set of inputs does not reproduce everything
        if abs(low - figure) <= margin and abs(high - figure) <= margin:
            return REPRODUCED
        return PLAUSIBLE if _within(figure, wide_low, wide_high) and wide_low < wide_high else CONTRADICTED
    same_ends = abs(low - published.low) <= published.margin(published.low) and abs(
        high - published.high
    ) <= published.margin(published.high)
    inside = published.low - published.margin(published.low) <= low and high <= published.high + published.margin(
        published.high
    )
    if same_ends or inside:
        return REPRODUCED
    return PLAUSIBLE if wide_low <= published.high and wide_high >= published.low else CONTRADICTED


def _within(value: float, low: float, high: float) -> bool:
    return low * (1 - 1e-9) <= value <= high * (1 + 1e-9)


def _difference(result: Result) -> str:
    """How far the computed figure is from the published one, where the row has no sentence of its own."""
    published, computed = result.case.published, result.low
    if result.p10 is not None and published.is_figure:
        side = "below" if published.low < result.p10 else "above"
        return f"the published figure lies {side} 8 of 10 computed outcomes"
    if computed is None or not math.isfinite(published.low) or not published.low:
        return "the equations give another result"
    return f"the equations give {computed / published.low - 1:+.0%}"
