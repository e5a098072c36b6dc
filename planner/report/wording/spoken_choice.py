"""A choice as a sentence names it: `FSx for Lustre on a Capacity Block`, where a table has its id."""

from __future__ import annotations

from planner.estimate.result import Scenario
from planner.layouts.registry import ROOMS
from pricing.offers import PurchaseOption

WAYS = {
    "on-demand": "with On-Demand nodes",
    "spot": "on spot",
    "spot-fallback": "on spot with On-Demand fallback",
    "capacity-block": "on a Capacity Block",
}


def spoken(scenario: Scenario) -> str:
    """`pooled NVMe on a Capacity Block`; of a commitment that ends before the run, also what follows it."""
    after = ", then On-Demand" if scenario.after_commitment else ""
    return f"{_storage(scenario.layout, scenario.variant)} {way(scenario.option)}{after}"


def spoken_id(scenario_id: str, *, place: bool = False) -> str:
    """The same of a scenario's id. place: with its instance type, and the count where the id has one."""
    layout, kind, purchase = scenario_id.split("/")
    name, _, variant = layout.partition("+")
    return f"{_storage(name, variant)} {way(PurchaseOption.parse(purchase))}{f', {_fleet(kind)}' if place else ''}"


def _fleet(kind: str) -> str:
    """`18 x p5.48xlarge` of an id's `p5.48xlargex18`; a type alone as it is."""
    name, _, count = kind.rpartition("x")
    return f"{int(count):,} x {name}" if count.isdecimal() else kind


def way(option: PurchaseOption) -> str:
    """How the nodes are bought: `on spot`, `on a 1-year Compute Savings Plan, all upfront`."""
    if not option.years:
        return WAYS.get(option.family, option.family)
    paid = "" if option.upfront == "no" else f", {option.upfront} upfront"
    if option.family == "ri":
        return (
            f"on {option.years}-year {'convertible ' if option.kind == 'convertible' else ''}Reserved Instances{paid}"
        )
    kind = {"instance": "EC2 Instance", "compute": "Compute"}[option.kind]
    return f"on a {option.years}-year {kind} Savings Plan{paid}"


def _storage(layout: str, variant: str) -> str:
    room = ROOMS.get(layout)
    if not variant:
        return room.brief if room else layout
    unit = f" {room.variant_unit}" if room and room.variant_unit and variant.isdigit() else ""
    return f"{room.brief if room else layout} ({variant}{unit})"
