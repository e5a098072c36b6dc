"""The layouts of a plan, each sized for one demand; modules of other layouts are not imported."""

from __future__ import annotations

from collections.abc import Collection

from planner.layouts.base import Demand, Layout
from planner.layouts.registry import answer_of
from planner.models.values import Values
from planner.plan.types import Plan
from pricing.book import PriceBook


def layouts_of(
    plan: Plan, demand: Demand, book: PriceBook, values: Values, only: Collection[str] | None = None
) -> list[Layout]:
    """Every layout and variant of the plan, in the plan's order. Sizes come from central values, as they would be
    deployed. only: the names of some, None for all."""
    found: list[Layout] = []
    for name in plan.storage.layouts:
        if only is not None and name not in only:
            continue
        found += answer_of(name, "layout").variants(plan, demand, book, values)
    return found
