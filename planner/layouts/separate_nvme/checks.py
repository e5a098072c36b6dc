"""Checks of the settings in `storage.separate-nvme`. Paths start at the section."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from planner.layouts.separate_nvme.settings import SeparateSettings
from planner.plan.finding import Finding

if TYPE_CHECKING:
    from pricing.catalog import InstanceType


def plan_findings(settings: SeparateSettings) -> Iterator[Finding]:
    """A protection with too few or too many data shards."""
    protection = settings.protection
    if protection and protection != "none" and not 3 <= int(protection.split("+")[0]) <= 16:
        message = f"protection {protection} must have 3 to 16 data shards"
        yield ("protection",), message, "write 16+4, 8+2 or 6+2"


def instance_types(settings: SeparateSettings) -> dict[str, str | None]:
    """Instance types in the section, by key."""
    return {"instance_type": settings.instance_type}


def hardware_findings(settings: SeparateSettings, known: Mapping[str, InstanceType]) -> Iterator[Finding]:
    """A type that has GPUs, or no known number of NVMe drives. known: hardware by name."""
    storage = known.get(settings.instance_type or "")
    if storage is not None and (storage.gpu_count or not storage.nvme_drives):
        why = "has no NVMe drives"
        if storage.gpu_count:
            why = "has GPUs, which storage does not use"
        elif storage.raw_nvme_tb:
            why = f"has {storage.raw_nvme_tb:g} TB in a number of drives that is not published: it sets the read rate"
        yield ("instance_type",), f"{storage.name} {why}", "write an i3en, i4i or i7ie type"
