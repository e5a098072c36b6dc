"""Interruptions of a run, and the share of the time whose work is kept."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.estimate.work import FleetWork
from planner.layouts.base import Demand, Service
from planner.models.derived import Sourced, SourcedQuantity
from planner.models.goodput import availability, checkpoint_write_hours, optimal_interval, restart_hours
from planner.models.interruptions import mean_wait_hours, no_spare_probability, platform_mtbf
from planner.models.number import Number
from planner.models.sheet import Sheet
from planner.models.values import Values
from planner.plan.types import Plan

NOT_ON_SPOT: Sourced = (0.0, "rule:no spot, so no spot interruptions")


@dataclass(frozen=True, kw_only=True)
class Interruptions:
    """The inputs of equation G5 and its result; interruptions of the whole spot job, and the wait after each."""

    availability: Number
    interval_hours: float
    mtbf_hours: Number
    write_hours: Number
    restart_hours: Number
    wait_hours: Number
    interruptions_per_hour: Number
    gang_wait: Sourced


def interruptions_of(
    plan: Plan,
    demand: Demand,
    work: FleetWork,
    service: Service,
    hazard: Sourced,
    values: Values,
    decided_hours: float | None,
    sheet: Sheet,
) -> Interruptions:
    """Useful share of the time with node failures and, on spot, interruptions.

    hazard: interruptions per spot node and hour. decided_hours: between checkpoints; None to decide it here.
    """
    mtbf = sheet.equation(
        "goodput.mtbf_hours",
        platform_mtbf,
        nodes=(demand.training_nodes, "run:training_nodes"),
        failures_per_1000_node_days=values.given("goodput.failures_per_1000_node_days"),
        hazard_per_node_hour=hazard,
    )
    interruptions_per_hour = demand.training_nodes * hazard[0]
    if hazard is not NOT_ON_SPOT:
        sheet.arithmetic(
            "goodput.reclaims_per_hour",
            interruptions_per_hour,
            "1/h",
            "training_nodes * hazard",
            training_nodes=(demand.training_nodes, "run:training_nodes", "nodes"),
            hazard=(hazard[0], hazard[1], "1/h"),
        )
    else:
        sheet.taken("goodput.reclaims_per_hour", "1/h", reclaims_per_hour=NOT_ON_SPOT)
    gang_wait = values.given("spot.gang_wait_hours") if np.any(hazard[0]) else NOT_ON_SPOT
    wait = _wait(demand, mtbf, interruptions_per_hour, gang_wait, values, sheet)
    checkpoint_gb: Sourced = (demand.checkpoint_bytes / 1e9, "run:data.checkpoint_gb")
    size = (demand.checkpoint_bytes, "run:data.checkpoint_bytes", "bytes")
    sheet.arithmetic("data.checkpoint_gb", checkpoint_gb[0], "GB", "checkpoint_bytes / 10**9", checkpoint_bytes=size)
    write = _write(plan, checkpoint_gb, service, values, sheet)
    restart = sheet.equation(
        "goodput.restart_hours",
        restart_hours,
        restart_minutes=values.given("goodput.restart_minutes"),
        checkpoint_gb=checkpoint_gb,
        cold_gb_per_s=(service.cold_gb_per_s, "run:storage.cold_read_gb_per_s"),
    )
    interval = decided_hours
    if interval is None:
        interval = _interval(plan, work, float(mtbf), float(write), sheet)
    else:
        decided = "rule:decided before the run, at central values"
        sheet.taken("goodput.checkpoint_interval_hours", "h", interval=(interval, decided))
    available = sheet.equation(
        "goodput.availability_fraction",
        availability,
        work_hours=(interval, "run:goodput.checkpoint_interval_hours"),
        write_hours=(write, "run:goodput.write_hours"),
        restart_hours=(restart, "run:goodput.restart_hours"),
        wait_hours=(wait, "run:goodput.wait_hours"),
        mtbf_hours=(mtbf, "run:goodput.mtbf_hours"),
    )
    return Interruptions(
        availability=available,
        interval_hours=interval,
        mtbf_hours=mtbf,
        write_hours=write,
        restart_hours=restart,
        wait_hours=wait,
        interruptions_per_hour=interruptions_per_hour,
        gang_wait=gang_wait,
    )


def _wait(
    demand: Demand, mtbf: Number, interruptions_per_hour: Number, gang_wait: Sourced, values: Values, sheet: Sheet
) -> Number:
    """Mean hours of waiting for nodes after an interruption."""
    rate, replacement = values.given("goodput.failures_per_1000_node_days"), values.given("goodput.replacement_hours")
    failures = sheet.arithmetic(
        "goodput.failures_per_hour",
        demand.training_nodes * rate[0] / 24_000,
        "1/h",
        "training_nodes * rate / 24000",
        training_nodes=(demand.training_nodes, "run:training_nodes", "nodes"),
        rate=(*rate, "1/(1000 node-days)"),
    )
    no_spare = sheet.equation(
        "goodput.no_spare_fraction",
        no_spare_probability,
        failures_per_hour=(failures, "run:goodput.failures_per_hour"),
        replacement_hours=replacement,
        spares=(demand.nodes - demand.training_nodes, "plan:fleet.spares"),
    )
    return sheet.equation(
        "goodput.wait_hours",
        mean_wait_hours,
        mtbf_hours=(mtbf, "run:goodput.mtbf_hours"),
        failures_per_hour=(failures, "run:goodput.failures_per_hour"),
        no_spare_fraction=(no_spare, "run:goodput.no_spare_fraction"),
        replacement_hours=replacement,
        reclaims_per_hour=(interruptions_per_hour, "run:goodput.reclaims_per_hour"),
        gang_wait_hours=gang_wait,
    )


def _write(plan: Plan, checkpoint_gb: Sourced, service: Service, values: Values, sheet: Sheet) -> Number:
    """Hours that training pauses for one checkpoint."""
    blocking = plan.reliability.checkpoint_blocking_hours
    if blocking is not None:
        own = (blocking, "plan:reliability.checkpoint_blocking")
        return sheet.taken("goodput.write_hours", "h", blocking=own)
    return sheet.equation(
        "goodput.write_hours",
        checkpoint_write_hours,
        checkpoint_gb=checkpoint_gb,
        write_gb_per_s=(service.write_gb_per_s, "run:storage.write_gb_per_s"),
        overhead_seconds=values.given("checkpoint.overhead_seconds"),
    )


def _interval(plan: Plan, work: FleetWork, mtbf: float, write: float, sheet: Sheet) -> float:
    """Hours of work between two checkpoints: the plan's, or the optimum; a shorter run saves its work once, at its
    end."""
    own = plan.reliability.checkpoint_interval_hours
    if own is not None:
        chosen: SourcedQuantity = (own, "plan:reliability.checkpoint_interval", "h")
    else:
        best = sheet.equation(
            "goodput.optimal_interval_hours",
            optimal_interval,
            mtbf_hours=(mtbf, "run:goodput.mtbf_hours"),
            write_hours=(write, "run:goodput.write_hours"),
        )
        chosen = (best, "run:goodput.optimal_interval_hours", "h")
    return sheet.arithmetic(
        "goodput.checkpoint_interval_hours",
        min(chosen[0], float(work.hours)),
        "h",
        "min(interval, work_hours)",
        "no longer than the work itself",
        interval=chosen,
        work_hours=(work.hours, "run:run.work_hours", "h"),
    )
