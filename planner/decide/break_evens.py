"""What would change the decision: every number at both of its ends with everything decided again, and from which value
on another choice is recommended.

At every `value` given here the decision was made in all draws; `keeps` was decided among the few that could lead.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial

from planner.decide.again import Decider, Decision
from planner.decide.parameters import Parameter
from planner.decide.search import Each
from planner.models.number import rounded

DIGITS = 3  # of the values tried, so that a reader can type them
CLOSE = 0.02  # of the value: nobody knows one better


@dataclass(frozen=True, kw_only=True)
class BreakEven:
    """Going away from the planned value, `before` is recommended up to `keeps`, and `then` at `value`; an id is ""
    where nothing is. At the planned value itself: that it is known, and no range any more, changes the decision.
    inside: whether `value` is in the parameter's own range."""

    parameter: Parameter
    value: float
    keeps: float
    before: str
    then: Decision

    @property
    def inside(self) -> bool:
        return self.parameter.low <= self.value <= self.parameter.high


@dataclass(frozen=True, kw_only=True)
class Search:
    """Everything decided with one parameter: at both ends of its reach, and the nearest change on each side.

    runs: how many values were tried, from `lowest` to `highest`.
    """

    parameter: Parameter
    planned: Decision
    low: Decision
    high: Decision
    break_evens: tuple[BreakEven, ...]
    runs: int

    @property
    def lowest(self) -> float:
        return min(self.parameter.value, self.parameter.reach[0])

    @property
    def highest(self) -> float:
        return max(self.parameter.value, self.parameter.reach[1])

    @property
    def lengths(self) -> tuple[float, ...]:
        """Days of the Capacity Block at the ends that change nothing else, where they are others than planned."""
        alike = [end.block_days for end in (self.low, self.high) if end.id == self.planned.id]
        return tuple(days for days in alike if days is not None and days != self.planned.block_days)


def how_far(break_even: BreakEven) -> float:
    """From the planned value, as a multiple of it."""
    planned = break_even.parameter.value or break_even.parameter.high or 1.0
    return abs(break_even.value - break_even.parameter.value) / abs(planned)


def search(decider: Decider, parameters: Sequence[Parameter], each: Each = map) -> tuple[Search, ...]:
    """Look for a change of the decision with each parameter, the others as planned. A stream of draws has no value that
    a plan could set: it is decided at both ends alone. each: see `planner.decide.search`."""
    return tuple(each(partial(_search, decider), parameters))


def _search(decider: Decider, parameter: Parameter) -> Search:
    planned = decider.planned
    if not decider.is_moved_by(parameter):
        return Search(parameter=parameter, planned=planned, low=planned, high=planned, break_evens=(), runs=0)
    tried: dict[tuple[float, tuple[str, ...]], Decision] = {}

    def at(value: float, also: tuple[str, ...] = ()) -> Decision:
        if (value, also) not in tried:
            tried[value, also] = decider.at(parameter, value, also)
        return tried[value, also]

    @cache
    def surely(value: float) -> Decision:
        if value == parameter.value or at(value).buys_as(decider.guessed):
            return planned
        return decider.surely(parameter, value)

    low, high = (surely(end) for end in parameter.reach)
    found, known = [], planned
    if parameter.path and {low.id, high.id} != {planned.id}:
        if parameter.assumed and at(parameter.value).id != decider.guessed.id:
            known = decider.surely(parameter, parameter.value)
        if known.id != planned.id:
            middle = parameter.value
            found = [BreakEven(parameter=parameter, value=middle, keeps=middle, before=planned.id, then=known)]
        found += [
            _break_even(parameter, known.id, end, then, at, surely)
            for end, then in zip(parameter.reach, (low, high), strict=True)
            if end != parameter.value and then.id != known.id
        ]
    return Search(
        parameter=parameter,
        planned=planned,
        low=low,
        high=high,
        break_evens=tuple(sorted(found, key=how_far)),
        runs=len({value for value, _ in tried}),
    )


def _break_even(
    parameter: Parameter,
    before: str,
    end: float,
    at_end: Decision,
    at: Callable[[float, tuple[str, ...]], Decision],
    surely: Callable[[float], Decision],
) -> BreakEven:
    """Halve between the planned value and an end until the two are close; what is recommended at both is among the
    few. Where all of them see no change there as yet, it goes on with all."""
    both = before, at_end.id
    keeps, changes = _halved(parameter, parameter.value, end, lambda value: at(value, both).id == before)
    then = at_end if changes == end else surely(changes)
    if then.id == before:
        keeps, changes = _halved(parameter, changes, end, lambda value: surely(value).id == before)
        then = at_end if changes == end else surely(changes)
    return BreakEven(parameter=parameter, value=changes, keeps=keeps, before=before, then=then)


def _halved(
    parameter: Parameter, keeps: float, changes: float, is_kept: Callable[[float], bool]
) -> tuple[float, float]:
    while abs(changes - keeps) > CLOSE * abs(changes):
        halfway = (keeps + changes) / 2
        halfway = float(round(halfway)) if parameter.whole else rounded(halfway, DIGITS, changes > keeps)
        if not min(keeps, changes) < halfway < max(keeps, changes):
            break
        if is_kept(halfway):
            keeps = halfway
        else:
            changes = halfway
    return keeps, changes
