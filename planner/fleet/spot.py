"""What spot could save a fleet: a bound, and what interruptions leave of it. No choice is simulated with it."""

from __future__ import annotations

import numpy as np

from planner.answer.ranges import range_of
from planner.fleet.model import Floats
from planner.fleet.result import FleetScenario, Spot
from planner.models.goodput import availability
from planner.models.number import each_draw
from planner.models.values import Values
from planner.plan.fleet_types import FleetPlan
from pricing.book import PriceBook, PriceNotFound


def spot_bound(plan: FleetPlan, book: PriceBook, best: FleetScenario, values: Values) -> Spot | None:
    """For projects of queue low with checkpoints, which may be interrupted anyway. None without any, or without a price
    of spot. values: with draws.

    A mix with spot for some of these node-hours costs at least what it costs without them, and that plus On-Demand for
    them is a mix too: so none saves more than On-Demand less spot on all of them, however it is bought.
    """
    prices = {name: _prices(plan, book, name) for name in plan.types}
    per_day = each_draw(values["spot.gang_interruptions_per_day"], values.draws)
    waits = each_draw(values["spot.gang_wait_hours"], values.draws)
    restart = each_draw(values["goodput.restart_minutes"], values.draws) / 60
    most, found = 0.0, np.zeros(values.draws)
    hours, slower, spot_usd = 0.0, np.zeros(values.draws), 0.0
    names: list[str] = []
    for project, paid in zip(plan.projects, best.show_back, strict=True):
        if project.queue != "low" or project.checkpoint_hours is None:
            continue
        busy, elapsed = (_times(24 / per_day, project.checkpoint_hours, restart, wait) for wait in (0.0 * waits, waits))
        for name, node_hours in zip(plan.types, paid.node_hours, strict=True):
            both = prices[name]
            if both is None or not node_hours:
                continue
            on_demand, spot = both
            most += node_hours * max(on_demand - spot, 0.0)
            found = found + node_hours * (on_demand - spot * busy)
            hours, spot_usd = hours + node_hours, spot_usd + node_hours * spot
            slower = slower + node_hours * elapsed
            names += [] if project.name in names else [project.name]
    if not hours:
        return None
    return Spot(
        projects=tuple(names),
        node_hours=hours,
        usd_per_node_hour=spot_usd / hours,
        most_usd=most,
        saved_usd=range_of(float(found.mean()), np.minimum(found, most), values.draws),
        elapsed_factor=float(np.median(slower / hours)),
        interruptions_per_day=float(np.median(per_day)),
    )


def _prices(plan: FleetPlan, book: PriceBook, name: str) -> tuple[float, float] | None:
    """(On-Demand, spot) of a node-hour."""
    try:
        return book.on_demand(name, plan.region).usd, book.spot(name, plan.region).planned.usd
    except PriceNotFound:
        return None


def _times(mtbf: Floats, segment: float, restart: Floats, wait: Floats) -> Floats:
    """How many times the hours without interruptions a job takes."""
    kept = availability(mtbf_hours=mtbf, work_hours=segment, write_hours=0.0, restart_hours=restart, wait_hours=wait)
    return 1 / each_draw(kept, mtbf.size)
