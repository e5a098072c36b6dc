"""Checks of the settings in `storage.fsx-lustre`. Paths start at the section."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from planner.layouts.fsx_lustre.settings import LustreSettings
from planner.plan.finding import Finding, repeated

if TYPE_CHECKING:
    from pricing.catalog import InstanceType


def plan_findings(settings: LustreSettings) -> Iterator[Finding]:
    """Settings that only PERSISTENT_2 has, and duplicate tiers."""
    tiers = settings.throughput_mbps_per_tib
    yield from repeated(("throughput_mbps_per_tib",), tiers)
    if tiers and settings.deployment != "PERSISTENT_2":
        message = f"{settings.deployment} has no throughput tiers"
        yield ("throughput_mbps_per_tib",), message, "remove it, or write deployment: PERSISTENT_2"
    if settings.metadata_iops is not None and settings.deployment != "PERSISTENT_2":
        message = "metadata IOPS can be set only with PERSISTENT_2"
        yield ("metadata_iops",), message, "remove it, or write deployment: PERSISTENT_2"


def instance_types(settings: LustreSettings) -> dict[str, str | None]:
    """Instance types in the section: none."""
    return {}


def hardware_findings(settings: LustreSettings, known: Mapping[str, InstanceType]) -> Iterator[Finding]:
    """Settings that the hardware cannot meet: none. known: hardware by name."""
    yield from ()
