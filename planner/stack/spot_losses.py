"""What spot has cost a run so far, by the rule of its stack file, from what AWS has recorded of the group.

AWS knows when nodes were in service. It does not know how much work an interruption undid: that lies between nothing
and the time between two checkpoints, so the sum has a low and a high end. The rule compares the middle.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from planner.stack.spec import Fallback


@dataclass(frozen=True, kw_only=True)
class Interval:
    """Nodes over one period: wanted and fewest and most in service. None: AWS has no record of it."""

    wanted: float | None
    fewest: float | None
    most: float | None


@dataclass(frozen=True, kw_only=True)
class History:
    """Of an Auto Scaling group, without gaps. begins: of the first interval. hours: of each."""

    begins: datetime
    hours: float
    intervals: Sequence[Interval]


@dataclass(frozen=True, kw_only=True)
class Losses:
    """Hours. waits: fewer nodes in service than the job needs. unrecorded: without a record, in the high end alone.

    low, middle, high: waits, and for each interruption the restart and the repeated work: none, half of the time
    between two checkpoints, all of it.
    """

    interruptions: int
    waits_low: float
    waits_high: float
    unrecorded: float
    low: float
    middle: float
    high: float
    threshold: float

    @property
    def moves(self) -> bool:
        """Whether the rule moves the run now."""
        return self.middle > self.threshold

    @property
    def certain(self) -> bool:
        """Whether both ends say the same."""
        return (self.low > self.threshold) == (self.high > self.threshold)


def losses_of(history: History, rule: Fallback) -> Losses:
    """The losses until the end of the history. An hour in which the group was told to have fewer nodes than the job
    needs counts for nothing: nobody asked for them."""
    low = high = unrecorded = 0.0
    interruptions, whole = 0, False
    for entry in history.intervals:
        if entry.wanted is None or entry.fewest is None or entry.most is None:
            unrecorded += history.hours
            continue
        if entry.wanted < rule.nodes:
            whole = False  # coming back from here is a start, not an interruption
            continue
        short = entry.fewest < rule.nodes
        low += history.hours * (entry.most < rule.nodes)
        high += history.hours * short
        interruptions += whole and short
        whole = not short
    restarts = interruptions * float(rule.restart_hours)
    repeated = interruptions * float(rule.checkpoint_interval_hours)
    return Losses(
        interruptions=interruptions,
        waits_low=low,
        waits_high=high,
        unrecorded=unrecorded,
        low=low + restarts,
        middle=(low + high) / 2 + restarts + repeated / 2,
        high=high + unrecorded + restarts + repeated,
        threshold=float(rule.threshold_hours),
    )
