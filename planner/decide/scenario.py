"""One choice, priced: layout x instance type x nodes x purchase -> time, bill, storage facts.

The same function runs once on central values and once on arrays of draws. What is decided before the run
(sizes of file systems and clusters, the checkpoint interval) is decided on central values.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.decide.purchase import Bought, Buy, SpotRisk, bill_compute, spot_risk
from planner.decide.work import FleetWork
from planner.layouts.base import Demand, Layout, Service, Timing
from planner.layouts.network import bill_network
from planner.layouts.s3 import bill_s3
from planner.models.bill import Ledger
from planner.models.compute import usd_per_useful_gpu_hour
from planner.models.datapath import input_fraction, warm_up_hours
from planner.models.goodput import (
    availability,
    checkpoint_write_hours,
    no_spare_probability,
    optimal_interval,
    platform_mtbf,
)
from planner.models.metered import ingest_days
from planner.models.people import bill_people
from planner.models.values import Number, Values
from planner.plan.types import Plan
from pricing.book import PriceBook


@dataclass(frozen=True, kw_only=True)
class Decided:
    """What is fixed before the run starts, from central values, and holds in every draw."""

    interval_hours: float
    checkpoints_stored: float


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What one evaluation gives: numbers are floats, or arrays with one entry a draw."""

    hours: Number
    cost_usd: Number
    usd_per_useful_gpu_hour: Number
    work: FleetWork
    service: Service
    input_fraction: Number
    availability_fraction: Number
    ingest_days: float | None
    ledger: Ledger
    bought: Bought
    decided: Decided
    why_not: tuple[str, ...]
    warnings: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Setting:
    """One fleet with one layout and one purchase, and the values to evaluate it with."""

    plan: Plan
    book: PriceBook
    demand: Demand
    work: FleetWork
    layout: Layout
    buy: Buy


def evaluate(setting: Setting, values: Values, decided: Decided | None = None) -> Outcome:
    """Price one setting. decided: None for the central run, its answer for the draws."""
    plan, demand, work = setting.plan, setting.demand, setting.work
    ledger = Ledger(setting.book, plan.region)
    service = setting.layout.service(values)
    reading = _reading(plan, demand, work, service, values)
    risk = _spot_risk(setting, ledger, values)
    failing = _failing(plan, demand, setting.buy.nodes, service, risk, values, decided)
    training_hours = work.hours / reading.fraction / failing.availability
    hours = values["goodput.bring_up_hours"] + reading.warm_up_hours + training_hours
    written = work.hours / failing.interval_hours
    stored = decided.checkpoints_stored if decided else _stored(plan, float(np.median(written)), float(np.median(hours)))
    timing = Timing(
        standing_hours=hours,
        retention_hours=plan.storage.retention_hours or 0.0,
        s3_read_bytes=reading.s3_read_gb * 1e9,
        checkpoints_written=written,
        checkpoints_stored=stored,
    )
    bought = bill_compute(ledger, setting.buy, hours, values)
    bill_network(ledger, demand, timing, values)
    setting.layout.bill(ledger, timing, values)
    bill_s3(ledger, demand, timing, values, plan.data.ingest.source)
    bill_people(ledger, plan.people, setting.buy.instance, demand.nodes, hours, bought.usd_per_hour, values)
    cost = sum(line.effective_cost for line in ledger.lines)
    rate = plan.data.ingest.rate_bytes_per_second
    return Outcome(
        hours=hours,
        cost_usd=cost,
        usd_per_useful_gpu_hour=usd_per_useful_gpu_hour(cost_usd=cost, useful_gpu_hours=work.useful_gpu_hours),
        work=work,
        service=service,
        input_fraction=reading.fraction,
        availability_fraction=failing.availability,
        ingest_days=ingest_days(dataset_bytes=demand.kept_bytes, rate_bytes_per_second=rate) if rate else None,
        ledger=ledger,
        bought=bought,
        decided=Decided(interval_hours=failing.interval_hours, checkpoints_stored=stored),
        why_not=(*setting.layout.refusals(), *bought.why_not, *ledger.not_offered),
        warnings=(*work.notes, *service.warnings, *bought.warnings),
    )


@dataclass(frozen=True, kw_only=True)
class _Reading:
    fraction: Number
    warm_up_hours: Number
    s3_read_gb: Number


def _reading(plan: Plan, demand: Demand, work: FleetWork, service: Service, values: Values) -> _Reading:
    """Stalls of every phase: the hot data come cold once, then at the steady rate."""
    hot_gb = demand.hot_bytes / 1e9
    prefetch = plan.data.warm_up == "prefetch" and service.usable_tb is not None
    warm_up = warm_up_hours(hot_gb=hot_gb, cold_gb_per_s=service.cold_gb_per_s) if prefetch else 0.0
    cold_left: Number = 0.0 if prefetch else hot_gb
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
    cold_gb = hot_gb if prefetch else np.minimum(hot_gb, read_gb)
    missed = np.maximum(read_gb - (0.0 if prefetch else cold_gb), 0.0) * (1 - service.hit_fraction)
    return _Reading(fraction=work.hours / elapsed, warm_up_hours=warm_up, s3_read_gb=cold_gb + missed)


def _spot_risk(setting: Setting, ledger: Ledger, values: Values) -> SpotRisk | None:
    """Reclaims of spot nodes; an unknown band is an unpriced line, since the run's length hangs on it."""
    if setting.buy.option.family != "spot":
        return None
    name, region = setting.buy.instance.name, setting.plan.region
    band = ledger.look_up("fleet.spot-interruptions", lambda: setting.book.interruption(name, region))
    return spot_risk(band, values) if band else None


@dataclass(frozen=True, kw_only=True)
class _Failing:
    availability: Number
    interval_hours: float


def _failing(
    plan: Plan,
    demand: Demand,
    nodes: int,
    service: Service,
    risk: SpotRisk | None,
    values: Values,
    decided: Decided | None,
) -> _Failing:
    """Useful share of the time under node failures and, on spot, reclaims."""
    rate = values["goodput.failures_per_1000_node_days"]
    hazard = risk.hazard_per_hour if risk else 0.0
    n = demand.training_nodes
    mtbf = platform_mtbf(nodes=n, failures_per_1000_node_days=rate, hazard_per_node_hour=hazard)
    node_failures = n * rate / 24_000
    replacement = values["goodput.replacement_hours"]
    no_spare = no_spare_probability(
        failures_per_hour=node_failures, replacement_hours=replacement, spares=nodes - n
    )
    # each kind of interruption waits for its own thing; the mean wait is weighted by how often each comes
    wait = node_failures * mtbf * no_spare * replacement
    if risk:
        wait = wait + n * hazard * mtbf * values["spot.gang_wait_hours"]
    checkpoint_gb = demand.checkpoint_bytes / 1e9
    blocking = plan.reliability.checkpoint_blocking_hours
    write = (
        checkpoint_write_hours(checkpoint_gb=checkpoint_gb, write_gb_per_s=service.write_gb_per_s)
        if blocking is None
        else blocking
    )
    restart = values["goodput.restart_minutes"] / 60 + checkpoint_gb / service.cold_gb_per_s / 3600
    interval = plan.reliability.checkpoint_interval_hours
    if interval is None:
        interval = (
            decided.interval_hours
            if decided
            else optimal_interval(mtbf_hours=float(mtbf), write_hours=float(write))
        )
    return _Failing(
        availability=availability(
            work_hours=interval, write_hours=write, restart_hours=restart, wait_hours=wait, mtbf_hours=mtbf
        ),
        interval_hours=interval,
    )


def _stored(plan: Plan, written: float, hours: float) -> float:
    """Checkpoints in S3 on average over run and retention: the last few, or all of them as they pile up."""
    kept = plan.data.checkpoints_kept
    if kept != "all":
        return min(float(kept), written)
    retention = plan.storage.retention_hours or 0.0
    return written * (hours / 2 + retention) / (hours + retention)
