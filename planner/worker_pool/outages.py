"""When scarce markets have no nodes: outages of their own, and shared ones that take all markets at once.

Each market that has nodes loses them at its own constant rate, whatever the others do: only the share of these
interruptions that is common to all is set. A market without nodes cannot lose them again. So each market alone is as
likely to have nodes as without the others, and the correlation of two of them is known in closed form (G36).
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence

import numpy as np

from planner.worker_pool.model import Nodes


class Outages:
    """Of several markets, drawn as far as somebody asks. Hours."""

    def __init__(self, markets: Sequence[Nodes], shared: float, rng: np.random.Generator) -> None:
        self._rng, self._now = rng, 0.0
        self._scarce = [at for at, nodes in enumerate(markets) if nodes.outages_per_hour]
        self._lengths = [nodes.outage_hours for nodes in markets]
        self._common = shared * min((markets[at].outages_per_hour for at in self._scarce), default=0.0)
        self._own = [max(nodes.outages_per_hour - self._common, 0.0) for nodes in markets]
        self._starts = [[0.0] if nodes.outages_per_hour else [0.0, math.inf] for nodes in markets]
        self._ends = [[nodes.first_wait_hours, *([] if nodes.outages_per_hour else [math.inf])] for nodes in markets]

    def after(self, market: int, now: float) -> tuple[float, float]:
        """(when the market can give a node, its next outage after that)."""
        starts, ends = self._starts[market], self._ends[market]
        while True:
            while starts[-1] <= now:
                self._further()
            at = bisect_right(starts, now)
            if now >= ends[at - 1]:
                return now, starts[at]
            now = ends[at - 1]

    def _further(self) -> None:
        """To the next outage of any market, or to the end of one: interruptions have no memory, so that the time to the
        next may be drawn again whenever the set of markets with nodes changes."""
        now, ends = self._now, self._ends
        up = [at for at in self._scarce if ends[at][-1] <= now]
        back = min((ends[at][-1] for at in self._scarce if ends[at][-1] > now), default=math.inf)
        if not up:
            self._now = back
            return
        own = sum(self._own[at] for at in up)
        then = now + self._rng.standard_exponential() / (self._common + own)
        if then >= back:
            self._now = back
            return
        self._now = then
        for at in self._hit(up, own):
            self._starts[at].append(then)
            ends[at].append(then + self._lengths[at])

    def _hit(self, up: list[int], own: float) -> list[int]:
        """The markets that lose their nodes: all that have any, or one of them."""
        if len(up) == 1 or not own:
            return up
        drawn = self._rng.random() * (self._common + own) - self._common
        if drawn < 0:
            return up
        for at in up:
            drawn -= self._own[at]
            if drawn < 0:
                return [at]
        return up[-1:]
