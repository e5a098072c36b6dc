"""A recording of spot capacity: how many nodes were available in each tick."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

Flags = NDArray[np.bool_]
SECONDS_PER_HOUR, HOURS_PER_DAY = 3600, 24


@dataclass(frozen=True, kw_only=True)
class Trace:
    """One series of one zone.

    nodes: available in each tick, of `most` that were asked for. usd_per_hour: spot price in each tick, where the
    recording has it.
    """

    name: str
    gap_seconds: int
    nodes: NDArray[np.int64]
    usd_per_hour: NDArray[np.float64] | None = None

    @property
    def most(self) -> int:
        """The largest number of nodes ever seen; the recordings do not say how many were asked for."""
        return int(self.nodes.max())

    @property
    def ticks(self) -> int:
        return len(self.nodes)

    @property
    def tick_hours(self) -> float:
        return self.gap_seconds / SECONDS_PER_HOUR

    @property
    def days(self) -> float:
        return self.ticks * self.tick_hours / HOURS_PER_DAY

    def up(self, gang: int) -> Flags:
        """In which ticks a gang of this many nodes could run."""
        return self.nodes >= gang

    def first(self, ticks: int) -> Trace:
        """The first ticks of the recording."""
        prices = None if self.usd_per_hour is None else self.usd_per_hour[:ticks]
        return replace(self, nodes=self.nodes[:ticks], usd_per_hour=prices)


@dataclass(frozen=True, kw_only=True)
class Spells:
    """Runs of equal ticks in a series of flags, in order.

    up: whether each is a spell with capacity. start, length: in ticks. The first and the last are cut off by the ends
    of the recording: they lasted at least this long.
    """

    up: Flags
    start: NDArray[np.int64]
    length: NDArray[np.int64]

    @property
    def whole(self) -> Flags:
        """Which spells the recording has from their beginning to their end."""
        found = np.ones(len(self.length), dtype=bool)
        found[[0, -1]] = False
        return found


def spells_of(up: Flags) -> Spells:
    """The spells of a series with at least one tick."""
    changes = np.flatnonzero(up[1:] != up[:-1]) + 1
    start = np.concatenate(([0], changes))
    length = np.diff(np.concatenate((start, [len(up)])))
    return Spells(up=up[start], start=start, length=length)
