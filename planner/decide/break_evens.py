"""Break-evens: the value of each parameter at which another scenario ranks first.

Every value given here was evaluated: at `value` one scenario ranks first, at `keeps` another one still does.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from planner.decide.parameters import Parameter
from planner.decide.ranking import RankedScenario
from planner.decide.repricing import RankingCache, RankingTable
from planner.decide.search import Each
from planner.models.number import rounded

DIGITS = 3  # of the values shown, so that a reader can type them
ASKED = 4  # of the first at each end: between the ends these alone are asked which of them leads
POINTS = 3  # between the planned value and the end of the range, and as many between that and the reach
MOVED = 0.1  # of the leader's margin: a parameter that changes it less at every end is not tried between its ends
HALVINGS = 24


@dataclass(frozen=True, kw_only=True)
class BreakEven:
    """Going away from the planned value, `before` is the cheapest up to `keeps`, and `first` from `value` on; "" if
    none is feasible.

    inside: whether `value` is in the parameter's own range; otherwise the assumption would have to be very wrong.
    first_usd, before_usd: the planned cost of the two at `value`, None if not feasible there. then, then_usd: what is
    recommended at `value` where everything is decided again, block lengths and ties included, "" where nothing is; None
    where that was not asked.
    """

    parameter: Parameter
    value: float
    keeps: float
    before: str
    first: str
    first_usd: float | None
    before_usd: float | None
    inside: bool
    then: str | None = None
    then_usd: float | None = None


@dataclass(frozen=True, kw_only=True)
class Search:
    """Everything tried with one parameter: its break-evens by distance from the planned value, and how many values were
    tried from `lowest` to `highest`."""

    parameter: Parameter
    break_evens: tuple[BreakEven, ...]
    lowest: float
    highest: float
    runs: int


def sides(entry: Search) -> list[BreakEven]:
    """The nearest change above the planned value and the nearest below it, the nearer first. Beyond it another may lead
    again, which changes nothing for who has to decide now. Not one at which the recommendation stays as it is."""
    planned, found = entry.parameter.value, sorted(entry.break_evens, key=how_far)
    nearest = [next((one for one in found if (one.value > planned) is up), None) for up in (True, False)]
    return sorted((one for one in nearest if one is not None and one.then != one.before), key=how_far)


def how_far(break_even: BreakEven) -> float:
    """From the planned value, as a multiple of it."""
    planned = break_even.parameter.value or break_even.parameter.high or 1.0
    return abs(break_even.value - break_even.parameter.value) / abs(planned)


def search(ranking_cache: RankingCache, parameters: Sequence[Parameter], each: Each = map) -> tuple[Search, ...]:
    """Look for a change of the cheapest scenario with each parameter, the others as planned.

    Streams of draws have no value and are not searched. each: see `planner.decide.search`.
    """
    if not ranking_cache.at():
        return ()
    found: list[Search] = []
    for one, rankings in each(partial(_searched, ranking_cache), [p for p in parameters if p.path]):
        ranking_cache.add(rankings)  # of another process
        found.append(one)
    return tuple(found)


def _searched(ranking_cache: RankingCache, parameter: Parameter) -> tuple[Search, RankingTable]:
    return _search(ranking_cache, parameter), ranking_cache.of(parameter)


class _Runs:
    """The ranking at values of one parameter, and which values were tried. ends: where all scenarios are priced."""

    def __init__(self, ranking_cache: RankingCache, parameter: Parameter, ends: Collection[float]) -> None:
        self.ranking_cache, self.parameter, self.ends = ranking_cache, parameter, ends
        self.tried: set[float] = set()
        self.nearest: set[str] = set()

    def at(self, value: float) -> tuple[RankedScenario, ...]:
        self.tried.add(value)
        return self.ranking_cache.at((self.parameter, value))

    def leader(self, value: float) -> str:
        ranked = self.at(value)
        return ranked[0].id if ranked else ""

    def likely_leader(self, value: float, before: str) -> str:
        """The leader of all where they are priced, else of `before` and those that are near the lead at an end."""
        if value in self.ends or self.ranking_cache.is_known((self.parameter, value)):
            return self.leader(value)
        if not self.nearest:
            rankings = [self.ranking_cache.at(), *(self.at(end) for end in self.ends)]
            self.nearest = {s.id for ranked in rankings for s in ranked[:ASKED]}
        return self.leader_of({*self.nearest, before} - {""}, value)

    def leader_of(self, ids: Collection[str], value: float) -> str:
        """Which of a few scenarios leads."""
        self.tried.add(value)
        ranked = self.ranking_cache.among(ids, (self.parameter, value))
        return ranked[0].id if ranked else ""

    def usd(self, value: float, scenario_id: str) -> float | None:
        return next((s.cost_usd for s in self.at(value) if s.id == scenario_id), None)


def margin_usd(ranked: Sequence[RankedScenario], leader: str) -> float:
    """How much less the leader costs than the next scenario; negative if another one is cheaper."""
    own = next((s.ranked_usd for s in ranked if s.id == leader), math.inf)
    others = min((s.ranked_usd for s in ranked if s.id != leader), default=math.inf)
    return -math.inf if own == math.inf else others - own


def _search(ranking_cache: RankingCache, parameter: Parameter) -> Search:
    ranked = ranking_cache.at()
    ends = {parameter.low, parameter.high, *parameter.reach} - {parameter.value}
    runs, leader = _Runs(ranking_cache, parameter, ends), ranked[0].id
    planned = margin_usd(ranked, leader)
    moved = any(not abs(margin_usd(runs.at(end), leader) - planned) <= MOVED * planned for end in ends)
    break_evens: list[BreakEven] = []
    if moved:
        for side in (parameter.low, parameter.reach[0]), (parameter.high, parameter.reach[1]):
            break_evens += _changes(runs, parameter, list(_steps(parameter, *side)), leader)
    return Search(
        parameter=parameter,
        break_evens=tuple(break_evens),
        lowest=min(parameter.value, *runs.tried),
        highest=max(parameter.value, *runs.tried),
        runs=len(runs.tried),
    )


def _steps(parameter: Parameter, end: float, reach: float) -> Iterator[float]:
    """Values going away from the planned one: to the end of the range, then to the reach.

    They have equal ratios if all are positive, else equal differences. Counts are whole numbers, each once.
    """
    reached = parameter.value
    for first, last in ((parameter.value, end), (end, reach)):
        for step in _between(first, last) if first != last else ():
            value = float(round(step)) if parameter.whole else step
            if not parameter.whole or abs(value - parameter.value) > abs(reached - parameter.value):
                reached = value
                yield value


def _between(first: float, last: float) -> Iterator[float]:
    for i in range(1, POINTS + 1):
        if i == POINTS:
            yield last
        elif first > 0 and last > 0:
            yield first * (last / first) ** (i / POINTS)
        else:
            yield first + (last - first) * i / POINTS


def _changes(runs: _Runs, parameter: Parameter, steps: Sequence[float], leader: str) -> Iterator[BreakEven]:
    """Every change of the leader between neighboring values, going away from the planned one."""
    inner, sure = parameter.value, parameter.value
    for step in steps:
        before = leader if inner == parameter.value else runs.likely_leader(inner, leader)
        start = inner
        # more than one scenario may become the cheapest between two values: continue from the last change
        while before != runs.likely_leader(step, before):
            break_even = _bisected(runs, parameter, start, step, before, sure)
            yield break_even
            if break_even.first == before or (break_even.value - step) * (step - inner) >= 0:
                break
            before, start, sure = break_even.first, break_even.value, break_even.value
        inner = step


def _bisected(runs: _Runs, parameter: Parameter, keeps: float, changes: float, before: str, sure: float) -> BreakEven:
    """Halve until the two values are close, round them, and evaluate both once more.

    This asks the scenarios at the two ends alone, and all where another one turns out to lead at what is found. sure:
    where `before` leads all.
    """
    two = {before, runs.likely_leader(changes, before)} - {""}
    value, inner = _close(parameter, keeps, changes, before, partial(runs.leader_of, two))
    if runs.leader(value) == before or not (inner == parameter.value or runs.leader(inner) == before):
        value, inner = _close(parameter, sure, changes, before, runs.leader)
    first = runs.leader(value)
    return BreakEven(
        parameter=parameter,
        value=value,
        keeps=inner,
        before=before,
        first=first,
        first_usd=runs.usd(value, first),
        before_usd=runs.usd(value, before),
        inside=parameter.low <= value <= parameter.high,
    )


def _close(
    parameter: Parameter, keeps: float, changes: float, before: str, leader: Callable[[float], str]
) -> tuple[float, float]:
    """Two values near each other: at the first another one leads, at the second `before` still does."""
    for _ in range(HALVINGS):
        if abs(changes - keeps) < (1.5 if parameter.whole else 10.0**-DIGITS * abs(changes) / 4):
            break
        halfway = (keeps + changes) / 2
        halfway = float(round(halfway)) if parameter.whole else halfway
        if leader(halfway) == before:
            keeps = halfway
        else:
            changes = halfway
    return (changes, keeps) if parameter.whole else _short(parameter, keeps, changes, before, leader)


def _short(
    parameter: Parameter, keeps: float, changes: float, before: str, leader: Callable[[float], str]
) -> tuple[float, float]:
    """(changes, keeps) with as few digits as possible such that both sides keep their leader; three may not be enough
    near a tie."""
    up, first = changes > keeps, leader(changes)
    for digits in range(DIGITS, DIGITS + 9):
        tried = rounded(changes, digits, up), rounded(keeps, digits, not up)
        if leader(tried[0]) == first and (tried[1] == parameter.value or leader(tried[1]) == before):
            return tried
    return changes, keeps
