"""C: what follows a Capacity Block that ends before the run: an extension, else On-Demand nodes, else a later block."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from planner.models.block_sizes import BLOCK_MAX_DAYS, TOGETHER_DAYS, block_parts
from planner.models.compute import BLOCK_LOST_TAIL_HOURS, block_days, usable_hours
from planner.models.number import Number


@dataclass(frozen=True, kw_only=True)
class Chances:
    """What is not known of the time after a block, each a number or one per draw.

    second: whether AWS sells the second part of what is bought on one day; extended: whether it grants an extension;
    found: whether On-Demand nodes are found where it does not. wait_hours: until they are; later_hours: until a later
    block starts. price_ratio: price of that day over today's. restart_hours: from new nodes to training.
    """

    second: bool | NDArray[np.bool_]
    extended: bool | NDArray[np.bool_]
    found: bool | NDArray[np.bool_]
    wait_hours: Number
    later_hours: Number
    price_ratio: Number
    restart_hours: Number

    def at(self, place: NDArray[np.intp] | slice) -> Chances:
        """Those of some draws."""
        every = vars(self).items()
        varies: dict[str, Any] = {
            name: value[place] for name, value in every if isinstance(value, np.ndarray) and value.ndim
        }
        return replace(self, **varies)


@dataclass(frozen=True, kw_only=True)
class Tail:
    """Hours after the block's end: of nodes in an extension or later block, which are paid in whole days; of On-Demand
    nodes; and those in which there are no nodes, or new ones that do not train yet."""

    block_hours: Number
    on_demand_hours: Number
    waited_hours: Number


def gap_hours(days: float, restart_hours: Number) -> Number:
    """Hours lost between the two parts of what is bought for so many days, 0 where AWS sells one block for them.

    The second part is an extension, which loses none, or another block of that length from that day on. The plan allows
    for the latter: the nodes stop half an hour early, and new ones have to start.
    """
    return BLOCK_LOST_TAIL_HOURS + restart_hours if len(block_parts(int(days))) > 1 else 0.0


def held_hours(days: float, restart_hours: float) -> float:
    """Hours of a run that fit into what is bought for so many days, with both of its parts."""
    return float(usable_hours(days) - gap_hours(days, restart_hours))


def covering_days(run_hours: float, restart_hours: float, lengths: Sequence[int] = TOGETHER_DAYS) -> int:
    """The fewest days to buy at once that hold a run; the most that are sold if none do."""
    return next((days for days in lengths if held_hours(days, restart_hours) >= run_hours), BLOCK_MAX_DAYS)


def tail_of(left_hours: Number, days: Number, chances: Chances) -> Tail:
    """Of a run that still needs left_hours when its block of so many days ends; nothing where that is 0.

    An extension starts where the block ends, so nothing stops; both together last 182 days at most, and what is longer
    is another block from that day on, half an hour and a start after the old nodes. Else a checkpoint is written before
    the end, whose time is known, and new nodes start from it: On-Demand ones after a wait, or a later block. Beyond
    182 days another block is several, each after its wait.
    """
    left = np.asarray(left_hours, dtype=float)
    outlasts = left > 0
    extra = _sold(left)
    granted = np.asarray(chances.extended)
    extended = outlasts & granted & (days + extra <= BLOCK_MAX_DAYS)
    again = left + chances.restart_hours
    stopped = outlasts & ~extended
    on_demand = stopped & ~granted & np.asarray(chances.found)
    another = stopped & ~on_demand
    block_hours = np.where(extended, extra, 0.0)
    waited = np.where(on_demand, chances.wait_hours, 0.0)
    if np.any(another):
        longest = usable_hours(BLOCK_MAX_DAYS)
        whole = np.floor(again / longest)
        days_of = whole * BLOCK_MAX_DAYS + np.asarray(block_days(run_hours=again - whole * longest))
        until = np.where(granted, BLOCK_LOST_TAIL_HOURS, chances.later_hours)
        block_hours = np.where(another, days_of, block_hours)
        waited = np.where(another, until * (whole + 1), waited)
    return Tail(
        block_hours=(24 * block_hours)[()],
        on_demand_hours=np.where(on_demand, again, 0.0)[()],
        waited_hours=np.where(stopped, waited + chances.restart_hours, 0.0)[()],
    )


def _sold(hours: NDArray[np.float64]) -> NDArray[np.float64]:
    """Days of the shortest extension for so many hours."""
    return np.asarray(block_days(run_hours=hours - BLOCK_LOST_TAIL_HOURS))
