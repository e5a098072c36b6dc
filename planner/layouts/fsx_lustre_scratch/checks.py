"""Checks of the settings in `storage.fsx-lustre-scratch`. Paths start at the section."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from planner.layouts.fsx_lustre_scratch.settings import ScratchSettings
from planner.plan.finding import Finding

if TYPE_CHECKING:
    from pricing.catalog import InstanceType


def plan_findings(settings: ScratchSettings) -> Iterator[Finding]:
    """Settings that exclude each other: none."""
    yield from ()


def instance_types(settings: ScratchSettings) -> dict[str, str | None]:
    """Instance types in the section: none."""
    return {}


def hardware_findings(settings: ScratchSettings, known: Mapping[str, InstanceType]) -> Iterator[Finding]:
    """Settings that the hardware cannot meet: none. known: hardware by name."""
    yield from ()
