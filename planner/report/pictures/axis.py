"""Axes of the picture: from values to pixels, linear or logarithmic, with round ticks."""

from __future__ import annotations

import math
from dataclasses import dataclass

FAR = 2  # an axis ends at this multiple of its highest P50; ranges beyond it are cut
LOG_FROM = 8  # the ratio of ends from which an axis is logarithmic


@dataclass(frozen=True, kw_only=True)
class Axis:
    """Values to pixels."""

    low: float
    high: float
    start: float
    end: float
    log: bool

    def at(self, value: float) -> float:
        clipped = min(max(value, self.low), self.high)
        if self.log:
            share = math.log(clipped / self.low) / math.log(self.high / self.low)
        else:
            share = (clipped - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self) -> list[float]:
        if not self.log:
            step = _nice((self.high - self.low) / 5)
            first = math.ceil(self.low / step - 1e-9)
            last = math.floor(self.high / step + 1e-9)
            # a tick on an end may miss it by a rounding: it is put there
            return [min(max(step * i, self.low), self.high) for i in range(first, last + 1)]
        found = []
        many = math.log10(self.high / self.low) > 3
        for power in range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1):
            found += [m * 10.0**power for m in ((1,) if many else (1, 2, 5))]
        return [tick for tick in found if self.low <= tick <= self.high]


def axis_of(low: float, high: float, start: float, end: float) -> Axis:
    """An axis from a little below `low` to a little above `high`; logarithmic where they are far apart."""
    log = low > 0 and high / low >= LOG_FROM
    if log:
        return Axis(low=low / 1.15, high=high * 1.1, start=start, end=end, log=True)
    room = (high - low) * 0.06 or max(abs(high), 1e-9) * 0.1
    return Axis(low=max(0.0, low - room) if low >= 0 else low - room, high=high + room, start=start, end=end, log=False)


def _nice(step: float) -> float:
    power = 10.0 ** math.floor(math.log10(step))
    return next(m * power for m in (1, 2, 2.5, 5, 10) if m * power >= step * (1 - 1e-9))
