"""A job with a deadline on interruptible capacity, and what many such jobs came to."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import NDArray

from planner.spot.trace import SECONDS_PER_HOUR, Flags

Counts = NDArray[np.int32]


@dataclass(frozen=True, kw_only=True)
class Job:
    """Times in whole seconds, so that no decision hangs on the last digit of a float.

    changeover: from the start of an instance until it works. price_ratio: On-Demand by spot price. Both are billed in
    whole ticks.
    """

    work: int
    deadline: int
    changeover: int
    gap: int
    price_ratio: float

    @staticmethod
    def of_hours(gap_seconds: int, *, work: float, deadline: float, changeover: float, price_ratio: float) -> Job:
        """Raises ValueError for a job that On-Demand alone cannot finish in time."""
        seconds = [round(hours * SECONDS_PER_HOUR) for hours in (work, deadline, changeover)]
        job = Job(work=seconds[0], deadline=seconds[1], changeover=seconds[2], gap=gap_seconds, price_ratio=price_ratio)
        if job.work <= 0 or job.changeover < 0 or price_ratio < 1:
            raise ValueError("a job needs work, a changeover of 0 hours or more and a price ratio of 1 or more")
        if ceil((job.work + job.changeover) / job.gap) > job.ticks:
            raise ValueError(
                f"{work:g} hours of work and {changeover:g} to start do not fit into {deadline:g} hours of whole ticks"
            )
        return job

    @property
    def ticks(self) -> int:
        """Whole ticks before the deadline."""
        return self.deadline // self.gap

    @property
    def on_demand_fraction(self) -> float:
        """What the job costs On-Demand alone, by the price of its work without start and rounding."""
        return ceil((self.work + self.changeover) / self.gap) * self.gap / self.work


@dataclass(frozen=True, kw_only=True)
class Outcomes:
    """One value for each job. end: ticks until it was done, 0 if it never was. starts: of instances, both kinds.
    on_demand_starts: those On-Demand. seen_ticks: On-Demand while there was capacity on spot, which whoever holds it to
    see it pays too."""

    job: Job
    spot_ticks: Counts
    on_demand_ticks: Counts
    on_demand_starts: Counts
    seen_ticks: Counts
    end: Counts
    starts: Counts

    @property
    def late(self) -> Flags:
        return self.end == 0

    @property
    def cost_fraction(self) -> NDArray[np.float64]:
        """Cost by that of the work alone On-Demand: 48 hours of On-Demand for 48 hours of work are 1."""
        ticks = self.spot_ticks + self.job.price_ratio * self.on_demand_ticks
        return ticks * self.job.gap / (self.job.work * self.job.price_ratio)
