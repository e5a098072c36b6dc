"""Every storage layout, one line each. A room's answers are loaded only where a plan asks for its layout."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from planner.layouts.base import Demand, Layout
    from planner.models.values import Values
    from planner.plan.types import Plan
    from pricing.book import PriceBook

# name in plans and scenario ids -> room
ROOMS = {
    "converged": "planner.layouts.converged",
    "fsx-lustre": "planner.layouts.fsx_lustre",
    "separate-nvme": "planner.layouts.separate_nvme",
    "s3-stream": "planner.layouts.s3_stream",
}


def layouts_of(plan: Plan, demand: Demand, book: PriceBook, values: Values) -> list[Layout]:
    """Every layout and variant of the plan, sized for one demand, in the plan's order. Sizes come from central
    values: they are what would be deployed."""
    found: list[Layout] = []
    for name in plan.storage.layouts:
        found += import_module(f"{ROOMS[name]}.layout").variants(plan, demand, book, values)
    return found
