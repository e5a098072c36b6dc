"""The decision with a number at another value: what is recommended then, with the block length that it has then."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

from planner.answer.measure import ranked
from planner.decide.comparison import Comparison
from planner.decide.enumerate import evaluate, fleets_in, ids_of, way_of
from planner.decide.narrow import spread_over
from planner.decide.parameters import Parameter, with_parameter
from planner.decide.search import search
from planner.estimate.request import Request
from planner.estimate.result import Scenario

FIRST = 4  # by rank, whatever they are
NEAR = 1.25  # of ways whose first costs at most this multiple of the leader, also those that miss the limits
LATE, LIKELY = 2, 0.5  # so many of these, which keep them in so many of the outcomes
TIMES = 3.0  # a commitment that costs more than this multiple of the leader is asked where prices change alone
COUNTS = 16  # of a way, where a decision is made certain
DRAWS, MANY = 500, 12  # where it is not, of more choices than a few


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
        ways = {way_of(s.id) for s in able}
        usd = ranked(able[0], rank_by) if able else 0.0
        self._every = [id for id in ids_of(request) if way_of(id) in ways]
        self._most = frozenset(_some(able, NEAR * usd, rank_by))
        near = {s.id for s in able if not s.option.years or ranked(s, rank_by) <= TIMES * usd}
        self._few = self._most & near
        self._request = self._quick = replace(request, derivations=False)
        self.planned = self.guessed = self._decided(self._request, self._most)
        if len(self._few) > MANY and request.draws > DRAWS:
            some = replace(self._request, draws=DRAWS)
            if (found := self._decided(some, self._few)).id == self.planned.id:
                self._quick, self.guessed = some, found
        central = self._quick.central(recording=False)
        drawn = self._quick.drawn(central) if self._quick.draws else None
        for _ in evaluate(self._quick, central, drawn, self._few):
            pass
        self._used = frozenset(central.used)

    def is_moved_by(self, parameter: Parameter) -> bool:
        """Whether anything that could be recommended depends on it."""
        return not parameter.path.startswith("assumptions.") or parameter.key in self._used

    def at(self, parameter: Parameter, value: float, also: Collection[str] = ()) -> Decision:
        """Among the few that could lead, and others, in some of the draws."""
        return self._decided(with_parameter(self._quick, parameter, value), {*self._asked(parameter), *also} - {""})

    def surely(self, parameter: Parameter, value: float) -> Decision:
        """In all draws; where something else than planned is recommended, among all node counts of that way, and the
        other storages of that fleet."""
        request, asked = with_parameter(self._request, parameter, value), self._asked(parameter)
        found = self._decided(request, asked)
        if found.buys_as(self.planned):
            return found
        of = found.id or self.planned.id
        counts = [id for id in self._every if way_of(id) == way_of(of)]
        more = {*_spread(counts, COUNTS), *(id for id in self._every if _nodes(id) == _nodes(of))}
        return found if more <= asked else self._decided(request, {found.id, self.planned.id, *more} - {""})

    def _asked(self, parameter: Parameter) -> frozenset[str]:
        # a price or a discount can make a commitment the cheapest
        return self._few if parameter.assumed else self._most

    def _decided(self, request: Request, only: Collection[str]) -> Decision:
        found = search(request, fleets_in(request, only), only=only).recommended
        if found is None:
            return Decision(id="")
        of = found.scenario
        return Decision(id=of.id, usd=of.cost_usd.plan if of.cost_usd else None, block_days=of.block_days)


def _nodes(id: str) -> str:
    """The fleet and how it is bought, without the storage."""
    return id.partition("/")[2]


def _spread(ids: list[str], count: int) -> list[str]:
    return [ids[place] for place in spread_over(range(len(ids)), count)]


def _some(able: list[Scenario], near_usd: float, rank_by: str) -> Iterator[str]:
    """Of scenarios in the order of the answer: the first, the leader with each other storage, and of each way the first
    and some that a better number would bring in time."""
    yield from (s.id for s in able[:FIRST])
    yield from (s.id for s in able if _nodes(s.id) == _nodes(able[0].id))
    for way in dict.fromkeys(s.way for s in able):
        first, *others = (s for s in able if s.way == way)
        late = [s.id for s in others if s.shortfalls and min(e.fraction for e in s.shortfalls) >= LIKELY]
        yield first.id
        yield from _spread(late, LATE) if ranked(first, rank_by) <= near_usd else ()
