"""What flips the decision: the value of each assumption at which another scenario becomes the cheapest.

Every value named here was planned with: at `value` one scenario leads, at `keeps` another one still does.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from planner.decide.parameters import Knob
from planner.decide.ranking import Standing
from planner.decide.repricing import Rankings

DIGITS = 3  # of the values named: a reader should be able to type them
POINTS = 3  # between the planned value and the end of the range, and again as many between that and the reach
MOVED = 0.1  # of the leader's margin: a knob that moves it less at every end is not tried between its ends
HALVINGS = 24


@dataclass(frozen=True, kw_only=True)
class Flip:
    """Outward from the planned value, `before` leads up to `keeps` and `first` from `value` on; "": none is feasible.

    inside: whether `value` lies in the knob's own range; else the assumption would have to be very wrong.
    first_usd, before_usd: what the two cost at `value`, None where one is not feasible there.
    """

    knob: Knob
    value: float
    keeps: float
    before: str
    first: str
    first_usd: float | None
    before_usd: float | None
    inside: bool


@dataclass(frozen=True, kw_only=True)
class Search:
    """All that was tried with one knob: its flips by distance from the planned value, and how many values were tried
    from `lowest` to `highest`."""

    knob: Knob
    flips: tuple[Flip, ...]
    lowest: float
    highest: float
    runs: int


def search(rankings: Rankings, knobs: Sequence[Knob]) -> tuple[Search, ...]:
    """Look for changes of the leader with each knob, the others as planned. Streams of draws have no value to name."""
    if not rankings.at():
        return ()
    return tuple(_search(rankings, knob) for knob in knobs if knob.path)


class _Runs:
    """The ranking at values of one knob, and which were asked for."""

    def __init__(self, rankings: Rankings, knob: Knob) -> None:
        self.rankings, self.knob = rankings, knob
        self.tried: set[float] = set()

    def at(self, value: float) -> tuple[Standing, ...]:
        self.tried.add(value)
        return self.rankings.at((self.knob, value))

    def leader(self, value: float) -> str:
        ranked = self.at(value)
        return ranked[0].id if ranked else ""

    def usd(self, value: float, scenario_id: str) -> float | None:
        return next((s.cost_usd for s in self.at(value) if s.id == scenario_id), None)


def margin_usd(ranked: Sequence[Standing], leader: str) -> float:
    """What the leader costs less than the next one; negative where another one leads."""
    own = next((s.cost_usd for s in ranked if s.id == leader), math.inf)
    others = min((s.cost_usd for s in ranked if s.id != leader), default=math.inf)
    return -math.inf if own == math.inf else others - own


def _search(rankings: Rankings, knob: Knob) -> Search:
    ranked = rankings.at()
    runs, leader = _Runs(rankings, knob), ranked[0].id
    planned = margin_usd(ranked, leader)
    ends = {knob.low, knob.high, *knob.reach} - {knob.value}
    moved = any(not abs(margin_usd(runs.at(end), leader) - planned) <= MOVED * planned for end in ends)
    flips: list[Flip] = []
    if moved:
        for side in (knob.low, knob.reach[0]), (knob.high, knob.reach[1]):
            flips += _changes(runs, knob, list(_steps(knob, *side)), leader)
    return Search(
        knob=knob,
        flips=tuple(flips),
        lowest=min(knob.value, *runs.tried),
        highest=max(knob.value, *runs.tried),
        runs=len(runs.tried),
    )


def _steps(knob: Knob, end: float, reach: float) -> Iterator[float]:
    """Values outward from the planned one: to the end of the range, then to the reach; by equal ratios where all
    are positive, else by equal differences. Of what is counted whole numbers, none twice."""
    reached = knob.value
    for first, last in ((knob.value, end), (end, reach)):
        for step in _between(first, last) if first != last else ():
            value = float(round(step)) if knob.whole else step
            if not knob.whole or abs(value - knob.value) > abs(reached - knob.value):
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


def _changes(runs: _Runs, knob: Knob, steps: Sequence[float], leader: str) -> Iterator[Flip]:
    """Every change of the leader between neighbouring values, from the planned one outward."""
    inner = knob.value
    for step in steps:
        before = leader if inner == knob.value else runs.leader(inner)
        start = inner
        # between two values more than one may come to lead: go on from where the last one took over
        while before != runs.leader(step):
            flip = _narrowed(runs, knob, start, step, before)
            yield flip
            if flip.first == before or (flip.value - step) * (step - inner) >= 0:
                break
            before, start = flip.first, flip.value
        inner = step


def _narrowed(runs: _Runs, knob: Knob, keeps: float, changes: float, before: str) -> Flip:
    """Halve until the two are neighbours, or round to neighbours, which are then planned with once more."""
    for _ in range(HALVINGS):
        if abs(changes - keeps) < (1.5 if knob.whole else 10.0**-DIGITS * abs(changes) / 4):
            break
        middle = (keeps + changes) / 2
        middle = float(round(middle)) if knob.whole else middle
        if runs.leader(middle) == before:
            keeps = middle
        else:
            changes = middle
    value, inner = (changes, keeps) if knob.whole else _short(runs, knob, keeps, changes, before)
    first = runs.leader(value)
    return Flip(
        knob=knob,
        value=value,
        keeps=inner,
        before=before,
        first=first,
        first_usd=runs.usd(value, first),
        before_usd=runs.usd(value, before),
        inside=knob.low <= value <= knob.high,
    )


def _short(runs: _Runs, knob: Knob, keeps: float, changes: float, before: str) -> tuple[float, float]:
    """(changes, keeps) in as few digits as tell the sides apart; near a tie three may not."""
    up = changes > keeps
    for digits in range(DIGITS, DIGITS + 9):
        tried = rounded(changes, digits, up), rounded(keeps, digits, not up)
        if runs.leader(tried[0]) == runs.leader(changes) and (
            tried[1] == knob.value or runs.leader(tried[1]) == before
        ):
            return tried
    return changes, keeps


def rounded(value: float, digits: int, up: bool) -> float:
    """To so many significant digits, up or down."""
    if value == 0:
        return 0.0
    scale = digits - 1 - math.floor(math.log10(abs(value)))
    scaled = value * 10.0**scale
    whole = math.ceil(scaled - 1e-9) if up else math.floor(scaled + 1e-9)
    return float(f"{whole / 10.0**scale:.15g}")
