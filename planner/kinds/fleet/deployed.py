"""A fleet is not deployed as a whole: planner/kinds/fleet/__init__.py says what is."""

from __future__ import annotations

from collections.abc import Sequence

from planner.fleet.result import FleetScenario
from planner.report.wording.fleet import reasons


def lacks(chosen: FleetScenario) -> Sequence[str]:
    """Why a choice that is not eligible is not."""
    return reasons(chosen) or ["a price is missing"]
