"""Every equation of every family, by number and by name."""

from __future__ import annotations

from planner.models import (
    capacity,
    compute,
    conversions,
    datapath,
    datasets,
    file_systems,
    goodput,
    interruptions,
    metered,
    observed,
    observed_rates,
    owned,
    people,
    prefetch,
    returning,
    shares,
    spot,
    tiered_storage,
    worker_pool,
    workload,
)
from planner.models.equation import Equation, registered

# importing these registers their equations
FAMILIES = (
    capacity,
    compute,
    conversions,
    datapath,
    datasets,
    file_systems,
    goodput,
    interruptions,
    metered,
    observed,
    observed_rates,
    owned,
    people,
    prefetch,
    returning,
    shares,
    spot,
    tiered_storage,
    worker_pool,
    workload,
)


def all_equations() -> tuple[Equation, ...]:
    """Every equation, by family and number."""
    return tuple(sorted(registered(), key=lambda entry: (entry.number[0], int(entry.number[1:]))))


def find(name_or_number: str) -> Equation | None:
    """The equation of that name (`pool-usable`) or number (`S2`), or None."""
    for entry in all_equations():
        if name_or_number in (entry.name, entry.number):
            return entry
    return None
