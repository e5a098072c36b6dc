"""Gangs of spot nodes: the public traces where they are beside this repository, and synthetic twins of them.

Traces: github skypilot-org/spot-traces 221da1a, "Can't Be Late" (NSDI 2024): how many nodes of a gang a region could
give, every five minutes.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

TRACES = Path(__file__).resolve().parents[3] / "shared" / "traces"
GANGS = sorted((*TRACES.glob("*/4-node/*/*.json"), *TRACES.glob("*/16-node/*/*.json")))


@dataclass(frozen=True, kw_only=True)
class Gang:
    """complete: for each tick, whether all nodes of the gang are there."""

    nodes: int
    tick_hours: float
    complete: NDArray[np.bool_]

    @property
    def losses(self) -> int:
        """How often the complete gang was interrupted."""
        return int(np.sum(self.complete[:-1] & ~self.complete[1:]))

    @property
    def hours_between(self) -> float:
        """Mean hours with all nodes before an interruption."""
        return float(self.complete.sum()) * self.tick_hours / self.losses

    @property
    def wait_hours(self) -> float:
        """Mean hours after an interruption until all nodes are there."""
        return float((~self.complete).sum()) * self.tick_hours / self.losses

    def spells(self) -> list[float]:
        """Hours of each stretch in which all nodes are there."""
        edges = np.flatnonzero(np.diff(self.complete.astype(int))) + 1
        return [len(part) * self.tick_hours for part in np.split(self.complete, edges) if part[0]]

    def useful_share(self, *, restart_hours: float, write_hours: float, interval_hours: float | None) -> float:
        """Share of the wall time whose work is saved, tick by tick as it happened.

        interval_hours: between checkpoints; None to save only within the notice at the end of each stretch.
        """
        saved = 0.0
        for hours in self.spells():
            left = max(hours - restart_hours, 0.0)
            if interval_hours is None:
                saved += max(left - write_hours, 0.0)
            else:
                saved += left // (interval_hours + write_hours) * interval_hours
        return saved / (len(self.complete) * self.tick_hours)


def read_gang(path: Path) -> Gang:
    found = json.loads(path.read_text(encoding="utf-8"))
    nodes = np.array(found["data"])
    size = int(nodes.max())
    return Gang(nodes=size, tick_hours=found["metadata"]["gap_seconds"] / 3600, complete=nodes >= size)


def synthetic_gang(nodes: int, *, losses_per_day: float, wait_hours: float, days: float, seed: int) -> Gang:
    """A twin of a gang: many short stretches and a few long ones, as in the traces, with these means."""
    random, tick = np.random.default_rng(seed), 1 / 12
    ticks: list[NDArray[np.bool_]] = []
    length = 0.0
    while length < days * 24:
        for complete, mean in ((True, 24 / losses_per_day), (False, wait_hours)):
            # two in three stretches are a third as long as the mean, one in three 7/3 as long
            hours = random.exponential(mean * (1 / 3 if random.random() < 2 / 3 else 7 / 3))
            count = max(round(hours / tick), 1)
            ticks.append(np.full(count, complete))
            length += count * tick
    return Gang(nodes=nodes, tick_hours=tick, complete=np.concatenate(ticks))
