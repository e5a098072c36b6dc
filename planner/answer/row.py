"""A row of a comparison, of any kind of plan: what the decision, the gates and the age of prices need to know of it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from planner.answer.futures import Future
from planner.answer.ranges import Range
from planner.models.bill import PlannedLine, Unpriced
from pricing.offers import PurchaseOption


@dataclass(frozen=True, kw_only=True)
class Outcomes:
    """Cost and days of one choice: arrays with one entry a draw, the same draws for every choice; without draws, one
    entry at central values. A draw that never finishes has infinite ones. effort_usd: what operating it costs, on no
    bill."""

    cost_usd: NDArray[np.float64]
    effort_usd: NDArray[np.float64]
    days: NDArray[np.float64]

    @cached_property
    def finished(self) -> NDArray[np.bool_]:
        return np.isfinite(self.days)


@dataclass(frozen=True, kw_only=True)
class Shortfall:
    """Why a choice is not eligible.

    kind: "finish" (it has to finish), "block" (within its Capacity Block), "deadline", "assumed limit" or "budget"; of
    a fleet that is held for a given time "delivery" (of its node-hours) and "reading" (as fast as training needs); of
    a pool "dead letters" (jobs that fail for good).
    fraction: share of the draws that comply; decision.confidence is required. limit: days, USD, a share of the
    node-hours, or jobs; None for "finish" and "reading".
    needed: the lowest limit with which enough of the draws comply; infinite if too many do not finish.
    """

    kind: str
    fraction: float
    limit: float | None = None
    needed: float = math.inf


@dataclass(frozen=True, kw_only=True)
class Row:
    """One choice. Ranges are None if it cannot be evaluated at all.

    Ranges are of all draws; a draw that never finishes has infinite days and cost, and so has a percentile beyond the
    draws that finish. option: how its nodes are bought; None for a price list that is not AWS's. mean_cost_usd: over
    all draws; worst_tenth_usd: over those at and above the P90; both None if one does not finish. effort_usd: planned
    cost of the time to operate it, on no bill, in what ranks. finish_fraction: share of the draws that finish;
    on_time_fraction: within limit_days, None without such a limit; in_budget_fraction: within budget_usd, the plan's.
    limit_is_assumed: whether the plan has no deadline. eligible: whether it may be recommended; shortfalls: what it
    lacks. priced_only: why the stack cannot be deployed as it was priced, else "". unproven: why nothing public shows
    that its figures hold at this size, else "". cheapest_fraction: share of the draws in which it is the cheapest of
    the complete choices; below_best_fraction, above_best_fraction: in which it costs less, and more, than the
    recommended one, or without one, than the first. None without draws or if a price is missing. futures: the cheaper
    and the more expensive one, if its cost has two peaks. interruptions_observed: the day of Spot Advisor's band that
    it uses.
    """

    id: str
    feasible: bool
    why_not: tuple[str, ...]
    complete: bool
    option: PurchaseOption | None
    days: Range | None = None
    cost_usd: Range | None = None
    mean_cost_usd: float | None = None
    worst_tenth_usd: float | None = None
    effort_usd: float = 0.0
    finish_fraction: float | None = None
    limit_days: float | None = None
    limit_is_assumed: bool = False
    on_time_fraction: float | None = None
    budget_usd: float | None = None
    in_budget_fraction: float | None = None
    eligible: bool = False
    shortfalls: tuple[Shortfall, ...] = ()
    priced_only: str = ""
    unproven: str = ""
    cheapest_fraction: float | None = None
    below_best_fraction: float | None = None
    above_best_fraction: float | None = None
    futures: tuple[Future, ...] = ()
    interruptions_observed: date | None = None
    bill: tuple[PlannedLine, ...] = ()
    unpriced: tuple[Unpriced, ...] = ()

    @property
    def held_back(self) -> bool:
        """Whether it is never recommended, even where it is eligible."""
        return bool(self.priced_only or self.unproven)

    @property
    def late_fraction(self) -> float:
        """Share of the draws beyond the plan's own limit of days; 0 where it has none."""
        return 0.0 if self.on_time_fraction is None or self.limit_is_assumed else 1 - self.on_time_fraction

    @property
    def unit(self) -> float:
        """What its cost is divided by where choices are compared."""
        return 1.0

    @property
    def commitment(self) -> tuple[int, bool]:
        """Years, then whether it is paid before it is used."""
        if self.option is None:
            return 0, False
        return self.option.years, self.option.family == "capacity-block"

    @property
    def outlast_fraction(self) -> float | None:
        """Share of the draws that outlast the Capacity Block; None where there is none."""
        return None

    @property
    def blocks(self) -> int:
        """How many Capacity Blocks its nodes are bought in."""
        return 0


R = TypeVar("R", bound=Row)
