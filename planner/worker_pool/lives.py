"""How long nodes live and boot: drawn in blocks, since one number at a time is slow."""

from __future__ import annotations

import math

import numpy as np

from planner.worker_pool.model import Nodes

BLOCK = 512


class Lives:
    """Draws of nodes, one after the other. The same seed gives the same draws."""

    def __init__(self, nodes: Nodes, rng: np.random.Generator) -> None:
        self._nodes, self._rng = nodes, rng
        self._lives: list[float] = []
        self._boots: list[float] = []

    def boot(self) -> float:
        """Hours from the request to the first job."""
        nodes = self._nodes
        if not nodes.boot_sigma:
            return nodes.boot_hours
        if not self._boots:
            normal = self._rng.standard_normal(BLOCK)
            self._boots = (nodes.boot_hours * np.exp(nodes.boot_sigma * normal)).tolist()
        return self._boots.pop()

    def life(self) -> float:
        """Hours from the first job until the node is lost alone; infinite for never."""
        nodes = self._nodes
        if not nodes.interruptions_per_hour:
            return math.inf
        if not self._lives:
            exponential = self._rng.standard_exponential(BLOCK)
            self._lives = (nodes.life_scale_hours * exponential ** (1 / nodes.shape)).tolist()
        return self._lives.pop()
