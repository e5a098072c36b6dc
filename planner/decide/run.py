"""How long a run takes on one fleet with one layout, and every line of its bill but the GPU nodes'.

Purchase options share this: only spot changes how long a run takes, by its reclaims. What is decided before
the run (sizes of file systems and clusters, the checkpoint interval) is decided on central values.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.decide.work import FleetWork
from planner.layouts.base import Demand, Layout, Service, Timing
from planner.layouts.network import bill_network
from planner.layouts.s3 import bill_s3
from planner.models.bill import Ledger
from planner.models.datapath import input_fraction, warm_up_hours
from planner.models.goodput import (
    availability,
    checkpoint_write_hours,
    no_spare_probability,
    optimal_interval,
    platform_mtbf,
)
from planner.models.metered import ingest_days
from planner.models.values import Number, Values
from planner.plan.types import Plan
from pricing.book import PriceBook


@dataclass(frozen=True, kw_only=True)
class Decided:
    """What is fixed before the run starts, from central values, and holds in every draw."""

    interval_hours: float
    checkpoints_stored: float


@dataclass(frozen=True, kw_only=True)
class Failing:
    """Interruptions of a run: the inputs of equation G5, its result, and the share of time that holds no node."""

    availability: Number
    interval_hours: float
    mtbf_hours: Number
    write_hours: Number
    restart_hours: Number
    wait_hours: Number
    unpaid_fraction: Number


@dataclass(frozen=True, kw_only=True)
class Run:
    """A run before anyone buys the nodes: numbers are floats, or arrays with one entry a draw.

    node_hours_unpaid: hours in which a reclaimed spot gang waits for capacity and no GPU node is held.
    """

    plan: Plan
    demand: Demand
    work: FleetWork
    service: Service
    hours: Number
    node_hours_unpaid: Number
    failing: Failing
    input_fraction: Number
    availability_fraction: Number
    ingest_days: float | None
    decided: Decided
    ledger: Ledger
    refusals: tuple[str, ...]


def run_on(
    plan: Plan,
    book: PriceBook,
    demand: Demand,
    work: FleetWork,
    layout: Layout,
    values: Values,
    *,
    spot_hazard_per_hour: Number = 0.0,
    decided: Decided | None = None,
) -> Run:
    """Time a run and bill all that its layout needs. decided: None for the central run, its answer for draws.

    The layout must not refuse: nothing can be timed on one that does.
    """
    service = layout.service(values)
    reclaims = demand.training_nodes * spot_hazard_per_hour * work.hours if layout.lost_with_the_gang else 0.0
    reading = _reading(plan, demand, work, service, layout.filled_first, refills=reclaims)
    failing = _failing(plan, demand, work, service, spot_hazard_per_hour, values, decided)
    training_hours = work.hours / reading.fraction / failing.availability
    hours = values["goodput.bring_up_hours"] + reading.warm_up_hours + training_hours
    written = work.hours / failing.interval_hours
    stored = decided.checkpoints_stored if decided else _stored(plan, float(written), float(hours))
    timing = Timing(
        standing_hours=hours,
        retention_hours=plan.storage.retention_hours or 0.0,
        s3_read_bytes=reading.s3_read_gb * 1e9,
        read_bytes=reading.read_gb * 1e9,
        s3_through_vpc=layout.s3_through_vpc,
        checkpoints_written=written,
        checkpoints_stored=stored,
    )
    ledger = Ledger(book, plan.region)
    bill_network(ledger, demand, timing, values)
    layout.bill(ledger, timing, values)
    bill_s3(ledger, demand, timing, values, plan.data.ingest)
    rate = plan.data.ingest.rate_bytes_per_second
    return Run(
        plan=plan,
        demand=demand,
        work=work,
        service=service,
        hours=hours,
        node_hours_unpaid=training_hours * failing.unpaid_fraction,
        failing=failing,
        input_fraction=reading.fraction,
        availability_fraction=failing.availability,
        ingest_days=ingest_days(dataset_bytes=demand.kept_bytes, rate_bytes_per_second=rate) if rate else None,
        decided=Decided(interval_hours=failing.interval_hours, checkpoints_stored=stored),
        ledger=ledger,
        refusals=tuple(ledger.not_offered),
    )


@dataclass(frozen=True, kw_only=True)
class _Reading:
    fraction: Number
    warm_up_hours: Number
    s3_read_gb: Number
    read_gb: Number


def _reading(
    plan: Plan, demand: Demand, work: FleetWork, service: Service, filled_first: bool, *, refills: Number
) -> _Reading:
    """Stalls of every phase: the hot data come cold once, then at the steady rate.

    Filled before training, on request or because the layout must be: as much as it holds, while the GPUs wait.
    refills: how often the fast tier is emptied; each time the hot data come cold again, as far as they are read.
    """
    hot_gb = demand.hot_bytes / 1e9
    prefetch = service.usable_tb is not None and (filled_first or plan.data.warm_up == "prefetch")
    filled_gb = min(hot_gb, service.usable_tb * 1000) if prefetch and service.usable_tb else 0.0
    warm_up = warm_up_hours(hot_gb=filled_gb, cold_gb_per_s=service.cold_gb_per_s) if prefetch else 0.0
    first_gb = 0.0 if prefetch else hot_gb
    cold_left: Number = first_gb + refills * hot_gb
    cold_at_most = cold_left
    elapsed: Number = 0.0
    read_gb: Number = 0.0
    for phase in work.phases:
        elapsed = elapsed + phase.hours / input_fraction(
            compute_hours=phase.hours,
            required_gb_per_s=phase.required_gb_per_s,
            cold_gb=cold_left,
            cold_gb_per_s=service.cold_gb_per_s,
            steady_gb_per_s=service.steady_gb_per_s,
            slowdown_fraction=service.slowdown_fraction,
        )
        phase_gb = phase.hours * 3600 * phase.required_gb_per_s
        cold_left = np.maximum(cold_left - phase_gb, 0.0)
        read_gb = read_gb + phase_gb
    cold_gb = np.minimum(cold_at_most, read_gb)
    missed = (read_gb - cold_gb) * (1 - service.hit_fraction)
    return _Reading(
        fraction=work.hours / elapsed,
        warm_up_hours=warm_up,
        s3_read_gb=filled_gb + cold_gb + missed,
        read_gb=read_gb,
    )


def _failing(
    plan: Plan,
    demand: Demand,
    work: FleetWork,
    service: Service,
    spot_hazard_per_hour: Number,
    values: Values,
    decided: Decided | None,
) -> Failing:
    """Useful share of the time under node failures and, on spot, reclaims."""
    rate = values["goodput.failures_per_1000_node_days"]
    hazard = spot_hazard_per_hour
    n = demand.training_nodes
    mtbf = platform_mtbf(nodes=n, failures_per_1000_node_days=rate, hazard_per_node_hour=hazard)
    node_failures = n * rate / 24_000
    replacement = values["goodput.replacement_hours"]
    no_spare = no_spare_probability(
        failures_per_hour=node_failures, replacement_hours=replacement, spares=demand.nodes - n
    )
    # each kind of interruption waits for its own thing; the mean wait is weighted by how often each comes
    wait = node_failures * mtbf * no_spare * replacement
    gang_wait: Number = 0.0
    if np.any(hazard):
        gang_wait = n * hazard * mtbf * values["spot.gang_wait_hours"]
        wait = wait + gang_wait
    checkpoint_gb = demand.checkpoint_bytes / 1e9
    blocking = plan.reliability.checkpoint_blocking_hours
    write = (
        checkpoint_write_hours(
            checkpoint_gb=checkpoint_gb,
            write_gb_per_s=service.write_gb_per_s,
            overhead_seconds=values["checkpoint.overhead_seconds"],
        )
        if blocking is None
        else blocking
    )
    restart = values["goodput.restart_minutes"] / 60 + checkpoint_gb / service.cold_gb_per_s / 3600
    if decided:
        interval = decided.interval_hours
    else:
        chosen = plan.reliability.checkpoint_interval_hours
        if chosen is None:
            chosen = optimal_interval(mtbf_hours=float(mtbf), write_hours=float(write))
        # a run shorter than the interval saves its work once, at its end
        interval = min(chosen, float(work.hours))
    return Failing(
        availability=availability(
            work_hours=interval, write_hours=write, restart_hours=restart, wait_hours=wait, mtbf_hours=mtbf
        ),
        interval_hours=interval,
        mtbf_hours=mtbf,
        write_hours=write,
        restart_hours=restart,
        wait_hours=wait,
        # G5 is proportional to M + D, so of all time the share D/(M + D) is waiting; a gang comes and goes
        # as a whole (94 % of the traces' ticks hold all or none), so spot waits hold no node
        unpaid_fraction=gang_wait / (mtbf + wait),
    )


def _stored(plan: Plan, written: float, hours: float) -> float:
    """Checkpoints in S3 on average over run and retention: the last few, or all of them as they pile up."""
    kept = plan.data.checkpoints_kept
    if kept != "all":
        return min(float(kept), written)
    retention = plan.storage.retention_hours or 0.0
    return written * (hours / 2 + retention) / (hours + retention)
