"""The values in a difference of two comparisons; each name has its unit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from planner.report.diff.bills import BillChange, same


@dataclass(frozen=True, kw_only=True)
class Figure:
    """One figure before and after; the name of the field that holds it has the unit.

    change is None unless it is exact; change_at_least and change_at_most are its bounds.
    """

    before: float | None
    after: float | None
    before_is_floor: bool
    after_is_floor: bool
    change: float | None
    change_at_least: float | None
    change_at_most: float | None

    @property
    def same(self) -> bool:
        floors = self.before_is_floor == self.after_is_floor
        return floors and same(self.before, self.after)


@dataclass(frozen=True, kw_only=True)
class Side:
    """The origin of one side's figures. planner_version, model_sha256: None if an older planner saved the file."""

    planner_version: str | None
    model_sha256: str | None
    plan_name: str
    plan_sha256: str
    prices_as_of: str
    prices_age_days: int | None
    prices_sha256: str
    seed: int
    draws: int | None


@dataclass(frozen=True, kw_only=True)
class ScenarioChange:
    """One scenario before and after; None if a side does not have it. differs: in anything that `different` counts.

    status: "same" | "changed" | "added" | "removed" | "now feasible" | "no longer feasible".
    """

    id: str
    status: str
    rank_before: int | None
    rank_after: int | None
    why_not_before: tuple[str, ...]
    why_not_after: tuple[str, ...]
    cost_usd: Figure
    cost_p90_usd: Figure
    days: Figure
    days_p90: Figure
    unpriced_before: tuple[str, ...]
    unpriced_after: tuple[str, ...]
    differs: bool


@dataclass(frozen=True, kw_only=True)
class ValueChange:
    """A value of a plan, or an assumption, before and after; None if there is none."""

    key: str
    before: Any
    after: Any


@dataclass(frozen=True, kw_only=True)
class Changes:
    """The difference of two comparisons.

    different: whether one of these differs: the plan's hash; the scenarios, their feasibility, or their cost or days at
    plan, P10, P50 or P90; quantity, price or cost of a bill line; missing prices; value or range of an assumption.
    Dates, sources and notes do not count, nor do differences below one part in a billion.
    best and safest: the recommended scenario, and the eligible one with the lowest P90 (or of all
    if none is sure to); None if a side has none. plan_keys: None unless both sides are plans.
    """

    before: Side
    after: Side
    different: bool
    best_before: str | None
    best_after: str | None
    best_cost_usd: Figure
    best_cost_p90_usd: Figure
    best_days: Figure
    safest_before: str | None
    safest_after: str | None
    safest_cost_p90_usd: Figure
    scenarios: tuple[ScenarioChange, ...]
    bills: tuple[BillChange, ...]
    assumptions: tuple[ValueChange, ...]
    plan_keys: tuple[ValueChange, ...] | None
    notes: tuple[str, ...]
