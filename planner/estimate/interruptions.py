"""Interruptions of a run, and the share of the time whose work is kept."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.estimate.job_rates import JobRates, job_rates_of
from planner.estimate.notice import announced_of, durable_write
from planner.estimate.spot import HELD, SpotMarket
from planner.estimate.work import FleetWork
from planner.layouts.base import Demand, Service
from planner.models.derived import Sourced, SourcedQuantity
from planner.models.goodput import availability, optimal_interval, restart_hours
from planner.models.number import Number
from planner.models.sheet import Sheet
from planner.models.spot import availability_with_notice
from planner.models.values import Values
from planner.plan.types import Plan


@dataclass(frozen=True, kw_only=True)
class Interruptions:
    """The share of the time whose work is kept, and what it is calculated from."""

    availability: Number
    interval_hours: Number
    write_hours: Number
    restart_hours: Number
    rates: JobRates


def interruptions_of(
    plan: Plan,
    demand: Demand,
    work: FleetWork,
    service: Service,
    market: SpotMarket,
    values: Values,
    decided_hours: float | None,
    sheet: Sheet,
) -> Interruptions:
    """Useful share of the time with node failures and, on spot, interruptions.

    decided_hours: between checkpoints; None to decide it here. On spot it is decided here in each draw, because
    interruptions show within days how often to save.
    """
    rates = job_rates_of(demand, market, values, sheet)
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
    saved_in = _background(plan, checkpoint_gb, service, values, sheet)
    repeated: Sourced = (restart, "run:goodput.restart_hours")
    if saved_in is not None:
        # the newest checkpoint that a restart can read is older by the time it took to save
        repeated = (
            sheet.arithmetic(
                "goodput.restart_and_repeat_hours",
                restart + saved_in,
                "h",
                "restart + save",
                "after a failure: restart, and the work done while the newest checkpoint was still being saved",
                restart=(restart, "run:goodput.restart_hours", "h"),
                save=(saved_in, "run:goodput.save_hours", "h"),
            ),
            "run:goodput.restart_and_repeat_hours",
        )
    announced = None if market is HELD else announced_of(checkpoint_gb, service, rates, values, sheet)
    mtbf = announced.other_mtbf_hours if announced else rates.mtbf_hours
    if decided_hours is not None and not announced:
        decided = (decided_hours, "rule:decided before the run, at central values")
        interval: Number = sheet.taken("goodput.checkpoint_interval_hours", "h", interval=decided)
    else:
        interval = _interval(plan, work, mtbf, write, saved_in, sheet)
    kept = sheet.equation(
        "goodput.unannounced_fraction" if announced else "goodput.availability_fraction",
        availability,
        work_hours=(interval, "run:goodput.checkpoint_interval_hours"),
        write_hours=(write, "run:goodput.write_hours"),
        restart_hours=repeated,
        wait_hours=announced.other_wait_hours if announced else rates.wait_hours,
        mtbf_hours=mtbf,
    )
    if announced:
        kept = sheet.equation(
            "goodput.availability_fraction",
            availability_with_notice,
            unannounced_fraction=(kept, "run:goodput.unannounced_fraction"),
            announced_per_hour=announced.per_hour,
            announced_wait_fraction=announced.waiting,
            restart_hours=(restart, "run:goodput.restart_hours"),
            write_hours=announced.write_hours,
        )
    return Interruptions(
        availability=kept, interval_hours=interval, write_hours=write, restart_hours=restart, rates=rates
    )


def _write(plan: Plan, checkpoint_gb: Sourced, service: Service, values: Values, sheet: Sheet) -> Number:
    """Hours that training pauses for one checkpoint."""
    blocking = plan.reliability.checkpoint_blocking_hours
    if blocking is not None:
        own = (blocking, "plan:reliability.checkpoint_blocking")
        return sheet.taken("goodput.write_hours", "h", blocking=own)
    return durable_write(checkpoint_gb, service, values, sheet, "goodput.write_hours")


def _background(plan: Plan, checkpoint_gb: Sourced, service: Service, values: Values, sheet: Sheet) -> Number | None:
    """Hours until a checkpoint is in storage while training goes on; None if training pauses until it is there.

    A plan that states how long training pauses (`reliability.checkpoint_blocking`) saves in the background.
    """
    if plan.reliability.checkpoint_blocking_hours is None:
        return None
    return durable_write(checkpoint_gb, service, values, sheet, "goodput.save_hours")


def _interval(
    plan: Plan, work: FleetWork, mtbf: Sourced, write: Number, saved_in: Number | None, sheet: Sheet
) -> Number:
    """Hours of work between two checkpoints: the plan's, or the optimum; a shorter run saves its work once, at its
    end. saved_in: hours that one takes in the background, before which the next does not begin."""
    own = plan.reliability.checkpoint_interval_hours
    if own is not None:
        chosen: SourcedQuantity = (own, "plan:reliability.checkpoint_interval", "h")
    else:
        best = sheet.equation(
            "goodput.optimal_interval_hours",
            optimal_interval,
            mtbf_hours=mtbf,
            write_hours=(write, "run:goodput.write_hours"),
        )
        chosen = (best, "run:goodput.optimal_interval_hours", "h")
        if saved_in is not None:
            after = sheet.arithmetic(
                "goodput.interval_after_save_hours",
                np.maximum(best, saved_in)[()],
                "h",
                "max(optimal_interval, save)",
                "no checkpoint begins before the one before it is saved",
                optimal_interval=chosen,
                save=(saved_in, "run:goodput.save_hours", "h"),
            )
            chosen = (after, "run:goodput.interval_after_save_hours", "h")
    return sheet.arithmetic(
        "goodput.checkpoint_interval_hours",
        np.minimum(chosen[0], work.hours)[()],
        "h",
        "min(interval, work_hours)",
        "no longer than the work itself",
        interval=chosen,
        work_hours=(work.hours, "run:run.work_hours", "h"),
    )
