"""Requests for nodes: which market meets one, when the node is ready, and when it is lost."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from planner.worker_pool.lives import BLOCK, Lives
from planner.worker_pool.model import Supply
from planner.worker_pool.outages import Outages


class Launched(NamedTuple):
    """A node that was requested. market: its place in Supply.every. begin: when that market has it, from which it is
    billed. Hours; lost is infinite for never."""

    market: int
    begin: float
    ready: float
    lost: float


class Requests:
    """Of one run. A request goes to the market with the lowest price among those that have nodes, as EC2's strategy
    price-capacity-optimized does; what capacity a market has is all that is known of it, not how long it will last. If
    none has any it waits for the first one that does. The same seed gives the same nodes."""

    def __init__(self, supply: Supply, rng: np.random.Generator) -> None:
        markets = supply.markets
        others = rng.spawn(len(supply.every) - 1)  # does not move rng: one market draws the same alone and with others
        self._rng = rng
        self._lives = [Lives(one.nodes, draws) for one, draws in zip(supply.every, [rng, *others], strict=True)]
        self._tail = len(markets)
        self._outages = Outages([one.nodes for one in markets], supply.shared, rng)
        self._by_price = sorted(range(len(markets)), key=lambda at: (markets[at].usd_per_hour, at))
        self._chances: list[float] = []

    def chance(self) -> float:
        """Uniform in [0, 1)."""
        if not self._chances:
            self._chances = self._rng.random(BLOCK).tolist()
        return self._chances.pop()

    def spot(self, now: float, until: float = math.inf) -> Launched:
        """A node of any of the markets. until: from when on nobody asks what becomes of a node, so that one which no
        market keeps for as long as it boots is found too."""
        begin = now
        while True:
            at, begin, outage = self._first(begin)
            ready = begin + self._lives[at].boot()
            if ready < outage or begin > until:
                return Launched(at, begin, ready, min(ready + self._lives[at].life(), outage))
            begin = outage

    def on_demand(self, now: float) -> Launched:
        """A node of the tail."""
        lives = self._lives[self._tail]
        ready = now + lives.boot()
        return Launched(self._tail, now, ready, ready + lives.life())

    def _first(self, now: float) -> tuple[int, float, float]:
        """(the market that meets a request, when, its next outage)."""
        found: tuple[int, float, float] | None = None
        for at in self._by_price:
            begin, outage = self._outages.after(at, now)
            if begin <= now:
                return at, begin, outage
            if found is None or begin < found[1]:
                found = at, begin, outage
        assert found is not None  # a supply has a market
        return found
