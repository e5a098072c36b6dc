"""The decision with a number at another value: what is recommended then, with the block length that it has then."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

from planner.answer.measure import ranked
from planner.decide.comparison import Comparison
from planner.decide.enumerate import evaluate, fleets_in, ids_of
from planner.decide.narrow import spread_over
from planner.decide.parameters import Parameter, with_parameter
from planner.decide.search import search
from planner.estimate.request import Request
from planner.estimate.result import Scenario

FIRST = 6  # by rank, whatever they are
NEAR = 1.5  # of ways whose first costs at most this multiple of the leader, also those that miss the limits
LATE, LIKELY = 3, 0.5  # so many of these, which keep them in so many of the outcomes
TIMES = 3.0  # a commitment that costs more than this multiple of the leader is asked where prices change alone
COUNTS = 16  # of a way, where a decision is made certain
DRAWS, MANY = 1000, 12  # where it is not, of more choices than a few
MOVES = 0.003  # of cost or time: what moves no choice by so much is not decided again
# what no planned figure shows, since a planned run fits its block: how it goes on after it, and people's time
UNSEEN = ("block.", "on_demand.", "run.", "spot.")


@dataclass(frozen=True, kw_only=True)
class Decision:
    """What is recommended: its id, "" for nothing; its planned cost; and how long its Capacity Block is."""

    id: str
    usd: float | None = None
    block_days: float | None = None

    def buys_as(self, other: Decision) -> bool:
        """Whether the same is bought, for as long."""
        return (self.id, self.block_days) == (other.id, other.block_days)


class Decider:
    """Decides a plan again, in draws, by the same rule. Spot that nothing proves and what cannot be deployed could not
    be recommended and are left out; of the rest the first few of each way are judged, and all counts of a way that
    turns out to lead. planned: as it is; guessed: the same as `at` finds it."""

    def __init__(self, request: Request, comparison: Comparison) -> None:
        rank_by = request.plan.decision.rank_by
        able = [s for s in comparison.complete if not s.held_back]
        ways = {_way(s.id) for s in able}
        usd = ranked(able[0], rank_by) if able else 0.0
        self._every = [id for id in ids_of(request) if _way(id) in ways]
        self._most = frozenset(_some(able, NEAR * usd, rank_by))
        near = {s.id for s in able if not s.option.years or ranked(s, rank_by) <= TIMES * usd}
        self._few = self._most & near
        self._request = self._quick = replace(request, derivations=False)
        self.planned = self.guessed = self._decided(self._request, self._most)
        if len(self._few) > MANY and request.draws > DRAWS:
            some = replace(self._request, draws=DRAWS)
            if (found := self._decided(some, self._few)).id == self.planned.id:
                self._quick, self.guessed = some, found
        stretch = {s.id: s.block_stretch for s in able if s.block_stretch}
        self._central = replace(self._request, draws=0, block_stretch=stretch)
        self._figures = self._planned_figures(self._central)

    def is_moved_by(self, parameter: Parameter) -> bool:
        """Whether cost or time of any that could lead may be another at an end."""
        if not parameter.assumed or parameter.key.startswith(UNSEEN):
            return True
        return any(self._moves(parameter, end) for end in parameter.reach if end != parameter.value)

    def _moves(self, parameter: Parameter, value: float) -> bool:
        there = self._planned_figures(with_parameter(self._central, parameter, value))
        if there.keys() != self._figures.keys():
            return True
        pairs = [pair for id, was in self._figures.items() for pair in zip(was, there[id], strict=True)]
        return any(abs(now - was) > MOVES * was for was, now in pairs)

    def _planned_figures(self, request: Request) -> dict[str, tuple[float, float]]:
        """USD with the effort, and days, by id."""
        entries = evaluate(request, request.central(recording=False), None, self._few)
        return {
            e.choice.id: (float(e.planned.cost_usd + e.planned.effort_usd), float(e.planned.days))
            for e in entries
            if e.planned and not e.why_not
        }

    def at(self, parameter: Parameter, value: float) -> Decision:
        """Among the few that could lead, in some of the draws."""
        return self._decided(with_parameter(self._quick, parameter, value), self._asked(parameter))

    def surely(self, parameter: Parameter, value: float) -> Decision:
        """In all draws; where another choice than planned is recommended, among all its node counts."""
        request, asked = with_parameter(self._request, parameter, value), self._asked(parameter)
        found = self._decided(request, asked)
        if found.id == self.planned.id:
            return found
        counts = [id for id in self._every if _way(id) == _way(found.id)]
        return self._decided(request, {found.id, self.planned.id, *_spread(counts, COUNTS)} - {""})

    def _asked(self, parameter: Parameter) -> frozenset[str]:
        # a price or a discount can make a commitment the cheapest
        return self._few if parameter.assumed else self._most

    def _decided(self, request: Request, only: Collection[str]) -> Decision:
        found = search(request, fleets_in(request, only), only=only).recommended
        if found is None:
            return Decision(id="")
        of = found.scenario
        return Decision(id=of.id, usd=of.cost_usd.plan if of.cost_usd else None, block_days=of.block_days)


def _way(id: str) -> str:
    """Storage and how the nodes are bought, without the fleet."""
    store, _, rest = id.partition("/")
    return f"{store}/{rest.partition('/')[2]}"


def _spread(ids: list[str], count: int) -> list[str]:
    return [ids[place] for place in spread_over(range(len(ids)), count)]


def _some(able: list[Scenario], near_usd: float, rank_by: str) -> Iterator[str]:
    """Of scenarios in the order of the answer: the first, and of each way the first and some that a better number
    would bring in time."""
    yield from (s.id for s in able[:FIRST])
    for way in dict.fromkeys(s.way for s in able):
        first, *others = (s for s in able if s.way == way)
        late = [s.id for s in others if s.shortfalls and min(e.fraction for e in s.shortfalls) >= LIKELY]
        yield first.id
        yield from _spread(late, LATE) if ranked(first, rank_by) <= near_usd else ()
