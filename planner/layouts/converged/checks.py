"""Checks of the settings in `storage.converged`. Paths start at the section."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from planner.layouts.converged.settings import ConvergedSettings
from planner.plan.finding import Finding

if TYPE_CHECKING:
    from pricing.catalog import InstanceType


def plan_findings(settings: ConvergedSettings) -> Iterator[Finding]:
    """Settings that exclude each other: none."""
    yield from ()


def instance_types(settings: ConvergedSettings) -> dict[str, str | None]:
    """Instance types in the section, by key."""
    return {"control_instance_type": settings.control_instance_type}


def hardware_findings(settings: ConvergedSettings, known: Mapping[str, InstanceType]) -> Iterator[Finding]:
    """Settings that the hardware cannot meet: none. known: hardware by name."""
    yield from ()
