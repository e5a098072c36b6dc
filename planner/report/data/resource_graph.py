"""A resource graph (design 3.5) as plain data, whoever wrote it: its components, and what they bill."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

Graph = Mapping[str, Any]
Resource = Mapping[str, Any]


def as_json(graph: Graph) -> str:
    return json.dumps(graph, indent=2, ensure_ascii=False) + "\n"


def by_component(graph: Graph) -> dict[str, list[Resource]]:
    """Component -> its AWS resources, in the order of the graph; components themselves are not AWS resources."""
    found: dict[str, list[Resource]] = {}
    for resource in graph["resources"]:
        if str(resource["type"]).startswith("aws:"):
            found.setdefault(str(resource["component"]), []).append(resource)
    return found


def usd_per_hour(resources: Sequence[Resource]) -> float:
    return math.fsum(float(resource["usd_per_hour"] or 0.0) for resource in resources)


def bills_by_use(resources: Sequence[Resource]) -> bool:
    """Whether one of them bills by use alone, so that the hourly sum does not include it."""
    return any(not resource["free"] and not resource["usd_per_hour"] for resource in resources)
