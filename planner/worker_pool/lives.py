"""How long nodes live and boot, and when the market has none: drawn in blocks, since one number at a time is slow."""

from __future__ import annotations

import math
from bisect import bisect_right

import numpy as np

from planner.worker_pool.model import Nodes

BLOCK = 512


class Lives:
    """Draws of nodes, one after the other. The same seed gives the same draws."""

    def __init__(self, nodes: Nodes, rng: np.random.Generator) -> None:
        self._nodes, self._rng = nodes, rng
        self._lives: list[float] = []
        self._boots: list[float] = []
        self._chances: list[float] = []
        self._starts = [0.0]  # of outages, in order
        self._ends = [nodes.first_wait_hours]

    def chance(self) -> float:
        """Uniform in [0, 1)."""
        if not self._chances:
            self._chances = self._rng.random(BLOCK).tolist()
        return self._chances.pop()

    def launched(self, now: float) -> tuple[float, float, float]:
        """(billed from, ready, lost) of a node that is requested now, in hours; lost is infinite for never."""
        nodes = self._nodes
        begin = now
        while True:
            if nodes.outages_per_hour or nodes.first_wait_hours:
                begin, outage = self._market(begin)
            else:
                outage = math.inf
            ready = begin + self._boot()
            if ready < outage:
                lost = ready + self._life()
                return begin, ready, lost if lost < outage else outage
            begin = outage

    def _boot(self) -> float:
        nodes = self._nodes
        if not nodes.boot_sigma:
            return nodes.boot_hours
        if not self._boots:
            normal = self._rng.standard_normal(BLOCK)
            self._boots = (nodes.boot_hours * np.exp(nodes.boot_sigma * normal)).tolist()
        return self._boots.pop()

    def _life(self) -> float:
        nodes = self._nodes
        if not nodes.interruptions_per_hour:
            return math.inf
        if not self._lives:
            exponential = self._rng.standard_exponential(BLOCK)
            self._lives = (nodes.life_scale_hours * exponential ** (1 / nodes.shape)).tolist()
        return self._lives.pop()

    def _market(self, now: float) -> tuple[float, float]:
        """(when a node can be had, the next outage after that)."""
        while self._starts[-1] <= now:
            rate = self._nodes.outages_per_hour
            start = self._ends[-1] + self._rng.standard_exponential() / rate if rate else math.inf
            self._starts.append(start)
            self._ends.append(start + self._nodes.outage_hours)
        at = bisect_right(self._starts, now)
        if now < self._ends[at - 1]:
            return self._market(self._ends[at - 1])
        return now, self._starts[at]
