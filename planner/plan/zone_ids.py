"""Ids of availability zones, which are the same in every account."""

from __future__ import annotations

import re
from collections.abc import Iterator

from planner.plan.finding import Finding
from planner.plan.wording import shown
from planner.plan.yamlfile import Path

_SHORT = {
    "north": "n",
    "south": "s",
    "east": "e",
    "west": "w",
    "central": "c",
    "northeast": "ne",
    "northwest": "nw",
    "southeast": "se",
    "southwest": "sw",
    "gov": "g",
}


def is_zone(zone_id: str, region: str) -> bool:
    """Whether that may be the id of a zone of the region."""
    return bool(re.fullmatch(rf"{zone_prefix(region)}(-[a-z0-9]+)*-az[0-9]+", zone_id, re.ASCII))


def zone_findings(zone_id: str | None, region: str, at: Path) -> Iterator[Finding]:
    """A zone that is not of the plan's region. at: where the plan names it."""
    if zone_id is not None and not is_zone(zone_id, region):
        message = f"{shown(zone_id)} is no zone of {region}"
        yield at, message, f"ids of its zones begin with {zone_prefix(region)}, like {zone_prefix(region)}-az1"


def zone_prefix(region: str) -> str:
    """What the zone ids of a region begin with: `use1` of us-east-1, `apse2` of ap-southeast-2."""
    area, *directions, number = region.split("-")
    return area + "".join(_SHORT.get(word, word[:1]) for word in directions) + number
