"""How much faster one kind of GPU trains than the one that a plan's GPU-hours and throughput were measured on."""

from __future__ import annotations

from planner.estimate.place import PhaseIds
from planner.models.derived import Sourced
from planner.models.sheet import Sheet
from planner.models.values import Values
from planner.plan.profiles import speed_key
from planner.plan.types import Plan

STREAM = "workload.relative_speed"  # one for all kinds: a recipe that gains on H100 gains on H200


def relative_speed(plan: Plan, kind: str, place: PhaseIds, values: Values, sheet: Sheet) -> Sourced | None:
    """Speed of a kind relative to the GPU of the plan's GPU-hours and table; None if the plan compares no kinds.

    The plan's own figure, else published ones by way of the first kind that the plan has a figure for.
    """
    stated = plan.run.relative_speed
    if not stated:
        return None
    if kind in stated:
        return stated[kind], f"plan:run.relative_speed.{kind}"
    base = next(iter(stated))
    this, other = (values.sampled(speed_key(name), STREAM) for name in (kind, base))
    relative = sheet.arithmetic(
        place.id("relative_speed"),
        stated[base] * this / other,
        "ratio",
        "stated * this / other",
        f"published speed of {kind} over {base}, times the plan's for {base}",
        stated=(stated[base], f"plan:run.relative_speed.{base}", "ratio"),
        this=(this, f"assumption:{speed_key(kind)}", "ratio"),
        other=(other, f"assumption:{speed_key(base)}", "ratio"),
    )
    return relative, place.run("relative_speed")
